/*
 * What work is counted in, so that every speed is a whole number of units a nanosecond.
 */
#ifndef TOOLS_SIM_UNITS_H
#define TOOLS_SIM_UNITS_H

#include "tools/sim/sim.h"

/* Greatest common divisor; b if a is 0. */
sim_units units_common(sim_units a, sim_units b);

/* How many units a task alone on a core does in a nanosecond; 0 if that many, or those of all that
 * some task does, are too large a number. */
sim_units units_choose(const struct sim_config *config);

/* How many what runs on a CPU does in a nanosecond, beside what runs on the CPUs of its core now.
 */
sim_units units_rate(const struct sim_config *config, const struct sched *sched, sim_units unit,
                     uint32_t cpu);

#endif
