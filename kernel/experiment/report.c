#include "kernel/experiment/report.h"

#include "kernel/experiment/conclusion.h"
#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/stats.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"
#include "kernel/smt_model.h"

#define MAX_ROWS 64
#define SPREAD_MAX_PERCENT 15
#define HISTOGRAM_BINS 9 /* ratios from 1.0 in steps of a quarter */
#define HISTOGRAM_WIDTH 40u

static struct report_row rows[MAX_ROWS];
static unsigned row_count;
static uint32_t solo_spread_percent; /* of the solo times; the widest seen in this boot */

/* ---- What an emulator's times are worth ---- */

static const char *sharing_name(void)
{
    static const char *const names[] = {"unknown", "none", "host_cpu", "host_smt"};
    return names[main_options.sharing];
}

/* Why the times of this run can not be relied on, or NULL if they can. */
static const char *unreliable_because(const struct run *run)
{
    bool emulated = strcmp(arch_platform(), "qemu") == 0 || strcmp(arch_platform(), "kvm") == 0;
    uint32_t busy = run->tasks < harness_cpu_count() ? run->tasks : harness_cpu_count();

    /* A task alone on the machine takes the same time again and again, or something else runs. */
    if (solo_spread_percent > SPREAD_MAX_PERCENT)
        return "the solo times differ too much: is the machine busy with something else?";
    if (!emulated)
        return NULL; /* hardware is itself, and Bochs keeps exact virtual time */
    if (main_options.host_cpus == 0)
        return "nobody said how many CPUs the emulator has";
    if (main_options.sharing != OPTIONS_SHARING_NONE && smt_model_percent() != 0)
        return "the model of a shared core on top of real sharing";
    if (main_options.sharing == OPTIONS_SHARING_NONE && busy > main_options.host_cpus)
        return "the emulator has fewer CPUs than the guest keeps busy";
    if (main_options.sharing == OPTIONS_SHARING_NONE && smt_model_percent() == 0 &&
        run->tasks > 1 && harness_cpu_count() > harness_core_count())
        return "in this emulator the CPUs of one core share nothing";
    return NULL;
}

/* The keys that say under which conditions the times were taken. */
static void print_conditions(void)
{
    char model[16] = "off";

    if (smt_model_percent() != 0)
        format_buffer(model, sizeof model, "%u.%02u", smt_model_percent() / 100,
                      smt_model_percent() % 100);
    log_print(" slice_us=%u smt_model=%s blocks=%u platform=%s host_cpus=%u sharing=%s",
              main_options.slice_us, model, main_options.blocks, arch_platform(),
              main_options.host_cpus, sharing_name());
}

void report_run(const struct run *run)
{
    log_print("\n%s, scheduler %s: %s\n", run->experiment->name, run->policy->name,
              run->experiment->question);
    log_print("run: experiment=%s sched=%s tasks=%u rounds=%u", run->experiment->name,
              run->policy->name, run->tasks, main_options.rounds);
    print_conditions();
    log_print("\n");
}

/* ---- Results ---- */

static const char *meaning_of(const struct run *run, const struct report_row *row)
{
    bool two_peaks = row->ratio.max >= row->ratio.min + 15;

    if (run->tasks == 1)
        return "the time all others are compared with";
    if (row->shared_percent == 0 && row->ratio.median < 115)
        return "as if each task were alone: each had a core of its own";
    if (two_peaks && row->shared_percent > 0 && row->shared_percent < 95)
        return "luck of the draw: some had a core of their own, some had to share one";
    if (row->shared_percent >= 95)
        return "the threads of a core were shared all the time, and that is what it costs";
    if (row->shared_percent == 0)
        return "tasks took turns on a CPU; the second one only waits";
    return "a core was shared for part of the time";
}

static void print_ratio(const char *key, uint32_t percent)
{
    log_print(" %s=%u.%02u", key, percent / 100, percent % 100);
}

/* How often which ratio occurred: two peaks are two kinds of luck. */
static void print_histogram(const struct run *run)
{
    uint32_t bins[HISTOGRAM_BINS] = {0};

    for (uint32_t i = 0; i < run->sample_count; i++) {
        uint32_t ratio = stats_percent(run->samples_us[i], harness_solo_us);
        uint32_t bin = ratio < 100 ? 0 : (ratio - 88) / 25;
        bins[bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1]++;
    }
    for (uint32_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
        static const char stars[] = "****************************************";
        uint32_t width = bins[bin] * HISTOGRAM_WIDTH / run->sample_count;

        if (bins[bin] > 0)
            log_print("  %s%u.%02u x solo: %3u %.*s\n",
                      bin == HISTOGRAM_BINS - 1 ? "from " : "about ", 1 + bin / 4, bin % 4 * 25,
                      bins[bin], (int)(width == 0 ? 1 : width), stars);
    }
}

