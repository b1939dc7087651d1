#include "kernel/sched/dispatch.h"

#include <stddef.h>

#include "kernel/sched/dispatch_steps.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/queue.h"

bool dispatch_allowed(const struct sched *sched, const struct sched_entity *entity, uint32_t cpu)
{
    return bitmap_test(&sched->usable, cpu) && bitmap_test(&entity->affinity, cpu);
}

bool dispatch_may_run(const struct sched *sched, const struct sched_entity *entity, uint32_t cpu)
{
    return dispatch_allowed(sched, entity, cpu) && occupancy_may_join(sched, entity, cpu);
}

uint32_t dispatch_place_of(const struct sched *sched, const struct sched_entity *entity)
{
    if (entity->where == ENTITY_CLAIMED)
        return entity->at;
    if (entity->where != ENTITY_QUEUED)
        return NO_CPU;
    return sched->policy->queue_per_core ? sched->cores[entity->at].first : entity->at;
}

/* ---- Every call ---- */

void dispatch_begin(struct sched *sched, uint64_t now_ns)
{
    sched->now_ns = now_ns;
    sched->had_waiting = sched->waiting > 0;
}

/* Tells CPUs without slices that need them by now. */
void dispatch_end(struct sched *sched)
{
    queue_file(sched);
    if (!sched->had_waiting && sched->waiting > 0)
        occupancy_stale_all(sched);
    if (!sched->any_stale)
        return;
    sched->any_stale = false;
    BITMAP_FOR_EACH(cpu, &sched->stale)
    {
        bitmap_clear(&sched->stale, cpu);
        if (bitmap_test(&sched->tickless, cpu) && sched->policy->needs_slice(sched, cpu))
            dispatch_kick(sched, cpu);
    }
}

bool dispatch_needs_slice(const struct sched *sched, uint32_t cpu)
{
    return sched->cpus[cpu].current != NULL && !bitmap_test(&sched->tickless, cpu);
}

static void note_ticks(struct sched *sched, uint32_t cpu)
{
    if (sched->cpus[cpu].current != NULL && !sched->policy->needs_slice(sched, cpu))
        bitmap_set(&sched->tickless, cpu);
    else
        bitmap_clear(&sched->tickless, cpu);
}

/* ---- Claims ---- */

/* Without telling the CPU, or counting it as busy. */
static void promise(struct sched *sched, struct sched_entity *entity, uint32_t cpu)
{
    sched_touch(sched, sched->cpus[cpu].core);
    sched->cpus[cpu].incoming = entity;
    entity->where = ENTITY_CLAIMED;
    entity->at = (uint16_t)cpu;
    entity->core = sched->cpus[cpu].core;
}

static void claim(struct sched *sched, struct sched_entity *entity, uint32_t cpu)
{
    promise(sched, entity, cpu);
    occupancy_note(sched, cpu);
    dispatch_kick(sched, cpu);
}

/* Idle CPUs the entity may start on at once. */
static struct bitmap idle_for(const struct sched *sched, const struct sched_entity *entity,
                              const struct bitmap *allowed)
{
    struct bitmap idle = bitmap_and(allowed, &sched->idle_cpus), whole;

    if (sched->policy->sharing == SHARING_ANY)
        return idle;
    whole = bitmap_and(allowed, &sched->idle_core_cpus);
    if (sched->policy->sharing == SHARING_NONE || !bitmap_is_empty(&whole))
        return whole;
    BITMAP_FOR_EACH(cpu, &idle)
    {
        sched_touch(sched, sched->cpus[cpu].core);
        if (!occupancy_may_join(sched, entity, cpu))
            bitmap_clear(&idle, cpu);
    }
    return idle;
}

/* Words of a bitmap that name CPUs of this machine. */
static uint32_t words_of(const struct sched *sched)
{
    return (sched->cpu_count + BITMAP_WORD_BITS - 1) / BITMAP_WORD_BITS;
}

/* Whether any idle CPU could be for the entity; the common answer is no. */
static bool any_idle_for(const struct sched *sched, const struct sched_entity *entity)
{
    for (uint32_t word = 0; word < words_of(sched); word++)
        if ((sched->idle_cpus.words[word] & entity->affinity.words[word]) != 0)
            return true;
    return false;
}

