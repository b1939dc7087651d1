/*
 * Two streams of instructions that do not depend on each other, mixed by the programmer into one
 * task; as two tasks on the two threads of a core, mixed by the hardware; and as two tasks that
 * take turns on one CPU, where a stream that waits lets nobody else work. That is what "a faster
 * context switch" means.
 */
#include <stddef.h>

#include "kernel/experiment/buffers.h"
#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/report.h"
#include "kernel/experiment/say.h"
#include "kernel/lib/format.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define KINDS 2
#define WAYS 3
#define MOST_STEPS 2000000000u

enum { MD5, CHASE };
enum { IN_ONE_TASK, ON_SIBLINGS, IN_TURNS };

static const char *const kind_names[KINDS] = {"md5", "chase"};
static const char *const way_names[WAYS] = {"one_task", "siblings", "turns"};

static struct work streams[KINDS], both[KINDS]; /* one stream, and two in one task */
static struct variant *variant_of[KINDS][WAYS]; /* NULL: cannot be done here */

/* The second stream of pairmd5 has other bytes, but as many: one md5 -t stands for either. */
static bool prepare_md5(const char **why)
{
    if (streams[MD5].us != 0)
        return true;
    streams[MD5] = work_md5((main_options.blocks + 1) / 2);
    both[MD5] = (struct work){.name = "pairmd5", .program = "pairmd5", .flag = "-n"};
    work_set_amount(&both[MD5], streams[MD5].amount);
    *why = "it failed when it was run alone";
    return work_measure(&streams[MD5], 3) && work_measure(&both[MD5], 1);
}

/* A stream has half of the buffer of the task with two. */
static bool prepare_chase(const char **why)
{
    uint32_t kib = buffers_kib();

    *why = "too little memory for the buffers";
    if (kib < 2)
        return false;
    if (streams[CHASE].us != 0)
        return true;
    streams[CHASE] = work_chase(kib / 2);
    if (!work_calibrate(&streams[CHASE], harness_solo_us / 2, MOST_STEPS, why))
        return false;
    both[CHASE] = work_chase(kib / 2 * 2);
    both[CHASE].mode = "-2";
    work_set_amount(&both[CHASE], streams[CHASE].amount);
    return work_measure(&both[CHASE], 1);
}

static void add_variants(struct run *run, unsigned kind)
{
    static const char *const rows[KINDS][WAYS] = {{"md5 mixed", " siblings", " turns"},
                                                  {"two chase", " siblings", " turns"}};
    struct bitmap first, second;

    for (unsigned way = 0; way < WAYS; way++) {
        char name[RUN_NAME_BYTES];
        struct variant *variant;

        format_buffer(name, sizeof name, "%s_%s", kind_names[kind], way_names[way]);
        if (way == ON_SIBLINGS && !places_pair(PLACES_SIBLING, &first, &second)) {
            report_skip(run, name, places_lacking(PLACES_SIBLING));
            continue;
        }
        variant = run_add_variant(run, name, way == ON_SIBLINGS ? 2 : 1);
        variant->solo_of = &streams[kind];
        variant->needs = kind == CHASE        ? HARDWARE_CACHES
                         : way == IN_ONE_TASK ? HARDWARE_PIPELINES
                                              : HARDWARE_ANY;
        variant->own_problem = kind == CHASE ? buffers_problem() : NULL;
        variant->row = rows[kind][way];
        run_add_key(variant, " streams=%s way=%s kib=%u", kind_names[kind], way_names[way],
                    both[kind].kib);
        variant_of[kind][way] = variant;
    }
}

static uint32_t prepare(struct run *run, const char **why)
{
    for (unsigned i = 0; i < KINDS * WAYS; i++)
        variant_of[i / WAYS][i % WAYS] = NULL;
    if (!prepare_md5(why))
        return 0;
    add_variants(run, MD5);
    if (prepare_chase(why))
        add_variants(run, CHASE);
    else
        report_skip(run, kind_names[CHASE], *why);
    return 2;
}

static void run_way(struct run *run, unsigned kind, unsigned way)
{
    struct variant *variant = variant_of[kind][way];
    struct bitmap first, second;
    uint32_t makespan;

    if (variant == NULL)
        return;
    places_pair(way == ON_SIBLINGS ? PLACES_SIBLING : PLACES_SAME_CPU, &first, &second);
    if (way == IN_ONE_TASK) {
        harness_add(run, variant, &both[kind], &first);
    } else {
        harness_add(run, variant, &streams[kind], &first);
        harness_add(run, variant, &streams[kind], &second);
    }
    harness_start(run);
    makespan = harness_finish(run);
    run_add_sample(run, variant, SERIES_TIME, makespan);
    run_add_sample(run, variant, SERIES_MAKESPAN, makespan);
}

static void round_interleave(struct run *run)
{
    for (unsigned kind = 0; kind < KINDS; kind++) {
        if (variant_of[kind][IN_TURNS] != NULL)
            work_measure(&streams[kind], 1);
        for (unsigned way = 0; way < WAYS; way++)
            run_way(run, kind, way);
    }
}

static uint32_t ratio_of(unsigned kind, unsigned way)
{
    return variant_of[kind][way] == NULL ? 0 : variant_of[kind][way]->ratio.median;
}

static void say_ratios(unsigned kind)
{
    log_print("two %s streams take ", kind_names[kind]);
    say_hundredths("", ratio_of(kind, IN_ONE_TASK), " in one task, ");
    if (ratio_of(kind, ON_SIBLINGS) != 0)
        say_hundredths("", ratio_of(kind, ON_SIBLINGS), " on two threads, ");
    say_hundredths("", ratio_of(kind, IN_TURNS), " by turns");
}

static void say(const struct run *run)
{
    unsigned kind = variant_of[CHASE][IN_TURNS] != NULL ? CHASE : MD5;
    uint32_t limit = ratio_of(kind, IN_TURNS) * 90 / 100;
    uint32_t by_hand = ratio_of(kind, IN_ONE_TASK), by_threads = ratio_of(kind, ON_SIBLINGS);

    (void)run;
    say_ratios(MD5);
    if (kind == CHASE) {
        log_print("; ");
        say_ratios(CHASE);
    }
    if (by_hand < limit && by_threads != 0 && by_threads < limit)
        log_print(": a core's threads get in hardware what one can program by hand, to work on one "
                  "stream while the other waits");
    else if (by_hand < limit)
        log_print(": only mixing them by hand lets one work while the other waits");
    else if (by_threads != 0 && by_threads < limit)
        log_print(": only the core's threads let one work while the other waits");
    else
        log_print(": whatever one does, they take as long as one after the other");
}

const struct experiment exp_interleave = {
    .name = "interleave",
    .question = "Two streams of work: mixed by hand, by the core's threads, or by the scheduler?",
    .prepare = prepare,
    .round = round_interleave,
    .say = say,
};
