#include "kernel/sched/dispatch.h"

#include <stddef.h>

const struct sched_policy *const sched_policies[] = {&policy_naive, &policy_smt, NULL};

static struct sched_entity *entity_of(struct list_node *node)
{
    return LIST_ENTRY(node, struct sched_entity, node);
}

/* ---- Masks ---- */

static void set_all(struct bitmap *map, const struct bitmap *bits, bool value)
{
    for (unsigned word = 0; word < BITMAP_WORDS; word++)
        map->words[word] = value ? map->words[word] | bits->words[word]
                                 : map->words[word] & ~bits->words[word];
}

/* Brings the masks of whole cores in line with a core's counts. */
static void note_core(struct sched *sched, const struct sched_core *core)
{
    struct bitmap usable = bitmap_and(&core->cpus, &sched->usable);

    set_all(&sched->idle_core_cpus, &usable, core->busy == 0);
    set_all(&sched->shared_cpus, &usable, core->busy - core->leaving >= 2);
}

/* Brings counts and masks in line with one CPU's state; to be called after every change of it. */
static void note_busy(struct sched *sched, uint32_t cpu)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    bool busy = c->current != NULL || c->incoming != NULL || c->awaits;

    if (!bitmap_test(&sched->usable, cpu) || busy != bitmap_test(&sched->idle_cpus, cpu))
        return;
    if (busy) {
        bitmap_clear(&sched->idle_cpus, cpu);
        sched->cores[c->core].busy++;
    } else {
        bitmap_set(&sched->idle_cpus, cpu);
        sched->cores[c->core].busy--;
    }
    note_core(sched, &sched->cores[c->core]);
}

bool dispatch_allowed(const struct sched *sched, const struct sched_entity *entity, uint32_t cpu)
{
    return bitmap_test(&sched->usable, cpu) && bitmap_test(&entity->affinity, cpu);
}

uint32_t dispatch_busy_siblings(const struct sched *sched, uint32_t cpu)
{
    bool self = !bitmap_test(&sched->idle_cpus, cpu) && bitmap_test(&sched->usable, cpu);

    return sched->cores[sched->cpus[cpu].core].busy - (self ? 1 : 0);
}

/* ---- Accounts ---- */

void dispatch_settle(struct sched *sched, uint32_t cpu, uint64_t now_ns)
{
    struct sched_core *core = &sched->cores[sched->cpus[cpu].core];

    if (core->running >= 2)
        BITMAP_FOR_EACH(sibling, &core->cpus)
        {
            struct sched_entity *entity = sched->cpus[sibling].current;
            if (entity != NULL)
                entity->shared_ns += now_ns - core->since_ns;
        }
    core->since_ns = now_ns;
}

/* The number of running CPUs in a core changes by one, from or to two: the others may care. */
static void note_sharing(struct sched *sched, uint32_t cpu)
{
    if (!sched->kick_sharers)
        return;
    set_all(&sched->kicks, &sched->cores[sched->cpus[cpu].core].cpus, true);
    bitmap_clear(&sched->kicks, cpu);
}

static void start_running(struct sched *sched, uint32_t cpu, struct sched_entity *entity,
                          uint64_t now_ns)
{
    struct sched_cpu *c = &sched->cpus[cpu];

    dispatch_settle(sched, cpu, now_ns);
    if (++sched->cores[c->core].running == 2)
        note_sharing(sched, cpu);
    entity->wait_ns += now_ns - entity->since_ns;
    entity->since_ns = now_ns;
    entity->where = ENTITY_RUNNING;
    entity->switches++;
    if (entity->has_run && entity->cpu != cpu) {
        if (sched->cpus[entity->cpu].core == c->core)
            entity->sibling_migrations++;
        else
            entity->migrations++;
    }
    entity->has_run = true;
    entity->cpu = (uint16_t)cpu;
    bitmap_set(&entity->ran_on, cpu);
    c->current = entity;
}

static struct sched_entity *stop_running(struct sched *sched, uint32_t cpu, uint64_t now_ns)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    struct sched_entity *entity = c->current;

    dispatch_settle(sched, cpu, now_ns);
    if (sched->cores[c->core].running-- == 2)
        note_sharing(sched, cpu);
    entity->run_ns += now_ns - entity->since_ns;
    entity->since_ns = now_ns;
    entity->where = ENTITY_OUT;
    c->current = NULL;
    return entity;
}

