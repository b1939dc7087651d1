/*
 * core: believes what smt believes, and also that whoever shares a core can read along (L1TF, MDS).
 * So only tasks of one group, which trust each other, are on a core at the same time; a thread
 * stays empty rather than run a stranger, and that time is accounted as forced idle. A group has a
 * core for a slice; then the core goes as a whole to who waits longest for it.
 */
#include <stddef.h>

#include "kernel/sched/exclusive.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/place.h"
#include "kernel/sched/queue.h"
#include "kernel/sched/rotation.h"

static struct sched_entity *pick(struct sched *sched, uint32_t cpu, struct sched_entity *previous)
{
    struct sched_entity *next = exclusive_pick(sched, cpu, previous);

    if (next == NULL && previous == NULL && occupancy_busy_siblings(sched, cpu) == 0)
        rotation_relieve(sched, cpu);
    if (next == NULL || next != previous)
        return next;
    return rotation_next(sched, cpu, previous);
}

const struct sched_policy policy_core = {.name = "core",
                                         .queue_per_core = true,
                                         .evens_out = true,
                                         .sharing = SHARING_GROUP,
                                         .place = place_on_idle,
                                         .join = place_in_shortest,
                                         .pick = pick,
                                         .needs_slice = rotation_needs_slice};
