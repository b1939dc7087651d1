/*
 * The closing table: what all experiments came to, side by side with the article's figures.
 */
#ifndef KERNEL_EXPERIMENT_TABLE_H
#define KERNEL_EXPERIMENT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/experiment/run.h"

/* What one variant of an experiment came to under one policy; ratios in hundredths. */
struct table_row {
    const struct experiment *experiment;
    const struct sched_policy *policy;
    char variant[RUN_NAME_BYTES];
    const char *name, *article; /* of its line; NULL: it has none */
    struct stats ratio;
    uint32_t tasks, shared_percent;
    bool has_shared; /* a core, for however short a time, which shared_percent rounds to 0 */
    bool reliable;
};

/* Keeps a row for each variant of a finished run. */
void table_keep(const struct run *run);

/* The row of a variant ("" where there is only one) of an experiment under a policy, by name; NULL
 * if it was not run. */
const struct table_row *table_find(const char *experiment, const char *policy, const char *variant);

/* Whether a variant of an experiment, under any policy, is not to be relied on. */
bool table_has_unreliable(const struct experiment *experiment);

/* The table, two policies side by side. */
void table_print(void);

#endif
