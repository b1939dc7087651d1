/*
 * Machines to simulate, written as packages x cores x threads.
 */
#ifndef TOOLS_SIM_MACHINE_H
#define TOOLS_SIM_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/machine_info.h"

struct machine {
    uint32_t cpu_count, core_count;
    struct cpu_place places[MAX_CPUS];
};

/*
 * Builds a machine from text: `1x2x2` numbers siblings next to each other, `1x2x2:far` all first
 * threads before all second threads, `1x6x2+8x1` has six performance cores of two threads in each
 * package and then eight efficiency cores of one. False if the text says nothing of this kind, or
 * the machine has more than MAX_CPUS CPUs. A package has one last-level cache.
 */
bool machine_parse(const char *text, struct machine *machine);

#endif
