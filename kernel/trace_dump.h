/*
 * The reader's side of the trace: the `trace:` records of the log, and the picture of a round. By
 * the conductor, between measurements: a line takes longer to print than many events to happen.
 * Without trace=on nothing happens here.
 */
#ifndef KERNEL_TRACE_DUMP_H
#define KERNEL_TRACE_DUMP_H

#include <stdbool.h>
#include <stdint.h>

/* Marks the begin of a round in the trace. */
void trace_begin_round(const char *experiment, const char *sched, uint32_t round);

/* Marks its end and prints everything up to there; with `draw` also a picture of the round. */
void trace_end_round(bool draw);

/* Prints everything recorded so far. */
void trace_dump(void);

#endif
