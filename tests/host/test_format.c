/* kernel/lib/format against the host's printf, and what printf does not define. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/lib/format.h"

/* Formats with both engines and compares text and length. */
#define CHECK_AS_PRINTF(...)                                                         \
    do {                                                                             \
        char ours[256], theirs[256];                                                 \
        size_t our_length = format_buffer(ours, sizeof(ours), __VA_ARGS__);          \
        assert_int_equal(our_length, snprintf(theirs, sizeof(theirs), __VA_ARGS__)); \
        assert_string_equal(ours, theirs);                                           \
    } while (0)

/* Builds "<%FLAGS WIDTH PRECISION LENGTH CONVERSION>" for every combination and compares. */
static void check_all_specs(const char *length, const char *conversions, long long value)
{
    static const char *const flags[] = {"", "-", "0", "-0", "0-"};
    static const char *const widths[] = {"", "1", "5", "24", "70"};
    static const char *const precisions[] = {"", ".0", ".", ".3", ".25"};
    char fmt[32];

    for (size_t f = 0; f < 5; f++) {
        for (size_t w = 0; w < 5; w++) {
            for (size_t p = 0; p < 5; p++) {
                for (const char *c = conversions; *c != '\0'; c++) {
                    snprintf(fmt, sizeof(fmt), "<%%%s%s%s%s%c>", flags[f], widths[w], precisions[p],
                             length, *c);
                    if (*length == '\0') {
                        CHECK_AS_PRINTF(fmt, (int)value);
                    } else {
                        CHECK_AS_PRINTF(fmt, value);
                    }
                }
            }
        }
    }
}

static void test_numbers_are_as_printf(void **state)
{
    static const long long values[] = {
        0,     1,         -1,        7,          -10,       99,        65535,
        65536, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN, 0x123456789abcdef0ll};

    (void)state;
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        check_all_specs("", "diuxX", values[i]);
        check_all_specs("l", "diuxX", values[i]);
        check_all_specs("ll", "diuxX", values[i]);
        check_all_specs("z", "diuxX", values[i]);
    }
}

static void test_strings_and_characters_are_as_printf(void **state)
{
    static const char unterminated[3] = {'a', 'b', 'c'};

    (void)state;
    CHECK_AS_PRINTF("plain text, 100%% of it");
    CHECK_AS_PRINTF("%s|%8s|%-8s|%2s", "core", "core", "core", "core");
    CHECK_AS_PRINTF("%.2s|%.0s|%.9s|%6.2s|%-6.2s|", "core", "core", "core", "core", "core");
    CHECK_AS_PRINTF("%.*s|%.*s", 3, unterminated, 0, unterminated);
    CHECK_AS_PRINTF("%.*s", -1, "a negative precision is none");
    CHECK_AS_PRINTF("%*s|%*s|%-*s", 6, "r", -6, "l", 6, "l");
    CHECK_AS_PRINTF("%*d|%0*x|%.*d", 6, 1, 6, 0xabu, 4, 7);
    CHECK_AS_PRINTF("%c%c|%3c|%-3c|", 'o', 'k', 'x', 'y');
    CHECK_AS_PRINTF("task: pid=%u cpus=%s wall_us=%llu", 12u, "0,2", 123456789012345ull);
}

static void test_pointers_have_all_digits(void **state)
{
    char text[64];
    char expected[64];
    int here;

    (void)state;
    format_buffer(text, sizeof(text), "%p", (void *)&here);
    snprintf(expected, sizeof(expected), "0x%0*llx", (int)(2 * sizeof(void *)),
             (unsigned long long)(uintptr_t)&here);
    assert_string_equal(text, expected);
    format_buffer(text, sizeof(text), "%p", NULL);
    assert_int_equal(strlen(text), 2 + 2 * sizeof(void *));
}

static void test_null_string_is_visible(void **state)
{
    const char *volatile missing = NULL;
    char text[32];

    (void)state;
    format_buffer(text, sizeof(text), "%s %.3s", missing, missing);
    assert_string_equal(text, "(null) (nu");
}

static void test_unknown_conversion_stops_taking_arguments(void **state)
{
    static const char *const formats[] = {"a%q%s", "a%lld%", "a%", "a%5", "a%.", "a%-0l", "a%f %s"};
    static const char *const expected[] = {"a%q%s", "a1%", "a%", "a%5", "a%.", "a%-0l", "a%f %s"};
    char text[32];

    (void)state;
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        const char *volatile fmt = formats[i];

        assert_int_equal(format_buffer(text, sizeof(text), fmt, 1ll), strlen(expected[i]));
        assert_string_equal(text, expected[i]);
    }
}

static void test_buffer_is_cut_and_terminated(void **state)
{
    (void)state;
    for (size_t size = 0; size < 12; size++) {
        char text[16];

        memset(text, '#', sizeof(text));
        assert_int_equal(format_buffer(text, size, "%s=%d", "cpu", -42), 7);
        if (size != 0) {
            size_t kept = size <= 7 ? size - 1 : 7;

            assert_memory_equal(text, "cpu=-42", kept);
            assert_int_equal(text[kept], '\0');
        }
        for (size_t i = size; i < sizeof(text); i++) {
            assert_int_equal(text[i], '#');
        }
    }
}

/* Collects what a sink gets; fails on empty pieces. */
struct collected {
    char text[64];
    size_t length;
};

static void collect(void *ctx, const char *text, size_t length_bytes)
{
    struct collected *collected = ctx;

    assert_true(length_bytes > 0 && collected->length + length_bytes <= sizeof(collected->text));
    memcpy(collected->text + collected->length, text, length_bytes);
    collected->length += length_bytes;
}

static void test_sink_gets_all_pieces_in_order(void **state)
{
    struct collected collected = {{0}, 0};

    (void)state;
    format_to(collect, &collected, "%s", "");
    assert_int_equal(collected.length, 0);
    format_to(collect, &collected, "[%5u|%-40s|%%]", 7u, "left");
    assert_int_equal(collected.length, 50);
    assert_memory_equal(collected.text, "[    7|left                                    |%]", 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_are_as_printf),
        cmocka_unit_test(test_strings_and_characters_are_as_printf),
        cmocka_unit_test(test_pointers_have_all_digits),
        cmocka_unit_test(test_null_string_is_visible),
        cmocka_unit_test(test_unknown_conversion_stops_taking_arguments),
        cmocka_unit_test(test_buffer_is_cut_and_terminated),
        cmocka_unit_test(test_sink_gets_all_pieces_in_order),
    };

    return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
