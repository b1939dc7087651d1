#include "kernel/experiment/report.h"

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/reliability.h"
#include "kernel/experiment/table.h"
#include "kernel/log.h"
#include "kernel/main.h"

static void print_head(const struct run *run, const char *tag)
{
    log_print("%s: experiment=%s sched=%s", tag, run->experiment->name, run->policy->name);
}

static void print_variant(const char *name)
{
    if (name[0] != '\0')
        log_print(" variant=%s", name);
}

void report_skip(const struct run *run, const char *variant, const char *why)
{
    print_head(run, "skip");
    print_variant(variant);
    log_print(" reason=\"%s\"\n", why);
}

void report_run(const struct run *run)
{
    log_print("\n%s, scheduler %s: %s\n", run->experiment->name, run->policy->name,
              run->experiment->question);
    print_head(run, "run");
    log_print(" tasks=%u rounds=%u", run->tasks, main_options.rounds);
    reliability_print_conditions(main_options.slice_us);
    log_print("\n");
}

void report_round(const struct run *run, bool clean)
{
    print_head(run, "round");
    log_print(" round=%u clean=%d\n", run->round, clean);
}

/* ---- Results ---- */

static void print_ratio(const char *key, uint32_t percent)
{
    log_print(" %s=%u.%02u", key, percent / 100, percent % 100);
}

/* A variant that is compared with within another one's record. */
static void print_parts(const struct run *run)
{
    for (uint32_t i = 0; i < run->variant_count; i++)
        if (run->variants[i].is_part) {
            log_print(" ratio_%s=%u.%02u", run->variants[i].name,
                      run->variants[i].ratio.median / 100, run->variants[i].ratio.median % 100);
        }
}

static void print_result(const struct run *run, const struct variant *v)
{
    print_head(run, "result");
    print_variant(v->name);
    log_print(" tasks=%u rounds=%u clean_rounds=%u disturbed_rounds=%u unknown_rounds=%u",
              run->tasks, run->round, run->rounds.clean, run->rounds.disturbed,
              run->rounds.unknown);
    log_print(" solo_us=%u min_us=%u median_us=%u max_us=%u makespan_us=%u", v->solo_us / v->per_us,
              v->times.min / v->per_us, v->times.median / v->per_us, v->times.max / v->per_us,
              v->makespan_us);
    print_ratio("ratio_min", v->ratio.min);
    print_ratio("ratio_median", v->ratio.median);
    print_ratio("ratio_max", v->ratio.max);
    print_parts(run);
    log_print("%s spread_percent=%u shared_percent=%u forced_idle_us=%u failed=%u", v->keys,
              v->spread_percent, v->shared_percent, harness_to_us(run->forced_idle_ns),
              run->failed);
    reliability_print_conditions(v->slice_us);
    if (run->samples_dropped > 0)
        log_print(" samples_dropped=%u", run->samples_dropped);
    if (v->unreliable == NULL)
        log_print(" reliable=1\n");
    else
        log_print(" reliable=0 reason=\"%s\"\n", v->unreliable);
}

static const char *first_problem(const struct run *run)
{
    for (uint32_t i = 0; i < run->variant_count; i++)
        if (run->variants[i].unreliable != NULL)
            return run->variants[i].unreliable;
    return NULL;
}

void report_results(struct run *run)
{
    const char *problem;

    run_evaluate(run);
    for (uint32_t i = 0; i < run->variant_count; i++)
        if (!run->variants[i].is_part)
            print_result(run, &run->variants[i]);
    if (run->experiment->show != NULL)
        run->experiment->show(run);
    problem = first_problem(run);
    if (problem == NULL)
        log_print("Meaning: ");
    else
        log_print("Not to be relied on (%s), but it looks like: ", problem);
    run->experiment->say(run);
    log_print(".\n");
    table_keep(run);
}
