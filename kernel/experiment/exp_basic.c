/* One md5 -t alone, and two at once: where the policy likes, or where we do. */
#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/say.h"
#include "kernel/log.h"

#define FULL_RATIO 100       /* the time alone */
#define FREE_RATIO 105       /* slower than that, sharing costs something */
#define TURNS_RATIO 200      /* two, one after the other */
#define NO_DIFFERENCE 10     /* between that and a ratio so near */
#define ALL_ALONG_PERCENT 90 /* together for less of the time, they do not show the price */

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
    run_add_variant(run, "", 2)->spread = places_cpu_count() > 1 ? SPREAD_DRAWN : SPREAD_TURNS;
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

/* Two whole jobs in the time of so many: what the core gets done with two threads instead of one.
 */
static void say_siblings(const struct run *run)
{
    const struct variant *v = &run->variants[0];

    if (v->shared_percent < ALL_ALONG_PERCENT) {
        log_print("the two were at work together for only %u %% of the time, and so a task ",
                  v->shared_percent);
        say_hundredths("takes ", v->ratio.median, " times its time alone");
        return;
    }
    say_hundredths("a task that shares its core all along takes ", v->ratio.median,
                   " times its time alone: ");
    if (v->ratio.median < FREE_RATIO)
        log_print("sharing costs nothing to speak of");
    else if (v->ratio.median < TURNS_RATIO - NO_DIFFERENCE)
        say_hundredths("with two threads the core does ",
                       stats_percent(2 * FULL_RATIO, v->ratio.median),
                       " times the work that it does with one");
    else if (v->ratio.median <= TURNS_RATIO + NO_DIFFERENCE)
        log_print("the second thread brings nothing, one after the other is as fast");
    else
        log_print("the second thread does harm, one after the other is faster");
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
    .say = say_siblings,
};

static uint32_t prepare_same_cpu(struct run *run, const char **why)
{
    (void)why;
    run_add_variant(run, "", 2)->spread = SPREAD_TURNS;
    return 2;
}

static void round_same_cpu(struct run *run)
{
    round_at(run, PLACES_SAME_CPU);
}

/* Who gets the CPU first need not wait if its slice is longer than its work. */
static void say_same_cpu(const struct run *run)
{
    const struct variant *v = &run->variants[0];
    uint32_t count, last = stats_percent(v->makespan_us, v->solo_us);
    const uint32_t *waits = run_sorted(run, v, SERIES_WAIT, &count);

    if (count == 0) {
        log_print("nothing has run");
        return;
    }
    if (waits[0] < v->times.min / 10)
        say_hundredths("one ran to its end before the other's turn came: it took ", v->ratio.min,
                       " times its time alone");
    else
        say_hundredths("they took turns, and even the first to end took ", v->ratio.min,
                       " times its time alone");
    say_hundredths(", both together ", last, "; ");
    if (last < TURNS_RATIO - NO_DIFFERENCE)
        log_print("that is less than one after the other takes");
    else if (last <= TURNS_RATIO + NO_DIFFERENCE)
        log_print("taking turns costs nothing but the wait");
    else
        log_print("taking turns itself costs time");
}

const struct experiment exp_same_cpu = {
    .name = "same_cpu",
    .question = "Two md5 -t pinned to one logical CPU: what does taking turns cost?",
    .article = "1.75 i7",
    .in_demo = true,
    .prepare = prepare_same_cpu,
    .round = round_same_cpu,
    .say = say_same_cpu,
};
