/*
 * Which CPUs the scheduler gets, and which of them share a core as far as it is concerned.
 */
#ifndef KERNEL_SCHED_CPUS_H
#define KERNEL_SCHED_CPUS_H

#include "kernel/lib/bitmap.h"
#include "kernel/machine_info.h"

struct options;

/* Fills places[0..cpu_count-1], where the core is the compute unit on AMD family 15h unless
 * module=core, and returns the CPUs that may run tasks: those online, and with smt=off of these
 * only the first of each core. */
struct bitmap sched_cpus_collect(const struct options *options, struct cpu_place *places);

#endif
