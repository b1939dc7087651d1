/*
 * Steal against dispatch: can two CPUs run the same task, or use the same kernel stack?
 *
 * A CPU whose slice is over puts its task into a queue (queue_insert, dispatch_swap) while it still
 * runs on that task's stack, and lets go of the locks before it switches. Another CPU may take the
 * task at once (queue_take, dispatch_swap). Therefore a task has on_cpu set from before a CPU goes
 * on with it until that CPU has left its stack (sched_finish_switch), and switch_to waits for it to
 * be clear. Nor do CPUs wait for each other in a circle: whoever waits has decided after the one it
 * waits for.
 *
 * BROKEN: switch_to does not wait.
 */
#include "locks.inc"

#define TASKS 3
#define CPUS 2
#define SLICES 3
#define NONE 255

chan queue = [TASKS] of { byte };
bool on_cpu[TASKS + CPUS]; /* tasks, then the idle tasks of the CPUs */
byte stack_user[TASKS + CPUS] = NONE;

/* queue_take: the first that waits. */
inline decide(next)
{
    placement_lock();
    placement_touch(0);
    if
    :: queue?next ->
        if
        :: running < TASKS -> queue!running
        :: else
        fi
    :: empty(queue) -> next = running
    fi;
    placement_unlock()
}

inline switch_to(next)
{
#ifndef BROKEN
    !on_cpu[next]; /* loop until it is so */
#endif
    on_cpu[next] = true;
    left = running;
    assert(stack_user[left] == self); /* arch_switch: leaves one stack, then is on the other */
    stack_user[left] = NONE;
    assert(stack_user[next] == NONE);
    stack_user[next] = self;
    running = next;
    on_cpu[left] = false /* sched_finish_switch */
}

proctype cpu(byte self)
{
    byte running = TASKS + self, next, left, slices = 0;

    stack_user[running] = self;
    on_cpu[running] = true;
    do
    :: slices == SLICES -> break
    :: slices < SLICES ->
        slices++;
        decide(next);
        if
        :: next != running -> switch_to(next)
        :: else
        fi
    od;
    if /* the task ends */
    :: running < TASKS -> next = TASKS + self; switch_to(next)
    :: else
    fi
}

init {
    atomic {
        queue!0; queue!1; queue!2;
        run cpu(0); run cpu(1)
    }
}
