/* kernel/lib/options: defaults, every key, and what QEMU, GRUB and people put on a command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/lib/options.h"
#include "kernel/machine_info.h"

static struct options parse(const char *cmdline)
{
    struct options options;

    memset(&options, 0xa5, sizeof(options));
    options_parse(cmdline, &options);
    return options;
}

/* Everything but the warnings is as if there were no command line. */
static bool is_default(const struct options *options)
{
    struct options defaults = parse("");

    return memcmp(options, &defaults, offsetof(struct options, warning_count)) == 0;
}

/* The line makes exactly this warning and changes nothing. */
static void check_warning(const char *cmdline, const char *expected)
{
    struct options options = parse(cmdline);

    assert_int_equal(options.warning_count, 1);
    assert_string_equal(options.warnings[0].text, expected);
    assert_true(is_default(&options));
}

static void test_defaults(void **state)
{
    struct options options = parse(NULL);

    (void)state;
    assert_int_equal(options.run.count, 1);
    assert_string_equal(options.run.names[0], "demo");
    assert_int_equal(options.sched.count, 2);
    assert_string_equal(options.sched.names[0], "naive");
    assert_string_equal(options.sched.names[1], "smt");
    assert_int_equal(options.slice_us, 10000);
    assert_int_equal(options.rounds, 10);
    assert_int_equal(options.blocks, 10000);
    assert_int_equal(options.tasks, 0);
    assert_int_equal(options.groups, 1);
    assert_int_equal(options.smt_model_percent, 0);
    assert_true(options.smt);
    assert_int_equal(options.cpus, MAX_CPUS);
    assert_string_equal(options.topology, "auto");
    assert_int_equal(options.seed, 1);
    assert_int_equal(options.console.count, 2);
    assert_int_equal(options.console.outputs[0].kind, OPTIONS_CONSOLE_SERIAL);
    assert_int_equal(options.console.outputs[1].kind, OPTIONS_CONSOLE_SCREEN);
    assert_int_equal(options.baud, 115200);
    assert_false(options.trace);
    assert_int_equal(options.end, OPTIONS_END_HALT);
    assert_int_equal(options.module, OPTIONS_MODULE_SHARED);
    assert_true(options.check);
    assert_int_equal(options.host_cpus, 0);
    assert_int_equal(options.sharing, OPTIONS_SHARING_UNKNOWN);
    assert_int_equal(options.host_load, OPTIONS_HOST_LOAD_OFF);
    assert_string_equal(options.exec, "");
    assert_int_equal(options.warning_count, 0);
    assert_int_equal(options.warnings_dropped, 0);
}

static void test_every_key(void **state)
{
    struct options options =
        parse("run=solo,pair sched=core slice=1ms rounds=3 blocks=100 tasks=8 groups=2 "
              "smt_model=1.5 smt=off "
              "cpus=2 topology=1x2x2:far seed=0xffffffff console=com2,io:0x3E8,mmio:0xfe042000 "
              "baud=9600 trace=on end=exit module=core check=off host_cpus=12 sharing=host_smt "
              "host_load=serial exec='chase -k 4; int -n 1'");

    (void)state;
    assert_int_equal(options.warning_count, 0);
    assert_int_equal(options.run.count, 2);
    assert_string_equal(options.run.names[0], "solo");
    assert_string_equal(options.run.names[1], "pair");
    assert_int_equal(options.sched.count, 1);
    assert_string_equal(options.sched.names[0], "core");
    assert_int_equal(options.slice_us, 1000);
    assert_int_equal(options.rounds, 3);
    assert_int_equal(options.blocks, 100);
    assert_int_equal(options.tasks, 8);
    assert_int_equal(options.groups, 2);
    assert_int_equal(options.smt_model_percent, 150);
    assert_false(options.smt);
    assert_int_equal(options.cpus, 2);
    assert_string_equal(options.topology, "1x2x2:far");
    assert_int_equal(options.seed, UINT32_MAX);
    assert_int_equal(options.console.count, 3);
    assert_int_equal(options.console.outputs[0].kind, OPTIONS_CONSOLE_COM);
    assert_int_equal(options.console.outputs[0].base, 2);
    assert_int_equal(options.console.outputs[1].kind, OPTIONS_CONSOLE_IO);
    assert_int_equal(options.console.outputs[1].base, 0x3e8);
    assert_int_equal(options.console.outputs[2].kind, OPTIONS_CONSOLE_MMIO);
    assert_int_equal(options.console.outputs[2].base, 0xfe042000);
    assert_int_equal(options.baud, 9600);
    assert_true(options.trace);
    assert_int_equal(options.end, OPTIONS_END_EXIT);
    assert_int_equal(options.module, OPTIONS_MODULE_CORE);
    assert_false(options.check);
    assert_int_equal(options.host_cpus, 12);
    assert_int_equal(options.sharing, OPTIONS_SHARING_HOST_SMT);
    assert_int_equal(options.host_load, OPTIONS_HOST_LOAD_SERIAL);
    assert_string_equal(options.exec, "chase -k 4; int -n 1");
}

