/*
 * What the files of the scheduler have in common (sched.c, sched_conductor.c, sched_stall.c); not
 * for others.
 */
#ifndef KERNEL_SCHED_STEPS_H
#define KERNEL_SCHED_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched_lock.h"

struct cpu;
struct task;

extern struct sched scheduler; /* guarded as its members say */
extern uint32_t slice_ns;      /* [a] of slices that begin */

/* Runs instead of whatever its CPU is to run, while it is ready; no policy knows of it. */
struct conductor {
    struct task task;
    struct cpu *cpu;  /* [I] */
    bool ready;       /* [a] */
    uint64_t wake_ns; /* [o] when it becomes ready in any case; UINT64_MAX: never */
    uint32_t ends;    /* [a] tasks that have ended */
};
extern struct conductor conductor;

/* Lets the policy decide what this CPU runs, and tells the CPUs that this concerns; NULL: nothing.
 * Under the placement lock. To be followed by sched_arm_timer. */
struct task *sched_decide(struct cpu *cpu, enum dispatch_event event);

/* Sets this CPU's timer to everything it has to be interrupted for. Interrupts off. */
void sched_arm_timer(struct cpu *cpu);

/* Decides what this CPU runs and switches to it. No lock is held, interrupts are off; both still
 * hold when the caller's context continues, maybe on another CPU and much later. */
void sched_reschedule(struct cpu *cpu, enum dispatch_event event);

#endif
