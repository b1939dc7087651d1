/* What surrounds the experiments, made up, so that what they say of their numbers can be tested:
 * nothing is run, the samples come from the test. */
#ifndef TESTS_HOST_SAY_CASE_H
#define TESTS_HOST_SAY_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/arch.h"
#include "kernel/experiment/buffers.h"
#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/reliability.h"
#include "kernel/experiment/report.h"
#include "kernel/lib/bitmap.h"
#include "kernel/main.h"
#include "kernel/panic.h"
#include "tests/host/fake_log.h"

#define SOLO_US 1000u /* of any work: times are ratios in thousandths */
#define MS 1000000ull
#define TASKS 4

/* ---- The kernel and the machine around the experiments ---- */

struct options main_options;
uint32_t harness_solo_us = SOLO_US;
struct work harness_md5;
const struct work harness_hog;

static struct run run;
static bool has_siblings, has_cores;
static uint32_t buffer_kib, slice_us;
static struct task tasks[TASKS];
static unsigned next_task;

void panic(const char *where, const char *fmt, ...)
{
    fprintf(stderr, "%s: %s\n", where, fmt);
    abort();
}

bool places_pair(enum places_distance distance, struct bitmap *first, struct bitmap *second)
{
    *first = *second = (struct bitmap){{1}};
    return distance == PLACES_SAME_CPU || (distance == PLACES_SIBLING && has_siblings) ||
           (distance == PLACES_CORE && has_cores);
}

bool places_mates(struct bitmap *first, struct bitmap *second)
{
    return places_pair(PLACES_SIBLING, first, second);
}

const char *places_distance_name(enum places_distance distance)
{
    static const char *const names[] = {"same_cpu", "sibling", "core", "package"};

    return names[distance];
}

const char *places_lacking(enum places_distance distance)
{
    return places_distance_name(distance);
}

struct bitmap places_all(void)
{
    return (struct bitmap){{15}};
}

struct bitmap places_first_threads(void)
{
    return (struct bitmap){{5}};
}

uint32_t places_cpu_count(void)
{
    return 4;
}

uint32_t places_core_count(void)
{
    return 2;
}

uint32_t buffers_kib(void)
{
    return buffer_kib;
}

const char *buffers_problem(void)
{
    return NULL;
}

const char *reliability_problem(const struct run *of, const struct variant *variant)
{
    (void)of, (void)variant;
    return NULL;
}

void report_skip(const struct run *of, const char *variant, const char *why)
{
    (void)of, (void)variant, (void)why;
}

static struct work work_of(const char *program)
{
    return (struct work){.name = program, .program = program};
}

struct work work_md5(uint32_t blocks)
{
    (void)blocks;
    return work_of("md5");
}

struct work work_job(void)
{
    return work_of("job");
}

struct work work_chase(uint32_t kib)
{
    (void)kib;
    return work_of("chase");
}

struct work work_mixed(uint32_t kib)
{
    (void)kib;
    return work_of("mixed");
}

struct work work_units(const char *program)
{
    return work_of(program);
}

void work_set_amount(struct work *work, uint32_t amount)
{
    work->amount = amount;
}

bool work_measure(struct work *work, uint32_t times)
{
    (void)times;
    work->us = SOLO_US;
    return true;
}

bool work_calibrate(struct work *work, uint32_t target_us, uint32_t maximum, const char **why)
{
    (void)target_us, (void)maximum, (void)why;
    return work_measure(work, 1);
}

/* Tasks that take 100 ms, with a switch at the end of each slice; 1000 yields take 1 ms. */
struct task *work_task(const struct work *work, const struct bitmap *affinity)
{
    struct task *task = &tasks[next_task++ % TASKS];
    const uint64_t stamps[2] = {0, MS};

    (void)work, (void)affinity;
    *task = (struct task){.end_ns = 100 * MS};
    task->entity.switches = slice_us == 0 ? 0 : 100000 / slice_us;
    memcpy(task->result, stamps, sizeof stamps);
    return task;
}

void task_destroy(struct task *task)
{
    (void)task;
}

uint64_t arch_ticks_to_ns(uint64_t ticks)
{
    return ticks;
}

void sched_set_slice(uint32_t us)
{
    slice_us = us;
}

struct task *harness_start_background(struct run *of, const struct work *work,
                                      const struct bitmap *affinity)
{
    (void)of;
    return work_task(work, affinity);
}

