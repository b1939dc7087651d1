/*
 * What a simulated machine does as a log with `trace:` records, which tools/timeline draws like one
 * of the kernel's: docs/serial-log.md. Each round is a boot of its own.
 */
#ifndef TOOLS_SIM_TRACE_H
#define TOOLS_SIM_TRACE_H

#include <stdbool.h>

#include "kernel/sched/dispatch.h"
#include "tools/sim/sim.h"

/* Writes a boot's first records, or its last. Without a file nothing is written, as in all of
 * these. */
void sim_trace_begin(const struct sim_config *config, uint32_t round);
void sim_trace_end(const struct sim_config *config, uint64_t end_ns, bool ok);

/* `task` has become runnable and was given a place. `first` if it never was before. */
void sim_trace_wake(const struct sim_config *config, const struct sched *sched,
                    const struct sim_task *task, bool first);

/* `cpu`, which ran `before`, now runs `after`; either may be NULL. */
void sim_trace_decided(const struct sim_config *config, const struct sched *sched, uint32_t cpu,
                       struct sim_task *before, struct sim_task *after, enum dispatch_event event);

/* Something is done from outside, to a task or (NULL) to CPU `number`: a line for people. */
void sim_trace_action(const struct sim_config *config, uint64_t now_ns, const char *what,
                      const struct sim_task *task, uint32_t number);

#endif
