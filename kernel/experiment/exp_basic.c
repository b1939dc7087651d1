/* One md5 -t alone, and two at once: where the policy likes, or where we do. */
#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/say.h"
#include "kernel/log.h"

/* Starts run->tasks tasks at once; each task's time is a sample. */
static void round_on(struct run *run, const struct bitmap *first, const struct bitmap *second)
{
    for (uint32_t i = 0; i < run->tasks; i++)
        harness_add(run, &run->variants[0], &harness_md5, i == 0 ? first : second);
    harness_start(run);
    harness_finish_with_samples(run);
}

static void round_anywhere(struct run *run)
{
    struct bitmap everywhere = places_all();

    round_on(run, &everywhere, &everywhere);
}

static void round_at(struct run *run, enum places_distance distance)
{
    struct bitmap first, second;

    if (places_pair(distance, &first, &second))
        round_on(run, &first, &second);
}

/* ---- solo ---- */

static uint32_t prepare_solo(struct run *run, const char **why)
{
    (void)why;
    run_add_variant(run, "", 1);
    return 1;
}

static void say_solo(const struct run *run)
{
    const struct variant *v = &run->variants[0];

    if (v->spread_percent <= 10)
        log_print("%u.%03u s, the time all others are compared with", v->times.median / 1000000,
                  v->times.median / 1000 % 1000);
    else
        log_print("the same work takes up to %u %% longer for no reason of ours: what follows is "
                  "no better",
                  v->spread_percent);
}

const struct experiment exp_solo = {
    .name = "solo",
    .question = "How long does one md5 -t take that has the machine to itself?",
    .article = "i7 2.0 s, Atom 0.4 s",
    .in_demo = true,
    .prepare = prepare_solo,
    .round = round_anywhere,
    .say = say_solo,
};

/* ---- pair: the policy chooses ---- */

static uint32_t prepare_pair(struct run *run, const char **why)
{
    (void)why;
    run_add_variant(run, "", 2)->spread = SPREAD_PEAKS;
    return 2;
}

const struct experiment exp_pair = {
    .name = "pair",
    .question = "Two md5 -t at once: does the scheduler find two cores for them?",
    .article = "1.00 Windows 7",
    .in_demo = true,
    .prepare = prepare_pair,
    .round = round_anywhere,
    .say = say_how_cores_were_used,
};

/* ---- siblings, same_cpu: we choose ---- */

static uint32_t prepare_siblings(struct run *run, const char **why)
{
    struct bitmap first, second;

    run_add_variant(run, "", 2);
    *why = places_lacking(PLACES_SIBLING);
    return places_pair(PLACES_SIBLING, &first, &second) ? 2 : 0;
}

static void round_siblings(struct run *run)
{
    round_at(run, PLACES_SIBLING);
}

const struct experiment exp_siblings = {
    .name = "siblings",
    .question = "Two md5 -t pinned to the two threads of one core: what does sharing cost?",
    .article = "1.15 i7, 1.50 Atom",
    .in_demo = true,
    .prepare = prepare_siblings,
    .round = round_siblings,
    .say = say_how_cores_were_used,
};

static void round_same_cpu(struct run *run)
{
    round_at(run, PLACES_SAME_CPU);
}

const struct experiment exp_same_cpu = {
    .name = "same_cpu",
    .question = "Two md5 -t pinned to one logical CPU: what does taking turns cost?",
    .article = "1.75 i7",
    .in_demo = true,
    .prepare = prepare_pair,
    .round = round_same_cpu,
    .say = say_how_cores_were_used,
};
