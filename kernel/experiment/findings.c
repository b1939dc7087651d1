#include "kernel/experiment/findings.h"

#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/places.h"
#include "kernel/experiment/say.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"

#define ABOUT_EQUAL_PERCENT 105
#define LINE_CHARACTERS 76

const struct table_row *findings_row(const char *experiment, const char *variant)
{
    const struct table_row *row = table_find(experiment, "smt", variant);

    return row != NULL ? row : table_find(experiment, "naive", variant);
}

/* The same, if its times can be relied on. */
static const struct table_row *reliable(const char *experiment, const char *variant)
{
    const struct table_row *row = findings_row(experiment, variant);

    return row != NULL && row->reliable ? row : NULL;
}

static void say_ratio(const char *before, const struct table_row *row, const char *after)
{
    say_hundredths(before, row->ratio.median, after);
}

static void find_slice(void)
{
    const struct table_row *slow = reliable("slice", "slice_10ms");
    const struct table_row *fast = reliable("slice", "slice_1ms");

    if (slow == NULL || fast == NULL)
        return;
    say_ratio("- A short job on busy CPUs takes ", slow, " times its time\n");
    say_ratio("  with slices of 10 ms, and ", fast, " times with 1 ms.\n");
}

static const struct table_row *oversub_row(uint32_t at_once)
{
    char name[RUN_NAME_BYTES];

    format_buffer(name, sizeof name, "j%u", at_once);
    return reliable("oversub", name);
}

static void find_oversub(void)
{
    const struct table_row *full = oversub_row(2 * places_core_count());
    const struct table_row *all = full == NULL ? NULL : oversub_row(full->tasks);

    if (full == NULL || all == NULL || full == all)
        return;
    log_print("- make -j%u does the work of %u jobs ", 2 * places_core_count(), full->tasks);
    say_ratio("in ", full, " job times,\n");
    log_print("  -j%u ", full->tasks);
    say_ratio("in ", all, ": ");
    log_print(all->ratio.median * 100 < full->ratio.median * (200 - ABOUT_EQUAL_PERCENT)
                  ? "here more tasks than CPUs are faster.\n"
                  : "more tasks than CPUs bring nothing but waiting.\n");
}

static void find_memory(void)
{
    const struct table_row *computing = reliable("memory", "md5_md5_sibling");
    const struct table_row *waiting = reliable("memory", "chase_chase_sibling");

    if (computing == NULL || waiting == NULL)
        return;
    say_ratio("- Two on one core that compute take ", computing, " times the time alone each,\n");
    say_ratio("  two that wait for memory ", waiting, ".\n");
}

static void find_migrate(void)
{
    const struct table_row *stay = reliable("migrate", "same_cpu");
    const struct table_row *sibling = reliable("migrate", "sibling");
    const struct table_row *core = reliable("migrate", "core");

    if (stay == NULL)
        return;
    say_ratio("- The first pass over a warm working set takes ", stay, " times a warm one");
    if (sibling != NULL)
        say_ratio(",\n  ", sibling, " after a move to the sibling");
    if (core != NULL)
        say_ratio(",\n  ", core, " after one to another core");
    log_print(".\n");
}

static void find_pause(void)
{
    const struct table_row *together = reliable("pause", "together");
    const struct table_row *alone = reliable("pause", "other_paused");

    if (together == NULL || alone == NULL)
        return;
    say_ratio("- Beside a running task one takes ", together, " times its time alone, beside a\n");
    say_ratio("  paused one ", alone, ".\n");
}

static void find_interleave(void)
{
    const struct table_row *by_hand = reliable("interleave", "chase_one_task");
    const struct table_row *threads = reliable("interleave", "chase_siblings");
    const struct table_row *turns = reliable("interleave", "chase_turns");

    if (by_hand == NULL || threads == NULL || turns == NULL)
        return;
    say_ratio("- Two walks through memory take ", by_hand, " times one's time mixed by hand,\n");
    say_ratio("  ", threads, " on two threads, ");
    say_ratio("", turns, " by turns.\n");
}

static void find_module(void)
{
    const struct table_row *integer = reliable("module", "int_int_sibling");
    const struct table_row *x87 = reliable("module", "x87_x87_sibling");

    if (integer == NULL || x87 == NULL)
        return;
    say_ratio("- On one core two integer tasks take ", integer, " times the time alone each,\n");
    say_ratio("  two floating-point tasks ", x87, ".\n");
}

/* Names the experiments of which nothing is said since no number of theirs means anything. */
static void name_unreliable(void)
{
    size_t column = 0;

    for (const struct experiment *const *e = experiments; *e != NULL; e++) {
        size_t length = strlen((*e)->name) + 1;

        if (!table_has_unreliable(*e))
            continue;
        if (column == 0) {
            log_print("Not to be relied on, as a whole or in part (the records say why):\n ");
        } else if (column + length > LINE_CHARACTERS) {
            log_print("\n ");
            column = 0;
        }
        log_print(" %s", (*e)->name);
        column += length;
    }
    if (column > 0)
        log_print("\n");
}

void findings_print(void)
{
    find_slice();
    find_oversub();
    find_memory();
    find_migrate();
    find_pause();
    find_interleave();
    find_module();
    name_unreliable();
}
