/*
 * naive: believes that all logical CPUs are alike, which is what an operating system believes that
 * never asked CPUID. Any idle CPU is as good as another, so the draw decides; whether two tasks
 * share a core is luck. This is what the article met on OpenBSD.
 */
#include <stddef.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/queue.h"

static uint32_t count_bits(uint32_t word)
{
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    return ((word + (word >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
}

/* One of the set, which is not empty, all equally likely. */
static uint32_t draw(struct sched *sched, const struct bitmap *set)
{
    uint32_t count = 0, skip, word = 0, cpu;

    for (unsigned i = 0; i < BITMAP_WORDS; i++)
        count += count_bits(set->words[i]);
    skip = random_below(&sched->random, count);
    while (skip >= count_bits(set->words[word]))
        skip -= count_bits(set->words[word++]);
    cpu = bitmap_next(set, word * BITMAP_WORD_BITS);
    while (skip-- > 0)
        cpu = bitmap_next(set, cpu + 1);
    return cpu;
}

static uint32_t place(struct sched *sched, const struct sched_entity *entity,
                      const struct bitmap *idle)
{
    (void)entity;
    return draw(sched, idle);
}

static uint32_t join(struct sched *sched, const struct sched_entity *entity,
                     const struct bitmap *allowed)
{
    struct bitmap shortest = queue_shortest(sched, allowed);

    (void)entity;
    return draw(sched, &shortest);
}

static struct sched_entity *pick(struct sched *sched, uint32_t cpu, struct sched_entity *previous)
{
    struct sched_entity *next = queue_take(sched, sched->cpus[cpu].queue, cpu);

    if (next != NULL)
        return next;
    return previous != NULL ? previous : queue_steal(sched, cpu);
}

static bool needs_slice(const struct sched *sched, uint32_t cpu)
{
    return sched->queues[sched->cpus[cpu].queue].length > 0;
}

const struct sched_policy policy_naive = {.name = "naive",
                                          .queue_per_core = false,
                                          .evens_out = false,
                                          .sharing = SHARING_ANY,
                                          .place = place,
                                          .join = join,
                                          .pick = pick,
                                          .needs_slice = needs_slice};
