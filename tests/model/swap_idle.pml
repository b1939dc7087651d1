/*
 * A CPU that falls idle, against dispatch_swap, which puts a task into a queue without asking
 * whether a CPU is idle for it: can a task wait although an idle CPU may run it?
 *
 * CPU 1 takes what it may from the queue of core 0, and, if there is nothing, marks itself idle,
 * all under the placement lock and that core's. So whatever waits there then may not run on CPU 1.
 * dispatch_swap lets a task wait only if it may run nowhere that the one it takes from the queue may
 * not (is_as_free): so CPU 1 may not run that one either. Else the slow path finds the idle CPU
 * (dispatch_make_runnable).
 *
 * CPU 0 runs task 0, which may run on both; one that waits, 1 or 2, may or may not. Task 3, which
 * CPU 1 runs, sleeps.
 *
 * BROKEN_AFFINITY: dispatch_swap without is_as_free.
 * BROKEN_TOUCH: CPU 1 looks into the queue without the lock of its core.
 */
#include "locks.inc"

#define TASKS 4
#define NONE 255

byte queue[TASKS] = NONE, current[2] = NONE, incoming = NONE;
bool free[TASKS]; /* it may run on CPU 1, too */
bool idle1;       /* CPU 1 in idle_cpus */
bool kicked1;

inline insert_last(task)
{
    place = 0;
    do
    :: queue[place] != NONE -> place++
    :: else -> break
    od;
    queue[place] = task
}

inline remove(place)
{
    do
    :: queue[place] != NONE -> queue[place] = queue[place + 1]; place++
    :: else -> break
    od
}

/* An idle CPU, or the queue of core 0. */
inline dispatch_make_runnable(task)
{
    if
    :: idle1 && free[task] ->
        placement_touch(1);
        incoming = task; idle1 = false; kicked1 = true /* claim */
    :: else -> placement_touch(0); insert_last(task)
    fi
}

#ifdef BROKEN_AFFINITY
#define is_as_free(a, b) true
#else
#define is_as_free(a, b) (free[a] || !free[b])
#endif

proctype cpu0()
{
    byte next, previous, place, slices = 0;
    bool swapped;

    do
    :: slices == 2 -> break
    :: slices < 2 ->
        slices++;
        swapped = false;
        core_lock(0); /* take_turns */
        next = queue[0];
        if
        :: next != NONE && is_as_free(next, current[0]) ->
            previous = current[0];
            place = 0;
            remove(place); /* change_places */
            insert_last(previous);
            current[0] = next;
            swapped = true
        :: else
        fi;
        core_unlock(0);
        if
        :: !swapped -> /* dispatch_next: switch_to */
            placement_lock();
            placement_touch(0);
            next = queue[0];
            if
            :: next != NONE ->
                previous = current[0];
                place = 0;
                remove(place);
                current[0] = next;
                dispatch_make_runnable(previous)
            :: else
            fi;
            placement_unlock()
        :: else
        fi
    od
}

/* fell_idle: the first it may run, else it is idle. */
inline pick()
{
    place = 0;
#ifndef BROKEN_TOUCH
    placement_touch(0);
#endif
    do
    :: queue[place] == NONE -> idle1 = true; break
    :: queue[place] != NONE && free[queue[place]] ->
        current[1] = queue[place];
        remove(place);
        break
    :: else -> place++
    od
}

proctype cpu1()
{
    byte place;

    placement_lock(); /* sched_sleep of task 3 */
    placement_touch(1);
    current[1] = NONE;
    pick();
    placement_unlock();
end:
    do
    :: atomic { kicked1 -> kicked1 = false }; /* sched_kicked */
        placement_lock();
        placement_touch(1);
        current[1] = incoming;
        incoming = NONE;
        placement_unlock()
    od
}

/* Somebody wakes task 2 (dispatch_wake). */
proctype waker()
{
    byte place;

    placement_lock();
    dispatch_make_runnable(2);
    placement_unlock()
}

#define waits(task) (queue[0] == task || queue[1] == task || queue[2] == task)

init {
    atomic {
        free[0] = true; free[3] = true;
        if
        :: free[1] = true
        :: free[1] = false
        fi;
        if
        :: free[2] = true
        :: free[2] = false
        fi;
        current[0] = 0; current[1] = 3; queue[0] = 1;
        run cpu0(); run cpu1(); run waker()
    };
    timeout ->
    assert(!(idle1 && free[0] && waits(0)));
    assert(!(idle1 && free[1] && waits(1)));
    assert(!(idle1 && free[2] && waits(2)))
}
