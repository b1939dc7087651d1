#include "kernel/sched/occupancy.h"

#include <stddef.h>

#include "kernel/sched/dispatch.h"

#define LOOK_AT_WAITING 4u

static void assign(struct bitmap *map, uint32_t number, bool value)
{
    if (value)
        bitmap_set(map, number);
    else
        bitmap_clear(map, number);
}

static struct sched_core *core_of(struct sched *sched, uint32_t cpu)
{
    return &sched->cores[sched->cpus[cpu].core];
}

/* ---- Counts and masks ---- */

/* Those who share a core line up for one of their own, from when they began to share. */
static void note_sharer(struct sched *sched, uint32_t cpu, bool core_is_shared)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    bool shares = core_is_shared && c->current != NULL;

    if (shares == occupancy_shares(sched, cpu))
        return;
    if (shares) {
        if (list_is_empty(&sched->sharers))
            occupancy_stale_all(sched); /* whoever is alone now has somebody to swap with */
        list_insert_last(&sched->sharers, &c->sharing);
    } else {
        list_remove(&c->sharing);
    }
    if (bitmap_test(&sched->tickless, cpu))
        occupancy_stale(sched, cpu);
}

void occupancy_note_core(struct sched *sched, struct sched_core *core)
{
    bool shared = core->busy - core->leaving >= 2;
    bool was_idle = bitmap_test(&sched->idle_core_cpus, core->first);

    CORE_FOR_EACH(cpu, sched, core)
    {
        bool usable = bitmap_test(&sched->usable, cpu);

        assign(&sched->idle_cpus, cpu, usable && !sched->cpus[cpu].busy);
        assign(&sched->idle_core_cpus, cpu, usable && core->busy == 0);
        note_sharer(sched, cpu, shared);
    }
    if (core->busy == 0 && !was_idle && !list_is_empty(&sched->sharers))
        occupancy_stale_all(sched); /* whoever shares now has somewhere to go */
}

void occupancy_note(struct sched *sched, uint32_t cpu)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    struct sched_core *core = core_of(sched, cpu);
    bool busy = c->current != NULL || c->incoming != NULL || c->awaits;

    if (busy == c->busy) {
        note_sharer(sched, cpu, core->busy - core->leaving >= 2);
        return;
    }
    occupancy_settle(sched, c->core);
    c->busy = busy;
    core->busy += busy ? 1u : -1u;
    occupancy_note_core(sched, core);
}

uint32_t occupancy_busy_siblings(const struct sched *sched, uint32_t cpu)
{
    return sched->cores[sched->cpus[cpu].core].busy - (sched->cpus[cpu].busy ? 1 : 0);
}

void occupancy_stale(struct sched *sched, uint32_t cpu)
{
    bitmap_set(&sched->stale, cpu);
    sched->any_stale = true;
}

void occupancy_stale_all(struct sched *sched)
{
    sched->stale = sched->tickless;
    sched->any_stale = true;
}

/* ---- Who may run beside whom ---- */

static bool same_group(const struct sched_entity *a, const struct sched_entity *b)
{
    return b == NULL || a->group == b->group;
}

bool occupancy_may_join(const struct sched *sched, const struct sched_entity *entity, uint32_t cpu)
{
    const struct sched_core *core = &sched->cores[sched->cpus[cpu].core];

    if (sched->policy->sharing == SHARING_ANY)
        return true;
    CORE_FOR_EACH(other, sched, core)
    {
        const struct sched_cpu *o = &sched->cpus[other];

        if (other == cpu || (o->current == NULL && o->incoming == NULL && !o->awaits))
            continue;
        /* What a CPU awaits is not known before it comes. */
        if (sched->policy->sharing == SHARING_NONE || core->yielding || o->awaits)
            return false;
        if (!same_group(entity, o->current) || !same_group(entity, o->incoming))
            return false;
    }
    return true;
}

/* ---- Accounts ---- */

/* Whether one of the first in a queue might run on a CPU that serves it, but for whom it shares the
 * core with. */
