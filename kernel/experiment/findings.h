/*
 * One sentence for each experiment that compares variants, for the end of the log. What is not to
 * be relied on is named, and nothing said of it.
 */
#ifndef KERNEL_EXPERIMENT_FINDINGS_H
#define KERNEL_EXPERIMENT_FINDINGS_H

#include "kernel/experiment/table.h"

/* The row of a variant that speaks for the machine: under smt, which places best, or else under
 * naive. NULL if there is neither: the other policies leave second threads empty, so that what they
 * measured says nothing of sharing. */
const struct table_row *findings_row(const char *experiment, const char *variant);

void findings_print(void);

#endif
