/*
 * smt: believes that the threads of a core are one CPU that is fast at switching between its
 * tasks. So a second thread is worth less than a core: idle cores are filled first. Between
 * siblings nothing is worth a thought, so they share one run queue and moving between them is
 * free. No task has a right to a core of its own while another shares, so whoever had one for a
 * slice gives it up to whoever waited longest for one.
 */
#include <stddef.h>

#include "kernel/sched/dispatch.h"

/* The one of the candidates that is nearest to where the entity ran last. */
static uint32_t nearest(const struct sched *sched, const struct sched_entity *entity,
                        const struct bitmap *candidates)
{
    const struct sched_cpu *last = &sched->cpus[entity->cpu];
    const struct bitmap *rings[] = {&sched->cores[last->core].cpus, &sched->caches[last->cache],
                                    &sched->packages[last->package]};

    if (!entity->has_run)
        return bitmap_first(candidates);
    if (bitmap_test(candidates, entity->cpu))
        return entity->cpu;
    for (unsigned i = 0; i < sizeof rings / sizeof rings[0]; i++) {
        uint32_t cpu = bitmap_first_and(candidates, rings[i]);
        if (cpu != BITMAP_NONE)
            return cpu;
    }
    return bitmap_first(candidates);
}

/* Nobody is idle: the shortest queue, and of equal ones the nearest. */
static uint32_t shortest_queue(const struct sched *sched, const struct sched_entity *entity,
                               const struct bitmap *candidates)
{
    uint32_t best = nearest(sched, entity, candidates);

    BITMAP_FOR_EACH(cpu, candidates)
    {
        if (sched->queues[sched->cpus[cpu].queue].length <
            sched->queues[sched->cpus[best].queue].length)
            best = cpu;
    }
    return best;
}

/* Idle performance core, idle efficiency core, idle sibling, shortest queue. */
static uint32_t place(struct sched *sched, const struct sched_entity *entity,
                      const struct bitmap *candidates)
{
    struct bitmap whole = bitmap_and(candidates, &sched->idle_core_cpus);
    struct bitmap fast = bitmap_and(&whole, &sched->performance);
    struct bitmap idle = bitmap_and(candidates, &sched->idle_cpus);

    if (!bitmap_is_empty(&fast))
        return nearest(sched, entity, &fast);
    if (!bitmap_is_empty(&whole))
        return nearest(sched, entity, &whole);
    if (!bitmap_is_empty(&idle))
        return nearest(sched, entity, &idle);
    return shortest_queue(sched, entity, candidates);
}

/* The CPU whose task shares its core, may run on `cpu`, and has waited longest for a core of its
 * own; NO_CPU if there is none. */
static uint32_t most_entitled(const struct sched *sched, uint32_t cpu)
{
    uint32_t best = NO_CPU;

    BITMAP_FOR_EACH(victim, &sched->shared_cpus)
    {
        if (!dispatch_can_pull(sched, cpu, victim))
            continue;
        if (best == NO_CPU || sched->cpus[victim].current->turn < sched->cpus[best].current->turn)
            best = victim;
    }
    return best;
}

/* `cpu` has nothing to run: take what waits, else relieve a core that two tasks share. */
static struct sched_entity *fell_idle(struct sched *sched, uint32_t cpu)
{
    struct sched_entity *next = dispatch_take(sched, sched->cpus[cpu].queue, cpu);
    uint32_t victim;

    if (next == NULL)
        next = dispatch_steal(sched, cpu, 1);
    if (next != NULL || dispatch_busy_siblings(sched, cpu) > 0)
        return next;
    victim = most_entitled(sched, cpu);
    if (victim != NO_CPU)
        dispatch_pull(sched, cpu, victim);
    return NULL;
}

/* A task had this core to itself for a slice while others share: now it is their turn. */
static struct sched_entity *rotate(struct sched *sched, uint32_t cpu,
                                   struct sched_entity *previous, uint64_t now_ns)
{
    uint32_t victim;

    previous->turn = ++sched->turns;
    victim = most_entitled(sched, cpu);
    if (victim == NO_CPU || !dispatch_allowed(sched, previous, victim))
        return previous;
    dispatch_exchange(sched, cpu, victim, now_ns);
    return NULL;
}

static struct sched_entity *pick(struct sched *sched, uint32_t cpu, struct sched_entity *previous,
                                 uint64_t now_ns)
{
    uint32_t queue = sched->cpus[cpu].queue;
    struct sched_entity *next = NULL;

    if (previous == NULL)
        return fell_idle(sched, cpu);
    /* Queues of unequal length mean unequal progress: take from a longer one first. */
    if (sched->waiting > 0) {
        next = dispatch_steal(sched, cpu, sched->queues[queue].length + 1);
        if (next == NULL)
            next = dispatch_take(sched, queue, cpu);
    }
    if (next != NULL)
        return next;
    if (dispatch_busy_siblings(sched, cpu) == 0)
        return rotate(sched, cpu, previous, now_ns);
    if (bitmap_first_and(&sched->idle_core_cpus, &previous->affinity) == BITMAP_NONE)
        return previous;
    /* It shares a core while another is idle: so it was pinned here, or another policy put it. */
    dispatch_replace(sched, cpu, now_ns);
    return NULL;
}

const struct sched_policy policy_smt = {
    .name = "smt", .queue_per_core = true, .place = place, .pick = pick};
