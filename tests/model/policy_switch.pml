/*
 * Change of policy while tasks run: from one that lets two tasks share a core to one that does not
 * (nosmt). dispatch_set_policy drains the queues, files what waited anew, and kicks; each CPU then
 * looks whether what it runs may stay (expel). Meanwhile the slice of CPU 0 may end (dispatch_swap).
 * Does exactly one of two siblings stay, whatever the order, is the core never left empty while
 * others wait, and is nobody lost?
 *
 * BROKEN_LOOK: a CPU looks at its sibling before it takes the locks.
 * BROKEN_TOUCH: dispatch_set_policy does not touch the core.
 */
#include "locks.inc"

#define TASKS 3
#define NONE 255

bool exclusive;      /* policy->sharing == SHARING_NONE */
byte current[2];     /* of the two threads of the only core */
bool waiting[TASKS]; /* in its queue */
bool kicked[2];

inline take(t) { waiting[t] = false; current[self] = t }

/* queue_take: whichever waits. */
inline pick()
{
    if
    :: waiting[0] -> take(0)
    :: waiting[1] -> take(1)
    :: waiting[2] -> take(2)
    :: else
    fi
}

inline dispatch_swap()
{
    core_lock(0);
    previous = current[self];
    if
    :: previous != NONE && !(exclusive && current[1 - self] != NONE) -> /* dispatch_may_run */
        pick();
        if
        :: current[self] != previous -> waiting[previous] = true /* change_places */
        :: else
        fi
    :: else
    fi;
    core_unlock(0)
}

proctype cpu(byte self)
{
    byte sibling_runs, previous;
    bool slice_over = (self == 0);

end:
    do
    :: slice_over -> slice_over = false; dispatch_swap()
    :: atomic { kicked[self] -> kicked[self] = false }; /* sched_kicked: dispatch_next */
#ifdef BROKEN_LOOK
        sibling_runs = current[1 - self];
        placement_lock();
        placement_touch(0);
#else
        placement_lock();
        placement_touch(0);
        sibling_runs = current[1 - self];
#endif
        if
        :: current[self] != NONE && exclusive && sibling_runs != NONE -> /* occupancy_may_join */
            waiting[current[self]] = true; /* dispatch_make_runnable: nothing else is idle */
            current[self] = NONE
        :: current[self] == NONE && sibling_runs == NONE -> pick()
        :: else
        fi;
        placement_unlock()
    od
}

proctype conductor()
{
    bool moving[TASKS];
    byte t;

    placement_lock(); /* sched_use: dispatch_set_policy */
#ifndef BROKEN_TOUCH
    placement_touch(0); /* touch_all */
#endif
    for (t : 0 .. TASKS - 1) { /* drain */
        moving[t] = waiting[t];
        waiting[t] = false
    };
    exclusive = true;
    for (t : 0 .. TASKS - 1) { /* make_all_runnable */
        if
        :: moving[t] -> waiting[t] = true
        :: else
        fi
    };
    kicked[0] = true; kicked[1] = true;
    placement_unlock()
}

#define places(t) (waiting[t] + (current[0] == t) + (current[1] == t))

init {
    atomic {
        current[0] = 0; current[1] = 1; waiting[2] = true;
        run cpu(0); run cpu(1); run conductor()
    };
    timeout ->
    assert(!(current[0] != NONE && current[1] != NONE));
    assert(current[0] != NONE || current[1] != NONE);
    assert(places(0) == 1 && places(1) == 1 && places(2) == 1)
}
