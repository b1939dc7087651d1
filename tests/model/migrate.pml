/*
 * Moving what runs, against pause, sleep, exit and dispatch_swap: dispatch_exchange asks another CPU
 * to hand over what it runs, and until that answers (finish_push, when it is kicked) anything may
 * happen to either task. Is any task ever lost, or in two places, or does a CPU wait for ever?
 * (dispatch_pull is the same request by a CPU that has nothing to give in return.)
 *
 * CPU 0 runs task 0 alone on its core; CPU 1 runs task 1, which shares its core. The end of CPU 0's
 * slice swaps the two (rotation_next); meanwhile task 1 may block or end, a task may be paused and
 * resumed, and the end of CPU 1's slice may swap task 1 with task 2, which waits for its core.
 *
 * BROKEN_PUSH: finish_push forgets the CPU that asked if the task it asked for is gone.
 * BROKEN_TOUCH: dispatch_pause does not touch the core of what it pauses.
 */
#include "locks.inc"

#define TASKS 3
#define OUT 0
#define QUEUED 1
#define CLAIMED 2
#define RUNNING 3
#define NONE 255

byte where[TASKS];
byte core[TASKS]; /* sched_entity.core, unless it is out */
bool paused[TASKS], runnable[TASKS] = true;
byte current[2], incoming[2] = NONE, push_to[2] = NONE;
bool awaits[2], kicked[2];
bool ended; /* task 1 has */

#define busy(c) (current[c] != NONE || incoming[c] != NONE || awaits[c])

inline claim(t, c)
{
    placement_touch(c);
    assert(incoming[c] == NONE);
    incoming[c] = t; where[t] = CLAIMED; core[t] = c; kicked[c] = true
}

inline queue_insert(t, c)
{
    placement_touch(c);
    where[t] = QUEUED; core[t] = c
}

/* An idle CPU, or the queue. */
inline dispatch_make_runnable(t, home)
{
    if
    :: !busy(0) -> claim(t, 0)
    :: busy(0) && !busy(1) -> claim(t, 1)
    :: else -> queue_insert(t, home)
    fi
}

/* After dispatch_can_pull, which has touched the victim's core. */
inline dispatch_exchange(c, victim)
{
    push_to[victim] = c; awaits[c] = true; kicked[victim] = true;
    incoming[victim] = current[c]; where[current[c]] = CLAIMED; core[current[c]] = victim;
    current[c] = NONE
}

inline finish_push(c)
{
    target = push_to[c];
    if
    :: target != NONE && current[c] != NONE ->
        placement_touch(target);
        push_to[c] = NONE; awaits[target] = false;
        task = current[c]; current[c] = NONE;
        claim(task, target)
#ifndef BROKEN_PUSH
    :: target != NONE && current[c] == NONE ->
        placement_touch(target);
        push_to[c] = NONE; awaits[target] = false; kicked[target] = true
#endif
    :: else
    fi
}

/* The policy's pick for a CPU that runs nothing and awaits nothing: what waits, in any queue. */
inline take(t, c) { placement_touch(core[t]); where[t] = RUNNING; core[t] = c; current[c] = t }

inline pick(c)
{
    placement_touch(0);
    placement_touch(1);
    if
    :: where[0] == QUEUED -> take(0, c)
    :: where[0] != QUEUED && where[1] == QUEUED -> take(1, c)
    :: where[0] != QUEUED && where[1] != QUEUED && where[2] == QUEUED -> take(2, c)
    :: else
    fi
}

inline dispatch_next(c)
{
    placement_touch(c);
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
        task = current[c];
        current[c] = incoming[c]; incoming[c] = NONE;
        where[current[c]] = RUNNING; core[current[c]] = c;
        if
        :: task != NONE -> dispatch_make_runnable(task, c)
        :: else
        fi
    :: incoming[c] == NONE && current[c] == NONE && !awaits[c] -> pick(c)
    :: else
    fi
}

#define undisturbed(c) (current[c] != NONE && incoming[c] == NONE && push_to[c] == NONE && \
    !paused[current[c]])