static void find_place(struct sched *sched, struct sched_entity *entity, uint32_t home)
{
    struct bitmap allowed = bitmap_and(&entity->affinity, &sched->usable), idle;

    if (bitmap_is_empty(&allowed)) {
        entity->where = ENTITY_STRANDED;
        list_insert_last(&sched->stranded, &entity->node);
        return;
    }
    idle = idle_for(sched, entity, &allowed);
    if (!bitmap_is_empty(&idle))
        claim(sched, entity, sched->policy->place(sched, entity, &idle));
    else if (home != NO_CPU && bitmap_test(&allowed, home))
        queue_insert(sched, entity, sched->cpus[home].queue);
    else
        queue_insert(sched, entity,
                     sched->cpus[sched->policy->join(sched, entity, &allowed)].queue);
}

void dispatch_make_runnable(struct sched *sched, struct sched_entity *entity, uint32_t home)
{
    if (home != NO_CPU && !any_idle_for(sched, entity) && dispatch_allowed(sched, entity, home))
        queue_insert(sched, entity, sched->cpus[home].queue);
    else
        find_place(sched, entity, home);
}

void dispatch_hand_over(struct sched *sched, struct sched_entity *entity, uint32_t cpu)
{
    queue_remove(sched, entity);
    claim(sched, entity, cpu);
    occupancy_call_siblings(sched, cpu);
}

void dispatch_unclaim(struct sched *sched, uint32_t cpu)
{
    sched_touch(sched, sched->cpus[cpu].core);
    sched->cpus[cpu].incoming->where = ENTITY_OUT;
    sched->cpus[cpu].incoming = NULL;
    occupancy_note(sched, cpu);
    dispatch_kick(sched, cpu);
    occupancy_call_siblings(sched, cpu);
}

void dispatch_preempt(struct sched *sched, uint32_t cpu)
{
    sched->cpus[cpu].preempt = true;
    dispatch_kick(sched, cpu);
}

/* ---- Moving what runs ---- */

bool dispatch_can_pull(const struct sched *sched, uint32_t cpu, uint32_t victim)
{
    const struct sched_cpu *v = &sched->cpus[victim];

    sched_touch(sched, v->core);
    return v->current != NULL && !v->current->paused && v->incoming == NULL &&
           v->push_to == NO_CPU && dispatch_may_run(sched, v->current, cpu);
}

static void request(struct sched *sched, uint32_t cpu, uint32_t victim)
{
    sched->cpus[victim].push_to = cpu;
    sched->cpus[cpu].awaits = true;
    occupancy_note(sched, cpu);
    dispatch_kick(sched, victim);
}

void dispatch_pull(struct sched *sched, uint32_t cpu, uint32_t victim)
{
    struct sched_core *core = &sched->cores[sched->cpus[victim].core];

    request(sched, cpu, victim);
    sched->cpus[victim].leaves = true;
    core->leaving++;
    occupancy_note_core(sched, core);
}

void dispatch_exchange(struct sched *sched, uint32_t cpu, uint32_t victim)
{
    struct sched_entity *leaving = occupancy_stop(sched, cpu);

    request(sched, cpu, victim);
    promise(sched, leaving, victim);
}

void dispatch_replace(struct sched *sched, uint32_t cpu)
{
    dispatch_make_runnable(sched, occupancy_stop(sched, cpu), NO_CPU);
}

/* Hands what `cpu` runs to the CPU that asked for it, or tells that one to look elsewhere. */
static void finish_push(struct sched *sched, uint32_t cpu)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    uint32_t target = c->push_to;

    if (target == NO_CPU)
        return;
    if (c->leaves) {
        c->leaves = false;
        sched->cores[c->core].leaving--;
        occupancy_note_core(sched, &sched->cores[c->core]);
    }
    sched_touch(sched, sched->cpus[target].core);
    c->push_to = NO_CPU;
    sched->cpus[target].awaits = false;
    if (c->current != NULL && dispatch_may_run(sched, c->current, target))
        claim(sched, occupancy_stop(sched, cpu), target);
    occupancy_note(sched, target);
    dispatch_kick(sched, target);
    occupancy_call_siblings(sched, target);
}

