/*
 * The model of a shared core, for emulators, whose threads share no pipelines: while both threads
 * of a core run something, each makes progress at 1/S of its speed. The kernel takes the
 * difference away by letting the task stand still. This is the arithmetic; kernel/sched.c does the
 * standing still, and the policies know nothing of either. `smt_model=` on the command line.
 */
#ifndef KERNEL_SMT_MODEL_H
#define KERNEL_SMT_MODEL_H

#include <stdint.h>

/* How often a sharing task is charged. What is left over is charged when it ends, so the period
 * does not change any total; it only must be long against the cost of an interrupt. */
#define SMT_MODEL_PERIOD_NS 8000000u

/* Sets S in percent (100 to 400); 0 turns the model off. */
void smt_model_set(uint32_t percent);

extern uint32_t smt_model_percent; /* fixed while tasks run */

/* How long a task that has shared for shared_ns and stood still for stalled_ns still has to stand
 * still, if nobody shares with it meanwhile. Amounts too small for a timer count as nothing. */
uint64_t smt_model_due_ns(uint64_t shared_ns, uint64_t stalled_ns);

/* The same if somebody does: the debt grows while it is paid. */
uint64_t smt_model_stall_ns(uint64_t due_ns);

#endif
