/*
 * The machine as the experiments see it: which CPUs there are, and which of them are the two
 * threads of a core, two cores, two packages. All experiments agree on these choices.
 */
#ifndef KERNEL_EXPERIMENT_PLACES_H
#define KERNEL_EXPERIMENT_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/bitmap.h"

/* All CPUs that may be used. */
struct bitmap places_all(void);

uint32_t places_cpu_count(void);
uint32_t places_core_count(void);

/* One CPU of each core. */
struct bitmap places_first_threads(void);

/* How far apart two CPUs are. */
enum places_distance { PLACES_SAME_CPU, PLACES_SIBLING, PLACES_CORE, PLACES_PACKAGE };

/* Two CPUs, as sets of one, that are so far apart: the same one twice, two of one core, two cores
 * of one package, two packages. False if the machine has no such two. */
bool places_pair(enum places_distance distance, struct bitmap *first, struct bitmap *second);

/* The same for two CPUs of one AMD family 15h compute unit, whether or not the command line lets it
 * count as a core; elsewhere the two threads of a core. */
bool places_mates(struct bitmap *first, struct bitmap *second);

/* As the log calls it: "same_cpu", "sibling", "core", "package". */
const char *places_distance_name(enum places_distance distance);

/* Why there are no two CPUs so far apart, as a reason for `skip:`. */
const char *places_lacking(enum places_distance distance);

#endif