static void test_text_must_fit_and_be_printable(void **state)
{
    static const char *const bad[] = {"exec='a\033b'", "exec='a\tb'", "exec='a\"b'", "exec='a\\b'"};
    char line[6 + OPTIONS_TEXT_BYTES] = "exec=";

    (void)state;
    memset(line + 5, 'x', OPTIONS_TEXT_BYTES - 1);
    assert_int_equal(strlen(parse(line).exec), OPTIONS_TEXT_BYTES - 1);
    memset(line + 5, 'x', OPTIONS_TEXT_BYTES);
    assert_string_equal(parse(line).exec, "");
    assert_int_equal(parse(line).warning_count, 1);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_string_equal(parse(bad[i]).exec, "");
        assert_int_equal(parse(bad[i]).warning_count, 1);
    }
}

static void test_words_of_choice(void **state)
{
    (void)state;
    assert_int_equal(parse("end=poweroff").end, OPTIONS_END_POWEROFF);
    assert_int_equal(parse("end=reboot").end, OPTIONS_END_REBOOT);
    assert_int_equal(parse("end=monitor").end, OPTIONS_END_MONITOR);
    assert_int_equal(parse("sharing=none").sharing, OPTIONS_SHARING_NONE);
    assert_int_equal(parse("sharing=host_cpu").sharing, OPTIONS_SHARING_HOST_CPU);
    assert_int_equal(parse("console=none").console.count, 0);
    assert_int_equal(parse("cpus=all").cpus, MAX_CPUS);
    assert_int_equal(parse("smt_model=off").smt_model_percent, 0);
}

static void test_limits(void **state)
{
    static const char *const good[] = {
        "slice=100us",     "slice=1000000us", "slice=1s",   "rounds=1",       "rounds=10000",
        "blocks=1",        "blocks=10000000", "tasks=0",    "tasks=4000",     "smt_model=1",
        "smt_model=1.0",   "smt_model=4.00",  "cpus=1",     "cpus=256",       "seed=0",
        "seed=4294967295", "baud=1200",       "baud=38400", "host_cpus=4096", "console=io:1",
        "topology=1x2x2",  "groups=1",        "groups=256", "run=all",        "run=monitor",
        "run=none",        "console=com4"};
    static const char *const bad[] = {"slice=99us",
                                      "slice=1001ms",
                                      "slice=2s",
                                      "slice=10",
                                      "slice=ms",
                                      "slice=10 ms",
                                      "slice=1.5ms",
                                      "slice=5000000s",
                                      "groups=0",
                                      "groups=257",
                                      "rounds=0",
                                      "rounds=10001",
                                      "rounds=ten",
                                      "rounds=",
                                      "rounds=-1",
                                      "blocks=0",
                                      "blocks=10000001",
                                      "tasks=4001",
                                      "smt_model=0.99",
                                      "smt_model=4.01",
                                      "smt_model=1.505",
                                      "smt_model=2.",
                                      "smt_model=.5",
                                      "smt_model=on",
                                      "smt=maybe",
                                      "smt=",
                                      "cpus=0",
                                      "cpus=257",
                                      "seed=4294967296",
                                      "console=com5",
                                      "console=com0",
                                      "console=com",
                                      "console=io:",
                                      "console=io:0",
                                      "console=io:65536",
                                      "console=serial2",
                                      "console=none,serial",
                                      "console=",
                                      "console=vga",
                                      "baud=1199",
                                      "baud=100000",
                                      "baud=115201",
                                      "trace=1",
                                      "end=stop",
                                      "end=",
                                      "run=",
                                      "run=a,,b",
                                      "run=a,",
                                      "run=,a",
                                      "run=a;b",
                                      "topology=1x2,2",
                                      "host_cpus=4097",
                                      "sharing=smt",
                                      "host_load=on",
                                      "host_load=",
                                      "module=both"};

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_int_equal(parse(good[i]).warning_count, 0);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char quoted[64];
        char expected[80];

        snprintf(quoted, sizeof(quoted), "\"%s\"", bad[i]);
        snprintf(expected, sizeof(expected), "bad value, default used: %s", bad[i]);
        check_warning(quoted, expected);
    }
}

static void test_baud_wants_a_divisor(void **state)
{
    (void)state;
    assert_int_equal(parse("baud=57600").baud, 57600);
    assert_int_equal(parse("baud=19000").baud, 19000); /* 19200 is 1 % off */
    assert_int_equal(parse("baud=90000").warning_count, 1);
}

static void test_first_word_may_be_the_kernel(void **state)
{
    static const char *const lines[] = {"/boot/tandem.elf rounds=3",
                                        "build/tandem.elf  rounds=3 ",
                                        "rounds=3",
                                        "/home/a=b/tandem.elf rounds=3",
                                        "quiet rounds=3",
                                        "\"/a b/t.elf\" rounds=3",
                                        "x \"rounds=3\"",
                                        "x rounds='3'",
                                        "\trounds=\"3\"\n"};

    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct options options = parse(lines[i]);

        assert_int_equal(options.rounds, 3);
        assert_int_equal(options.warning_count, 0);
    }
}

