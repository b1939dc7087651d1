/*
 * How long a short job waits when every CPU is busy, with long and with short time slices, and what
 * short ones cost. A slice that ends costs a switch. So two md5 -t take turns on one CPU and their
 * switches are counted; what one switch costs is measured by two tasks that only yield to each
 * other; the product, as a part of the time it all took, is the share lost.
 */
#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/say.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define JOB_US 1000u
#define JOB_MAX 8000000u
#define YIELDS 500u
#define LONG_SLICE_US 10000u
#define SHORT_SLICE_US 1000u
#define LOSS_SLICES 8u /* long ones that each of the two tasks lasts */

enum { LONG, SHORT };

static struct work job;
static struct task *hogs[MAX_CPUS];
static uint32_t hog_count;
static uint32_t lost_ppm[2], switch_ns;

/* ---- What switching costs ---- */

/* Runs two tasks on one CPU to the end; both are to be destroyed. False without memory. */
static bool run_two(const struct work *work, struct task *tasks[2])
{
    struct bitmap one, same;

    places_pair(PLACES_SAME_CPU, &one, &same);
    for (unsigned i = 0; i < 2; i++) {
        tasks[i] = work_task(work, &one);
        if (tasks[i] != NULL)
            continue;
        if (i == 1)
            task_destroy(tasks[0]);
        return false;
    }
    log_defer(true);
    for (unsigned i = 0; i < 2; i++)
        sched_start(tasks[i]);
    harness_wait_for(tasks, 2);
    log_defer(false);
    return true;
}

static void destroy_two(struct task *tasks[2])
{
    task_destroy(tasks[0]);
    task_destroy(tasks[1]);
}

/* One switch, by two tasks that yield to each other and say when they began and ended. */
static bool measure_switch(void)
{
    const struct work yields = {
        .name = "bench", .program = "bench", .flag = "yield", .amount = YIELDS};
    uint64_t stamps[2][2], start, end;
    struct task *tasks[2];

    if (!run_two(&yields, tasks))
        return false;
    for (unsigned i = 0; i < 2; i++)
        memcpy(stamps[i], tasks[i]->result, sizeof stamps[i]);
    start = stamps[0][0] < stamps[1][0] ? stamps[0][0] : stamps[1][0];
    end = stamps[0][1] > stamps[1][1] ? stamps[0][1] : stamps[1][1];
    switch_ns = (uint32_t)div_u64_u32(arch_ticks_to_ns(end - start), 2 * YIELDS, NULL);
    destroy_two(tasks);
    return true;
}

/* The share of the time that two tasks which take turns lose to that. */
static bool measure_loss(uint32_t which, uint32_t slice_us)
{
    uint64_t blocks =
        mul_div_u64(main_options.blocks, LOSS_SLICES * LONG_SLICE_US, harness_solo_us);
    struct work work = work_md5(blocks == 0                    ? 1
                                : blocks > main_options.blocks ? main_options.blocks
                                                               : (uint32_t)blocks);
    struct task *tasks[2];
    uint64_t passed;
    bool ran;

    sched_set_slice(slice_us);
    ran = run_two(&work, tasks);
    sched_set_slice(main_options.slice_us);
    if (!ran)
        return false;
    passed = (tasks[0]->end_ns > tasks[1]->end_ns ? tasks[0]->end_ns : tasks[1]->end_ns) -
             tasks[0]->start_ns;
    lost_ppm[which] = (uint32_t)mul_div_u64(
        (uint64_t)(tasks[0]->entity.switches + tasks[1]->entity.switches) * switch_ns, PPM, passed);
    destroy_two(tasks);
    return true;
}

/* ---- The job ---- */

static void add_variant(struct run *run, const char *name, const char *row, uint32_t slice_us)
{
    struct variant *variant = run_add_variant(run, name, places_cpu_count() + 1);

    variant->solo_us = job.us;
    variant->slice_us = slice_us;
    variant->spread = SPREAD_ANY;
    variant->row = row;
}

static void stop_hogs(void)
{
    while (hog_count > 0)
        harness_stop_background(hogs[--hog_count]);
    sched_set_slice(main_options.slice_us);
}

static bool start_hogs(struct run *run)
{
    struct bitmap everywhere = places_all();
    uint32_t wanted = places_cpu_count();

    while (hog_count < wanted) {
        hogs[hog_count] = harness_start_background(run, &harness_hog, &everywhere);
        if (hogs[hog_count] == NULL) {
            stop_hogs();
            return false;
        }
        hog_count++;
    }
    return true;
}

static uint32_t prepare(struct run *run, const char **why)
{
    if (job.us == 0) {
        job = work_job();
        if (!work_calibrate(&job, JOB_US, JOB_MAX, why))
            return 0;
    }
    *why = "no memory for all the tasks";
    if (!measure_switch() || !measure_loss(LONG, LONG_SLICE_US) ||
        !measure_loss(SHORT, SHORT_SLICE_US) || !start_hogs(run))
        return 0;
    add_variant(run, "slice_10ms", "job 10 ms", LONG_SLICE_US);
    add_variant(run, "slice_1ms", " 1 ms", SHORT_SLICE_US);
    run->variants[LONG].article = "slices of 10 ms";
    run->variants[SHORT].article = "slices of 1 ms";
    return places_cpu_count() + 1;
}

static void round_slice(struct run *run)
{
    struct bitmap everywhere = places_all();

    for (uint32_t i = 0; i < run->variant_count; i++) {
        struct variant *variant = &run->variants[i];

        sched_set_slice(variant->slice_us);
        harness_sleep_us(variant->slice_us + random_below(&run->random, 2 * variant->slice_us));
        if (!harness_add(run, variant, &job, &everywhere))
            return;
        harness_start(run);
        harness_finish_with_samples(run);
    }
}

static void finish(struct run *run)
{
    stop_hogs();
    for (uint32_t i = 0; i < run->variant_count; i++) {
        struct variant *v = &run->variants[i];
        uint32_t count;
        const uint32_t *waits = run_sorted(run, v, SERIES_WAIT, &count);
        uint32_t most = count == 0 ? 0 : waits[count - 1];

        run_add_key(v, " wait_us=%u wait_mean_us=%u wait_max_us=%u switch_ns=%u lost_ppm=%u",
                    run_median(run, v, SERIES_WAIT), run_mean(run, v, SERIES_WAIT), most, switch_ns,
                    lost_ppm[i]);
    }
}

static void say(const struct run *run)
{
    uint32_t waits[2] = {run_mean(run, &run->variants[LONG], SERIES_WAIT),
                         run_mean(run, &run->variants[SHORT], SERIES_WAIT)};

    log_print("a job of %u us waits %u us with slices of 10 ms and %u us with 1 ms", job.us,
              waits[LONG], waits[SHORT]);
    if (waits[LONG] > 2 * waits[SHORT])
        say_hundredths(", so it is answered sooner, for which tasks that take turns pay ",
                       lost_ppm[SHORT] / 100, " %");
    else
        say_hundredths(", which is no gain for the ", lost_ppm[SHORT] / 100,
                       " % that tasks that take turns pay");
    say_hundredths(" of their time instead of ", lost_ppm[LONG] / 100, " %");
}

const struct experiment exp_slice = {
    .name = "slice",
    .question = "All CPUs are busy and a job of 1 ms comes: how long does it wait?",
    .prepare = prepare,
    .round = round_slice,
    .finish = finish,
    .say = say,
};
