/*
 * Which kinds of work are in each other's way: one that computes, one that waits for memory, one
 * that does both by turns. Every kind is measured beside every kind, on the two threads of a core
 * and on two cores.
 */
#include <stddef.h>

#include "kernel/experiment/beside.h"
#include "kernel/experiment/buffers.h"
#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/report.h"
#include "kernel/experiment/say.h"
#include "kernel/log.h"

#define KINDS 3
#define PLACEMENTS 2
#define MOST_BLOCKS 10000000u
#define MOST_STEPS 2000000000u

enum { MD5, CHASE, MIXED };

static struct beside kinds[KINDS];

static struct {
    struct bitmap first, second;
    const char *name;
    bool exists;
} placements[PLACEMENTS];

static bool prepare_kinds(const char **why)
{
    uint32_t target_us = harness_solo_us / 4, kib = buffers_kib();
    const struct work works[KINDS] = {work_md5(1), work_chase(kib), work_mixed(kib)};

    *why = "too little memory for the buffers";
    if (kib == 0)
        return false;
    for (unsigned i = 0; i < KINDS; i++)
        if (!beside_prepare(&kinds[i], &works[i], target_us, i == MD5 ? MOST_BLOCKS : MOST_STEPS,
                            why))
            return false;
    return true;
}

static void choose_placements(struct run *run)
{
    placements[0].name = "sibling";
    placements[0].exists = places_pair(PLACES_SIBLING, &placements[0].first, &placements[0].second);
    placements[1].name = "core";
    placements[1].exists = places_pair(PLACES_CORE, &placements[1].first, &placements[1].second) ||
                           places_pair(PLACES_PACKAGE, &placements[1].first, &placements[1].second);
    if (!placements[0].exists && placements[1].exists)
        report_skip(run, "sibling", places_lacking(PLACES_SIBLING));
    if (!placements[1].exists && placements[0].exists)
        report_skip(run, "core", places_lacking(PLACES_CORE));
}

static void add_variants(struct run *run, unsigned placement)
{
    static const char *const rows[KINDS] = {"two md5", "two chase", "two mixed"};

    for (unsigned first = 0; first < KINDS; first++)
        for (unsigned second = 0; second < KINDS; second++) {
            struct variant *variant =
                beside_add_variant(run, &kinds[first], &kinds[second], placements[placement].name);

            if (first != MD5 || second != MD5) {
                variant->needs = HARDWARE_CACHES;
                variant->own_problem = buffers_problem();
            }
            if (first == second && placement == 0)
                variant->row = rows[first];
            run_add_key(variant, " kib=%u", buffers_kib());
        }
}

static uint32_t prepare(struct run *run, const char **why)
{
    *why = "only one CPU";
    if (places_cpu_count() < 2 || !prepare_kinds(why))
        return 0;
    choose_placements(run);
    for (unsigned i = 0; i < PLACEMENTS; i++)
        if (placements[i].exists)
            add_variants(run, i);
    return 2;
}

static void round_memory(struct run *run)
{
    struct variant *variant = run->variants;

    for (unsigned i = 0; i < KINDS; i++)
        work_measure(&kinds[i].once, 1);
    for (unsigned i = 0; i < PLACEMENTS; i++)
        for (unsigned pair = 0; placements[i].exists && pair < KINDS * KINDS; pair++)
            beside_measure(run, variant++, &kinds[pair / KINDS], &kinds[pair % KINDS],
                           &placements[i].first, &placements[i].second);
}

/* ---- What comes of it ---- */

static void print_matrix(const struct variant *variants, const char *where)
{
    log_print("  on %-14s beside md5   chase   mixed\n", where);
    for (unsigned first = 0; first < KINDS; first++) {
        log_print("    %-12s", kinds[first].once.program);
        for (unsigned second = 0; second < KINDS; second++) {
            uint32_t ratio = variants[first * KINDS + second].ratio.median;

            log_print("    %u.%02u", ratio / 100, ratio % 100);
        }
        log_print("\n");
    }
}

static void show(const struct run *run)
{
    const struct variant *variants = run->variants;

    for (unsigned i = 0; i < PLACEMENTS; i++) {
        if (!placements[i].exists)
            continue;
        print_matrix(variants, i == 0 ? "two threads:" : "two cores:");
        variants += KINDS * KINDS;
    }
}

/* Two of a kind on the two threads of a core get done in that, against one after the other. */
static void say_siblings(const struct variant *variants)
{
    uint32_t computing = variants[MD5 * KINDS + MD5].ratio.median;
    uint32_t waiting = variants[CHASE * KINDS + CHASE].ratio.median;

    if (say_if_never_together(&variants[MD5 * KINDS + MD5]))
        return;
    if (computing == 0 || waiting == 0) {
        log_print("too little could be measured to say anything");
        return;
    }
    say_hundredths("beside its own kind on a core, what computes is slower by ", computing,
                   " and what");
    say_hundredths(" waits for memory by ", waiting, ": ");
    if (waiting * 110 < computing * 100)
        log_print("a second thread is worth most to those who wait");
    else if (computing * 110 < waiting * 100)
        log_print("here those who compute gain more");
    else
        log_print("no difference to speak of");
}

static void say(const struct run *run)
{
    if (placements[0].exists)
        say_siblings(run->variants);
    else
        say_hundredths("on cores of their own, two that wait for memory are slower by ",
                       run->variants[CHASE * KINDS + CHASE].ratio.median, "");
}

const struct experiment exp_memory = {
    .name = "memory",
    .question = "Which work gains from a second thread: computing, waiting for memory, or both?",
    .prepare = prepare,
    .round = round_memory,
    .show = show,
    .say = say,
};
