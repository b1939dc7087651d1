/*
 * Watches a simulated run for what must never happen: after every step the snapshot rules of
 * kernel/sched/check.h, and the rules about time, which need to remember.
 */
#ifndef TOOLS_SIM_WATCH_H
#define TOOLS_SIM_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/sim/moves.h"
#include "tools/sim/sim.h"

/* What is remembered about a task. */
struct watch_task {
    uint64_t misplaced_ns; /* since when it shares a core although it could have one; 0: not */
    uint32_t migrations;   /* seen so far */
    bool was_out;          /* since it last ran */
    enum entity_where where;
};

struct watch {
    const struct sim_config *config;
    struct watch_task *tasks;
    const char *what;         /* the first rule broken, or NULL */
    uint64_t at_ns;           /* and when */
    struct bitmap idle_cores; /* after the last step */
    bool free;                /* every task may run anywhere, and nothing is done from outside */
    bool few;                 /* ... and there are never more tasks than cores */
    bool equal;               /* all tasks are equal, free, and start at once; see watch.c */
    bool one_policy;          /* and all CPUs always on */
    struct moves moves;       /* of free tasks */
    /* As found at the end of the run, for those who want to know. */
    uint64_t longest_wait_ns;
};

/* Prepares to watch runs of a configuration, which is told to call watch_step. */
void watch_init(struct watch *watch, struct sim_config *config);
void watch_free(struct watch *watch);

/* sim_config.observe. */
bool watch_step(void *watch, const struct sched *sched, const struct bitmap *kicked);

/* After the run: what was broken, in all of it, or NULL. */
const char *watch_verdict(struct watch *watch, const struct sim_outcome *outcome);

#endif
