/*
 * What is made of an experiment's times: the `run:` and `result:` records, a sentence that says
 * what the numbers mean, and the closing table.
 */
#ifndef KERNEL_EXPERIMENT_REPORT_H
#define KERNEL_EXPERIMENT_REPORT_H

struct run;

/* The `run:` record, before the first round. */
void report_run(const struct run *run);

/* The `result:` record and its meaning, after the last; keeps a row for the table. */
void report_result(struct run *run);

/* The table of all results, and the capacity line. */
void report_table(void);

#endif
