/*
 * Workloads for the simulator (tools/sim) and exact fractions, for tests of the scheduler.
 */
#ifndef TESTS_HOST_SCHED_CASE_H
#define TESTS_HOST_SCHED_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/lib/clock_math.h"
#include "tools/sim/sim.h"

#define SCHED_CASE_MAX_TASKS 256u
#define SLICE_NS (10ull * NS_PER_MS)
#define WORK_NS (400ull * NS_PER_MS)

struct fraction {
    uint64_t numerator, denominator;
};

static const struct sim_ratio slowdown_atom = {3, 2}, slowdown_i7 = {23, 20};

/* One machine, and equal tasks that all arrive at once and may run anywhere. */
struct sched_case {
    struct machine machine;
    struct sim_config config;
    struct sim_task tasks[SCHED_CASE_MAX_TASKS];
};

static inline void sched_case_init(struct sched_case *c, const char *topology, uint32_t tasks,
                                   struct sim_ratio slowdown)
{
    assert_true(machine_parse(topology, &c->machine));
    assert_true(tasks <= SCHED_CASE_MAX_TASKS);
    sim_defaults(&c->config, &c->machine, slowdown);
    c->config.slice_ns = SLICE_NS;
    c->config.tasks = c->tasks;
    c->config.task_count = tasks;
    c->config.max_events = 10000000;
    memset(c->tasks, 0, sizeof c->tasks);
    for (uint32_t i = 0; i < tasks; i++) {
        c->tasks[i].work_ns = WORK_NS;
        bitmap_set_first(&c->tasks[i].affinity, c->machine.cpu_count);
    }
}

/* Allows task i the CPUs of core i mod C only or, with `one_cpu`, one of them: with each further
 * round over the cores their next CPU. */
static inline void sched_case_pin(struct sched_case *c, bool one_cpu)
{
    uint32_t cores = c->machine.core_count;

    for (uint32_t i = 0; i < c->config.task_count; i++) {
        uint32_t core = i % cores, thread = i / cores, seen = 0;
        uint32_t threads = c->machine.cpu_count / cores;

        bitmap_clear_all(&c->tasks[i].affinity);
        for (uint32_t cpu = 0; cpu < c->machine.cpu_count; cpu++)
            if (c->machine.places[cpu].core == core && (!one_cpu || seen++ == thread % threads))
                bitmap_set(&c->tasks[i].affinity, cpu);
    }
}

static inline uint64_t sched_case_makespan(const struct sched_case *c)
{
    struct sim_outcome outcome = sim_run(&c->config);

    assert_true(outcome.finished);
    return outcome.makespan_ns;
}

/* The fraction of a time, rounded up to the nanosecond. */
static inline uint64_t fraction_of(struct fraction fraction, uint64_t ns)
{
    return (ns * fraction.numerator + fraction.denominator - 1) / fraction.denominator;
}

static inline void assert_within(uint64_t value, uint64_t expected, uint64_t tolerance)
{
    assert_in_range(value, expected < tolerance ? 0 : expected - tolerance, expected + tolerance);
}

#endif
