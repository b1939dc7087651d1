/* The sentences after the closing table, for whatever was measured on whatever machine: complete,
 * and no wider than a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/experiment/conclusion.h"
#include "kernel/experiment/experiment.h"
#include "kernel/experiment/places.h"
#include "kernel/experiment/table.h"
#include "kernel/main.h"
#include "tests/host/fake_log.h"

#define COLUMNS 80
#define VALUES 5

/* ---- What it asks of the kernel ---- */

struct options main_options;
const struct experiment *const experiments[] = {&(const struct experiment){.name = "same_cpu"},
                                                &(const struct experiment){.name = "migrate"},
                                                &(const struct experiment){.name = "oversub"},
                                                &(const struct experiment){.name = "interleave"},
                                                &(const struct experiment){.name = "memory"},
                                                &(const struct experiment){.name = "siblings"},
                                                &(const struct experiment){.name = "module"},
                                                &(const struct experiment){.name = "pair"},
                                                &(const struct experiment){.name = "solo"},
                                                &(const struct experiment){.name = "pause"},
                                                &(const struct experiment){.name = "slice"},
                                                &(const struct experiment){.name = "fill"},
                                                NULL};

static struct table_row row, batches;
static const char *policies_run; /* those that were, by name; NULL: whatever is asked for */
static const char *lacking;      /* the experiment that was not run */
static uint32_t cpus_here, cores_here;

const struct table_row *table_find(const char *experiment, const char *policy, const char *variant)
{
    if ((lacking != NULL && strcmp(lacking, experiment) == 0) ||
        (policies_run != NULL && strstr(policies_run, policy) == NULL))
        return NULL;
    return strcmp(variant, "batches") == 0 ? &batches : &row;
}

bool table_has_unreliable(const struct experiment *experiment)
{
    (void)experiment;
    return !row.reliable;
}

uint32_t places_cpu_count(void)
{
    return cpus_here;
}

uint32_t places_core_count(void)
{
    return cores_here;
}

/* ---- Tests ---- */

static const struct sched_policy policy = {.name = "nosmt"};

static void set_up(uint32_t cpu_number, uint32_t cores, uint32_t hundredths, bool reliable)
{
    main_options = (struct options){.sched = {.count = 2, .names = {"naive", "nosmt"}}};
    row = (struct table_row){.experiment = experiments[0],
                             .policy = &policy,
                             .ratio = {hundredths, hundredths, hundredths},
                             .tasks = 4000,
                             .shared_percent = hundredths % 101,
                             .has_shared = true,
                             .reliable = reliable};
    batches = row;
    policies_run = NULL;
    cpus_here = cpu_number;
    cores_here = cores;
    length = 0;
    text[0] = '\0';
}

static void expect_lines(void)
{
    size_t width = 0;

    for (const char *line = text; *line != '\0'; line += width + 1) {
        width = strcspn(line, "\n");
        assert_int_equal(line[width], '\n');
        if (width > COLUMNS && strncmp(line, "capacity: ", 10) != 0)
            fail_msg("%zu columns: %.*s", width, (int)width, line);
    }
}

static void test_lines_fit_a_terminal(void **state)
{
    static const uint32_t values[VALUES] = {0, 100, 1515, 12800, 400000};

    (void)state;
    for (unsigned i = 0; i < VALUES; i++)
        for (unsigned reliable = 0; reliable < 2; reliable++) {
            set_up(255, 128, values[i], reliable != 0);
            conclusion_print_question();
            conclusion_print();
            expect_lines();
        }
}

static void test_sentences_without_their_second_half(void **state)
{
    (void)state;
    for (const struct experiment *const *e = experiments; *e != NULL; e++) {
        set_up(4, 2, 150, true);
        lacking = (*e)->name;
        conclusion_print();
        lacking = NULL;
        expect_lines();
    }
}

static void test_what_is_unreliable_is_named_and_not_concluded_from(void **state)
{
    (void)state;
    set_up(4, 2, 150, false);
    conclusion_print();
    assert_null(strstr(text, "1.50 times"));
    assert_non_null(strstr(text, "Not to be relied on"));
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        assert_non_null(strstr(text, (*e)->name));
}

