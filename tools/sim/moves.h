/*
 * No ping-pong: whether each move of a task between cores, other than to where it wakes up, brings
 * something. For workloads in which nothing from outside makes tasks move.
 *
 * The load of the machine is how many tasks wait and, of equal numbers, the sum over its cores of
 * the square of how many tasks each runs. A task counts where it is headed: a CPU that has been
 * asked to hand over what it runs has lost it. A decision that moves tasks must lower the load
 * against what it would be had these stayed. Only in an exchange it may stay the same: somebody who
 * has had a CPU (or a core to himself) for a slice at least gives it up to the one who has waited
 * (or shared) for the longest time, or is furthest behind. So every chain of other moves comes to
 * an end, and exchanges happen no more than once a slice.
 */
#ifndef TOOLS_SIM_MOVES_H
#define TOOLS_SIM_MOVES_H

#include "tools/sim/sim.h"

/* What is remembered of a task from the step before. */
struct moves_task {
    bool there;          /* it runs, waits or is claimed */
    bool waits;          /* in a queue */
    uint32_t core;       /* where it is headed, or in whose queue it is */
    uint64_t since_ns;   /* it runs or waits */
    uint64_t sharing_ns; /* it shares its core, of those that run; 0: it does not */
    bool took_turn;      /* it came to run while others waited: see moves.c */
};

struct moves {
    const struct sim_config *config;
    struct moves_task *before, *now;
    uint32_t *runs_before, *runs_now; /* tasks of each core */
    /* Decisions seen that moved tasks: to lower the load, and in exchange. */
    uint64_t gains, exchanges;
};

/* Prepares for a run; the tasks are nowhere. */
void moves_init(struct moves *moves, const struct sim_config *config);
void moves_free(struct moves *moves);

/* After every step: what is wrong with how tasks moved in it, or NULL. */
const char *moves_step(struct moves *moves, const struct sched *sched);

#endif