bool harness_stop_background(struct task *task)
{
    (void)task;
    return true;
}

uint32_t harness_to_us(uint64_t ns)
{
    return (uint32_t)(ns / 1000);
}

void harness_wait_for(struct task *const *waited, uint32_t count)
{
    (void)waited, (void)count;
}

void sched_start(struct task *task)
{
    (void)task;
}

void log_defer(bool deferred)
{
    (void)deferred;
}

/* ---- What only a round would call ---- */

#define NO_ROUNDS(name) fail_msg("%s is for rounds", name)

void log_warning(const char *where, const char *fmt, ...)
{
    NO_ROUNDS(where);
    (void)fmt;
}

bool harness_add(struct run *of, struct variant *variant, struct work *work,
                 const struct bitmap *affinity)
{
    NO_ROUNDS("harness_add");
    return of == NULL && variant == NULL && work == NULL && affinity == NULL;
}

void harness_start(struct run *of)
{
    (void)of;
    NO_ROUNDS("harness_start");
}

void harness_start_in_turn(struct run *of, uint32_t at_once)
{
    (void)of, (void)at_once;
    NO_ROUNDS("harness_start_in_turn");
}

uint32_t harness_finish(struct run *of)
{
    NO_ROUNDS("harness_finish");
    return of->tasks;
}

uint32_t harness_finish_with_samples(struct run *of)
{
    NO_ROUNDS("harness_finish_with_samples");
    return of->tasks;
}

void harness_sleep_us(uint32_t us)
{
    (void)us;
    NO_ROUNDS("harness_sleep_us");
}

bool sched_has_ended(const struct task *task)
{
    NO_ROUNDS("sched_has_ended");
    return task == NULL;
}

void sched_pause(struct task *task)
{
    (void)task;
    NO_ROUNDS("sched_pause");
}

void sched_resume(struct task *task)
{
    (void)task;
    NO_ROUNDS("sched_resume");
}

void sched_set_affinity(struct task *task, const struct bitmap *affinity)
{
    (void)task, (void)affinity;
    NO_ROUNDS("sched_set_affinity");
}

uint64_t arch_now_ns(void)
{
    NO_ROUNDS("arch_now_ns");
    return 0;
}

uint32_t arch_cache_kib(unsigned cpu, unsigned level)
{
    NO_ROUNDS("arch_cache_kib");
    return cpu + level;
}

/* ---- Made-up runs ---- */

static inline void begin(const struct experiment *experiment)
{
    memset(&run, 0, sizeof run);
    run.experiment = experiment;
    run.round = 1;
    length = 0;
    text[0] = '\0';
}

/* The experiment's own variants, on a machine of that kind. */
static inline void begin_prepared(const struct experiment *experiment, bool siblings, uint32_t kib)
{
    const char *why = "";

    begin(experiment);
    has_siblings = siblings;
    has_cores = true;
    buffer_kib = kib;
    main_options = (struct options){.slice_us = 10000, .blocks = 1000, .tasks = main_options.tasks};
    run.tasks = experiment->prepare(&run, &why);
    assert_int_not_equal(run.tasks, 0);
}

static inline void add(const char *variant, enum series series, uint32_t value)
{
    for (uint32_t i = 0; i < run.variant_count; i++)
        if (strcmp(run.variants[i].name, variant) == 0) {
            run_add_sample(&run, &run.variants[i], series, value);
            return;
        }
    fail_msg("no variant %s", variant);
}

static inline void add_time(const char *variant, uint32_t us)
{
    add(variant, SERIES_TIME, us);
}

/* A task of the only variant, times in microseconds. */
static inline void add_task(uint32_t wait_us, uint32_t run_us, uint32_t shared_us)
{
    run_add_accounts(&run.variants[0], run_us * 1000ull, wait_us * 1000ull, shared_us * 1000ull);
    add("", SERIES_TIME, wait_us + run_us);
    add("", SERIES_WAIT, wait_us);
}

static inline void expect_not(const char *part)
{
    run_evaluate(&run);
    length = 0;
    run.experiment->say(&run);
    assert_true(length > 0);
    assert_null(strstr(text, part));
}

static inline void expect(const char *sentence)
{
    run_evaluate(&run);
    length = 0;
    run.experiment->say(&run);
    assert_string_equal(text, sentence);
}

#endif
