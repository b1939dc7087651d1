/*
 * Whether a scheduler's state is one that can be: every rule that shows in a single snapshot. For
 * tests, and for the kernel with check=on. Takes time in proportion to CPUs and entities. Pure.
 *
 * What shows only over time is not checked here: how long something lasted, and fairness.
 */
#ifndef KERNEL_SCHED_CHECK_H
#define KERNEL_SCHED_CHECK_H

#include "kernel/sched/policy.h"

/* What is wrong: the rule that is broken, as static text, and where. */
struct check_result {
    const char *what; /* NULL if all is well */
    uint32_t cpu;     /* CPU, core or queue that `what` speaks of, or NO_CPU */
};

/* Verifies everything between two calls of dispatch. CPUs in sched->kicks, or in `kicked` (which
 * were in sched->kicks and have not called dispatch_next yet), are on their way to a better state,
 * so rules that only hold afterwards are not applied to them. */
struct check_result check_sched(const struct sched *sched, const struct bitmap *kicked);

/* Verifies what a CPU can see in a few steps: itself and its core. For every dispatch. */
struct check_result check_cpu(const struct sched *sched, uint32_t cpu, const struct bitmap *kicked);

/* Verifies what dispatch_swap may change, after it has; what it looks at, the core guards. */
struct check_result check_swap(const struct sched *sched, uint32_t cpu);

#endif
