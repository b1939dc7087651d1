#include "kernel/sched/queue.h"

#include <stddef.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/place.h"

#define LAST_LEVEL (SCHED_LEVELS - 1)
#define LOOK_AT_QUEUES 8u
#define UNFAIR_SHARE 8u /* of the running time: an eighth */

static struct sched_entity *entity_of(struct list_node *node)
{
    return LIST_ENTRY(node, struct sched_entity, node);
}

uint32_t queue_load(const struct sched *sched, uint32_t queue)
{
    const struct run_queue *q = &sched->queues[queue];

    if (q->width == sched->widest || q->width == 0)
        return q->length;
    return q->length * sched->widest / q->width;
}

/* ---- Levels ---- */

static uint8_t level_of(const struct sched *sched, uint32_t queue)
{
    uint32_t load = queue_load(sched, queue);

    return (uint8_t)(load < LAST_LEVEL ? load : LAST_LEVEL);
}

static void file_cpu(struct sched *sched, uint32_t cpu, uint8_t level)
{
    uint8_t old = sched->cpus[cpu].level;

    if (old == level)
        return;
    if (old == 0)
        occupancy_stale(sched, cpu); /* something waits for it now */
    if (old != SCHED_NO_LEVEL) {
        bitmap_clear(&sched->by_level[old], cpu);
        if (--sched->level_counts[old] == 0)
            sched->levels &= ~(1ull << old);
    }
    if (level != SCHED_NO_LEVEL) {
        bitmap_set(&sched->by_level[level], cpu);
        if (++sched->level_counts[level] == 1)
            sched->levels |= 1ull << level;
    }
    sched->cpus[cpu].level = level;
    /* Beyond the last level queues are not known to be equally long, so they count as unequal. */
    __atomic_store_n(&sched->unequal,
                     (sched->levels & (sched->levels - 1)) != 0 ||
                         sched->levels == 1ull << LAST_LEVEL,
                     __ATOMIC_RELAXED);
}

/* Calls file_cpu for each CPU that serves the queue; an unusable one is not filed at all. */
static void file_queue(struct sched *sched, uint32_t queue)
{
    uint8_t level = sched->queues[queue].width == 0 ? SCHED_NO_LEVEL : level_of(sched, queue);

    sched->queues[queue].level = level;
    if (!sched->policy->queue_per_core) {
        file_cpu(sched, queue, level);
        return;
    }
    CORE_FOR_EACH(cpu, sched, &sched->cores[queue])
    {
        file_cpu(sched, cpu, bitmap_test(&sched->usable, cpu) ? level : SCHED_NO_LEVEL);
    }
}

void queue_file(struct sched *sched)
{
    uint32_t queue = sched->unfiled;

    if (queue == NO_CPU)
        return;
    sched->unfiled = NO_CPU;
    if (sched->queues[queue].width > 0 && sched->queues[queue].level != level_of(sched, queue))
        file_queue(sched, queue);
}

/* The length of a queue is about to change. It is filed only when somebody has to know: most often
 * one entity is taken out and another put in. */
static void note_change(struct sched *sched, uint32_t queue)
{
    if (sched->unfiled != queue)
        queue_file(sched);
    sched->unfiled = queue;
}

void queue_note_width(struct sched *sched, uint32_t queue)
{
    struct run_queue *q = &sched->queues[queue];

    queue_file(sched);
    q->width = 0;
    if (!sched->policy->queue_per_core)
        q->width = bitmap_test(&sched->usable, queue);
    else
        CORE_FOR_EACH(cpu, sched, &sched->cores[queue])
        {
            q->width += bitmap_test(&sched->usable, cpu);
        }
    if (q->width <= sched->widest) {
        file_queue(sched, queue);
        return;
    }
    sched->widest = q->width; /* the measure of all loads */
    for (uint32_t other = 0; other < sched->cpu_count; other++)
        file_queue(sched, other);
}

void queue_assign(struct sched *sched)
{
    sched->widest = 1;
    for (uint32_t cpu = 0; cpu < sched->cpu_count; cpu++) {
        struct sched_cpu *c = &sched->cpus[cpu];

        c->queue = sched->policy->queue_per_core ? c->core : (uint16_t)cpu;
    }
    for (uint32_t queue = 0; queue < sched->cpu_count; queue++)
        queue_note_width(sched, queue);
}

