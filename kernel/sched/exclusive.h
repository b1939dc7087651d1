/*
 * Cores that go as a whole from one party to the next, for policies that do not let just anyone
 * share a core. A core is handed over at the end of a slice, when who waits longest must not run
 * beside what runs: its CPUs are emptied one by one, and only the last of them takes what waits. So
 * no two parties are ever on it, not even during the switch. Pure.
 */
#ifndef KERNEL_SCHED_EXCLUSIVE_H
#define KERNEL_SCHED_EXCLUSIVE_H

#include "kernel/sched/policy.h"

/* sched_policy.pick, for policies with a queue per core. */
struct sched_entity *exclusive_pick(struct sched *sched, uint32_t cpu,
                                    struct sched_entity *previous);

#endif
