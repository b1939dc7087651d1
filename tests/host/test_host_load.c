/*
 * kernel/experiment/host.c with a serial line and a clock made up here: who answers, who is silent,
 * who never stops sending.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/experiment/host.c"

#define NS_PER_READ 1000u /* a read of a port takes time, too */

struct options main_options;

static struct {
    uint64_t now_ns, asked_ns;
    char printed[4096], warned[256];
    bool deferred, asked;
    const char *before;  /* bytes that are there before the question */
    const char *answers; /* one for each question, '.' is silence */
    uint64_t answer_after_ns;
    bool flood;
    uint32_t reads;
} fake;

uint64_t arch_now_ns(void)
{
    return fake.now_ns;
}

void harness_sleep_us(uint32_t us)
{
    fake.now_ns += (uint64_t)us * NS_PER_US;
}

int arch_console_read(void)
{
    fake.reads++;
    fake.now_ns += NS_PER_READ;
    if (fake.flood)
        return 0xa5;
    if (!fake.asked)
        return *fake.before != '\0' ? *fake.before++ : -1;
    if (fake.now_ns < fake.asked_ns + fake.answer_after_ns || *fake.answers == '.')
        return -1;
    fake.asked = false;
    return *fake.answers++;
}

void log_defer(bool deferred)
{
    fake.deferred = deferred;
}

void log_print(const char *fmt, ...)
{
    size_t length = strlen(fake.printed);
    va_list arguments;

    assert_false(fake.deferred); /* the question has to get out */
    va_start(arguments, fmt);
    vsnprintf(fake.printed + length, sizeof(fake.printed) - length, fmt, arguments);
    va_end(arguments);
    fake.asked = true;
    fake.asked_ns = fake.now_ns;
}

void log_warning(const char *where, const char *fmt, ...)
{
    va_list arguments;

    assert_string_equal(where, "host_load");
    va_start(arguments, fmt);
    vsnprintf(fake.warned, sizeof(fake.warned), fmt, arguments);
    va_end(arguments);
}

static void begin(const char *before, const char *answers)
{
    memset(&host, 0, sizeof(host));
    memset(&fake, 0, sizeof(fake));
    fake.before = before;
    fake.answers = answers;
    fake.deferred = true;
    main_options.host_load = OPTIONS_HOST_LOAD_SERIAL;
}

static const char *ask(void)
{
    const char *key = host_ask("pair", "smt", 3);

    if (fake.asked && *fake.answers == '.') /* this question got none */
        fake.answers++;
    fake.asked = false;
    return key;
}

static void test_nobody_is_asked_unless_the_command_line_says_so(void **state)
{
    (void)state;
    begin("", "d");
    main_options.host_load = OPTIONS_HOST_LOAD_OFF;
    assert_string_equal(ask(), "");
    assert_int_equal(host_end_round(), HOST_UNKNOWN);
    main_options.host_load = OPTIONS_HOST_LOAD_SERIAL;
    assert_string_equal(host_ask("solo", "smt", 0), ""); /* warms up */
    host_report();
    assert_string_equal(fake.printed, "");
    assert_string_equal(fake.warned, "");
    assert_int_equal(fake.reads, 0);
    assert_true(fake.deferred);
}

static void test_answers(void **state)
{
    static const struct {
        const char *answer, *key;
        enum host_verdict verdict;
    } rows[] = {{"c", " clean=1", HOST_CLEAN},     {"d", " clean=0", HOST_DISTURBED},
                {"u", " clean=1", HOST_UNKNOWN},   {"x", " clean=1", HOST_UNKNOWN},
                {"\n", " clean=1", HOST_UNKNOWN},  {".", " clean=1", HOST_UNKNOWN},
                {"\x7f", " clean=1", HOST_UNKNOWN}};

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        begin("", rows[i].answer);
        fake.answer_after_ns = 2000000;
        assert_string_equal(ask(), rows[i].key);
        assert_string_equal(fake.printed, "ask: experiment=pair sched=smt round=3\n");
        assert_int_equal(host_end_round(), rows[i].verdict);
        assert_int_equal(host_end_round(), HOST_CLEAN); /* each round is judged by itself */
    }
}

static void test_a_round_is_as_bad_as_its_worst_part(void **state)
{
    (void)state;
    begin("", "cuc");
    ask(), ask(), ask();
    assert_int_equal(host_end_round(), HOST_UNKNOWN);
    begin("", "udc");
    ask(), ask(), ask();
    assert_int_equal(host_end_round(), HOST_DISTURBED);
}

static void test_good_answers_are_not_worth_a_warning(void **state)
{
    (void)state;
    begin("", "cdu");
    ask(), ask(), ask();
    host_report();
    assert_string_equal(fake.warned, "");
}

static void test_what_came_before_the_question_is_no_answer(void **state)
{
    (void)state;
    begin("ddd", "c");
    assert_string_equal(ask(), " clean=1");
    assert_int_equal(host_end_round(), HOST_CLEAN);
    host_report();
    assert_string_equal(fake.warned, "of 1 questions 0 were not answered and 0 not "
                                     "understandably; 3 bytes came unasked");
}

static void test_silence_is_waited_for_within_a_bound(void **state)
{
    (void)state;
    begin("", ".");
    ask();
    assert_in_range(fake.now_ns, 300000000, 310000000);
    assert_in_range(fake.reads, 100, 10000);
}

static void test_nobody_there_is_noticed(void **state)
{
    uint64_t given_up_ns;

    (void)state;
    begin("", "....................................................................");
    for (unsigned i = 0; i < 20; i++)
        ask();
    given_up_ns = fake.now_ns;
    for (unsigned i = 0; i < 40; i++)
        ask();
    assert_in_range(fake.now_ns - given_up_ns, 0, 1000000);
    host_report();
    assert_string_equal(fake.warned, "of 60 questions 60 were not answered and 0 not "
                                     "understandably; 0 bytes came unasked");
}

static void test_a_slow_host_is_not_given_up(void **state)
{
    (void)state;
    begin("", ".......c.......d");
    for (unsigned i = 0; i < 15; i++)
        ask();
    assert_int_equal(host_end_round(), HOST_UNKNOWN);
    assert_string_equal(ask(), " clean=0");
}

static void test_a_flood_costs_bounded_time(void **state)
{
    (void)state;
    begin("", "");
    fake.flood = true;
    for (unsigned i = 0; i < 10; i++)
        assert_string_equal(ask(), " clean=1");
    assert_in_range(fake.reads, 10, 10 * (STRAY_MAX + 2));
    host_report();
    assert_string_equal(fake.warned, "of 10 questions 0 were not answered and 10 not "
                                     "understandably; 2560 bytes came unasked");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_is_asked_unless_the_command_line_says_so),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_a_round_is_as_bad_as_its_worst_part),
        cmocka_unit_test(test_good_answers_are_not_worth_a_warning),
        cmocka_unit_test(test_what_came_before_the_question_is_no_answer),
        cmocka_unit_test(test_silence_is_waited_for_within_a_bound),
        cmocka_unit_test(test_nobody_there_is_noticed),
        cmocka_unit_test(test_a_slow_host_is_not_given_up),
        cmocka_unit_test(test_a_flood_costs_bounded_time),
    };

    return cmocka_run_group_tests_name("host_load", tests, NULL, NULL);
}
