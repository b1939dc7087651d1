/*
 * One task measured while another keeps busy beside it from before its start until after its end:
 * what the experiments do that ask how much two kinds of work are in each other's way.
 */
#ifndef KERNEL_EXPERIMENT_BESIDE_H
#define KERNEL_EXPERIMENT_BESIDE_H

#include "kernel/experiment/run.h"
#include "kernel/experiment/work.h"

/* A piece of work, measured alone too, and the same with as much of it as there can be. */
struct beside {
    struct work once;
    struct work on_and_on;
};

/* Fits the work to a time, unless that was done before. False, with *why, if it cannot be done. */
bool beside_prepare(struct beside *kind, const struct work *work, uint32_t target_us,
                    uint32_t maximum, const char **why);

/* Adds a variant for `first` beside `second`, with the keys that say so. `where` is what the log
 * calls the placement. */
struct variant *beside_add_variant(struct run *run, const struct beside *first,
                                   const struct beside *second, const char *where);

/* Measures `first` on one CPU with `second` on the other, once. */
void beside_measure(struct run *run, struct variant *variant, struct beside *first,
                    struct beside *second, const struct bitmap *first_cpu,
                    const struct bitmap *second_cpu);

#endif