/* ---- Queues and claims ---- */

static void enqueue(struct sched *sched, struct sched_entity *entity, uint32_t queue)
{
    list_insert_last(&sched->queues[queue].waiting, &entity->node);
    entity->where = ENTITY_QUEUED;
    sched->queues[queue].length++;
    sched->waiting++;
    bitmap_set(&sched->waiting_queues, queue);
}

static void dequeue(struct sched *sched, struct sched_entity *entity, uint32_t queue)
{
    list_remove(&entity->node);
    entity->where = ENTITY_OUT;
    sched->waiting--;
    if (--sched->queues[queue].length == 0)
        bitmap_clear(&sched->waiting_queues, queue);
}

static void claim(struct sched *sched, struct sched_entity *entity, uint32_t cpu)
{
    sched->cpus[cpu].incoming = entity;
    entity->where = ENTITY_CLAIMED;
    note_busy(sched, cpu);
    bitmap_set(&sched->kicks, cpu);
}

/* An entity that is nowhere goes to an idle CPU, or else to the queue of `home`, or, for
 * home == NO_CPU, to the queue the policy likes best. */
static void make_runnable(struct sched *sched, struct sched_entity *entity, uint32_t home)
{
    struct bitmap allowed = bitmap_and(&entity->affinity, &sched->usable);
    struct bitmap idle = bitmap_and(&allowed, &sched->idle_cpus);

    if (!bitmap_is_empty(&idle))
        claim(sched, entity, sched->policy->place(sched, entity, &idle));
    else if (home != NO_CPU && bitmap_test(&allowed, home))
        enqueue(sched, entity, sched->cpus[home].queue);
    else
        enqueue(sched, entity,
                sched->cpus[sched->policy->place(sched, entity, &allowed)].queue);
}

struct sched_entity *dispatch_take(struct sched *sched, uint32_t queue, uint32_t cpu)
{
    LIST_FOR_EACH(node, &sched->queues[queue].waiting)
    {
        struct sched_entity *entity = entity_of(node);

        if (!dispatch_allowed(sched, entity, cpu))
            continue;
        dequeue(sched, entity, queue);
        return entity;
    }
    return NULL;
}

struct sched_entity *dispatch_steal(struct sched *sched, uint32_t cpu, uint32_t at_least)
{
    struct bitmap candidates = sched->waiting_queues;

    while (!bitmap_is_empty(&candidates)) {
        uint32_t longest = bitmap_first(&candidates);
        struct sched_entity *entity;

        BITMAP_FOR_EACH(queue, &candidates)
        {
            if (sched->queues[queue].length > sched->queues[longest].length)
                longest = queue;
        }
        if (sched->queues[longest].length < at_least)
            return NULL;
        entity = dispatch_take(sched, longest, cpu);
        if (entity != NULL)
            return entity;
        bitmap_clear(&candidates, longest); /* all its entities are pinned elsewhere */
    }
    return NULL;
}

/* ---- Moving what runs ---- */

bool dispatch_can_pull(const struct sched *sched, uint32_t cpu, uint32_t victim)
{
    const struct sched_cpu *v = &sched->cpus[victim];

    return v->current != NULL && v->incoming == NULL && v->push_to == NO_CPU &&
           dispatch_allowed(sched, v->current, cpu);
}

static void request(struct sched *sched, uint32_t cpu, uint32_t victim)
{
    sched->cpus[victim].push_to = cpu;
    sched->cpus[cpu].awaits = true;
    note_busy(sched, cpu);
    bitmap_set(&sched->kicks, victim);
}

void dispatch_pull(struct sched *sched, uint32_t cpu, uint32_t victim)
{
    request(sched, cpu, victim);
    sched->cpus[victim].leaves = true;
    sched->cores[sched->cpus[victim].core].leaving++;
    note_core(sched, &sched->cores[sched->cpus[victim].core]);
}

void dispatch_exchange(struct sched *sched, uint32_t cpu, uint32_t victim, uint64_t now_ns)
{
    struct sched_entity *leaving = stop_running(sched, cpu, now_ns);

    request(sched, cpu, victim);
    sched->cpus[victim].incoming = leaving;
    leaving->where = ENTITY_CLAIMED;
}

void dispatch_replace(struct sched *sched, uint32_t cpu, uint64_t now_ns)
{
    make_runnable(sched, stop_running(sched, cpu, now_ns), NO_CPU);
}