static void test_words_follow_the_numbers(void **state)
{
    (void)state;
    set_up(4, 2, 150, true);
    row.shared_percent = 0;
    row.has_shared = false;
    conclusion_print();
    assert_non_null(
        strstr(text, "- nosmt never put two tasks on one core while another was idle.\n"));
    assert_non_null(strstr(text, "- Sharing a core costs a task 1.50 times its time alone,\n"
                                 "  taking turns on one CPU 1.50.\n"));
    set_up(4, 2, 150, true);
    row.shared_percent = 42;
    conclusion_print();
    assert_non_null(
        strstr(text, "- nosmt had two tasks share a core, with another idle, for 42 %"));
    set_up(4, 2, 150, true);
    row.shared_percent = 0;
    conclusion_print();
    assert_null(strstr(text, "never put two tasks"));
    assert_non_null(strstr(text, "- nosmt had two tasks share a core, with another idle, for less "
                                 "than 1 %\n  of their time.\n"));
}

static void test_placement_of_an_unreliable_pair_is_told_with_a_caution(void **state)
{
    (void)state;
    set_up(4, 2, 142, false);
    conclusion_print();
    assert_non_null(
        strstr(text, "for 41 % of their time\n  (but its times are not to be relied on).\n"));
    set_up(4, 2, 142, false);
    row.has_shared = false;
    conclusion_print();
    assert_non_null(strstr(text, "idle\n  (but its times are not to be relied on).\n"));
    set_up(4, 2, 142, true);
    conclusion_print();
    assert_null(strstr(text, "not to be relied on"));
}

static void conclude_from_fill(uint32_t tasks, uint32_t at_once, uint32_t in_batches)
{
    set_up(4, 2, at_once, true);
    row.tasks = tasks;
    batches.ratio = (struct stats){in_batches, in_batches, in_batches};
    conclusion_print();
}

static void test_second_threads_help_or_do_nothing_or_harm(void **state)
{
    (void)state;
    conclude_from_fill(4, 150, 200);
    assert_non_null(strstr(text, "- 4 tasks took 1.50 solo times all at once,\n"
                                 "  2.00 in batches of one a core: second threads are\n"
                                 "  worth having. Keep all CPUs busy, cores first.\n"));
    assert_non_null(strstr(text, "capacity: logical=4 cores=2 measured=2.66 reliable=1\n"));
    conclude_from_fill(4, 199, 200);
    assert_non_null(strstr(text, "one a core: here second threads bring nothing.\n"));
    conclude_from_fill(4, 240, 200);
    assert_non_null(strstr(text, "one a core: here second threads do harm.\n"));
    conclude_from_fill(4, 0, 200);
    assert_null(strstr(text, "one a core"));
    assert_null(strstr(text, "capacity:"));
}

static void test_nothing_is_said_of_threads_that_had_nothing_to_do(void **state)
{
    (void)state;
    conclude_from_fill(3, 133, 200);
    assert_null(strstr(text, "one a core"));
    assert_null(strstr(text, "capacity:"));
    set_up(4, 2, 200, true);
    row.tasks = 4;
    policies_run = "core";
    conclusion_print();
    assert_null(strstr(text, "one a core"));
    assert_null(strstr(text, "capacity:"));
    assert_null(strstr(text, "Sharing a core costs"));
    set_up(4, 2, 200, true);
    row.tasks = 4;
    policies_run = "core naive";
    conclusion_print();
    assert_non_null(strstr(text, "capacity: logical=4 cores=2 measured=2.00 reliable=1\n"));
    assert_non_null(strstr(text, "Sharing a core costs"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_fit_a_terminal),
        cmocka_unit_test(test_sentences_without_their_second_half),
        cmocka_unit_test(test_what_is_unreliable_is_named_and_not_concluded_from),
        cmocka_unit_test(test_words_follow_the_numbers),
        cmocka_unit_test(test_placement_of_an_unreliable_pair_is_told_with_a_caution),
        cmocka_unit_test(test_second_threads_help_or_do_nothing_or_harm),
        cmocka_unit_test(test_nothing_is_said_of_threads_that_had_nothing_to_do),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
