/*
 * What the two CPUs of a core, or of an AMD compute unit, have in common: all of it (SMT), or only
 * the units for vectors and floating point (modules). Work that keeps one kind of unit busy is
 * measured beside its own and another kind.
 */
#include <stddef.h>

#include "kernel/experiment/beside.h"
#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/report.h"
#include "kernel/experiment/say.h"
#include "kernel/log.h"

#define KINDS 3
#define MOST_UNITS 4000000u
#define SHARED_RATIO 120   /* slower than that, they use the same unit */
#define UNSHARED_RATIO 110 /* not slower than that, they do not */
#define TURNS_RATIO 180    /* slower than that, one waits for the other */

enum { INT, SIMD, X87 };

static const char *const programs_of[KINDS] = {"int", "simd", "x87"};
static struct beside kinds[KINDS];
static bool can[KINDS];
static struct bitmap mates[2];

/* The pairs that are measured: each kind beside its own, and integers beside the others. */
static const struct {
    uint8_t first, second;
} pairs[] = {{INT, INT},  {SIMD, SIMD}, {X87, X87}, {INT, SIMD},
             {SIMD, INT}, {INT, X87},   {X87, INT}};
#define PAIRS (sizeof pairs / sizeof pairs[0])

static uint8_t pair_of[PAIRS]; /* of each variant */

static uint32_t prepare(struct run *run, const char **why)
{
    static const char *const rows[KINDS] = {"two int", "two simd", "two x87"};

    *why = places_lacking(PLACES_SIBLING);
    if (!places_mates(&mates[0], &mates[1]))
        return 0;
    for (unsigned i = 0; i < KINDS; i++) {
        const struct work work = work_units(programs_of[i]);

        can[i] = beside_prepare(&kinds[i], &work, harness_solo_us / 4, MOST_UNITS, why);
        if (!can[i])
            report_skip(run, programs_of[i], *why);
    }
    if (!can[INT])
        return 0;
    for (unsigned i = 0; i < PAIRS; i++) {
        struct variant *variant;

        if (!can[pairs[i].first] || !can[pairs[i].second])
            continue;
        pair_of[run->variant_count] = (uint8_t)i;
        variant =
            beside_add_variant(run, &kinds[pairs[i].first], &kinds[pairs[i].second], "sibling");
        variant->needs = HARDWARE_PIPELINES;
        if (pairs[i].first == pairs[i].second)
            variant->row = rows[pairs[i].first];
    }
    return 2;
}

static void round_module(struct run *run)
{
    for (unsigned i = 0; i < KINDS; i++)
        if (can[i])
            work_measure(&kinds[i].once, 1);
    for (uint32_t i = 0; i < run->variant_count; i++)
        beside_measure(run, &run->variants[i], &kinds[pairs[pair_of[i]].first],
                       &kinds[pairs[pair_of[i]].second], &mates[0], &mates[1]);
}

/* The median ratio of `first` beside `second`; 0 if it was not measured. */
static uint32_t ratio_of(const struct run *run, unsigned first, unsigned second)
{
    for (uint32_t i = 0; i < run->variant_count; i++)
        if (pairs[pair_of[i]].first == first && pairs[pair_of[i]].second == second)
            return run->variants[i].ratio.median;
    return 0;
}

static void say(const struct run *run)
{
    uint32_t integer = ratio_of(run, INT, INT), vector = ratio_of(run, SIMD, SIMD);
    uint32_t x87 = ratio_of(run, X87, X87), most = vector > x87 ? vector : x87;
    uint32_t apart = ratio_of(run, INT, X87);

    if (say_if_never_together(&run->variants[0]))
        return;
    say_hundredths("integer work beside its own kind is slower by ", integer, "");
    if (most != 0)
        say_hundredths(", vector or floating-point work by ", most, "");
    log_print(": ");
    if (integer <= UNSHARED_RATIO && most >= SHARED_RATIO)
        log_print("a module, two integer cores with one floating-point unit");
    else if (integer <= UNSHARED_RATIO)
        log_print("nothing that this work needs is shared");
    else if (integer >= TURNS_RATIO && apart >= TURNS_RATIO)
        log_print("whatever they do, only one of the two makes progress at a time");
    else if (apart != 0 && apart * 110 < integer * 100)
        say_hundredths("SMT, and unlike work is less in the way, ", apart, "");
    else
        log_print("SMT, where all units are shared");
}

const struct experiment exp_module = {
    .name = "module",
    .question = "What do the two CPUs of a core share: all of it, or only some units?",
    .prepare = prepare,
    .round = round_module,
    .say = say,
};
