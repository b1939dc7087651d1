/*
 * The tasks asleep on one CPU, earliest first: that CPU's timer wakes them. Nobody but that CPU
 * calls any of this, with interrupts off, so there is no lock. When the timer fires is
 * kernel/sched.c's business.
 */
#ifndef KERNEL_SLEEPERS_H
#define KERNEL_SLEEPERS_H

#include <stdint.h>

#include "kernel/cpu.h"
#include "kernel/task.h"

/* Adds a task that sleeps until task->wake_ns. */
void sleepers_add(struct cpu *cpu, struct task *task);

/* Takes out one task whose time has come; NULL if there is none. */
struct task *sleepers_take_due(struct cpu *cpu, uint64_t now_ns);

/* When the first one wakes up, or UINT64_MAX. */
static inline uint64_t sleepers_next_ns(const struct cpu *cpu)
{
    return cpu->sleepers == NULL ? UINT64_MAX : cpu->sleepers->wake_ns;
}

#endif
