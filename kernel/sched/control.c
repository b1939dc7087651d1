/*
 * What the user, and not the course of events, does to entities and CPUs: pause, affinity, CPUs
 * going off and on, change of policy. Declared in dispatch.h.
 */
#include <stddef.h>

#include "kernel/lib/string.h"
#include "kernel/sched/dispatch.h"
#include "kernel/sched/dispatch_steps.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/queue.h"

const struct sched_policy *const sched_policies[] = {&policy_naive, &policy_smt, &policy_nosmt,
                                                     &policy_core, NULL};

const struct sched_policy *sched_policy_find(const char *name)
{
    for (const struct sched_policy *const *policy = sched_policies; *policy != NULL; policy++)
        if (strcmp((*policy)->name, name) == 0)
            return *policy;
    return NULL;
}

static struct sched_entity *entity_of(struct list_node *node)
{
    return LIST_ENTRY(node, struct sched_entity, node);
}

/* Takes a runnable entity that does not run out of wherever it is. It goes on waiting. */
static void take_out(struct sched *sched, struct sched_entity *entity)
{
    if (entity->where == ENTITY_QUEUED)
        queue_remove(sched, entity);
    else if (entity->where == ENTITY_CLAIMED)
        dispatch_unclaim(sched, entity->at);
    else if (entity->where == ENTITY_STRANDED)
        list_remove(&entity->node);
    entity->where = ENTITY_OUT;
}

/* ---- Pause ---- */

void dispatch_enter(struct sched *sched, struct sched_entity *entity)
{
    entity->blocked_ns += occupancy_passed(&entity->since_ns, sched->now_ns);
    dispatch_make_runnable(sched, entity, NO_CPU);
}

void dispatch_pause(struct sched *sched, struct sched_entity *entity, uint64_t now_ns)
{
    dispatch_begin(sched, now_ns);
    sched_touch(sched, entity->core);
    entity->paused = true;
    if (entity->where == ENTITY_RUNNING) {
        dispatch_kick(sched, entity->cpu);
    } else if (entity->where != ENTITY_OUT) {
        take_out(sched, entity);
        entity->wait_ns += occupancy_passed(&entity->since_ns, now_ns);
    }
    dispatch_end(sched);
}

void dispatch_resume(struct sched *sched, struct sched_entity *entity, uint64_t now_ns)
{
    dispatch_begin(sched, now_ns);
    sched_touch(sched, entity->core); /* its CPU may not have taken it off yet */
    entity->paused = false;
    if (entity->where == ENTITY_OUT && entity->runnable)
        dispatch_enter(sched, entity);
    dispatch_end(sched);
}

/* ---- Affinity ---- */

/* Whether one of the CPUs that serve the entity's queue may run it. */
static bool is_served(const struct sched *sched, const struct sched_entity *entity)
{
    if (!sched->policy->queue_per_core)
        return dispatch_allowed(sched, entity, entity->at);
    CORE_FOR_EACH(cpu, sched, &sched->cores[entity->at])
    {
        if (dispatch_allowed(sched, entity, cpu))
            return true;
    }
    return false;
}

/* Finds a new place for an entity whose choice of CPUs has changed. Unless it must, it does not
 * lose its place in a queue; but nobody who is allowed to take it may stay idle. */
static void reconsider(struct sched *sched, struct sched_entity *entity)
{
    bool fits = entity->where == ENTITY_CLAIMED
                    ? dispatch_allowed(sched, entity, entity->at)
                    : entity->where == ENTITY_QUEUED && is_served(sched, entity);

    if (entity->where == ENTITY_OUT)
        return;
    if (entity->where == ENTITY_RUNNING) {
        if (!dispatch_allowed(sched, entity, entity->cpu))
            dispatch_kick(sched, entity->cpu);
        occupancy_stale(sched, entity->cpu); /* what is pinned no longer may want to move */
        return;
    }
    if (fits && (entity->where == ENTITY_CLAIMED ||
                 bitmap_first_and(&sched->idle_cpus, &entity->affinity) == BITMAP_NONE))
        return;
    take_out(sched, entity);
    dispatch_make_runnable(sched, entity, NO_CPU);
}

void dispatch_set_affinity(struct sched *sched, struct sched_entity *entity,
                           const struct bitmap *affinity, uint64_t now_ns)
{
    dispatch_begin(sched, now_ns);
    sched_touch(sched, entity->core);
    entity->affinity = *affinity;
    dispatch_note_affinity(sched, entity);
    if (entity->where == ENTITY_RUNNING && occupancy_shares(sched, entity->cpu))
        occupancy_stale_all(sched); /* others may be able to swap with it now */
    reconsider(sched, entity);
    dispatch_end(sched);
}

/* ---- CPUs ---- */

static void touch_all(const struct sched *sched)
{
    for (uint32_t core = 0; core < sched->cpu_count; core++)
        sched_touch(sched, core);
}

