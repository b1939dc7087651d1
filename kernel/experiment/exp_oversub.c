/* One amount of work, as j tasks at a time: what `make -j` is told. */
#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/say.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define JOBS 128u
#define KINDS 5

static struct work job;
static uint32_t at_once[KINDS]; /* j of each variant, ascending */

static uint32_t jobs_wanted(void)
{
    uint32_t jobs = main_options.tasks != 0 ? main_options.tasks : JOBS;

    return jobs < RUN_MAX_GROUP ? jobs : RUN_MAX_GROUP;
}

/* One job lasts one and a half slices, so that jobs that share a CPU take turns, but is never
 * longer than an md5 -t of this boot. */
static bool prepare_job(void)
{
    uint32_t target_us = main_options.slice_us + main_options.slice_us / 2;
    uint64_t blocks = mul_div_u64(main_options.blocks, target_us, harness_solo_us);

    if (blocks > main_options.blocks)
        blocks = main_options.blocks;
    job = work_md5(blocks == 0 ? 1 : (uint32_t)blocks);
    return work_measure(&job, 5);
}

static void add_variant(struct run *run, uint32_t j, uint32_t jobs)
{
    static char rows[KINDS][RUN_NAME_BYTES];
    char name[RUN_NAME_BYTES];
    uint32_t number = run->variant_count;
    struct variant *variant;

    if (j > jobs || (number > 0 && j <= at_once[number - 1]))
        return;
    at_once[number] = j;
    format_buffer(name, sizeof name, "j%u", j);
    format_buffer(rows[number], sizeof rows[number], number == 0 ? "make -j%u" : "  -j%u", j);
    variant = run_add_variant(run, name, j);
    variant->solo_of = &job;
    variant->row = rows[number];
    variant->article = j == 4 ? "make -j4" : j == 128 ? "make -j128" : NULL;
    run_add_key(variant, " j=%u job_blocks=%u", j, job.amount);
}

static uint32_t prepare(struct run *run, const char **why)
{
    uint32_t jobs = jobs_wanted(), cores = places_core_count();

    *why = "the job failed when it was run alone";
    if (!prepare_job())
        return 0;
    add_variant(run, 1, jobs);
    add_variant(run, cores, jobs);
    add_variant(run, 2 * cores, jobs);
    add_variant(run, 4 * cores, jobs);
    add_variant(run, jobs, jobs);
    return jobs;
}

/* What is to be known of the group's tasks before they are gone. */
static void take_samples(struct run *run, const struct variant *variant)
{
    uint64_t response_ns = 0;
    uint32_t switches = 0;

    for (uint32_t i = 0; i < run->group_count; i++) {
        const struct task *task = run->group[i].task;

        harness_wait_for(&run->group[i].task, 1);
        response_ns += task->end_ns - task->start_ns;
        switches += task->entity.switches;
    }
    response_ns = div_u64_u32(response_ns, run->group_count, NULL);
    run_add_sample(run, variant, SERIES_RESPONSE, harness_to_us(response_ns));
    run_add_sample(run, variant, SERIES_SWITCHES, switches);
}

static void round_of(struct run *run, uint32_t number)
{
    struct variant *variant = &run->variants[number];
    struct bitmap everywhere = places_all();
    uint32_t makespan;

    for (uint32_t i = 0; i < run->tasks; i++)
        if (!harness_add(run, variant, &job, &everywhere))
            break;
    if (run->group_count == 0)
        return;
    harness_start_in_turn(run, at_once[number]);
    take_samples(run, variant);
    makespan = harness_finish(run);
    run_add_sample(run, variant, SERIES_TIME, makespan);
    run_add_sample(run, variant, SERIES_MAKESPAN, makespan);
}

static void round_all(struct run *run)
{
    work_measure(&job, 1);
    for (uint32_t i = 0; i < run->variant_count; i++)
        round_of(run, i);
}

static void finish(struct run *run)
{
    for (uint32_t i = 0; i < run->variant_count; i++) {
        struct variant *v = &run->variants[i];
        uint32_t response_us = run_median(run, v, SERIES_RESPONSE);
        uint32_t percent = stats_percent(response_us, job.us);

        run_add_key(v, " response_us=%u ratio_response=%u.%02u switches=%u", response_us,
                    percent / 100, percent % 100, run_median(run, v, SERIES_SWITCHES));
    }
}

/* The variant with the shortest makespan; of about equal ones that with the fewest tasks. */
static uint32_t best_of(const struct run *run)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < run->variant_count; i++)
        if (run->variants[i].times.median * 100ull < run->variants[best].times.median * 97ull)
            best = i;
    return best;
}

static void say(const struct run *run)
{
    uint32_t best = best_of(run), last = run->variant_count - 1;
    uint32_t response = run_median(run, &run->variants[best], SERIES_RESPONSE);
    uint32_t response_last = run_median(run, &run->variants[last], SERIES_RESPONSE);

    if (run->variant_count == 1) {
        say_hundredths("a single job leaves no choice; it takes ", run->variants[0].ratio.median,
                       " times its time alone");
        return;
    }
    log_print(at_once[best] == 1 ? "%u task at a time gets the %u jobs done "
                                 : "%u tasks at a time get the %u jobs done ",
              at_once[best], run->tasks);
    say_hundredths("in ", run->variants[best].ratio.median, " times one job's time");
    if (best == last) {
        log_print(", and fewer take longer");
        return;
    }
    say_hundredths("; with all at once it takes ", run->variants[last].ratio.median, "");
    say_hundredths(", and each job ", stats_percent(response_last, response), " times as long");
}

const struct experiment exp_oversub = {
    .name = "oversub",
    .question = "One amount of work as j tasks at a time (make -j): how many should it be?",
    .prepare = prepare,
    .round = round_all,
    .finish = finish,
    .say = say,
};
