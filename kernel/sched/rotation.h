/*
 * Cores of one's own as a good that goes round: whoever shares a core lines up for one that is
 * wholly idle, or that somebody else has had to himself for a slice. Used by the policies that let
 * tasks share a core but know what that costs. Pure.
 */
#ifndef KERNEL_SCHED_ROTATION_H
#define KERNEL_SCHED_ROTATION_H

#include "kernel/sched/policy.h"

/* The core of `cpu`, which calls, is wholly idle: has who shares one for the longest time sent
 * there, if there is anybody. */
void rotation_relieve(struct sched *sched, uint32_t cpu);

/* A slice of `previous`, for which nobody waits, is over on `cpu`: alone on its core, it swaps with
 * who shares one for the longest time; sharing a core while another is wholly idle, it moves.
 * Returns what `cpu` runs on with, or NULL if it has to wait for it. */
struct sched_entity *rotation_next(struct sched *sched, uint32_t cpu,
                                   struct sched_entity *previous);

/* Whether the end of a slice on `cpu` could change anything, for policies that rotate: something
 * waits, or who runs there would be moved or swapped by rotation_next. */
bool rotation_needs_slice(const struct sched *sched, uint32_t cpu);

#endif
