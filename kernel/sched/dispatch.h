/*
 * The mechanism under all policies: the one state machine that moves entities between queues and
 * CPUs, keeps the masks and the accounts. Which CPU and which entity is the policy's business.
 * Pure; the caller serializes all calls and passes the time, which must not go back.
 *
 * After every call the CPUs in sched->kicks have to be made to call dispatch_next(DISPATCH_KICK),
 * and the mask to be emptied. Claiming a CPU is the last step of a placement and happens within
 * the call, so two wakers can not claim the same one.
 */
#ifndef KERNEL_SCHED_DISPATCH_H
#define KERNEL_SCHED_DISPATCH_H

#include "kernel/sched/policy.h"

enum dispatch_event {
    DISPATCH_KICK,      /* look: something may have been claimed or asked for */
    DISPATCH_SLICE_END, /* the running entity's slice is over */
    DISPATCH_YIELD,     /* the running entity lets others go first */
    DISPATCH_BLOCK,     /* the running entity stops being runnable */
};

/* Builds the state for `count` CPUs at `places`, of which `usable` may be used. */
void dispatch_init(struct sched *sched, const struct cpu_place *places, uint32_t count,
                   const struct bitmap *usable, uint64_t seed, uint64_t now_ns);

/* Starts to schedule by another policy. Running entities stay where they are, waiting ones join
 * the queues anew in their old order. */
void dispatch_set_policy(struct sched *sched, const struct sched_policy *policy);

/* Prepares an entity that may run on `affinity`. */
void entity_init(struct sched_entity *entity, const struct bitmap *affinity);

/* The entity (out until now) becomes runnable. */
void dispatch_wake(struct sched *sched, struct sched_entity *entity, uint64_t now_ns);

/* Decides what `cpu`, which calls, runs from now on; NULL: nothing. */
struct sched_entity *dispatch_next(struct sched *sched, uint32_t cpu, uint64_t now_ns,
                                   enum dispatch_event event);

/* Brings shared_ns of what runs on the CPU's core up to date. */
void dispatch_settle(struct sched *sched, uint32_t cpu, uint64_t now_ns);

/* ---- For policies ---- */

/* Whether the entity may run on the CPU at all. */
bool dispatch_allowed(const struct sched *sched, const struct sched_entity *entity, uint32_t cpu);

/* Busy CPUs in the core of `cpu`, itself not counted. */
uint32_t dispatch_busy_siblings(const struct sched *sched, uint32_t cpu);

/* Takes the first entity allowed on `cpu` off a queue; NULL if there is none. */
struct sched_entity *dispatch_take(struct sched *sched, uint32_t queue, uint32_t cpu);

/* Takes an entity off the longest queue of at least `at_least` waiting that has one allowed on
 * `cpu`; NULL if there is none. */
struct sched_entity *dispatch_steal(struct sched *sched, uint32_t cpu, uint32_t at_least);

/* Asks `victim` to hand what it runs over to `cpu`, which is idle and counts as busy from now on.
 * If the entity is gone by then, `cpu` is kicked instead and looks again. */
void dispatch_pull(struct sched *sched, uint32_t cpu, uint32_t victim);

/* Swaps what `cpu` and `victim` run. `cpu`, which calls, stays empty until the other half comes. */
void dispatch_exchange(struct sched *sched, uint32_t cpu, uint32_t victim, uint64_t now_ns);

/* Takes what `cpu` runs off it and places it anew, as if it had just woken up. */
void dispatch_replace(struct sched *sched, uint32_t cpu, uint64_t now_ns);

/* Whether `victim` runs something that could be asked for: movable, and not already promised. */
bool dispatch_can_pull(const struct sched *sched, uint32_t cpu, uint32_t victim);

#endif
