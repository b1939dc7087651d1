#include "kernel/experiment/experiment.h"

#include <stddef.h>

#include "kernel/experiment/harness.h"
#include "kernel/log.h"
#include "kernel/main.h"

static struct task *hog; /* of `peg`, between prepare and finish */

/* Starts `count` tasks at once; each task's time is a sample. */
static void round_of(struct run *run, uint32_t count, const struct bitmap *affinity)
{
    for (uint32_t i = 0; i < count; i++)
        harness_add(run, affinity);
    harness_start(run);
    harness_add_makespan(run, harness_finish_with_samples(run));
}

/* ---- solo, pair: the policy chooses ---- */

static uint32_t prepare_solo(struct run *run, const char **why)
{
    (void)run, (void)why;
    return 1;
}

static uint32_t prepare_pair(struct run *run, const char **why)
{
    (void)run, (void)why;
    return 2;
}

static void round_anywhere(struct run *run)
{
    struct bitmap everywhere = harness_all_cpus();

    round_of(run, run->tasks, &everywhere);
}

/* ---- siblings, same_cpu: we choose ---- */

static uint32_t prepare_siblings(struct run *run, const char **why)
{
    struct bitmap first, second;

    (void)run;
    *why = "no core has two threads";
    return harness_siblings(&first, &second) ? 2 : 0;
}

static void round_siblings(struct run *run)
{
    struct bitmap first, second;

    harness_siblings(&first, &second);
    harness_add(run, &first);
    harness_add(run, &second);
    harness_start(run);
    harness_add_makespan(run, harness_finish_with_samples(run));
}

static void round_same_cpu(struct run *run)
{
    struct bitmap one = harness_one_cpu();

    round_of(run, 2, &one);
}

/* ---- peg: one that never ends, and where the next ones land ---- */

static uint32_t prepare_peg(struct run *run, const char **why)
{
    struct bitmap everywhere = harness_all_cpus();

    (void)run;
    *why = "no memory for the hog";
    hog = harness_start_hog(&everywhere);
    return hog == NULL ? 0 : 2;
}

static void round_peg(struct run *run)
{
    struct bitmap everywhere = harness_all_cpus();

    /* At a random moment of the hog's time slice, so that no rhythm decides. */
    harness_sleep_us(random_below(&run->random, 2 * main_options.slice_us));
    round_of(run, 1, &everywhere);
}

static void finish_peg(struct run *run)
{
    (void)run;
    sched_kill(hog);
    task_destroy(hog);
    hog = NULL;
}

/* ---- fill: twice as many tasks as cores, at once, and in batches for comparison ---- */

static uint32_t prepare_fill(struct run *run, const char **why)
{
    uint32_t tasks = main_options.tasks != 0 ? main_options.tasks : 2 * harness_core_count();

    (void)run, (void)why;
    return tasks > RUN_MAX_GROUP ? RUN_MAX_GROUP : tasks;
}

/* One batch after the other, one thread of each core in use; the sum of their makespans. */
static uint32_t run_batches(struct run *run)
{
    struct bitmap first_threads = harness_first_threads();
    uint32_t cores = harness_core_count(), left = run->tasks, makespan = 0;

    while (left > 0) {
        uint32_t batch = left < cores ? left : cores;
        uint32_t cpu = bitmap_first(&first_threads);

        for (uint32_t i = 0; i < batch; i++) {
            struct bitmap one = {{0}};

            bitmap_set(&one, cpu);
            harness_add(run, &one);
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
    struct bitmap everywhere = harness_all_cpus();
    uint32_t makespan;

    for (uint32_t i = 0; i < run->tasks; i++)
        harness_add(run, &everywhere);
    harness_start(run);
    makespan = harness_finish(run);
    harness_add_sample(run, makespan);
    harness_add_makespan(run, makespan);
    run->in_batches = true;
    if (run->batches_count < RUN_MAX_SAMPLES)
        run->batches_us[run->batches_count++] = run_batches(run);
    run->in_batches = false;
}

const struct experiment experiments[] = {
    {"solo", "How long does one md5 -t take that has the machine to itself?",
     "i7 2.0 s, Atom 0.4 s", NULL, true, prepare_solo, round_anywhere, NULL},
    {"pair", "Two md5 -t at once: does the scheduler find two cores for them?", "1.00 Windows 7",
     NULL, true, prepare_pair, round_anywhere, NULL},
    {"siblings", "Two md5 -t pinned to the two threads of one core: what does sharing cost?",
     "1.15 i7, 1.50 Atom", NULL, true, prepare_siblings, round_siblings, NULL},
    {"same_cpu", "Two md5 -t pinned to one logical CPU: what does taking turns cost?", "1.75 i7",
     NULL, true, prepare_pair, round_same_cpu, NULL},
    {"peg", "One task hogs a CPU; how long does an md5 -t take that is started beside it?",
     "1.00 or 1.50 Atom", NULL, true, prepare_peg, round_peg, finish_peg},
    {"fill", "Twice as many md5 -t as cores, at once or in two batches: what is a thread worth?",
     "1.50 Atom", "2.00 Atom", true, prepare_fill, round_fill, NULL},
    {NULL, NULL, NULL, NULL, false, NULL, NULL, NULL},
};

const char *const experiment_choices[] = {"demo",     "all", "none", "solo",  "pair", "siblings",
                                          "same_cpu", "peg", "fill", "bench", NULL};
