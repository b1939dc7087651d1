/*
 * Sleep against wake-up: can a CPU halt although something was claimed for it?
 *
 * sched_idle_loop checks nothing before it halts. It need not: whoever claims the CPU
 * (dispatch_wake, then send_kicks) leaves an interrupt pending, and sti; hlt is left by a pending
 * interrupt, whose handler (sched_kicked) itself switches away from the idle task.
 *
 * BROKEN: the usual shortcut. The waker interrupts only a CPU that says it has halted, and the CPU
 * looks for work before it says so.
 */
#define ROUNDS 3

#define RUNNING 0
#define BLOCKED 1
#define CLAIMED 2

bool locked;        /* sched_lock */
bool pending;       /* an interrupt waits in the local APIC of the CPU */
bool halted;
byte task = RUNNING;
byte wakes;

inline spinlock_acquire() { atomic { !locked -> locked = true } }
inline spinlock_release() { locked = false }

/* dispatch_next(DISPATCH_KICK) on a CPU that runs nothing. */
inline dispatch_next() {
    if
    :: task == CLAIMED -> task = RUNNING
    :: else
    fi
}

active proctype cpu()
{
    byte sleeps = 0;

    do
    :: sleeps == ROUNDS -> break
    :: sleeps < ROUNDS ->
        sleeps++;
        /* sched_sleep: interrupts are off from here to the halt */
        spinlock_acquire();
        task = BLOCKED;
        spinlock_release();
        do
        :: task == RUNNING -> break
        :: else ->
#ifdef BROKEN
            spinlock_acquire();
            dispatch_next();
            spinlock_release();
            if
            :: task == RUNNING -> break
            :: else
            fi;
#endif
            halted = true;
            atomic { pending -> pending = false; halted = false }; /* arch_wait_for_interrupt */
            spinlock_acquire();                                    /* sched_kicked */
            dispatch_next();
            spinlock_release()
        od
    od
}

/* Wakes the task whenever it sleeps: another CPU's sched_timer, or sched_start. */
active proctype waker()
{
    bool claimed;

    do
    :: wakes == ROUNDS -> break
    :: wakes < ROUNDS ->
        claimed = false;
        spinlock_acquire();
        if
        :: task == BLOCKED -> task = CLAIMED; claimed = true; wakes++ /* dispatch_wake */
        :: else
        fi;
#ifdef BROKEN
        spinlock_release();
        if
        :: claimed && halted -> pending = true
        :: else
        fi
#else
        if
        :: claimed -> pending = true /* send_kicks */
        :: else
        fi;
        spinlock_release()
#endif
    od
}

/* An interrupt that has nothing to say. */
active proctype device()
{
    pending = true
}

active proctype monitor()
{
    timeout -> assert(task == RUNNING)
}
