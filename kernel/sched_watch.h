/*
 * The online checker, check=on: verifies the scheduler's invariants while it schedules
 * (kernel/sched/check.c has the rules), and remembers the last events, to print them with the
 * first violation. It has a lock of its own, which is taken after the scheduler's.
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

/* The same for a decision by dispatch_swap, with only the lock of the CPU's core held. */
void watch_swapped(const struct sched *sched, uint32_t cpu, uint64_t now_ns,
                   enum dispatch_event event, uint32_t pid);

extern bool watch_on; /* for callers to whom a call in vain is too much */

/* Whether it is time to verify everything, which only watch_decided can. */
bool watch_is_due(void);

/* States verified as a whole, for the summary. */
uint32_t watch_checks(void);

#endif
