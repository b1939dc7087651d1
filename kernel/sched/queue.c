#include "kernel/sched/queue.h"

#include <stddef.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/place.h"

#define LAST_LEVEL (SCHED_LEVELS - 1)

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
static void touch(struct sched *sched, uint32_t queue)
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

    if (sched->policy->sharing == SHARING_GROUP)
        occupancy_settle(sched, queue);
    list_insert_last(&q->waiting, &entity->node);
    list_insert_last(&sched->oldest, &entity->order);
    entity->where = ENTITY_QUEUED;
    entity->at = (uint16_t)queue;
    touch(sched, queue);
    q->length++;
    sched->waiting++;
}

void queue_remove(struct sched *sched, struct sched_entity *entity)
{
    uint32_t queue = entity->at;

    if (sched->policy->sharing == SHARING_GROUP)
        occupancy_settle(sched, queue);
    list_remove(&entity->node);
    list_remove(&entity->order);
    entity->where = ENTITY_OUT;
    touch(sched, queue);
    sched->queues[queue].length--;
    sched->waiting--;
}

struct sched_entity *queue_first(const struct sched *sched, uint32_t queue)
{
    struct list_node *node = list_first(&sched->queues[queue].waiting);

    return node == NULL ? NULL : entity_of(node);
}

struct sched_entity *queue_take(struct sched *sched, uint32_t queue, uint32_t cpu)
{
    LIST_FOR_EACH(node, &sched->queues[queue].waiting)
    {
        struct sched_entity *entity = entity_of(node);

        if (!dispatch_may_run(sched, entity, cpu))
            continue;
        queue_remove(sched, entity);
        return entity;
    }
    return NULL;
}

/* Beyond the last level queues are not known to be equally long, so they count as unequal. */
static bool are_equal(struct sched *sched)
{
    queue_file(sched);
    return (sched->levels & (sched->levels - 1)) == 0 && sched->levels != 1ull << LAST_LEVEL;
}

struct sched_entity *queue_take_in_turn(struct sched *sched, uint32_t cpu)
{
    if (sched->waiting == 0)
        return NULL;
    if (are_equal(sched))
        return queue_take(sched, sched->cpus[cpu].queue, cpu);
    LIST_FOR_EACH(node, &sched->oldest)
    {
        struct sched_entity *entity = LIST_ENTRY(node, struct sched_entity, order);

        if (!dispatch_may_run(sched, entity, cpu))
            continue;
        queue_remove(sched, entity);
        return entity;
    }
    return NULL;
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
        /* Nothing in there for us: neither through its other CPUs. */
        if (!sched->policy->queue_per_core)
            bitmap_clear(set, victim);
        else
            CORE_FOR_EACH(sibling, sched, &sched->cores[sched->cpus[victim].core])
            {
                bitmap_clear(set, sibling);
            }
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
