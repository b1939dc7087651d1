/*
 * Sentences that more than one experiment needs. All print to the log, without a full stop.
 */
#ifndef KERNEL_EXPERIMENT_SAY_H
#define KERNEL_EXPERIMENT_SAY_H

#include <stdint.h>

struct run;

/* Where the tasks of the first variant ran, by their times and by how much they shared:
 * experiment.h, `say`. */
void say_how_cores_were_used(const struct run *run);

/* A number of hundredths, "1.50", between two texts. */
void say_hundredths(const char *before, uint32_t hundredths, const char *after);

#endif