static void test_other_words_are_reported(void **state)
{
    (void)state;
    check_warning("tandem.elf quiet", "no key=value, ignored: quiet");
    check_warning("tandem.elf a=1", "unknown key, ignored: a=1");
    check_warning("Rounds=3", "unknown key, ignored: Rounds=3");
    check_warning("round=3", "unknown key, ignored: round=3");
    check_warning("roundss=3", "unknown key, ignored: roundss=3");
    check_warning("x =3", "no key=value, ignored: =3");
    check_warning("x \"b c\"", "no key=value, ignored: b c");
    check_warning("x \"\"", "no key=value, ignored: ");
}

static void test_unbalanced_quote_is_tolerated(void **state)
{
    struct options options = parse("seed=2 run=\"solo");

    (void)state;
    assert_int_equal(options.seed, 2);
    assert_string_equal(options.run.names[0], "solo");
    assert_int_equal(options.warning_count, 1);
    assert_string_equal(options.warnings[0].text, "closing quote is missing: run=solo");
}

static void test_last_occurrence_wins(void **state)
{
    struct options options = parse("rounds=3 run=a,b,c rounds=4 run=d");

    (void)state;
    assert_int_equal(options.warning_count, 0);
    assert_int_equal(options.rounds, 4);
    assert_int_equal(options.run.count, 1);
    assert_string_equal(options.run.names[0], "d");
    check_warning("rounds=3 rounds=0", "bad value, default used: rounds=0");
    assert_int_equal(parse("rounds=0 rounds=3").rounds, 3);
}

static void test_lists_are_bounded(void **state)
{
    static const char sixteen[] = "run=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p";
    char line[64];

    (void)state;
    assert_int_equal(parse(sixteen).run.count, OPTIONS_MAX_NAMES);
    assert_string_equal(parse(sixteen).run.names[15], "p");
    snprintf(line, sizeof(line), "%s,q", sixteen);
    assert_int_equal(parse(line).warning_count, 1);
    assert_int_equal(parse(line).run.count, 1);
    assert_int_equal(parse("console=com1,com1,com1,com1,com1,com1,com1,com1").console.count,
                     OPTIONS_MAX_OUTPUTS);
    assert_int_equal(parse("console=com1,com1,com1,com1,com1,com1,com1,com1,com1").warning_count,
                     1);
}

static void test_warnings_are_bounded_and_quotable(void **state)
{
    char line[4096];
    struct options options;

    (void)state;
    memset(line, 'x', sizeof(line) - 1);
    line[sizeof(line) - 1] = '\0';
    assert_int_equal(parse(line).warning_count, 0); /* the first word: skipped, however long */
    line[1] = '=';
    options = parse(line);
    assert_int_equal(options.warning_count, 1);
    assert_int_equal(strlen(options.warnings[0].text), sizeof(options.warnings[0].text) - 1);

    memcpy(line, "run=", 4); /* would be a good name but for its length */
    assert_int_equal(parse(line).warning_count, 1);
    for (size_t i = 0; i + 4 < sizeof(line); i += 4) {
        memcpy(line + i, "y=1 ", 4);
    }
    options = parse(line);
    assert_int_equal(options.warning_count, OPTIONS_MAX_WARNINGS);
    assert_int_equal(options.warnings_dropped, 1023 - OPTIONS_MAX_WARNINGS + 1);

    check_warning("a\\\"b\x01z\\\\\xff=1", "unknown key, ignored: a?b?z?\?=1");
}

static void test_names_are_checked_against_what_exists(void **state)
{
    static const char *const policies[] = {"naive", "smt", "nosmt", "core", NULL};
    struct options options = parse("sched=core,smt,nosmt");

    (void)state;
    options_check_names(&options, "sched", policies);
    assert_int_equal(options.warning_count, 0);
    assert_int_equal(options.sched.count, 3);

    options = parse("sched=core,fair,best");
    options_check_names(&options, "sched", policies);
    assert_int_equal(options.warning_count, 1);
    assert_string_equal(options.warnings[0].text, "unknown name, default used: fair");
    assert_int_equal(options.sched.count, 2);
    assert_string_equal(options.sched.names[0], "naive");
    assert_string_equal(options.sched.names[1], "smt");

    options_check_names(&options, "rounds", policies); /* no list: nothing to check */
    options_check_names(&options, "nonsense", policies);
    assert_int_equal(options.warning_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_every_key),
        cmocka_unit_test(test_text_must_fit_and_be_printable),
        cmocka_unit_test(test_words_of_choice),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_baud_wants_a_divisor),
        cmocka_unit_test(test_first_word_may_be_the_kernel),
        cmocka_unit_test(test_other_words_are_reported),
        cmocka_unit_test(test_unbalanced_quote_is_tolerated),
        cmocka_unit_test(test_last_occurrence_wins),
        cmocka_unit_test(test_lists_are_bounded),
        cmocka_unit_test(test_warnings_are_bounded_and_quotable),
        cmocka_unit_test(test_names_are_checked_against_what_exists),
    };

    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