/* Hands what `cpu` runs to the CPU that asked for it, or tells that one to look elsewhere. */
static void finish_push(struct sched *sched, uint32_t cpu, uint64_t now_ns)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    uint32_t target = c->push_to;

    if (target == NO_CPU)
        return;
    if (c->leaves) {
        c->leaves = false;
        sched->cores[c->core].leaving--;
        note_core(sched, &sched->cores[c->core]);
    }
    c->push_to = NO_CPU;
    sched->cpus[target].awaits = false;
    if (c->current != NULL && dispatch_allowed(sched, c->current, target))
        claim(sched, stop_running(sched, cpu, now_ns), target);
    note_busy(sched, target);
    bitmap_set(&sched->kicks, target);
}

struct sched_entity *dispatch_next(struct sched *sched, uint32_t cpu, uint64_t now_ns,
                                   enum dispatch_event event)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    struct sched_entity *next;

    bitmap_clear(&sched->kicks, cpu);
    if (event == DISPATCH_BLOCK)
        stop_running(sched, cpu, now_ns);
    else if (c->current != NULL && !dispatch_allowed(sched, c->current, cpu))
        make_runnable(sched, stop_running(sched, cpu, now_ns), NO_CPU);
    finish_push(sched, cpu, now_ns);

    next = c->current;
    if (c->incoming != NULL) {
        next = c->incoming;
        c->incoming = NULL;
    } else if (bitmap_test(&sched->usable, cpu) && (next == NULL || event != DISPATCH_KICK)) {
        next = sched->policy->pick(sched, cpu, next, now_ns);
    }
    if (next != c->current) {
        if (c->current != NULL)
            make_runnable(sched, stop_running(sched, cpu, now_ns), cpu);
        if (next != NULL)
            start_running(sched, cpu, next, now_ns);
    }
    note_busy(sched, cpu);
    return next;
}

void dispatch_wake(struct sched *sched, struct sched_entity *entity, uint64_t now_ns)
{
    if (entity->has_run)
        entity->blocked_ns += now_ns - entity->since_ns;
    entity->since_ns = now_ns;
    make_runnable(sched, entity, NO_CPU);
}

/* ---- Set-up ---- */

void entity_init(struct sched_entity *entity, const struct bitmap *affinity)
{
    *entity = (struct sched_entity){.where = ENTITY_OUT, .affinity = *affinity};
    list_init(&entity->node);
}

void dispatch_init(struct sched *sched, const struct cpu_place *places, uint32_t count,
                   const struct bitmap *usable, uint64_t seed, uint64_t now_ns)
{
    *sched = (struct sched){.cpu_count = count, .usable = *usable};
    random_seed(&sched->random, seed);
    for (uint32_t cpu = 0; cpu < count; cpu++)
        list_init(&sched->queues[cpu].waiting);
    BITMAP_FOR_EACH(cpu, usable) /* the others belong to no core */
    {
        const struct cpu_place *place = &places[cpu];

        sched->cpus[cpu] = (struct sched_cpu){.push_to = NO_CPU,
                                              .core = place->core,
                                              .cache = place->cache,
                                              .package = place->package,
                                              .type = place->type};
        bitmap_set(&sched->cores[place->core].cpus, cpu);
        bitmap_set(&sched->caches[place->cache], cpu);
        bitmap_set(&sched->packages[place->package], cpu);
        if (place->type != CPU_EFFICIENCY)
            bitmap_set(&sched->performance, cpu);
        sched->cores[place->core].since_ns = now_ns;
    }
    sched->idle_cpus = sched->idle_core_cpus = *usable;
}

void dispatch_set_policy(struct sched *sched, const struct sched_policy *policy)
{
    struct list_node waiting;

    list_init(&waiting);
    for (uint32_t queue = 0; queue < sched->cpu_count; queue++)
        while (sched->queues[queue].length > 0) {
            struct sched_entity *entity = entity_of(list_first(&sched->queues[queue].waiting));
            dequeue(sched, entity, queue);
            list_insert_last(&waiting, &entity->node);
        }
    sched->policy = policy;
    for (uint32_t cpu = 0; cpu < sched->cpu_count; cpu++)
        sched->cpus[cpu].queue = policy->queue_per_core ? sched->cpus[cpu].core : (uint16_t)cpu;
    for (struct list_node *node; (node = list_take_first(&waiting)) != NULL;)
        make_runnable(sched, entity_of(node), NO_CPU);
}
