/*
 * Steps that dispatch.c and control.c have in common; not for policies. Pure.
 */
#ifndef KERNEL_SCHED_DISPATCH_STEPS_H
#define KERNEL_SCHED_DISPATCH_STEPS_H

#include "kernel/sched/policy.h"

/* What every public call begins and ends with. */
void dispatch_begin(struct sched *sched, uint64_t now_ns);
void dispatch_end(struct sched *sched);

/* An entity that is nowhere goes to an idle CPU, or else to the queue of `home`, or, for
 * home == NO_CPU, to the queue the policy likes best. */
void dispatch_make_runnable(struct sched *sched, struct sched_entity *entity, uint32_t home);

/* The same for one that has been out, whose time there ends now. */
void dispatch_enter(struct sched *sched, struct sched_entity *entity);

/* Brings entity->anywhere in line with its affinity. */
void dispatch_note_affinity(const struct sched *sched, struct sched_entity *entity);

/* Breaks the promise made to the entity that is about to run on `cpu`: it is nowhere then. */
void dispatch_unclaim(struct sched *sched, uint32_t cpu);

#endif
