/*
 * Change of policy while tasks run: from one that lets two tasks share a core to one that does not
 * (nosmt). dispatch_set_policy only kicks; each CPU then looks whether what it runs may stay
 * (expel). Does exactly one of two siblings stay, whatever the order, and is the core never left
 * empty while the other task waits?
 *
 * BROKEN: a CPU looks at its sibling before it takes the lock.
 */
#define NONE 255

bool locked;
bool exclusive;      /* policy->sharing == SHARING_NONE */
byte current[2];     /* of the two threads of the only core */
bool waiting[2];     /* tasks in the queue */
bool kicked[2];
byte looked;

inline spinlock_acquire() { atomic { !locked -> locked = true } }
inline spinlock_release() { locked = false }

proctype cpu(byte self)
{
    byte sibling_runs;

end:
    do
    :: atomic { kicked[self] -> kicked[self] = false }; /* sched_kicked */
#ifdef BROKEN
        sibling_runs = current[1 - self];
        spinlock_acquire();
#else
        spinlock_acquire();
        sibling_runs = current[1 - self];
#endif
        if
        :: current[self] != NONE && exclusive && sibling_runs != NONE -> /* occupancy_may_join */
            waiting[current[self]] = true; /* dispatch_make_runnable: nothing else is idle */
            current[self] = NONE
        :: current[self] == NONE && sibling_runs == NONE && waiting[0] -> /* pick */
            waiting[0] = false; current[self] = 0
        :: current[self] == NONE && sibling_runs == NONE && !waiting[0] && waiting[1] ->
            waiting[1] = false; current[self] = 1
        :: else
        fi;
        spinlock_release()
    od
}

proctype conductor()
{
    spinlock_acquire(); /* sched_use: dispatch_set_policy */
    exclusive = true;
    kicked[0] = true; kicked[1] = true;
    spinlock_release()
}

init {
    atomic {
        current[0] = 0; current[1] = 1;
        run cpu(0); run cpu(1); run conductor()
    };
    timeout ->
    assert(!(current[0] != NONE && current[1] != NONE));
    assert(current[0] != NONE || current[1] != NONE);
    assert(waiting[0] != waiting[1])
}
