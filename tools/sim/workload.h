/*
 * Random workloads, and how to make one that fails smaller.
 */
#ifndef TOOLS_SIM_WORKLOAD_H
#define TOOLS_SIM_WORKLOAD_H

#include "tools/sim/sim.h"

#define WORKLOAD_MAX_TASKS 12
#define WORKLOAD_MAX_ACTIONS 16

struct workload {
    const char *topology;
    struct machine machine;
    struct sim_config config; /* points to the members of this one */
    struct sim_task tasks[WORKLOAD_MAX_TASKS];
    struct sim_action actions[WORKLOAD_MAX_ACTIONS];
    uint64_t gains, exchanges; /* as in struct moves, of the last run */
};

/* The workload that belongs to a seed. Whatever is paused or switched off is resumed, or switched
 * on again, so all tasks can end. */
void workload_make(struct workload *workload, uint64_t seed);

/* Runs it under a watch; what is broken, or NULL. */
const char *workload_run(struct workload *workload);

/* Leaves out and simplifies what it can as long as the same rule is broken. */
void workload_shrink(struct workload *workload, const char *what);

#endif
