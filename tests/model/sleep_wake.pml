/*
 * Sleep against wake-up: can a CPU halt although something was claimed for it?
 *
 * sched_idle_loop checks nothing before it halts. It need not: whoever claims the CPU
 * (dispatch_wake, then send_kicks) leaves an interrupt pending, and sti; hlt is left by a pending
 * interrupt, whose handler (sched_kicked) itself switches away from the idle task. This holds
 * although the CPU decides to sleep under the locks, but switches to the idle task after it has let
 * go of them: interrupts stay off until the halt. (That it may be claimed before it has left the
 * task's stack is another matter: steal_dispatch.)
 *
 * BROKEN_HALT: the usual shortcut. The waker interrupts only a CPU that says it has halted, and the
 * CPU looks for work before it says so.
 * BROKEN_SWITCH: interrupts are on between the decision and the switch, and one that comes there
 * decides, but does not switch.
 */
#include "locks.inc"

#define ROUNDS 3

#define RUNNING 0
#define BLOCKED 1
#define CLAIMED 2

bool pending; /* an interrupt waits in the local APIC of the CPU */
bool halted;
byte task = RUNNING;
byte wakes;

/* sched_reschedule(DISPATCH_KICK) on a CPU that runs nothing; it switches to what it decides. */
inline sched_kicked()
{
    placement_lock();
    placement_touch(0);
    if
    :: task == CLAIMED -> task = RUNNING /* dispatch_next */
    :: else
    fi;
    placement_unlock();
    runs = runs || task == RUNNING /* switch_to */
}

active proctype cpu()
{
    byte sleeps = 0;
    bool runs = true; /* the task, and not the idle task, is on the CPU */

    do
    :: sleeps == ROUNDS -> break
    :: sleeps < ROUNDS ->
        sleeps++;
        /* sched_sleep: interrupts are off from here to the halt */
        placement_lock();
        placement_touch(0);
        task = BLOCKED;
        placement_unlock();
#ifdef BROKEN_SWITCH
        if
        :: pending -> pending = false; sched_kicked()
        :: true
        fi;
#endif
        runs = false; /* switch_to(cpu->idle) */
        do
        :: runs -> break
        :: else ->
#ifdef BROKEN_HALT
            sched_kicked();
            if
            :: runs -> break
            :: else
            fi;
#endif
            halted = true;
            atomic { pending -> pending = false; halted = false }; /* arch_wait_for_interrupt */
            sched_kicked()
        od
    od
}

/* Wakes the task whenever it sleeps: another CPU's sched_timer, or sched_resume. */
active proctype waker()
{
    bool claimed;

    do
    :: wakes == ROUNDS -> break
    :: wakes < ROUNDS ->
        claimed = false;
        placement_lock();
        placement_touch(0);
        if
        :: task == BLOCKED -> task = CLAIMED; claimed = true; wakes++ /* dispatch_wake */
        :: else
        fi;
#ifdef BROKEN_HALT
        placement_unlock();
        if
        :: claimed && halted -> pending = true
        :: else
        fi
#else
        if
        :: claimed -> pending = true /* send_kicks */
        :: else
        fi;
        placement_unlock()
#endif
    od
}

/* An interrupt that has nothing to say. */
active proctype device()
{
    pending = true
}

/* Whatever is claimed runs in the end; nobody halts for ever with work to do. */
active proctype monitor()
{
    timeout -> assert(task == RUNNING && wakes == ROUNDS)
}
