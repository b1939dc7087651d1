/*
 * trace=on: what the scheduler does, written down. Each CPU puts events into a ring of its own
 * (kernel/lib/trace_ring.h) with interrupts off and without a lock; the conductor reads the rings
 * between measurements (kernel/trace_dump.h). docs/serial-log.md says what the events mean.
 *
 * The scheduler tells what it has decided, and here it is worked out what that means as events.
 * The times are those it keeps its accounts by, so that the sums agree. With trace=off each of
 * these calls is one test. All of them with interrupts off.
 */
#ifndef KERNEL_TRACE_H
#define KERNEL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/trace_ring.h"
#include "kernel/sched/dispatch.h"
#include "kernel/task.h"

struct options;

extern bool trace_on; /* [I] after trace_init */

/* Allocates the rings if the options ask for a trace; once, after the CPUs have been found and
 * before any task runs. Without memory there is a warning and no trace. */
void trace_init(const struct options *options);

/* The ring of each CPU, by its number; for the reader. NULL if nothing is traced. */
struct trace_ring *trace_rings(void);

void trace_record_decision(unsigned cpu, struct task *before, struct task *after,
                           enum dispatch_event event);
void trace_record_wake(unsigned cpu, uint64_t now_ns, const struct sched *sched,
                       const struct task *task);
void trace_record_now(enum trace_kind kind, uint32_t pid, uint32_t other);

/* This CPU, which ran `before`, has decided to run `after` (either may be NULL), because of
 * `event`. Called while both are still as that decision left them: the times are those of their
 * accounts. */
static inline void trace_decided(unsigned cpu, struct task *before, struct task *after,
                                 enum dispatch_event event)
{
    if (trace_on)
        trace_record_decision(cpu, before, after, event);
}

/* This CPU has woken a task at now_ns, and the scheduler found a place for it. */
static inline void trace_woken(unsigned cpu, uint64_t now_ns, const struct sched *sched,
                               const struct task *task)
{
    if (trace_on)
        trace_record_wake(cpu, now_ns, sched, task);
}

/* This CPU interrupts another one. */
static inline void trace_kicked(uint32_t other)
{
    if (trace_on)
        trace_record_now(TRACE_IPI, 0, other);
}

/* The task that this CPU runs has caused an exception. */
static inline void trace_faulted(const struct task *task, uint32_t vector)
{
    if (trace_on)
        trace_record_now(TRACE_FAULT, task->pid, vector);
}

/* A remark; returns its time. Interrupts may be on. */
uint64_t trace_mark(const char *text);

#endif