/* Moves everything that waits to a list, in its order. */
static void drain(struct sched *sched, uint32_t queue, struct list_node *list)
{
    for (struct sched_entity *entity; (entity = queue_first(sched, queue)) != NULL;) {
        queue_remove(sched, entity);
        list_insert_last(list, &entity->node);
    }
}

static void make_all_runnable(struct sched *sched, struct list_node *list)
{
    for (struct list_node *node; (node = list_take_first(list)) != NULL;)
        dispatch_make_runnable(sched, entity_of(node), NO_CPU);
}

void dispatch_set_usable(struct sched *sched, uint32_t cpu, bool usable, uint64_t now_ns)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    struct list_node moving;

    dispatch_begin(sched, now_ns);
    touch_all(sched);
    list_init(&moving);
    occupancy_settle(sched, c->core);
    /* Whoever waits chooses anew: for what has gone, or may do what it could not do before. */
    drain(sched, c->queue, &moving);
    if (usable)
        bitmap_set(&sched->usable, cpu);
    else
        bitmap_clear(&sched->usable, cpu);
    queue_note_width(sched, c->queue);
    occupancy_note_core(sched, &sched->cores[c->core]);
    for (struct list_node *node; (node = list_take_first(&sched->stranded)) != NULL;)
        list_insert_last(&moving, node);
    if (!usable && c->incoming != NULL) {
        struct sched_entity *entity = c->incoming;

        take_out(sched, entity);
        list_insert_last(&moving, &entity->node);
    }
    make_all_runnable(sched, &moving);
    CORE_FOR_EACH(sibling, sched, &sched->cores[c->core])
    {
        dispatch_kick(sched, sibling);
    }
    occupancy_stale_all(sched);
    dispatch_end(sched);
}

/* ---- Policy ---- */

void dispatch_set_policy(struct sched *sched, const struct sched_policy *policy, uint64_t now_ns)
{
    struct list_node waiting;

    dispatch_begin(sched, now_ns);
    touch_all(sched);
    list_init(&waiting);
    for (uint32_t queue = 0; queue < sched->cpu_count; queue++)
        drain(sched, queue, &waiting);
    for (uint32_t core = 0; core < sched->cpu_count; core++) {
        occupancy_settle(sched, core);
        sched->cores[core].yielding = false;
    }
    sched->policy = policy;
    queue_assign(sched);
    make_all_runnable(sched, &waiting);
    /* Those who must not share a core any more leave it, those who may again look for work. */
    for (uint32_t cpu = 0; cpu < sched->cpu_count; cpu++)
        if (bitmap_test(&sched->usable, cpu))
            dispatch_kick(sched, cpu);
    dispatch_end(sched);
}

/* ---- Set-up ---- */

void entity_init(struct sched_entity *entity, const struct bitmap *affinity)
{
    *entity = (struct sched_entity){.where = ENTITY_OUT, .affinity = *affinity};
    list_init(&entity->node);
}

/* CPUs of a core are linked in ascending order, so this is called from the last CPU on. */
static void add_cpu(struct sched *sched, uint32_t cpu, const struct cpu_place *place)
{
    struct sched_core *core = &sched->cores[place->core];

    sched->cpus[cpu] = (struct sched_cpu){.push_to = NO_CPU,
                                          .load = LOADS_NONE,
                                          .core = place->core,
                                          .cache = place->cache,
                                          .package = place->package,
                                          .next = core->first,
                                          .type = place->type};
    list_init(&sched->cpus[cpu].sharing);
    core->first = cpu;
    bitmap_set(&sched->caches[place->cache], cpu);
    bitmap_set(&sched->packages[place->package], cpu);
    if (place->type != CPU_EFFICIENCY)
        bitmap_set(&sched->performance, cpu);
}

void dispatch_init(struct sched *sched, const struct cpu_place *places, uint32_t count,
                   const struct bitmap *usable, uint64_t seed, uint64_t now_ns)
{
    *sched = (struct sched){.cpu_count = count,
                            .possible = *usable,
                            .usable = *usable,
                            .now_ns = now_ns,
                            .unfiled = NO_CPU};
    random_seed(&sched->random, seed);
    list_init(&sched->sharers);
    list_init(&sched->stranded);
    for (uint32_t i = 0; i < count; i++) {
        list_init(&sched->queues[i].waiting);
        sched->cpus[i] = (struct sched_cpu){
            .push_to = NO_CPU, .load = LOADS_NONE, .queue = (uint16_t)i, .next = NO_CPU};
        list_init(&sched->cpus[i].sharing);
        sched->cores[i].first = NO_CPU;
        sched->cores[i].since_ns = now_ns;
    }
    for (uint32_t cpu = count; cpu-- > 0;) /* those that are not usable belong to no core */
        if (bitmap_test(usable, cpu))
            add_cpu(sched, cpu, &places[cpu]);
    sched->idle_cpus = sched->idle_core_cpus = *usable;
    sched->policy = &policy_naive;
    queue_assign(sched);
}
