/*
 * What every experiment needs: starting MD5 tasks together, waiting for them, checking their
 * digests, printing their `task:` records and keeping their times. What is started when is in
 * experiments.c, what is made of the times in report.c. All of it runs in the conductor.
 */
#ifndef KERNEL_EXPERIMENT_HARNESS_H
#define KERNEL_EXPERIMENT_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/random.h"
#include "kernel/sched.h"

#define RUN_MAX_SAMPLES 8192
#define RUN_MAX_GROUP 512

struct experiment;

/* One experiment under one policy. */
struct run {
    const struct experiment *experiment;
    const struct sched_policy *policy;
    uint32_t tasks; /* that run at the same time */
    uint32_t round;
    struct random random; /* draws of the experiment, not of the policy */

    struct task *group[RUN_MAX_GROUP]; /* added and not yet finished */
    uint32_t group_count;

    uint32_t samples_us[RUN_MAX_SAMPLES]; /* the times that the result is about */
    uint32_t sample_count, samples_dropped;
    uint32_t makespans_us[RUN_MAX_SAMPLES];
    uint32_t makespan_count;
    uint64_t run_ns, shared_ns; /* of all tasks but those of the batches */
    bool in_batches;            /* `fill`: this half of the round is the comparison */
    uint32_t batches_us[RUN_MAX_SAMPLES];
    uint32_t batches_count;
    uint32_t ended, failed;
};

/* Totals for the summary. */
struct harness_totals {
    uint32_t experiments, tasks, failed, faults;
};
extern struct harness_totals harness_totals;

/* The solo time of this boot in microseconds, 0 until it was measured. */
extern uint32_t harness_solo_us;

/* Adds one `md5 -t` to the group that harness_start will start. False without memory. */
bool harness_add(struct run *run, const struct bitmap *affinity);

/* Starts the whole group, as closely together as can be. */
void harness_start(struct run *run);

/* Waits until every task of the group has ended, checks and reports them. Returns the time from the
 * first start to the last end, in microseconds. */
uint32_t harness_finish(struct run *run);

/* Like harness_finish, but each task's own time becomes a sample. */
uint32_t harness_finish_with_samples(struct run *run);

void harness_add_sample(struct run *run, uint32_t us);
void harness_add_makespan(struct run *run, uint32_t us);

/* A task of its own, not measured: the hog. NULL without memory. Ended by sched_kill and freed by
 * task_destroy. */
struct task *harness_start_hog(const struct bitmap *affinity);

/* Waits until all of the tasks have ended. */
void harness_wait_for(struct task *const *tasks, uint32_t count);

/* Runs the RFC 1321 test vectors as tasks; counts what is wrong as failed. */
void harness_self_test(void);

/* Runs the program `crash` with one kind of fault, and counts it as failed unless the fault, or for
 * "syscall" the lack of one, is what the kernel reports. */
void harness_expect_fault(const char *kind);

/* Lets `us` microseconds pass. */
void harness_sleep_us(uint32_t us);

/* ---- The machine, as the experiments see it ---- */

/* All CPUs that may be used. */
struct bitmap harness_all_cpus(void);

uint32_t harness_cpu_count(void);
uint32_t harness_core_count(void);

/* One CPU of each core. */
struct bitmap harness_first_threads(void);

/* Two CPUs of one core; false if no core has two. */
bool harness_siblings(struct bitmap *first, struct bitmap *second);

/* A set of the one CPU that all experiments agree on. */
struct bitmap harness_one_cpu(void);

#endif
