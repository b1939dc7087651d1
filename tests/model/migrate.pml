/*
 * Moving what runs, against pause and exit: dispatch_exchange and dispatch_pull ask another CPU to
 * hand over what it runs, and until it answers (finish_push, when it is kicked) anything may happen
 * to either task. Is any task ever lost, or in two places, or does a CPU wait for ever?
 *
 * CPU 0 runs task 0 alone on its core; CPU 1 runs task 1, which shares its core. The end of CPU 0's
 * slice swaps the two (rotation_next); meanwhile task 1 may block, and each may be paused and
 * resumed.
 *
 * BROKEN: finish_push forgets the CPU that asked if the task it asked for is gone.
 */
#define OUT 0
#define QUEUED 1
#define CLAIMED 2
#define RUNNING 3
#define NONE 255

bool locked;
byte where[2] = RUNNING;
bool paused[2], runnable[2] = true;
byte current[2], incoming[2] = NONE, push_to[2] = NONE;
bool awaits[2], kicked[2];

inline spinlock_acquire() { atomic { !locked -> locked = true } }
inline spinlock_release() { locked = false }

#define busy(c) (current[c] != NONE || incoming[c] != NONE || awaits[c])

inline claim(t, c) {
    assert(incoming[c] == NONE);
    incoming[c] = t; where[t] = CLAIMED; kicked[c] = true
}

/* An idle CPU, or the queue. */
inline dispatch_make_runnable(t) {
    if
    :: !busy(0) -> claim(t, 0)
    :: busy(0) && !busy(1) -> claim(t, 1)
    :: else -> where[t] = QUEUED
    fi
}

inline dispatch_exchange(c, victim) {
    push_to[victim] = c; awaits[c] = true; kicked[victim] = true;
    incoming[victim] = current[c]; where[current[c]] = CLAIMED;
    current[c] = NONE
}

inline finish_push(c) {
    target = push_to[c];
    if
    :: target != NONE && current[c] != NONE ->
        push_to[c] = NONE; awaits[target] = false;
        task = current[c]; current[c] = NONE;
        claim(task, target)
#ifndef BROKEN
    :: target != NONE && current[c] == NONE ->
        push_to[c] = NONE; awaits[target] = false; kicked[target] = true
#endif
    :: else
    fi
}

/* The policy's pick for a CPU that runs nothing and awaits nothing: what waits. */
inline pick(c) {
    if
    :: where[0] == QUEUED -> where[0] = RUNNING; current[c] = 0
    :: where[0] != QUEUED && where[1] == QUEUED -> where[1] = RUNNING; current[c] = 1
    :: else
    fi
}

inline dispatch_next(c) {
    if /* expel() */
    :: current[c] != NONE ->
        if
        :: paused[current[c]] -> where[current[c]] = OUT; current[c] = NONE
        :: else
        fi
    :: else
    fi;
    finish_push(c);
    if
    :: incoming[c] != NONE ->
        assert(current[c] == NONE || push_to[c] == NONE);
        task = current[c];
        current[c] = incoming[c]; incoming[c] = NONE; where[current[c]] = RUNNING;
        if
        :: task != NONE -> where[task] = QUEUED
        :: else
        fi
    :: incoming[c] == NONE && current[c] == NONE && !awaits[c] -> pick(c)
    :: else
    fi
}

proctype cpu(byte self)
{
    byte target, task;
    bool slice_over = (self == 0);

end:
    do
    :: atomic { kicked[self] -> kicked[self] = false }; /* sched_kicked */
        spinlock_acquire();
        dispatch_next(self);
        spinlock_release()
    :: slice_over -> /* sched_timer: once */
        slice_over = false;
        spinlock_acquire();
        if
        :: current[0] != NONE && incoming[0] == NONE && push_to[0] == NONE && !paused[current[0]] &&
           current[1] != NONE && incoming[1] == NONE && push_to[1] == NONE && !paused[current[1]] ->
            dispatch_exchange(0, 1)
        :: else
        fi;
        spinlock_release()
    od
}

/* Task 1 blocks, wherever it is by then, and somebody wakes it again. */
proctype sleeper()
{
    byte target, task, c = NONE;

    spinlock_acquire();
    if
    :: current[0] == 1 -> c = 0
    :: current[1] == 1 -> c = 1
    :: else
    fi;
    if
    :: c != NONE ->
        runnable[1] = false; where[1] = OUT; current[c] = NONE;
        dispatch_next(c)
    :: else
    fi;
    spinlock_release();
    if
    :: c != NONE ->
        spinlock_acquire();
        runnable[1] = true; /* dispatch_wake */
        if
        :: !paused[1] -> dispatch_make_runnable(1)
        :: else
        fi;
        spinlock_release()
    :: else
    fi
}

proctype pauser(byte t)
{
    spinlock_acquire(); /* dispatch_pause */
    paused[t] = true;
    if
    :: where[t] == RUNNING && current[0] == t -> kicked[0] = true
    :: where[t] == RUNNING && current[1] == t -> kicked[1] = true
    :: where[t] == CLAIMED && incoming[0] == t -> incoming[0] = NONE; where[t] = OUT; kicked[0] = true
    :: where[t] == CLAIMED && incoming[1] == t -> incoming[1] = NONE; where[t] = OUT; kicked[1] = true
    :: where[t] == QUEUED -> where[t] = OUT
    :: else
    fi;
    spinlock_release();
    spinlock_acquire(); /* dispatch_resume */
    paused[t] = false;
    if
    :: where[t] == OUT && runnable[t] -> dispatch_make_runnable(t)
    :: else
    fi;
    spinlock_release()
}

init {
    atomic {
        current[0] = 0; current[1] = 1;
        run cpu(0); run cpu(1); run sleeper(); run pauser(0); run pauser(1)
    };
    timeout ->
    /* Everybody runs again, each in one place, and nobody waits for anybody. */
    assert(!awaits[0] && !awaits[1] && push_to[0] == NONE && push_to[1] == NONE);
    assert(incoming[0] == NONE && incoming[1] == NONE);
    assert(where[0] == RUNNING && where[1] == RUNNING);
    assert((current[0] == 0 && current[1] == 1) || (current[0] == 1 && current[1] == 0))
}
