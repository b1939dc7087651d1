/* Tasks beside others: where a new one lands beside one that never ends, and what all the threads
 * together are worth. */
#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/say.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define HISTOGRAM_BINS 9 /* ratios from 1.0 in steps of a quarter */
#define HISTOGRAM_WIDTH 40u

/* ---- peg: one that never ends, and where the next ones land ---- */

static struct task *hog; /* between prepare and finish */

static uint32_t prepare_peg(struct run *run, const char **why)
{
    struct bitmap everywhere = places_all();

    run_add_variant(run, "", 2)->spread = SPREAD_DRAWN;
    *why = "no memory for the hog";
    hog = harness_start_background(run, &harness_hog, &everywhere);
    return hog == NULL ? 0 : 2;
}

static void round_peg(struct run *run)
{
    struct bitmap everywhere = places_all();

    /* At a random moment of the hog's time slice, so that no rhythm decides. */
    harness_sleep_us(random_below(&run->random, 2 * main_options.slice_us));
    harness_add(run, &run->variants[0], &harness_md5, &everywhere);
    harness_start(run);
    harness_finish_with_samples(run);
}

static void finish_peg(struct run *run)
{
    (void)run;
    harness_stop_background(hog);
    hog = NULL;
}

/* How often which ratio occurred: two peaks are two kinds of luck. */
static void show_histogram(const struct run *run)
{
    uint32_t bins[HISTOGRAM_BINS] = {0}, count;
    const uint32_t *times = run_sorted(run, &run->variants[0], SERIES_TIME, &count);

    for (uint32_t i = 0; i < count; i++) {
        uint32_t ratio = stats_percent(times[i], harness_solo_us);
        uint32_t bin = ratio < 100 ? 0 : (ratio - 88) / 25;
        bins[bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1]++;
    }
    for (uint32_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
        static const char stars[] = "****************************************";
        uint32_t width = count == 0 ? 0 : bins[bin] * HISTOGRAM_WIDTH / count;

        if (bins[bin] > 0)
            log_print("  %s%u.%02u x solo: %3u %.*s\n",
                      bin == HISTOGRAM_BINS - 1 ? "from " : "about ", 1 + bin / 4, bin % 4 * 25,
                      bins[bin], (int)(width == 0 ? 1 : width), stars);
    }
}

const struct experiment exp_peg = {
    .name = "peg",
    .question = "One task hogs a CPU; how long does an md5 -t take that is started beside it?",
    .article = "1.00 or 1.50 Atom",
    .in_demo = true,
    .prepare = prepare_peg,
    .round = round_peg,
    .finish = finish_peg,
    .show = show_histogram,
    .say = say_how_cores_were_used,
};

/* ---- fill: twice as many tasks as cores, at once, and in batches for comparison ---- */

static uint32_t prepare_fill(struct run *run, const char **why)
{
    uint32_t tasks = main_options.tasks != 0 ? main_options.tasks : 2 * places_core_count();
    struct variant *batches;

    (void)why;
    if (tasks > RUN_MAX_GROUP)
        tasks = RUN_MAX_GROUP;
    run_add_variant(run, "", tasks)->spread = SPREAD_DRAWN;
    batches = run_add_variant(run, "batches", places_core_count());
    batches->is_part = true;
    batches->row = " batches";
    batches->article = "2.00 Atom";
    return tasks;
}

/* One batch after the other, one thread of each core in use; the sum of their makespans. */
static uint32_t run_batches(struct run *run)
{
    struct bitmap first_threads = places_first_threads();
    uint32_t cores = places_core_count(), left = run->tasks, makespan = 0;

    while (left > 0) {
        uint32_t batch = left < cores ? left : cores;
        uint32_t cpu = bitmap_first(&first_threads);

        for (uint32_t i = 0; i < batch; i++) {
            struct bitmap one = {{0}};

            bitmap_set(&one, cpu);
            harness_add(run, &run->variants[1], &harness_md5, &one);
            cpu = bitmap_next(&first_threads, cpu + 1);
        }
        harness_start(run);
        makespan += harness_finish(run);
        left -= batch;
    }
    return makespan;
}

static void round_fill(struct run *run)
{
    struct variant *at_once = &run->variants[0], *batches = &run->variants[1];
    struct bitmap everywhere = places_all();
    uint32_t makespan;

    for (uint32_t i = 0; i < run->tasks; i++)
        harness_add(run, at_once, &harness_md5, &everywhere);
    harness_start(run);
    makespan = harness_finish(run);
    run_add_sample(run, at_once, SERIES_TIME, makespan);
    run_add_sample(run, at_once, SERIES_MAKESPAN, makespan);
    run_add_sample(run, batches, SERIES_TIME, run_batches(run));
}

static void say_fill(const struct run *run)
{
    uint32_t at_once = run->variants[0].ratio.median, batches = run->variants[1].ratio.median;

    say_hundredths("all at once takes ", at_once, " solo times");
    say_hundredths(", one a core at a time ", batches, "");
    if (at_once * 105 < batches * 100)
        log_print(": second threads are worth having");
    else if (batches * 105 < at_once * 100)
        log_print(": second threads do harm");
    else
        log_print(": no difference to speak of");
}

const struct experiment exp_fill = {
    .name = "fill",
    .question = "Twice as many md5 -t as cores, at once or in two batches: what is a thread worth?",
    .article = "1.50 Atom",
    .in_demo = true,
    .prepare = prepare_fill,
    .round = round_fill,
    .say = say_fill,
};
