#include "kernel/sched/rotation.h"

#include <stddef.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/occupancy.h"

/* The first sharer that may run on `cpu` now, and, unless it is NULL, `in_exchange` in its place;
 * NO_CPU if there is none. Only pinned ones and those already on their way are passed over. */
static uint32_t first_in_line(const struct sched *sched, uint32_t cpu,
                              const struct sched_entity *in_exchange)
{
    LIST_FOR_EACH(node, &sched->sharers)
    {
        uint32_t victim = (uint32_t)(LIST_ENTRY(node, struct sched_cpu, sharing) - sched->cpus);

        if (dispatch_can_pull(sched, cpu, victim) &&
            (in_exchange == NULL || dispatch_may_run(sched, in_exchange, victim)))
            return victim;
    }
    return NO_CPU;
}

void rotation_relieve(struct sched *sched, uint32_t cpu)
{
    uint32_t victim = first_in_line(sched, cpu, NULL);

    if (victim != NO_CPU)
        dispatch_pull(sched, cpu, victim);
}

static bool could_move(const struct sched *sched, uint32_t cpu)
{
    sched_touch(sched, sched->cpus[cpu].core);
    return bitmap_first_and(&sched->idle_core_cpus, &sched->cpus[cpu].current->affinity) !=
           BITMAP_NONE;
}

struct sched_entity *rotation_next(struct sched *sched, uint32_t cpu, struct sched_entity *previous)
{
    uint32_t victim;

    if (occupancy_shares(sched, cpu)) { /* not if all others are about to leave the core */
        if (!could_move(sched, cpu))
            return previous;
        /* So it was pinned here, or another policy put it. */
        dispatch_replace(sched, cpu);
        return NULL;
    }
    victim = first_in_line(sched, cpu, previous);
    if (victim == NO_CPU)
        return previous;
    dispatch_exchange(sched, cpu, victim);
    return NULL;
}

bool rotation_needs_slice(const struct sched *sched, uint32_t cpu)
{
    if (sched->waiting > 0)
        return true;
    if (occupancy_shares(sched, cpu))
        return could_move(sched, cpu);
    return !list_is_empty(&sched->sharers);
}
