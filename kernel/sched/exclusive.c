#include "kernel/sched/exclusive.h"

#include <stddef.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/queue.h"

/* Starts to empty the core of `cpu`, whose own slice is over. */
static void yield_core(struct sched *sched, uint32_t cpu)
{
    struct sched_core *core = &sched->cores[sched->cpus[cpu].core];

    core->yielding = true;
    CORE_FOR_EACH(sibling, sched, core)
    {
        if (sibling != cpu && sched->cpus[sibling].busy)
            dispatch_preempt(sched, sibling);
    }
}

/* Gives the core, on which at most `cpu` is busy, to who waits longest for it but is not allowed on
 * `cpu`. One of the others must serve it, or it would not be in this queue. */
static void hand_to_sibling(struct sched *sched, uint32_t cpu, struct sched_entity *first)
{
    CORE_FOR_EACH(sibling, sched, &sched->cores[sched->cpus[cpu].core])
    {
        if (sibling == cpu || !dispatch_allowed(sched, first, sibling))
            continue;
        dispatch_hand_over(sched, first, sibling);
        return;
    }
}

/* Who waits longest in the queue of `cpu` can not run there now. */
static struct sched_entity *pick_another(struct sched *sched, uint32_t cpu,
                                         struct sched_entity *previous)
{
    uint32_t queue = sched->cpus[cpu].queue;
    struct sched_entity *next;

    if (occupancy_busy_siblings(sched, cpu) == 0) {
        hand_to_sibling(sched, cpu, queue_first(sched, queue));
    } else if (previous != NULL) {
        yield_core(sched, cpu);
        return NULL;
    }
    /* Until the others' slice is over, keep those company who may be. */
    next = queue_take(sched, queue, cpu);
    if (next == NULL)
        next = queue_steal(sched, cpu);
    if (next == NULL && previous != NULL && dispatch_may_run(sched, previous, cpu))
        next = previous;
    return next;
}

struct sched_entity *exclusive_pick(struct sched *sched, uint32_t cpu,
                                    struct sched_entity *previous)
{
    uint32_t queue = sched->cpus[cpu].queue;
    struct sched_core *core = &sched->cores[sched->cpus[cpu].core];
    struct sched_entity *first = queue_first(sched, queue), *next;

    if (core->yielding && occupancy_busy_siblings(sched, cpu) > 0)
        return NULL; /* the last to leave decides */
    if (core->yielding) {
        core->yielding = false;
        occupancy_call_siblings(sched, cpu); /* it may be the one who was there before */
    }
    if (first != NULL && !dispatch_may_run(sched, first, cpu))
        return pick_another(sched, cpu, previous);
    next = previous != NULL ? queue_take_in_turn(sched, cpu) : queue_take(sched, queue, cpu);
    if (next == NULL)
        next = previous != NULL ? previous : queue_steal(sched, cpu);
    return next;
}
