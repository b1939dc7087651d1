/*
 * The command line of schedsim, to be read and to be written.
 */
#ifndef TOOLS_SIM_OPTIONS_H
#define TOOLS_SIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/sim/sim.h"

#define SIM_MAX_TASKS 65536
#define SIM_MAX_ACTIONS 4096
#define SIM_MAX_EVENTS UINT32_MAX /* counts of switches have no more bits */
#define SIM_MAX_EVENTS_DEFAULT 1000000000

struct sim_options {
    const char *topology;
    const char *trace; /* name of a file, or NULL */
    uint32_t rounds;
    bool check;
    struct machine machine;
    struct sim_task *tasks;
    struct sim_action *actions;
    struct sim_config config; /* points to the members above */
};

/* Reads the arguments. On a mistake prints what is wrong and ends with status 2; --help ends with
 * status 0. */
void sim_options_read(int argc, char **argv, struct sim_options *options);
void sim_options_free(struct sim_options *options);

/* Prints a command line that runs just this. */
void sim_options_print(FILE *file, const char *topology, const struct sim_config *config);

extern const char sim_options_usage[];

#endif
