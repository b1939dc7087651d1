/*
 * The arguments of the work programs, user/arguments.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "user/arguments.h"

static uint32_t kib, steps, seed, two;

static const struct argument known[] = {
    {'k', true, 1, 1000, &kib},
    {'n', true, 0, UINT32_MAX, &steps},
    {'s', false, 5, 7, &seed},
    {'2', false, 0, 0, &two},
};

/* Up to eight arguments behind the program's name. */
static bool read_all(const char *const *arguments)
{
    char *argv[10] = {(char *)(uintptr_t) "chase"};
    int argc = 1;

    kib = steps = seed = two = 99;
    for (; arguments[argc - 1] != NULL; argc++)
        argv[argc] = (char *)(uintptr_t)arguments[argc - 1];
    return arguments_read(argc, argv, known, sizeof known / sizeof known[0]);
}

#define READ(...) read_all((const char *const[]){__VA_ARGS__, NULL})

static void test_any_order(void **state)
{
    (void)state;
    assert_true(READ("-k", "1", "-n", "0xffffffff"));
    assert_int_equal(kib, 1);
    assert_int_equal(steps, UINT32_MAX);
    assert_int_equal(seed, 99);
    assert_int_equal(two, 99);
    assert_true(READ("-2", "-n", "0", "-s", "7", "-k", "1000"));
    assert_int_equal(kib, 1000);
    assert_int_equal(steps, 0);
    assert_int_equal(seed, 7);
    assert_int_equal(two, 1);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    assert_false(READ("-k", "1"));                        /* -n is missing */
    assert_false(READ("-n", "1"));                        /* -k is missing */
    assert_false(READ("-k", "1", "-n"));                  /* no value */
    assert_false(READ("-k", "-n", "1"));                  /* an option for a value */
    assert_false(READ("-k", "0", "-n", "1"));             /* below the range */
    assert_false(READ("-k", "1001", "-n", "1"));          /* above it */
    assert_false(READ("-k", "1", "-n", "0x100000000"));   /* no 32 bits */
    assert_false(READ("-k", "1k", "-n", "1"));            /* no number */
    assert_false(READ("-k", "", "-n", "1"));              /* nor this */
    assert_false(READ("-k", "1", "-n", "1", "-k", "1"));  /* twice */
    assert_false(READ("-k", "1", "-n", "1", "-2", "-2")); /* twice */
    assert_false(READ("-k", "1", "-n", "1", "-x"));       /* unknown */
    assert_false(READ("-k", "1", "-n", "1", "-"));        /* no option */
    assert_false(READ("-k", "1", "-n", "1", ""));         /* nor this */
    assert_false(READ("-k", "1", "-n", "1", "7"));        /* left over */
    assert_false(READ("-k1", "-n", "1"));                 /* joined */
    assert_false(READ("-k", "1", "-n", "1", "--", "-2")); /* not a command line of getopt */
}

static void test_no_arguments(void **state)
{
    (void)state;
    assert_false(read_all((const char *const[]){NULL}));
    assert_true(arguments_read(0, NULL, known + 2, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_no_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
