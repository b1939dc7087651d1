/*
 * Which CPU is near, idle or lightly loaded: what the policies that know of cores have in common
 * when they place an entity. Pure.
 */
#ifndef KERNEL_SCHED_PLACE_H
#define KERNEL_SCHED_PLACE_H

#include "kernel/sched/policy.h"

/* The one of the set that is nearest to `cpu`: itself, a sibling, one behind the same cache, in the
 * same package, any. NO_CPU for an empty set. */
uint32_t place_nearest(const struct sched *sched, uint32_t cpu, const struct bitmap *set);

/* sched_policy.place: an idle performance core, an idle efficiency core, an idle sibling; of equal
 * ones the nearest to where the entity ran last. */
uint32_t place_on_idle(struct sched *sched, const struct sched_entity *entity,
                       const struct bitmap *idle);

/* sched_policy.join: the shortest queue for the number of its CPUs, of equal ones the nearest. */
uint32_t place_in_shortest(struct sched *sched, const struct sched_entity *entity,
                           const struct bitmap *allowed);

#endif
