/*
 * dispatch_swap under the lock of one core, against holders of the placement lock that take from
 * the same core's queue (queue_take, queue_steal), put into it (queue_insert), and touch two cores
 * in any order. Is every task always in one place, and does nobody wait for ever?
 *
 * CPU 0, core 0, runs task 0; task 1, and maybe 2, waits in its queue. CPU 1, core 1, runs task 3.
 *
 * BROKEN_TOUCH: CPU 1 steals without touching core 0.
 * BROKEN_PLACEMENT: CPU 1 locks the cores it touches, but not placement.
 * BROKEN_SWAP: dispatch_swap without a lock.
 */
#include "locks.inc"

#define TASKS 4
#define NONE 255

byte queue[TASKS] = NONE; /* of core 0, the first that waits first; what follows the last is NONE */
byte current[2] = NONE, incoming = NONE; /* sched_cpu.current; CPU 1's incoming */
bool out3;                               /* task 3 sleeps */

/* list_insert_last, list_remove: other CPUs see every step. */
inline insert_last(task)
{
    place = 0;
    do
    :: queue[place] != NONE -> place++
    :: else -> break
    od;
    queue[place] = task
}

inline take_first(task)
{
    task = queue[0];
    queue[0] = queue[1];
    queue[1] = queue[2];
    queue[2] = NONE
}

proctype cpu0()
{
    byte next, previous, place, slices = 0;

    do
    :: slices == 2 -> break
    :: slices < 2 ->
        slices++;
#ifndef BROKEN_SWAP
        core_lock(0);
#endif
        if
        :: queue[0] != NONE -> /* dispatch_swap: change_places */
            previous = current[0];
            take_first(next);
            current[0] = next;
            insert_last(previous)
        :: else
        fi;
#ifndef BROKEN_SWAP
        core_unlock(0)
#endif
    od;
    placement_lock(); /* dispatch_next: its task blocks, and ends */
    placement_touch(0);
    current[0] = NONE;
    if
    :: queue[0] != NONE -> take_first(next); current[0] = next
    :: else
    fi;
    placement_unlock()
}

/* Its task sleeps; it steals, and later puts back what it has for the next (queue_take_in_turn). */
proctype cpu1()
{
    byte next = NONE, place, previous;

#ifdef BROKEN_PLACEMENT
    core_lock(1);
    core_lock(0);
#else
    placement_lock();
    placement_touch(1);
#ifndef BROKEN_TOUCH
    placement_touch(0);
#endif
#endif
    out3 = true;
    current[1] = NONE;
    if
    :: queue[0] != NONE -> take_first(next); current[1] = next
    :: else
    fi;
#ifdef BROKEN_PLACEMENT
    core_unlock(0);
    core_unlock(1);
#else
    placement_unlock();
#endif
    placement_lock();
    placement_touch(1);
    previous = current[1];
    if
    :: incoming != NONE -> current[1] = incoming; incoming = NONE
    :: incoming == NONE && previous != NONE ->
        placement_touch(0);
        if
        :: queue[0] != NONE -> take_first(next); current[1] = next
        :: else -> previous = NONE
        fi
    :: else -> previous = NONE
    fi;
    if
    :: previous != NONE -> placement_touch(0); insert_last(previous)
    :: else
    fi;
    placement_unlock()
}

/* Wakes task 3 (dispatch_wake), having had to do with core 0 before. */
proctype waker()
{
    byte place;

    placement_lock();
    placement_touch(0);
    if
    :: out3 ->
        out3 = false;
        placement_touch(1);
        if
        :: current[1] == NONE -> incoming = 3
        :: else -> insert_last(3)
        fi
    :: else -> placement_touch(1)
    fi;
    placement_unlock()
}

byte found[TASKS];

init {
    byte i, tasks = TASKS - 1;

    atomic {
        current[0] = 0; queue[0] = 1; current[1] = 3;
        if
        :: queue[1] = 2; tasks++
        :: true
        fi;
        run cpu0(); run cpu1(); run waker()
    };
    _nr_pr == 1 ->
    d_step {
        for (i : 0 .. TASKS - 1) {
            if
            :: queue[i] != NONE -> found[queue[i]]++
            :: else
            fi
        };
        for (i : 0 .. 1) {
            if
            :: current[i] != NONE -> found[current[i]]++
            :: else
            fi
        };
        if
        :: incoming != NONE -> found[incoming]++
        :: else
        fi;
        if
        :: out3 -> found[3]++
        :: else
        fi
    };
    /* All but the one that has ended on CPU 0. */
    assert(found[0] <= 1 && found[1] <= 1 && found[2] <= 1 && found[3] <= 1);
    assert(found[0] + found[1] + found[2] + found[3] == tasks - 1)
}
