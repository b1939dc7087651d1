/*
 * naive: believes that all logical CPUs are alike, which is what an operating system believes that
 * never asked CPUID. Any idle CPU is as good as another, so the draw decides; whether two tasks
 * share a core is luck. This is what the article met on OpenBSD.
 */
#include <stddef.h>

#include "kernel/sched/dispatch.h"

/* One of the set, all equally likely. */
static uint32_t draw(struct sched *sched, const struct bitmap *set)
{
    uint32_t skip = random_below(&sched->random, bitmap_count(set));
    uint32_t cpu = bitmap_first(set);

    while (skip-- > 0)
        cpu = bitmap_next(set, cpu + 1);
    return cpu;
}

static uint32_t place(struct sched *sched, const struct sched_entity *entity,
                      const struct bitmap *candidates)
{
    struct bitmap best = {{0}};
    uint32_t shortest = UINT32_MAX;

    (void)entity;
    BITMAP_FOR_EACH(cpu, candidates)
    {
        uint32_t length = sched->queues[sched->cpus[cpu].queue].length;

        if (length < shortest) {
            shortest = length;
            bitmap_clear_all(&best);
        }
        if (length == shortest)
            bitmap_set(&best, cpu);
    }
    return draw(sched, &best);
}

static struct sched_entity *pick(struct sched *sched, uint32_t cpu, struct sched_entity *previous,
                                 uint64_t now_ns)
{
    struct sched_entity *next = dispatch_take(sched, sched->cpus[cpu].queue, cpu);

    (void)now_ns;
    if (next != NULL)
        return next;
    return previous != NULL ? previous : dispatch_steal(sched, cpu, 1);
}

const struct sched_policy policy_naive = {
    .name = "naive", .queue_per_core = false, .place = place, .pick = pick};
