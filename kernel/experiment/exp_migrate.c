/*
 * What it costs a task to go on somewhere else. It sleeps with its working set in the caches of one
 * CPU and wakes up on the same CPU, the sibling, another core, another package; the first pass over
 * the working set is timed against one that was warm.
 */
#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/report.h"
#include "kernel/experiment/say.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"

#define PLACES 4
#define SLEEP_US 20000u
#define POLL_US 2000u
#define POLLS_MAX 5000u /* a task that does not go to sleep is not waited for any longer */
#define UNKNOWN_CACHE_KIB 256u
#define FREE_RATIO 115 /* of what staying costs: moving there is about free */

static struct work passes = {.name = "passes",
                             .program = "passes",
                             .flag = "-z",
                             .amount = SLEEP_US,
                             .compared_from = 12,
                             .compared_bytes = 4};
static struct {
    struct bitmap from, to;
} moves[PLACES]; /* of each variant */

/* About half of the second-level cache: what a context switch would like to find there. */
static uint32_t working_set_kib(void)
{
    struct bitmap all = places_all();
    uint32_t kib = arch_cache_kib(bitmap_first(&all), 2);

    return kib == 0 ? UNKNOWN_CACHE_KIB / 2 : (kib + 1) / 2;
}

static uint32_t prepare(struct run *run, const char **why)
{
    static const char *const rows[PLACES] = {"same CPU", " sibling", " core", " package"};

    *why = "it failed when it was run alone";
    passes.kib = working_set_kib();
    if (passes.us == 0 && !work_measure(&passes, 1))
        return 0;
    for (unsigned distance = 0; distance < PLACES; distance++) {
        const char *name = places_distance_name((enum places_distance)distance);
        uint32_t number = run->variant_count;
        struct variant *variant;

        if (!places_pair((enum places_distance)distance, &moves[number].from, &moves[number].to)) {
            report_skip(run, name, places_lacking((enum places_distance)distance));
            continue;
        }
        variant = run_add_variant(run, name, 1);
        variant->row = rows[distance];
        variant->per_us = NS_PER_US;
        variant->needs = HARDWARE_CACHES;
        run_add_key(variant, " placement=%s kib=%u", name, passes.kib);
    }
    return 1;
}

/* Waits until a task sleeps; false if it does not. */
static bool wait_for_sleep(const struct task *task)
{
    for (unsigned i = 0; i < POLLS_MAX; i++) {
        harness_sleep_us(POLL_US);
        if (sched_has_ended(task))
            return false;
        if (__atomic_load_n(&task->entity.where, __ATOMIC_ACQUIRE) == ENTITY_OUT)
            return true;
    }
    return false;
}

static void take_samples(struct run *run, const struct variant *variant, const struct task *task)
{
    static const enum series series[] = {SERIES_WARM, SERIES_TIME, SERIES_SECOND};
    uint32_t ticks[3];

    memcpy(ticks, task->result, sizeof ticks);
    for (unsigned i = 0; i < 3; i++)
        if (ticks[0] != 0 && ticks[1] != 0 && ticks[2] != 0)
            run_add_sample(run, variant, series[i], (uint32_t)arch_ticks_to_ns(ticks[i]));
}

static void round_migrate(struct run *run)
{
    for (uint32_t i = 0; i < run->variant_count; i++) {
        struct variant *variant = &run->variants[i];
        struct task *task;

        if (!harness_add(run, variant, &passes, &moves[i].from))
            return;
        task = run->group[0].task;
        harness_start(run);
        if (wait_for_sleep(task)) {
            sched_set_affinity(task, &moves[i].to);
            harness_wait_for(&task, 1);
            take_samples(run, variant, task);
        }
        harness_finish(run);
    }
}

static void finish(struct run *run)
{
    for (uint32_t i = 0; i < run->variant_count; i++) {
        struct variant *v = &run->variants[i];

        v->solo_us = run_median(run, v, SERIES_WARM); /* in nanoseconds, see per_us */
        run_add_key(v, " warm_ns=%u first_ns=%u second_ns=%u", v->solo_us,
                    run_median(run, v, SERIES_TIME), run_median(run, v, SERIES_SECOND));
    }
}

/* How a sentence calls the place of a variant. */
static const char *in_words(const struct variant *variant)
{
    if (strcmp(variant->name, places_distance_name(PLACES_SIBLING)) == 0)
        return "on the sibling";
    return strcmp(variant->name, places_distance_name(PLACES_CORE)) == 0 ? "on another core"
                                                                         : "in another package";
}

static void say(const struct run *run)
{
    uint32_t staying = run->variants[0].ratio.median;
    const char *where = NULL;

    say_hundredths("the first pass takes ", staying, " times a warm one where the task stays");
    for (uint32_t i = 1; i < run->variant_count; i++) {
        const struct variant *v = &run->variants[i];

        say_hundredths(", ", v->ratio.median, "");
        log_print(" %s", in_words(v));
        if (v->ratio.median * 100ull > staying * (uint64_t)FREE_RATIO && where == NULL)
            where = in_words(v);
    }
    if (run->variant_count < 2)
        log_print("; there is nowhere else to go");
    else if (where == NULL)
        log_print(": moving is about free");
    else
        log_print(": what it left behind is missed %s first", where);
}

const struct experiment exp_migrate = {
    .name = "migrate",
    .question = "A task with warm caches goes on elsewhere: what does the first pass cost?",
    .prepare = prepare,
    .round = round_migrate,
    .finish = finish,
    .say = say,
};
