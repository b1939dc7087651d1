/* user/md5/command: OpenBSD's arguments and output, with a clock and an output of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "user/md5/command.h"

static char written[4096];
static size_t written_bytes;
static unsigned writes;
static uint64_t now_ns;
static uint64_t step_ns; /* the clock goes on by this at each reading */
static uint8_t block[MD5_TRIAL_BYTES];

static void collect(const char *text, size_t length_bytes)
{
    assert_true(written_bytes + length_bytes < sizeof(written));
    memcpy(written + written_bytes, text, length_bytes);
    written_bytes += length_bytes;
    written[written_bytes] = '\0';
    writes++;
}

static uint64_t clock_ns(void)
{
    now_ns += step_ns;
    return now_ns;
}

static const struct md5_environment environment = {collect, clock_ns, block};

/* Splits a line at blanks and parses it as the arguments of md5; returns the error. */
static enum error parse(const char *line, struct md5_command *command)
{
    static char copy[256];
    char *argv[16] = {"md5"};
    int argc = 1;

    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    return md5_parse(argc, argv, command);
}

static void run(const char *line, uint8_t digest[MD5_DIGEST_BYTES])
{
    struct md5_command command;

    written_bytes = 0;
    writes = 0;
    assert_int_equal(parse(line, &command), OK);
    md5_run(&command, &environment, digest);
}

static void check_trial(const char *line, uint32_t blocks)
{
    struct md5_command command;

    assert_int_equal(parse(line, &command), OK);
    assert_int_equal(command.action, MD5_TIME_TRIAL);
    assert_int_equal(command.blocks, blocks);
}

static void test_each_t_means_ten_times_the_blocks(void **state)
{
    (void)state;
    check_trial("-t", 10000);
    check_trial("-tt", 100000);
    check_trial("-t -t", 100000);
    check_trial("-tttt", 10000000);
    check_trial("-tttttttttttttttttttttttt", 1000000000); /* as far as an int goes */
    check_trial("-b 7 -t", 7);
    check_trial("-b7 -tt", 70);
    check_trial("-tb10000000 -t", 100000000);
    check_trial("-t --", 10000);
}

static void test_other_actions(void **state)
{
    struct md5_command command;

    (void)state;
    assert_int_equal(parse("", &command), OK);
    assert_int_equal(command.action, MD5_FILES);
    assert_int_equal(command.first_file, 1);
    assert_int_equal(parse("-- -t", &command), OK);
    assert_int_equal(command.action, MD5_FILES);
    assert_int_equal(command.first_file, 2);
    assert_int_equal(parse("- -t", &command), OK); /* options end at the first file */
    assert_int_equal(command.first_file, 1);
    assert_int_equal(parse("-x", &command), OK);
    assert_int_equal(command.action, MD5_TEST_SUITE);
    assert_int_equal(parse("-sfoo", &command), OK);
    assert_int_equal(command.action, MD5_STRING);
    assert_string_equal(command.string, "foo");
    assert_int_equal(parse("-s -t", &command), OK);
    assert_string_equal(command.string, "-t");
}

static void test_wrong_arguments_are_refused(void **state)
{
    static const char *const bad[] = {"-z",    "-t -x",     "-t file", "-s",    "-s a b",
                                      "-xs a", "-b 10",     "-t -b",   "-tb 0", "-tb 10000001",
                                      "-tb1k", "-b 5 file", "-x file", "--time"};
    struct md5_command command;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parse(bad[i], &command), ERROR_BAD_VALUE);
    }
}

static void test_time_trial_is_openbsds_and_one_write(void **state)
{
    uint8_t digest[MD5_DIGEST_BYTES];

    (void)state;
    step_ns = 250000001;
    run("-t", digest);
    assert_string_equal(written, "MD5 time trial.  Processing 10000 10000-byte blocks...\n"
                                 "Digest = 52e5f9c9e6f656f3e1800dfa5579d089\n"
                                 "Time   = 0.250000 seconds\n"
                                 "Speed  = 399999998.400000 bytes/second\n");
    assert_int_equal(writes, 1);
    assert_int_equal(digest[0], 0x52);
    assert_int_equal(digest[15], 0x89);
}

static void test_time_trial_of_any_duration(void **state)
{
    uint8_t digest[MD5_DIGEST_BYTES];

    (void)state;
    step_ns = 0;
    run("-t -b 1", digest);
    assert_non_null(strstr(written, "Time   = 0.000000 seconds\nSpeed  = inf bytes/second\n"));
    step_ns = 3600000001500; /* an hour, and a microsecond and a half that rounds up */
    run("-t -b 1", digest);
    assert_non_null(strstr(written, "Time   = 3600.000002 seconds\nSpeed  = 2.777777 bytes"));
    step_ns = 1;
    run("-t -b 1", digest);
    assert_non_null(strstr(written, "Speed  = 10000000000000.000000 bytes/second\n"));
}

static void test_string(void **state)
{
    uint8_t digest[MD5_DIGEST_BYTES];
    char line[256] = "-s";

    (void)state;
    run("-s foo", digest);
    assert_string_equal(written, "MD5 (\"foo\") = acbd18db4cc2f85cedef654fccc4a4d8\n");
    assert_int_equal(writes, 1);
    for (size_t length = 190; length < 250; length++) { /* around the size of one write */
        memset(line + 2, 'a', length);
        line[2 + length] = '\0';
        run(line, digest);
        assert_int_equal(written_bytes, 6 + length + 5 + 32 + 1);
        assert_memory_equal(written + 6, line + 2, length);
    }
}

static void test_suite_is_openbsds(void **state)
{
    uint8_t digest[MD5_DIGEST_BYTES];

    (void)state;
    run("-x", digest);
    assert_memory_equal(written, "MD5 test suite:\nMD5 (\"\") = d41d8cd98f00b204e9800998ecf8427e\n",
                        58);
    assert_non_null(
        strstr(written, "MD5 (\"message digest\") = f96b697d7cb7938d525a2f31aaf161d0\n"));
    assert_non_null(
        strstr(written, "MD5 (one million 'a' characters) = 7707d6ae4e027c70eea2a935c2296f21\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_t_means_ten_times_the_blocks),
        cmocka_unit_test(test_other_actions),
        cmocka_unit_test(test_wrong_arguments_are_refused),
        cmocka_unit_test(test_time_trial_is_openbsds_and_one_write),
        cmocka_unit_test(test_time_trial_of_any_duration),
        cmocka_unit_test(test_string),
        cmocka_unit_test(test_suite_is_openbsds),
    };

    return cmocka_run_group_tests_name("md5 command", tests, NULL, NULL);
}
