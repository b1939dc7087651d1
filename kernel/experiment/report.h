/*
 * What is made of an experiment's times: the `run:` and `result:` records, a sentence that says
 * what the numbers mean, and the closing table.
 */
#ifndef KERNEL_EXPERIMENT_REPORT_H
#define KERNEL_EXPERIMENT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/stats.h"

struct experiment;
struct run;
struct sched_policy;

/* What one experiment came to under one policy; ratios in percent of the solo time. */
struct report_row {
    const struct experiment *experiment;
    const struct sched_policy *policy;
    struct stats ratio, batches_ratio;
    uint32_t tasks, shared_percent;
    bool reliable;
};

/* The row of an experiment under a policy, by name; NULL if it was not run. */
const struct report_row *report_find(const char *experiment, const char *policy);

/* The `run:` record, before the first round. */
void report_run(const struct run *run);

/* The `result:` record and its meaning, after the last; keeps a row for the table. */
void report_result(struct run *run);

/* The table of all results, and what they come to. */
void report_table(void);

#endif
