/*
 * Sentences that more than one experiment needs. All print to the log, without a full stop.
 */
#ifndef KERNEL_EXPERIMENT_SAY_H
#define KERNEL_EXPERIMENT_SAY_H

#include <stdbool.h>
#include <stdint.h>

struct run;
struct variant;

/* How the tasks of the first variant, which the policy placed, came to their CPUs: by how long they
 * waited and by how much they shared a core, not by their times, which other things change too.
 * See experiment.h, `say`. */
void say_how_cores_were_used(const struct run *run);

/* Whether the tasks of a variant that are meant to run side by side took turns instead, as nosmt
 * makes them; says so then. */
bool say_if_never_together(const struct variant *variant);

/* A number of hundredths, "1.50", between two texts. */
void say_hundredths(const char *before, uint32_t hundredths, const char *after);

#endif
