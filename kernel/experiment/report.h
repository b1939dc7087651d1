/*
 * What is made of an experiment's times: the `run:`, `round:` and `result:` records, and a sentence
 * that says what the numbers mean.
 */
#ifndef KERNEL_EXPERIMENT_REPORT_H
#define KERNEL_EXPERIMENT_REPORT_H

#include <stdbool.h>

#include "kernel/experiment/run.h"

/* The `skip:` record of an experiment, or of one of its variants, that this machine cannot do.
 * `variant` is "" for the whole. */
void report_skip(const struct run *run, const char *variant, const char *why);

/* The `run:` record, before the first round. */
void report_run(const struct run *run);

/* The `round:` record, after each round. */
void report_round(const struct run *run, bool clean);

/* The `result:` records and what they mean, after the last; keeps rows for the table. */
void report_results(struct run *run);

#endif
