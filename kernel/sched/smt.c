/*
 * smt: believes that the threads of a core are one CPU that is fast at switching between its
 * tasks. So a second thread is worth less than a core: idle cores are filled first. Between
 * siblings nothing is worth a thought, so they share one run queue and moving between them is
 * free. No task has a right to a core of its own while another shares, so whoever had one for a
 * slice gives it up to whoever has been sharing for the longest time.
 */
#include <stddef.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/place.h"
#include "kernel/sched/queue.h"
#include "kernel/sched/rotation.h"

/* `cpu` has nothing to run: take what waits, else relieve a core that two tasks share. */
static struct sched_entity *fell_idle(struct sched *sched, uint32_t cpu)
{
    struct sched_entity *next = queue_take(sched, sched->cpus[cpu].queue, cpu);

    if (next == NULL)
        next = queue_steal(sched, cpu);
    if (next == NULL && occupancy_busy_siblings(sched, cpu) == 0)
        rotation_relieve(sched, cpu);
    return next;
}

static struct sched_entity *pick(struct sched *sched, uint32_t cpu, struct sched_entity *previous)
{
    struct sched_entity *next;

    if (previous == NULL)
        return fell_idle(sched, cpu);
    next = queue_take_in_turn(sched, cpu);
    return next != NULL ? next : rotation_next(sched, cpu, previous);
}

const struct sched_policy policy_smt = {.name = "smt",
                                        .queue_per_core = true,
                                        .evens_out = true,
                                        .sharing = SHARING_ANY,
                                        .place = place_on_idle,
                                        .join = place_in_shortest,
                                        .pick = pick,
                                        .needs_slice = rotation_needs_slice};
