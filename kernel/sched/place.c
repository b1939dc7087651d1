#include "kernel/sched/place.h"

#include <stddef.h>

#include "kernel/sched/queue.h"

uint32_t place_nearest(const struct sched *sched, uint32_t cpu, const struct bitmap *set)
{
    const struct sched_cpu *c = &sched->cpus[cpu];
    uint32_t near;

    if (bitmap_test(set, cpu))
        return cpu;
    CORE_FOR_EACH(sibling, sched, &sched->cores[c->core])
    {
        if (bitmap_test(set, sibling))
            return sibling;
    }
    near = bitmap_first_and(set, &sched->caches[c->cache]);
    if (near == BITMAP_NONE)
        near = bitmap_first_and(set, &sched->packages[c->package]);
    if (near == BITMAP_NONE)
        near = bitmap_first(set);
    return near == BITMAP_NONE ? NO_CPU : near;
}

/* The one of a set, which is not empty, that is nearest to where the entity ran last. */
static uint32_t nearest_to(const struct sched *sched, const struct sched_entity *entity,
                           const struct bitmap *set)
{
    return entity->has_run ? place_nearest(sched, entity->cpu, set) : bitmap_first(set);
}

uint32_t place_on_idle(struct sched *sched, const struct sched_entity *entity,
                       const struct bitmap *idle)
{
    struct bitmap whole = bitmap_and(idle, &sched->idle_core_cpus);
    struct bitmap fast = bitmap_and(&whole, &sched->performance);

    if (!bitmap_is_empty(&fast))
        return nearest_to(sched, entity, &fast);
    if (!bitmap_is_empty(&whole))
        return nearest_to(sched, entity, &whole);
    return nearest_to(sched, entity, idle);
}

uint32_t place_in_shortest(struct sched *sched, const struct sched_entity *entity,
                           const struct bitmap *allowed)
{
    struct bitmap shortest = queue_shortest(sched, allowed);

    return nearest_to(sched, entity, &shortest);
}