/* ---- Entities ---- */

void queue_insert(struct sched *sched, struct sched_entity *entity, uint32_t queue)
{
    struct run_queue *q = &sched->queues[queue];
    uint32_t core = sched_queue_core(sched, queue);

    sched_touch(sched, core);
    /* So that nobody waits in here from a time that the core has not come to. */
    occupancy_settle_at(sched, core,
                        sched->now_ns > entity->since_ns ? sched->now_ns : entity->since_ns);
    list_insert_last(&q->waiting, &entity->node);
    entity->where = ENTITY_QUEUED;
    entity->at = (uint16_t)queue;
    entity->core = (uint16_t)core;
    note_change(sched, queue);
    q->length++;
    sched->waiting++;
}

void queue_remove(struct sched *sched, struct sched_entity *entity)
{
    uint32_t queue = entity->at;

    sched_touch(sched, entity->core);
    if (sched->policy->sharing == SHARING_GROUP)
        occupancy_settle(sched, queue);
    list_remove(&entity->node);
    entity->where = ENTITY_OUT;
    note_change(sched, queue);
    sched->queues[queue].length--;
    sched->waiting--;
}

struct sched_entity *queue_first(const struct sched *sched, uint32_t queue)
{
    struct list_node *node = list_first(&sched->queues[queue].waiting);

    return node == NULL ? NULL : entity_of(node);
}

/* The first entity that may run on `cpu` now, still queued; NULL if there is none. */
static struct sched_entity *first_for(const struct sched *sched, uint32_t queue, uint32_t cpu)
{
    sched_touch(sched, sched_queue_core(sched, queue));
    LIST_FOR_EACH(node, &sched->queues[queue].waiting)
    {
        if (dispatch_may_run(sched, entity_of(node), cpu))
            return entity_of(node);
    }
    return NULL;
}

struct sched_entity *queue_take(struct sched *sched, uint32_t queue, uint32_t cpu)
{
    struct sched_entity *entity = first_for(sched, queue, cpu);

    if (entity != NULL)
        queue_remove(sched, entity);
    return entity;
}

/* Removes all CPUs that serve the queue of `cpu` from a set. */
static void remove_queue(const struct sched *sched, struct bitmap *set, uint32_t cpu)
{
    if (!sched->policy->queue_per_core)
        bitmap_clear(set, cpu);
    else
        CORE_FOR_EACH(sibling, sched, &sched->cores[sched->cpus[cpu].core])
        {
            bitmap_clear(set, sibling);
        }
}

/* Who of two that wait should have a CPU which is alone on its core: who has had to share, if that
 * is much more, else who comes first in any case. In step with their number the same ones could
 * meet such a CPU again and again. */
static struct sched_entity *more_needy(struct sched_entity *first, struct sched_entity *other)
{
    return other->shared_ns > first->shared_ns &&
                   (other->shared_ns - first->shared_ns) * UNFAIR_SHARE > other->run_ns
               ? other
               : first;
}

/* Who has waited longest for `cpu`, unless somebody else needs it more. Where many queues are not
 * empty, of those in a few of them, from `cpu` on; the others' turn comes with other CPUs. */
static struct sched_entity *next_in_turn(const struct sched *sched, uint32_t cpu)
{
    struct bitmap set = bitmap_without(&sched->usable, &sched->by_level[0]);
    struct sched_entity *oldest = NULL, *most_shared = NULL;
    uint32_t seen = 0, victim = cpu;

    while (seen < LOOK_AT_QUEUES || oldest == NULL) {
        struct sched_entity *entity;

        victim = bitmap_next(&set, victim + 1);
        if (victim == BITMAP_NONE)
            victim = bitmap_first(&set);
        if (victim == BITMAP_NONE)
            break;
        entity = first_for(sched, sched->cpus[victim].queue, cpu);
        if (entity != NULL && (oldest == NULL || entity->since_ns < oldest->since_ns))
            oldest = entity;
        if (entity != NULL && (most_shared == NULL || entity->shared_ns > most_shared->shared_ns))
            most_shared = entity;
        remove_queue(sched, &set, victim);
        seen++;
    }
    return oldest == NULL || occupancy_shares(sched, cpu) ? oldest
                                                          : more_needy(oldest, most_shared);
}