static struct stats ratios_of(const struct stats *times)
{
    return (struct stats){stats_percent(times->min, harness_solo_us),
                          stats_percent(times->median, harness_solo_us),
                          stats_percent(times->max, harness_solo_us)};
}

static struct report_row make_row(struct run *run, const struct stats *times)
{
    struct report_row row = {
        .experiment = run->experiment, .policy = run->policy, .tasks = run->tasks};
    struct stats batches = stats_of(run->batches_us, run->batches_count);

    if (run->tasks == 1) {
        uint32_t spread = stats_percent(times->max - times->min, times->median);

        if (harness_solo_us == 0)
            harness_solo_us = times->median;
        if (spread > solo_spread_percent)
            solo_spread_percent = spread;
    }
    row.ratio = ratios_of(times);
    row.batches_ratio = ratios_of(&batches);
    row.shared_percent = stats_percent(run->shared_ns, run->run_ns);
    return row;
}

void report_result(struct run *run)
{
    struct stats times = stats_of(run->samples_us, run->sample_count);
    struct stats makespans = stats_of(run->makespans_us, run->makespan_count);
    struct report_row row = make_row(run, &times);
    const char *reason = unreliable_because(run);

    row.reliable = reason == NULL;
    log_print("result: experiment=%s sched=%s tasks=%u rounds=%u solo_us=%u min_us=%u "
              "median_us=%u max_us=%u makespan_us=%u",
              run->experiment->name, run->policy->name, run->tasks, run->makespan_count,
              harness_solo_us, times.min, times.median, times.max, makespans.median);
    print_ratio("ratio_min", row.ratio.min);
    print_ratio("ratio_median", row.ratio.median);
    print_ratio("ratio_max", row.ratio.max);
    if (run->batches_count > 0)
        print_ratio("ratio_batches", row.batches_ratio.median);
    log_print(" shared_percent=%u failed=%u", row.shared_percent, run->failed);
    print_conditions();
    if (run->samples_dropped > 0)
        log_print(" samples_dropped=%u", run->samples_dropped);
    log_print(reason == NULL ? " reliable=1\n" : " reliable=0 reason=\"%s\"\n", reason);
    if (run->sample_count > 0 && strcmp(run->experiment->name, "peg") == 0)
        print_histogram(run);
    log_print("%s%s.\n", reason == NULL ? "Meaning: " : "Not to be relied on, but it looks like: ",
              meaning_of(run, &row));
    if (row_count < MAX_ROWS)
        rows[row_count++] = row;
}

/* ---- The closing table ---- */

const struct report_row *report_find(const char *experiment, const char *policy)
{
    for (unsigned i = 0; i < row_count; i++)
        if (strcmp(rows[i].experiment->name, experiment) == 0 &&
            strcmp(rows[i].policy->name, policy) == 0)
            return &rows[i];
    return NULL;
}

static void print_cells(const struct stats *ratio, uint32_t shared_percent)
{
    log_print(" |%u.%02u %u.%02u %u.%02u %3u%%", ratio->min / 100, ratio->min % 100,
              ratio->median / 100, ratio->median % 100, ratio->max / 100, ratio->max % 100,
              shared_percent);
}

/* One line: an experiment under the first two policies, or the batches it is compared with. */
static void print_line(const struct experiment *e, const char *name, bool batches)
{
    log_print("%-9.9s", name);
    for (unsigned i = 0; i < main_options.sched.count && i < 2; i++) {
        const struct report_row *row = report_find(e->name, main_options.sched.names[i]);

        if (row == NULL)
            log_print(" |  -    -    -    - ");
        else if (batches)
            print_cells(&row->batches_ratio, 0);
        else
            print_cells(&row->ratio, row->shared_percent);
    }
    log_print(" | %s\n", batches ? e->article_batches : e->article);
}

static void print_rows(void)
{
    for (const struct experiment *e = experiments; e->name != NULL; e++) {
        bool any = false;

        for (unsigned i = 0; i < main_options.sched.count; i++)
            any = any || report_find(e->name, main_options.sched.names[i]) != NULL;
        if (!any)
            continue;
        print_line(e, e->name, false);
        if (e->article_batches != NULL)
            print_line(e, " batches", true);
    }
}

void report_table(void)
{
    if (row_count == 0)
        return;
    log_print("\nTimes as multiples of one md5 -t alone, which takes %u.%03u s (%u rounds,\n"
              "slices of %u us). share: of the running time, how much the other thread of\n"
              "the core was running too.\n\n",
              harness_solo_us / US_PER_SECOND, harness_solo_us / 1000 % 1000, main_options.rounds,
              main_options.slice_us);
    log_print("         ");
    for (unsigned i = 0; i < main_options.sched.count && i < 2; i++)
        log_print(" | %-19.19s", main_options.sched.names[i]);
    log_print(" | the article\n         ");
    for (unsigned i = 0; i < main_options.sched.count && i < 2; i++)
        log_print(" | min  med  max share");
    log_print(" |\n");
    print_rows();
    log_print("\n");
    conclusion_print();
}
