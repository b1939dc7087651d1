#include "kernel/sched/queue.h"

#include <stddef.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/loads.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/place.h"

#define LOOK_AT_QUEUES 8u
#define LONG_QUEUE 5u /* in which one more or less hardly matters for a round */

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

/* ---- Filing ---- */

static uint16_t filed_load(const struct sched *sched, uint32_t queue)
{
    uint32_t load = queue_load(sched, queue);

    return (uint16_t)(load < LOADS_MAX ? load : LOADS_MAX);
}

/* For dispatch_swap, which has only the lock of its core. */
static void note_spread(struct sched *sched)
{
    struct loads_range range = loads_range(sched);
    bool unequal = range.most != range.least;
    bool steep = range.most > range.least + 1 || (unequal && range.least < LONG_QUEUE);

    __atomic_store_n(&sched->unequal, unequal, __ATOMIC_RELAXED);
    __atomic_store_n(&sched->steep, steep, __ATOMIC_RELAXED);
    __atomic_store_n(&sched->most, range.most, __ATOMIC_RELAXED);
}

static void file_cpu(struct sched *sched, uint32_t cpu, uint16_t load)
{
    uint16_t old = sched->cpus[cpu].load;

    if (old == load)
        return;
    if (old == 0)
        occupancy_stale(sched, cpu); /* something waits for it now */
    loads_file(sched, cpu, load);
}

/* Calls file_cpu for each CPU that serves the queue; an unusable one is not filed at all. */
static void file_queue(struct sched *sched, uint32_t queue)
{
    uint16_t load = sched->queues[queue].width == 0 ? LOADS_NONE : filed_load(sched, queue);

    sched->queues[queue].load = load;
    if (!sched->policy->queue_per_core)
        file_cpu(sched, queue, load);
    else
        CORE_FOR_EACH(cpu, sched, &sched->cores[queue])
        {
            file_cpu(sched, cpu, bitmap_test(&sched->usable, cpu) ? load : LOADS_NONE);
        }
    note_spread(sched);
}

void queue_file(struct sched *sched)
{
    uint32_t queue = sched->unfiled;

    if (queue == NO_CPU)
        return;
    sched->unfiled = NO_CPU;
    if (sched->queues[queue].width > 0 && sched->queues[queue].load != filed_load(sched, queue))
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

/* In units of 65 us, so that two multiplied fit into 64 bits. */
static uint64_t in_units(uint64_t ns)
{
    ns >>= 16;
    return ns < UINT32_MAX ? ns : UINT32_MAX;
}

/* How far an entity has come. What sharing a core costs is not known here: a quarter is between the
 * article's i7 and Atom. */
static uint64_t progress_of(const struct sched_entity *entity)
{
    return in_units(entity->run_ns - entity->shared_ns / 4);
}

static uint64_t time_of(const struct sched *sched, const struct sched_entity *entity)
{
    uint64_t waits_ns = sched->now_ns > entity->since_ns ? sched->now_ns - entity->since_ns : 0;

    return in_units(entity->run_ns + entity->wait_ns + waits_ns) + 1;
}

/* Whether `a`, which waits, has come less far than `b` for the time since it came, sleep left out.
 * Who is first in line is no measure of that: in step with their number the same ones could meet a
 * CPU that is alone on its core again and again. */
static bool is_behind(const struct sched *sched, const struct sched_entity *a,
                      const struct sched_entity *b)
{
    return progress_of(a) * time_of(sched, b) < progress_of(b) * time_of(sched, a);
}

/* Who has waited longest for `cpu`, or, if that is alone on its core while other cores are shared,
 * who is furthest behind; nobody starves, since the shared ones go on to take turns. Where
 * many queues are not empty, of the first in a few of them, from `cpu` on; the others' turn comes
 * with other CPUs. */
static struct sched_entity *next_in_turn(const struct sched *sched, uint32_t cpu)
{
    struct bitmap set = loads_waiting(sched);
    struct sched_entity *oldest = NULL, *last = NULL;
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
        if (entity != NULL && (last == NULL || is_behind(sched, entity, last)))
            last = entity;
        remove_queue(sched, &set, victim);
        seen++;
    }
    return occupancy_shares(sched, cpu) || list_is_empty(&sched->sharers) ? oldest : last;
}

bool queue_takes_over(struct sched *sched, uint32_t queue)
{
    const struct run_queue *q = &sched->queues[queue];

    return queue_load(sched, queue) < __atomic_load_n(&sched->most, __ATOMIC_RELAXED) &&
           q->turns >= q->length + q->width;
}

/* ---- The longest and the shortest ---- */

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

/* From the longest queues, those behind `cpu` first, so that all of them are relieved equally
 * often. */
static struct sched_entity *take_over(struct sched *sched, uint32_t cpu)
{
    struct sched_entity *entity = NULL;
    uint32_t load = LOADS_MAX, victim = cpu;
    struct bitmap set;

    if (!loads_next_down(sched, &sched->usable, &load, &set))
        return NULL;
    while (entity == NULL && !bitmap_is_empty(&set)) {
        victim = bitmap_next(&set, victim + 1);
        if (victim == BITMAP_NONE)
            victim = bitmap_first(&set);
        entity = queue_take(sched, sched->cpus[victim].queue, cpu);
        remove_queue(sched, &set, victim);
    }
    return entity;
}

struct sched_entity *queue_take_in_turn(struct sched *sched, uint32_t cpu)
{
    uint32_t queue = sched->cpus[cpu].queue;
    struct sched_entity *entity = NULL;

    if (sched->waiting == 0)
        return NULL;
    queue_file(sched);
    if (sched->steep) {
        entity = next_in_turn(sched, cpu);
        if (entity != NULL)
            queue_remove(sched, entity);
        return entity;
    }
    if (sched->unequal && queue_takes_over(sched, queue)) {
        entity = take_over(sched, cpu);
        sched->queues[queue].turns = 0;
        if (entity != NULL)
            sched->queues[entity->at].turns = 0; /* its turn to be the shorter one, for a round */
    }
    return entity != NULL ? entity : queue_take(sched, queue, cpu);
}

struct sched_entity *queue_steal(struct sched *sched, uint32_t cpu)
{
    struct sched_entity *entity = NULL;
    uint32_t load = LOADS_MAX;
    struct bitmap set;

    if (sched->waiting == 0)
        return NULL;
    queue_file(sched);
    while (entity == NULL && loads_next_down(sched, &sched->usable, &load, &set) && load > 0) {
        entity = take_from(sched, cpu, &set);
        load--;
    }
    return entity;
}

struct bitmap queue_shortest(struct sched *sched, const struct bitmap *candidates)
{
    struct bitmap set;
    uint32_t load = 0;

    queue_file(sched);
    return loads_next_up(sched, candidates, &load, &set) ? set : *candidates;
}
