/*
 * The online checker, check=on: verifies the scheduler's invariants while it schedules
 * (kernel/sched/check.c has the rules), and remembers the last events, to print them with the
 * first violation. Guarded by the scheduler's lock, like what it looks at.
 */
#ifndef KERNEL_SCHED_WATCH_H
#define KERNEL_SCHED_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/sched/dispatch.h"

/* Turns the checker on or off. */
void watch_enable(bool on);

/* A CPU was sent an interrupt to look at its queue: until it has looked it may be behind. */
void watch_kicked(uint32_t cpu);

/* A CPU has decided: `pid` is what it runs now, 0 for nothing. Verifies what concerns this CPU,
 * and every so often everything. A violation is an `error:` record, which makes the run fail. */
void watch_decided(const struct sched *sched, uint32_t cpu, uint64_t now_ns,
                   enum dispatch_event event, uint32_t pid);

/* States verified as a whole, for the summary. */
uint32_t watch_checks(void);

#endif
