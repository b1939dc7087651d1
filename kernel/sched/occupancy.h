/*
 * Who occupies which CPU and core: the counts and masks of what is busy, idle or shared, the
 * accounts of entities while they run, and who may run beside whom. Pure.
 */
#ifndef KERNEL_SCHED_OCCUPANCY_H
#define KERNEL_SCHED_OCCUPANCY_H

#include "kernel/sched/policy.h"

/* Brings counts and masks in line with one CPU; to be called after every change of its state. */
void occupancy_note(struct sched *sched, uint32_t cpu);

/* Brings counts and masks in line with a core whose CPUs are up to date. */
void occupancy_note_core(struct sched *sched, struct sched_core *core);

/* Busy CPUs in the core of `cpu`, itself not counted. */
uint32_t occupancy_busy_siblings(const struct sched *sched, uint32_t cpu);

/* Whether the policy lets the entity run on `cpu`, whose core has been touched, beside what the
 * others of the core run. */
bool occupancy_may_join(const struct sched *sched, const struct sched_entity *entity, uint32_t cpu);

/* Whether the CPU runs something and two or more stay on its core. */
static inline bool occupancy_shares(const struct sched *sched, uint32_t cpu)
{
    return !list_is_empty(&sched->cpus[cpu].sharing);
}

/* What has passed since *since_ns, which becomes now. CPUs that do not wait for each other may be a
 * moment apart: never less than nothing. So accounts always add up to the time between. */
static inline uint64_t occupancy_passed(uint64_t *since_ns, uint64_t now_ns)
{
    uint64_t passed = now_ns > *since_ns ? now_ns - *since_ns : 0;

    *since_ns += passed;
    return passed;
}

/* Notes that an entity runs on a CPU from now on, and where it comes from. */
static inline void occupancy_note_dispatch(const struct sched *sched, uint32_t cpu,
                                           struct sched_entity *entity)
{
    entity->where = ENTITY_RUNNING;
    entity->switches++;
    if (entity->has_run && entity->cpu == cpu)
        return;
    if (entity->has_run && sched->cpus[entity->cpu].core == sched->cpus[cpu].core)
        entity->sibling_migrations++;
    else if (entity->has_run)
        entity->migrations++;
    entity->has_run = true;
    entity->cpu = (uint16_t)cpu;
    bitmap_set(&entity->ran_on, cpu);
}

/* Brings the accounts of a core and of what runs on it up to sched->now_ns; or, for callers whom
 * nothing but the core concerns, to a time of their own. */
void occupancy_settle(struct sched *sched, uint32_t core);
void occupancy_settle_at(struct sched *sched, uint32_t core, uint64_t now_ns);

/* Puts an entity that is nowhere on a CPU that runs nothing, or takes it off. The CPU goes on
 * counting as busy, or not, until occupancy_note. */
void occupancy_start(struct sched *sched, uint32_t cpu, struct sched_entity *entity);
struct sched_entity *occupancy_stop(struct sched *sched, uint32_t cpu);

/* Kicks idle siblings of `cpu` if what it runs, or no longer runs, may let them take what waits. */
void occupancy_call_siblings(struct sched *sched, uint32_t cpu);

/* Whether a CPU, or all that have none, need slices has to be found out again. */
void occupancy_stale(struct sched *sched, uint32_t cpu);
void occupancy_stale_all(struct sched *sched);

#endif
