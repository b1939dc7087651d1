/*
 * What every experiment needs: starting tasks together, waiting for them, checking what they
 * return, printing their `task:` records and keeping their times. What is started when is in the
 * exp_*.c, what is made of the times in report.c. All of it runs in the conductor.
 */
#ifndef KERNEL_EXPERIMENT_HARNESS_H
#define KERNEL_EXPERIMENT_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/experiment/places.h"
#include "kernel/experiment/run.h"
#include "kernel/experiment/work.h"
#include "kernel/sched.h"

/* Totals for the summary. */
struct harness_totals {
    uint32_t experiments, tasks, failed, faults;
};
extern struct harness_totals harness_totals;

/* The solo time of this boot in microseconds, 0 until it was measured. */
extern uint32_t harness_solo_us;

/* One `md5 -t` of as many blocks as the command line asks for. */
extern struct work harness_md5;

/* Adds a task to the group, to do `work` on some of the CPUs of `affinity`, for a variant. False
 * without memory. */
bool harness_add(struct run *run, struct variant *variant, struct work *work,
                 const struct bitmap *affinity);

/* Starts the whole group, as closely together as can be. */
void harness_start(struct run *run);

/* Starts the group's tasks in their order so that `at_once` of them run at any time, to the end. */
void harness_start_in_turn(struct run *run, uint32_t at_once);

/* Waits until every task of the group has ended, checks and reports them. Returns the time from the
 * first start to the last end, in microseconds. */
uint32_t harness_finish(struct run *run);

/* Like harness_finish, but each task's own time, and the time it waited, become samples of its
 * variant, and the time returned another. */
uint32_t harness_finish_with_samples(struct run *run);

/* A started task that is not measured. NULL without memory. It ends by itself, or by
 * harness_stop_background, which frees it and says whether it was still at work. */
struct task *harness_start_background(struct run *run, const struct work *work,
                                      const struct bitmap *affinity);
bool harness_stop_background(struct task *task);

/* The program that never ends, for the same. */
extern const struct work harness_hog;

/* Waits until all of the tasks have ended. */
void harness_wait_for(struct task *const *tasks, uint32_t count);

/* Runs the RFC 1321 test vectors as tasks; counts what is wrong as failed. */
void harness_self_test(void);

/* Runs the program `crash` with one kind of fault, and counts it as failed unless the fault, or for
 * "syscall" the lack of one, is what the kernel reports. */
void harness_expect_fault(const char *kind);

/* Lets `us` microseconds pass. */
void harness_sleep_us(uint32_t us);

uint32_t harness_to_us(uint64_t ns);

#endif
