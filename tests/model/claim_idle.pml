/*
 * Two wakers and the same idle core: can both claim it?
 *
 * dispatch_make_runnable chooses a CPU (place_on_idle) and claims it within one hold of the placement
 * lock, so the second waker sees what the first has done. The locks of the cores would not do: each
 * is taken when it is known which. Here two wakers place one task each on a machine of two cores of
 * two threads; each must get a core of its own.
 *
 * BROKEN: the choice is made before the lock is taken, and not made again.
 */
#include "locks.inc"

#define NONE 255

byte incoming[4] = NONE; /* sched_cpu.incoming: CPUs 0, 1 are one core, 2, 3 the other */
byte runs[4] = NONE;
bool kicked[4];

#define idle(cpu) (incoming[cpu] == NONE && runs[cpu] == NONE)
#define whole(cpu) (idle(cpu) && idle((cpu) ^ 1))

/* place_on_idle: an idle core, else an idle CPU. */
inline place(choice) {
    if
    :: whole(0) -> choice = 0
    :: !whole(0) && whole(2) -> choice = 2
    :: !whole(0) && !whole(2) && idle(0) -> choice = 0
    :: !whole(0) && !whole(2) && !idle(0) && idle(1) -> choice = 1
    :: else -> choice = 3
    fi
}

proctype waker(byte task)
{
    byte choice;

#ifdef BROKEN
    place(choice);
    placement_lock();
#else
    placement_lock();
    place(choice);
#endif
    placement_touch(choice / 2);
    assert(incoming[choice] == NONE); /* claim(): nobody's promise is overwritten */
    incoming[choice] = task;
    kicked[choice] = true;
    placement_unlock()
}

/* sched_kicked on each CPU. */
proctype cpu(byte self)
{
end:
    do
    :: atomic { kicked[self] -> kicked[self] = false };
        placement_lock();
        placement_touch(self / 2); /* dispatch_next */
        if
        :: incoming[self] != NONE -> runs[self] = incoming[self]; incoming[self] = NONE
        :: else
        fi;
        placement_unlock()
    od
}

init {
    atomic {
        run waker(0); run waker(1);
        run cpu(0); run cpu(1); run cpu(2); run cpu(3)
    };
    timeout ->
    /* Both run, each on a core of its own. */
    assert((runs[0] != NONE || runs[1] != NONE) && (runs[2] != NONE || runs[3] != NONE));
    assert(runs[0] == NONE || runs[1] == NONE);
    assert(runs[2] == NONE || runs[3] == NONE)
}
