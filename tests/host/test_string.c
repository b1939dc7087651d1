/*
 * kernel/lib/string against the host's functions. The file is included here under other names,
 * because on a host the C library and the sanitizers own the real ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define memcpy tandem_memcpy
#define memmove tandem_memmove
#define memset tandem_memset
#define memcmp tandem_memcmp
#define strlen tandem_strlen
#define strnlen tandem_strnlen
#define strcmp tandem_strcmp
#define strncmp tandem_strncmp
#define strchr tandem_strchr

void *memcpy(void *restrict destination, const void *restrict source, size_t length_bytes);
void *memmove(void *destination, const void *source, size_t length_bytes);
void *memset(void *destination, int value, size_t length_bytes);
int memcmp(const void *left, const void *right, size_t length_bytes);
size_t strlen(const char *text);
int strcmp(const char *left, const char *right);
int strncmp(const char *left, const char *right, size_t limit);
char *strchr(const char *text, int c);

#define STRING_TEST
#include "kernel/lib/string.c"

#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef strlen
#undef strnlen
#undef strcmp
#undef strncmp
#undef strchr

#define MAX_LENGTH 40
#define BUFFER_BYTES 64

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static void fill(unsigned char *bytes)
{
    for (unsigned i = 0; i < BUFFER_BYTES; i++) {
        bytes[i] = (unsigned char)(i * 37 + 11);
    }
}

static void test_memcpy_any_alignment_and_length(void **state)
{
    unsigned char source[BUFFER_BYTES], ours[BUFFER_BYTES], theirs[BUFFER_BYTES];

    (void)state;
    fill(source);
    for (size_t from = 0; from < 8; from++) {
        for (size_t to = 0; to < 8; to++) {
            for (size_t length = 0; length <= MAX_LENGTH; length++) {
                memset(ours, 0xee, sizeof(ours));
                memset(theirs, 0xee, sizeof(theirs));
                assert_ptr_equal(tandem_memcpy(ours + to, source + from, length), ours + to);
                memcpy(theirs + to, source + from, length);
                assert_memory_equal(ours, theirs, BUFFER_BYTES);
            }
        }
    }
}

static void test_memmove_overlapping_both_ways(void **state)
{
    unsigned char ours[BUFFER_BYTES], theirs[BUFFER_BYTES];

    (void)state;
    for (size_t from = 0; from < 20; from++) {
        for (size_t to = 0; to < 20; to++) {
            for (size_t length = 0; length <= MAX_LENGTH; length++) {
                fill(ours);
                fill(theirs);
                assert_ptr_equal(tandem_memmove(ours + to, ours + from, length), ours + to);
                memmove(theirs + to, theirs + from, length);
                assert_memory_equal(ours, theirs, BUFFER_BYTES);
            }
        }
    }
}

static void test_memset_uses_the_low_byte(void **state)
{
    static const int values[] = {0, 1, 0x7f, 0x80, 0xff, 0x1234, -1};
    unsigned char ours[BUFFER_BYTES], theirs[BUFFER_BYTES];

    (void)state;
    for (size_t v = 0; v < sizeof(values) / sizeof(values[0]); v++) {
        for (size_t to = 0; to < 8; to++) {
            for (size_t length = 0; length <= MAX_LENGTH; length++) {
                fill(ours);
                fill(theirs);
                assert_ptr_equal(tandem_memset(ours + to, values[v], length), ours + to);
                memset(theirs + to, values[v], length);
                assert_memory_equal(ours, theirs, BUFFER_BYTES);
            }
        }
    }
}

static void test_memcmp_compares_unsigned_bytes(void **state)
{
    unsigned char a[BUFFER_BYTES], b[BUFFER_BYTES];

    (void)state;
    fill(a);
    for (size_t at = 0; at < MAX_LENGTH; at++) {
        for (unsigned value = 0; value < 256; value++) {
            fill(b);
            b[at] = (unsigned char)value;
            for (size_t length = at; length <= at + 1; length++) {
                assert_int_equal(sign(tandem_memcmp(a, b, length)), sign(memcmp(a, b, length)));
            }
        }
    }
}

static void test_lengths(void **state)
{
    static const char unterminated[4] = {'f', 'o', 'u', 'r'};

    (void)state;
    assert_int_equal(tandem_strlen(""), 0);
    assert_int_equal(tandem_strlen("tandem"), 6);
    assert_int_equal(tandem_strnlen("tandem", 3), 3);
    assert_int_equal(tandem_strnlen("tandem", 6), 6);
    assert_int_equal(tandem_strnlen("tandem", 100), 6);
    assert_int_equal(tandem_strnlen(unterminated, sizeof(unterminated)), 4);
    assert_int_equal(tandem_strnlen(NULL, 0), 0);
}

static void test_string_comparisons(void **state)
{
    static const char *const texts[] = {"", "a", "ab", "abc", "abd", "b", "\x80", "\xff", "ab\x80"};
    const size_t count = sizeof(texts) / sizeof(texts[0]);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            assert_int_equal(sign(tandem_strcmp(texts[i], texts[j])),
                             sign(strcmp(texts[i], texts[j])));
            for (size_t limit = 0; limit < 5; limit++) {
                assert_int_equal(sign(tandem_strncmp(texts[i], texts[j], limit)),
                                 sign(strncmp(texts[i], texts[j], limit)));
            }
        }
    }
}

static void test_strchr_finds_the_first_and_the_terminator(void **state)
{
    static const char text[] = "core=core";

    (void)state;
    assert_ptr_equal(tandem_strchr(text, 'c'), text);
    assert_ptr_equal(tandem_strchr(text, '='), text + 4);
    assert_ptr_equal(tandem_strchr(text, '\0'), text + 9);
    assert_null(tandem_strchr(text, 'x'));
    assert_null(tandem_strchr("", 'x'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memcpy_any_alignment_and_length),
        cmocka_unit_test(test_memmove_overlapping_both_ways),
        cmocka_unit_test(test_memset_uses_the_low_byte),
        cmocka_unit_test(test_memcmp_compares_unsigned_bytes),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_string_comparisons),
        cmocka_unit_test(test_strchr_finds_the_first_and_the_terminator),
    };

    return cmocka_run_group_tests_name("string", tests, NULL, NULL);
}