/* The first that waits for the CPU's core takes the place of what runs there. */
inline swap(t, c)
{
    task = current[c];
    where[task] = QUEUED; /* change_places */
    current[c] = t; where[t] = RUNNING
}

inline dispatch_swap(c)
{
    core_lock(c);
    if
    :: !undisturbed(c) /* is_undisturbed: any of it would have set `called` */
    :: else ->
        if
        :: where[0] == QUEUED && core[0] == c -> swap(0, c)
        :: where[1] == QUEUED && core[1] == c -> swap(1, c)
        :: where[2] == QUEUED && core[2] == c -> swap(2, c)
        :: else
        fi
    fi;
    core_unlock(c)
}

proctype cpu(byte self)
{
    byte target, task;
    bool slice_over = true;

end:
    do
    :: atomic { kicked[self] -> kicked[self] = false }; /* sched_kicked */
        placement_lock();
        dispatch_next(self);
        placement_unlock()
    :: slice_over && self == 1 -> /* sched_timer: once */
        slice_over = false;
        dispatch_swap(1)
    :: slice_over && self == 0 -> /* nobody waits for core 0, and task 1 shares a core */
        slice_over = false;
        placement_lock();
        placement_touch(0);
        placement_touch(1);
        if
        :: undisturbed(0) && undisturbed(1) -> dispatch_exchange(0, 1)
        :: else
        fi;
        placement_unlock()
    od
}

/* Task 1 blocks, if it runs by then, and somebody wakes it again, or it has ended. */
proctype sleeper()
{
    byte target, task, c = NONE;

    placement_lock();
    placement_touch(0);
    placement_touch(1);
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
    placement_unlock();
    if
    :: c != NONE -> ended = true /* it was sched_exit */
    :: c != NONE ->
        placement_lock();
        runnable[1] = true; /* dispatch_wake */
        if
        :: !paused[1] -> dispatch_make_runnable(1, 1)
        :: else
        fi;
        placement_unlock()
    :: else
    fi
}

proctype pauser(byte t)
{
    byte at;

    placement_lock(); /* dispatch_pause */
#ifndef BROKEN_TOUCH
    placement_touch(core[t]);
#endif
    paused[t] = true;
    if
    :: where[t] == RUNNING -> kicked[core[t]] = true
    :: where[t] == CLAIMED -> /* dispatch_unclaim */
        at = core[t];
        placement_touch(at);
        incoming[at] = NONE; where[t] = OUT; kicked[at] = true
    :: where[t] == QUEUED -> where[t] = OUT
    :: else
    fi;
    placement_unlock();
    placement_lock(); /* dispatch_resume */
#ifndef BROKEN_TOUCH
    placement_touch(core[t]);
#endif
    paused[t] = false;
    if
    :: where[t] == OUT && runnable[t] -> dispatch_make_runnable(t, 1)
    :: else
    fi;
    placement_unlock()
}

#define runs(t) ((where[t] == RUNNING && current[core[t]] == t) || \
    (where[t] != RUNNING && current[0] != t && current[1] != t))

init {
    byte victim;

    atomic {
        current[0] = 0; current[1] = 1;
        where[0] = RUNNING; where[1] = RUNNING; where[2] = QUEUED;
        core[1] = 1; core[2] = 1;
        if
        :: victim = 0
        :: victim = 1
        :: victim = 2
        fi;
        run cpu(0); run cpu(1); run sleeper(); run pauser(victim)
    };
    timeout ->
    /* Nobody waits for anybody, and two of the three run, on a CPU each; the third waits. */
    assert(!awaits[0] && !awaits[1] && push_to[0] == NONE && push_to[1] == NONE);
    assert(incoming[0] == NONE && incoming[1] == NONE);
    assert(runs(0) && runs(1) && runs(2));
    assert(current[0] != NONE && current[1] != NONE && current[0] != current[1]);
    assert(ended || where[0] == QUEUED || where[1] == QUEUED || where[2] == QUEUED);
    assert(!ended || where[1] == OUT)
}
