#include "kernel/experiment/table.h"

#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define MAX_ROWS 320 /* all variants of all experiments under all policies, and some */
#define COLUMNS 2    /* policies that fit a line of 80 characters */

static struct table_row rows[MAX_ROWS];
static unsigned row_count;

void table_keep(const struct run *run)
{
    for (uint32_t i = 0; i < run->variant_count; i++) {
        const struct variant *v = &run->variants[i];
        struct table_row *row = &rows[row_count];
        bool only_one = v->name[0] == '\0';

        if (row_count == MAX_ROWS || v->samples == 0)
            continue;
        row_count++;
        *row = (struct table_row){.experiment = run->experiment,
                                  .policy = run->policy,
                                  .name = only_one ? run->experiment->name : v->row,
                                  .article = only_one ? run->experiment->article : v->article,
                                  .ratio = v->ratio,
                                  .tasks = run->tasks,
                                  .shared_percent = v->shared_percent,
                                  .has_shared = v->shared_ns != 0,
                                  .reliable = v->unreliable == NULL};
        memcpy(row->variant, v->name, sizeof row->variant);
    }
}

const struct table_row *table_find(const char *experiment, const char *policy, const char *variant)
{
    for (unsigned i = 0; i < row_count; i++)
        if (strcmp(rows[i].experiment->name, experiment) == 0 &&
            strcmp(rows[i].policy->name, policy) == 0 && strcmp(rows[i].variant, variant) == 0)
            return &rows[i];
    return NULL;
}

bool table_has_unreliable(const struct experiment *experiment)
{
    for (unsigned i = 0; i < row_count; i++)
        if (rows[i].experiment == experiment && !rows[i].reliable)
            return true;
    return false;
}

/* ---- Printing ---- */

static const char *policy_name(unsigned first, unsigned column)
{
    return first + column < main_options.sched.count ? main_options.sched.names[first + column]
                                                     : NULL;
}

/* Four characters: "1.50", "12.0", " 128". */
static void print_ratio(uint32_t hundredths)
{
    if (hundredths < 1000)
        log_print("%u.%02u", hundredths / 100, hundredths % 100);
    else if (hundredths < 10000)
        log_print("%u.%u", hundredths / 100, hundredths / 10 % 10);
    else
        log_print("%4u", hundredths / 100);
}

static void print_cells(const struct table_row *row)
{
    if (row == NULL) {
        log_print(" |  -    -    -    - ");
        return;
    }
    log_print(" |");
    print_ratio(row->ratio.min);
    log_print(" ");
    print_ratio(row->ratio.median);
    log_print(" ");
    print_ratio(row->ratio.max);
    log_print(" %3u%%", row->shared_percent);
}

/* One line: a variant under the policies from number `first` on. */
static void print_line(const struct table_row *line, unsigned first)
{
    log_print("%-9.9s", line->name);
    for (unsigned column = 0; column < COLUMNS; column++) {
        const char *policy = policy_name(first, column);

        if (policy != NULL)
            print_cells(table_find(line->experiment->name, policy, line->variant));
    }
    log_print(line->article == NULL ? " |\n" : " | %s\n", line->article);
}

/* Whether an earlier row is of the same variant, under another policy. */
static bool had_already(unsigned row)
{
    for (unsigned i = 0; i < row; i++)
        if (rows[i].experiment == rows[row].experiment &&
            strcmp(rows[i].variant, rows[row].variant) == 0)
            return true;
    return false;
}

static void print_lines_of(const struct experiment *experiment, unsigned first)
{
    for (unsigned i = 0; i < row_count; i++)
        if (rows[i].experiment == experiment && rows[i].name != NULL && !had_already(i))
            print_line(&rows[i], first);
}

static void print_block(unsigned first)
{
    log_print("         ");
    for (unsigned column = 0; column < COLUMNS; column++)
        if (policy_name(first, column) != NULL)
            log_print(" | %-19.19s", policy_name(first, column));
    log_print(" | the article\n         ");
    for (unsigned column = 0; column < COLUMNS; column++)
        if (policy_name(first, column) != NULL)
            log_print(" | min  med  max share");
    log_print(" |\n");
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        print_lines_of(*e, first);
    log_print("\n");
}

void table_print(void)
{
    log_print(
        "\nTimes as multiples of the same work alone; one md5 -t takes %u.%03u s (%u rounds,\n"
        "slices of %u us). share: of the running time, how much the other thread of\n"
        "the core was running too.\n\n",
        harness_solo_us / US_PER_SECOND, harness_solo_us / 1000 % 1000, main_options.rounds,
        main_options.slice_us);
    for (unsigned first = 0; first < main_options.sched.count; first += COLUMNS)
        print_block(first);
}