static bool is_wanted(const struct sched *sched, uint32_t queue, uint32_t cpu)
{
    uint32_t seen = 0;

    LIST_FOR_EACH(node, &sched->queues[queue].waiting)
    {
        if (dispatch_allowed(sched, LIST_ENTRY(node, struct sched_entity, node), cpu))
            return true;
        if (++seen == LOOK_AT_WAITING)
            break;
    }
    return false;
}

/* CPUs of a core that could run something if only they were allowed to share it. */
static uint32_t forced_idle_cpus(const struct sched *sched, uint32_t core)
{
    uint32_t count = 0, waiting = sched->queues[core].length;

    if (sched->policy->sharing != SHARING_GROUP)
        return 0;
    CORE_FOR_EACH(cpu, sched, &sched->cores[core])
    {
        count += count < waiting && !sched->cpus[cpu].busy && is_wanted(sched, core, cpu);
    }
    return count;
}

void occupancy_settle_at(struct sched *sched, uint32_t core, uint64_t now_ns)
{
    struct sched_core *c = &sched->cores[core];
    uint64_t passed = occupancy_passed(&c->since_ns, now_ns);

    if (passed == 0 || c->running == 0)
        return;
    c->forced_idle_ns += forced_idle_cpus(sched, core) * passed;
    if (c->running == 1)
        return;
    CORE_FOR_EACH(cpu, sched, c)
    {
        if (sched->cpus[cpu].current != NULL)
            sched->cpus[cpu].current->shared_ns += passed;
    }
}

void occupancy_settle(struct sched *sched, uint32_t core)
{
    sched_touch(sched, core);
    occupancy_settle_at(sched, core, sched->now_ns);
}

/* The number of running CPUs in a core changes by one, from or to two: the others may care. */
static void note_sharing(struct sched *sched, uint32_t cpu)
{
    if (!sched->kick_sharers)
        return;
    CORE_FOR_EACH(sibling, sched, core_of(sched, cpu))
    {
        if (sibling != cpu)
            dispatch_kick(sched, sibling);
    }
}

void occupancy_call_siblings(struct sched *sched, uint32_t cpu)
{
    if (sched->policy->sharing == SHARING_ANY || sched->waiting == 0)
        return;
    CORE_FOR_EACH(sibling, sched, core_of(sched, cpu))
    {
        if (sibling != cpu && bitmap_test(&sched->idle_cpus, sibling))
            dispatch_kick(sched, sibling);
    }
}

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
    return a_ns > b_ns ? a_ns : b_ns;
}

static void take_off(struct sched *sched, struct sched_cpu *c)
{
    c->current->run_ns += occupancy_passed(&c->current->since_ns, sched->cores[c->core].since_ns);
}

/* At the time up to which the core is settled, which is not before the entity came to wait. */
static void put_on(struct sched *sched, uint32_t cpu, struct sched_entity *entity)
{
    struct sched_cpu *c = &sched->cpus[cpu];

    entity->wait_ns += occupancy_passed(&entity->since_ns, sched->cores[c->core].since_ns);
    entity->core = c->core;
    occupancy_note_dispatch(sched, cpu, entity);
    c->current = entity;
}

void occupancy_start(struct sched *sched, uint32_t cpu, struct sched_entity *entity)
{
    struct sched_cpu *c = &sched->cpus[cpu];

    sched_touch(sched, c->core);
    occupancy_settle_at(sched, c->core, later(sched->now_ns, entity->since_ns));
    if (++sched->cores[c->core].running == 2)
        note_sharing(sched, cpu);
    if (sched->cores[c->core].running == 1) /* maybe of another group than what was there */
        occupancy_call_siblings(sched, cpu);
    put_on(sched, cpu, entity);
}

struct sched_entity *occupancy_stop(struct sched *sched, uint32_t cpu)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    struct sched_entity *entity = c->current;

    occupancy_settle(sched, c->core);
    if (sched->cores[c->core].running-- == 2)
        note_sharing(sched, cpu);
    list_remove(&c->sharing);
    take_off(sched, c);
    entity->where = ENTITY_OUT;
    c->current = NULL;
    return entity;
}