struct sched_entity *queue_take_in_turn(struct sched *sched, uint32_t cpu)
{
    struct sched_entity *entity;

    if (sched->waiting == 0)
        return NULL;
    queue_file(sched);
    if (!sched->unequal)
        return queue_take(sched, sched->cpus[cpu].queue, cpu);
    sched->cpus[cpu].turns = 0;
    entity = next_in_turn(sched, cpu);
    if (entity != NULL)
        queue_remove(sched, entity);
    return entity;
}

/* ---- The longest and the shortest ---- */

/* The highest or lowest non-empty level within [from, to]; SCHED_LEVELS if there is none. In
 * halves, since the searches for 64 bits are in libgcc. */
static uint32_t find_level(uint64_t levels, uint32_t from, uint32_t to, bool highest)
{
    uint32_t high, low;

    levels &= ~0ull << from & ~0ull >> (63 - to);
    high = (uint32_t)(levels >> 32);
    low = (uint32_t)levels;
    if (levels == 0)
        return SCHED_LEVELS;
    if (highest)
        return high != 0 ? 63 - (uint32_t)__builtin_clz(high) : 31 - (uint32_t)__builtin_clz(low);
    return low != 0 ? (uint32_t)__builtin_ctz(low) : 32 + (uint32_t)__builtin_ctz(high);
}

/* Of the CPUs on the last level, those with the longest (or shortest) queue. */
static struct bitmap narrow(const struct sched *sched, const struct bitmap *set, bool longest)
{
    struct bitmap best = {{0}};
    uint32_t best_load = 0;
    bool any = false;

    BITMAP_FOR_EACH(cpu, set)
    {
        uint32_t load = queue_load(sched, sched->cpus[cpu].queue);

        if (!any || (longest ? load > best_load : load < best_load)) {
            bitmap_clear_all(&best);
            best_load = load;
        }
        any = true;
        if (load == best_load)
            bitmap_set(&best, cpu);
    }
    return best;
}

/* Takes something off one of the queues that the CPUs in `set` serve, the nearest first. */
static struct sched_entity *take_from(struct sched *sched, uint32_t cpu, struct bitmap *set)
{
    for (;;) {
        uint32_t victim = place_nearest(sched, cpu, set);
        struct sched_entity *entity;

        if (victim == NO_CPU)
            return NULL;
        entity = queue_take(sched, sched->cpus[victim].queue, cpu);
        if (entity != NULL)
            return entity;
        remove_queue(sched, set, victim); /* nothing in there for us */
    }
}

struct sched_entity *queue_steal(struct sched *sched, uint32_t cpu, uint32_t above)
{
    uint32_t from = above + 1 < LAST_LEVEL ? above + 1 : LAST_LEVEL;
    uint32_t to = LAST_LEVEL;

    if (sched->waiting == 0)
        return NULL;
    queue_file(sched);
    for (;;) {
        uint32_t level = find_level(sched->levels, from, to, true);
        struct sched_entity *entity;
        struct bitmap set;

        if (level == SCHED_LEVELS)
            return NULL;
        set = sched->by_level[level];
        if (level == LAST_LEVEL) {
            set = narrow(sched, &set, true);
            if (queue_load(sched, sched->cpus[bitmap_first(&set)].queue) <= above)
                return NULL;
        }
        entity = take_from(sched, cpu, &set);
        if (entity != NULL || level == from)
            return entity;
        to = level - 1;
    }
}

struct bitmap queue_shortest(struct sched *sched, const struct bitmap *candidates)
{
    struct bitmap set = *candidates;
    uint32_t from = 0;

    queue_file(sched);
    while (from < SCHED_LEVELS) {
        uint32_t level = find_level(sched->levels, from, LAST_LEVEL, false);

        if (level == SCHED_LEVELS)
            return *candidates;
        set = bitmap_and(candidates, &sched->by_level[level]);
        if (level == LAST_LEVEL)
            return narrow(sched, &set, false);
        if (!bitmap_is_empty(&set))
            return set;
        from = level + 1;
    }
    return set;
}
