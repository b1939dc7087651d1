/*
 * The scheduler as the kernel uses it: locks around the pure state machine (kernel/sched/), the
 * context switch, timers, sleep and wake-up, and the model of a shared core. Which task runs where
 * is decided in kernel/sched/; which lock guards what is in kernel/sched_lock.h.
 *
 * The conductor is the kernel's own thread on the boot CPU: it starts experiments and reports on
 * them. To the policies it does not exist. When it has something to do it interrupts whatever the
 * boot CPU runs, as a device driver would, so that measuring does not change what is measured.
 */
#ifndef KERNEL_SCHED_H
#define KERNEL_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/sched/policy.h"
#include "kernel/smt_model.h"
#include "kernel/task.h"

struct options;

/* ---- Start-up, by the conductor ---- */

/* Makes the boot code the conductor. First of all; afterwards this CPU's record can be used. */
void sched_adopt_boot_code(struct cpu *boot_cpu);

/* Gives the boot CPU its idle task, before the other CPUs take what memory there is. False without
 * memory. */
bool sched_prepare_boot_cpu(void);

/* Builds the scheduler's state from the CPUs that are online and the options smt, slice,
 * smt_model, module and seed. */
void sched_init(const struct options *options);

/* Schedules by `policy` from now on, with the pseudo-random draws started anew from `seed`. Tasks
 * may be running. */
void sched_use(const struct sched_policy *policy, uint64_t seed);

/* Changes the length of the slices that begin from now on. */
void sched_set_slice(uint32_t slice_us);

/* CPUs that may run tasks. */
struct bitmap sched_usable_cpus(void);

/* The core a usable CPU belongs to, as far as scheduling is concerned: on AMD family 15h the
 * compute unit, unless module=core says otherwise. */
uint32_t sched_core_of(uint32_t cpu);

/* ---- For the conductor ---- */

/* Makes a created task runnable. */
void sched_start(struct task *task);

/* Number of tasks that have ended so far. */
uint32_t sched_ends(void);

/* Waits until sched_ends() is no longer `seen`, or until `deadline_ns` (UINT64_MAX: for ever). */
void sched_wait(uint32_t seen, uint64_t deadline_ns);

/* Whether a task has ended and no CPU is on its stack any more, so that it can be destroyed. */
bool sched_has_ended(const struct task *task);

/* Ends a task when it next leaves the kernel, and waits for that; one that runs is interrupted. */
void sched_kill(struct task *task);

/* Keeps a task from running until sched_resume. Both take effect at once, by interrupting the CPU
 * it runs on. It must not have ended. */
void sched_pause(struct task *task);
void sched_resume(struct task *task);

/* Changes where a task may run, at once likewise. */
void sched_set_affinity(struct task *task, const struct bitmap *affinity);

/* Makes the count of tasks that wait wrong by so much, or right again: inject=sched. */
void sched_miscount(int32_t by);

/* CPU time left empty so far, by the policies that keep strangers off a core, over all cores. */
uint64_t sched_forced_idle_ns(void);

/* ---- For system calls and traps; interrupts off, in the context of the running task ---- */

void sched_yield(void);
void sched_sleep(uint64_t ns);
__attribute__((noreturn)) void sched_exit(void);

/* What an interrupt of the timer, or from another CPU, does. */
void sched_timer(void);
void sched_kicked(void);

/* Last stop before ring 3: pays what the model of a shared core charges, or ends a task that was
 * killed. */
void sched_pay_dues(void);

/* The same, where there most often is nothing to do. */
static inline void sched_return_to_user(void)
{
    if (__atomic_load_n(&arch_this_cpu()->running->doomed, __ATOMIC_RELAXED) ||
        smt_model_percent != 0)
        sched_pay_dues();
}

/* The task this CPU runs, or NULL for the kernel's own threads. */
struct task *sched_current(void);

/* ---- For context switches and CPUs ---- */

/* First thing after a switch, in the new context: the one that was left is free to run elsewhere.
 */
void sched_finish_switch(void);

/* What a CPU does when there is nothing to do. Never returns. */
void sched_idle_loop(void *unused);

#endif