/* ---- Deciding ---- */

/* Takes off the CPU what may not, or no longer wants to, run there. */
static void expel(struct sched *sched, uint32_t cpu, enum dispatch_event event)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    struct sched_entity *entity = c->incoming;
    bool fits = c->current == NULL || dispatch_may_run(sched, c->current, cpu);

    if (event == DISPATCH_BLOCK)
        occupancy_stop(sched, cpu)->runnable = false;
    else if (c->current != NULL && c->current->paused)
        occupancy_stop(sched, cpu);
    finish_push(sched, cpu); /* first: what is expected elsewhere may not fit beside who comes */
    if (!fits && c->current != NULL)
        dispatch_make_runnable(sched, occupancy_stop(sched, cpu), NO_CPU);
    if (!fits) /* strangers have been here, by another policy, and one leaves */
        occupancy_call_siblings(sched, cpu);
    if (entity != NULL && c->incoming == entity && !dispatch_may_run(sched, entity, cpu)) {
        c->incoming = NULL;
        dispatch_make_runnable(sched, entity, NO_CPU);
        occupancy_call_siblings(sched, cpu);
    }
}

static struct sched_entity *choose(struct sched *sched, uint32_t cpu, enum dispatch_event event,
                                   bool slice_over)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    struct sched_entity *next = c->incoming;

    c->incoming = NULL;
    if (next != NULL && slice_over && sched->cores[c->core].yielding) {
        dispatch_make_runnable(sched, next, cpu); /* the core is needed for somebody else */
        next = NULL;
    }
    if (next != NULL)
        return next;
    if (!bitmap_test(&sched->usable, cpu) || (c->current == NULL && c->awaits))
        return c->current;
    if (c->current == NULL || slice_over)
        return sched->policy->pick(sched, cpu, c->current);
    if (event == DISPATCH_YIELD)
        next = queue_take(sched, c->queue, cpu);
    return next != NULL ? next : c->current;
}

/* What ran looks for a place only when its successor is there: it may not fit beside that one. */
static void switch_to(struct sched *sched, uint32_t cpu, struct sched_entity *next)
{
    struct sched_entity *previous =
        sched->cpus[cpu].current == NULL ? NULL : occupancy_stop(sched, cpu);

    if (next != NULL)
        occupancy_start(sched, cpu, next);
    if (previous != NULL)
        dispatch_make_runnable(sched, previous, cpu);
}

struct sched_entity *dispatch_next(struct sched *sched, uint32_t cpu, uint64_t now_ns,
                                   enum dispatch_event event)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    bool slice_over = event == DISPATCH_SLICE_END || c->preempt, was_busy = c->busy;
    struct sched_entity *next;

    dispatch_begin(sched, now_ns);
    sched_touch(sched, c->core);
    c->preempt = false;
    expel(sched, cpu, event);
    next = choose(sched, cpu, event, slice_over);
    if (next != c->current)
        switch_to(sched, cpu, next);
    occupancy_note(sched, cpu);
    if (was_busy && sched->cores[c->core].busy == 0)
        occupancy_call_siblings(sched, cpu);
    note_ticks(sched, cpu);
    dispatch_end(sched);
    bitmap_clear(&sched->kicks, cpu);
    __atomic_store_n(&c->called, false, __ATOMIC_RELAXED);
    return next;
}

void dispatch_note_affinity(const struct sched *sched, struct sched_entity *entity)
{
    struct bitmap lacking = bitmap_without(&sched->possible, &entity->affinity);

    entity->anywhere = bitmap_is_empty(&lacking);
}

void dispatch_wake(struct sched *sched, struct sched_entity *entity, uint64_t now_ns)
{
    dispatch_begin(sched, now_ns);
    entity->runnable = true;
    if (!entity->started) {
        entity->since_ns = now_ns;
        dispatch_note_affinity(sched, entity);
    }
    entity->started = true;
    if (!entity->paused)
        dispatch_enter(sched, entity);
    dispatch_end(sched);
}
