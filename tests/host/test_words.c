/* kernel/lib/words: cutting lines into words, numbers and names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/lib/words.h"

/* Checks that the line is cut into exactly these words (ends with NULL) and how it ends. */
static void check_words(const char *line, bool unended, const char *const *expected)
{
    struct word word = {.unended = false};
    unsigned count = 0;

    for (const char *cursor = line; words_next(&cursor, &word); count++) {
        assert_non_null(expected[count]);
        assert_string_equal(word.text, expected[count]);
        assert_false(word.cut);
    }
    assert_null(expected[count]);
    assert_int_equal(word.unended, unended);
}

static void test_white_space_separates(void **state)
{
    (void)state;
    check_words("", false, (const char *[]){NULL});
    check_words(" \t\r\n ", false, (const char *[]){NULL});
    check_words("a=1", false, (const char *[]){"a=1", NULL});
    check_words("  a=1\t b=2\n", false, (const char *[]){"a=1", "b=2", NULL});
}

static void test_quotes_keep_white_space(void **state)
{
    (void)state;
    check_words("probe.elf a \"b c\"", false, (const char *[]){"probe.elf", "a", "b c", NULL});
    check_words("key=\"a b\" \"key=a b\" 'key=a b'", false,
                (const char *[]){"key=a b", "key=a b", "key=a b", NULL});
    check_words("x'y \"z'\"'\"", false, (const char *[]){"xy \"z'", NULL});
    check_words("\"\" '' a", false, (const char *[]){"", "", "a", NULL});
}

static void test_unbalanced_quote_ends_with_the_line(void **state)
{
    (void)state;
    check_words("a \"b c", true, (const char *[]){"a", "b c", NULL});
    check_words("it's", true, (const char *[]){"its", NULL});
    check_words("\"", true, (const char *[]){"", NULL});
}

static void test_backslash_takes_quotes_literally(void **state)
{
    (void)state;
    check_words("a\\\"b \\'c\\\\", false, (const char *[]){"a\"b", "'c\\", NULL});
    check_words("\"a \\\" b\" c\\d \\", false, (const char *[]){"a \" b", "c\\d", "\\", NULL});
}

static void test_long_words_are_cut(void **state)
{
    char line[3 * WORD_BYTES];
    const char *cursor = line;
    struct word word;

    (void)state;
    memset(line, 'x', sizeof(line));
    line[WORD_BYTES - 1] = ' ';
    line[2 * WORD_BYTES] = ' ';
    strcpy(line + sizeof(line) - 4, " yz");
    assert_true(words_next(&cursor, &word));
    assert_false(word.cut);
    assert_int_equal(strlen(word.text), WORD_BYTES - 1);
    assert_true(words_next(&cursor, &word));
    assert_true(word.cut);
    assert_int_equal(strlen(word.text), WORD_BYTES - 1);
    assert_true(words_next(&cursor, &word));
    assert_true(words_next(&cursor, &word));
    assert_false(word.cut);
    assert_string_equal(word.text, "yz");
    assert_false(words_next(&cursor, &word));
}

static void check_number(const char *text, bool good, uint32_t expected, const char *rest)
{
    const char *cursor = text;
    uint32_t number = 0;

    assert_int_equal(words_read_number(&cursor, &number), good);
    if (good) {
        assert_int_equal(number, expected);
        assert_string_equal(cursor, rest);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    check_number("0", true, 0, "");
    check_number("10ms", true, 10, "ms");
    check_number("007", true, 7, "");
    check_number("0x3f8,", true, 0x3f8, ",");
    check_number("0xFfg", true, 255, "g");
    check_number("12a", true, 12, "a");
    check_number("4294967295", true, UINT32_MAX, "");
    check_number("0xffffffff", true, UINT32_MAX, "");
    check_number("4294967296", false, 0, "");
    check_number("0x100000000", false, 0, "");
    check_number("99999999999999999999999999", false, 0, "");
    check_number("", false, 0, "");
    check_number("0x", false, 0, "");
    check_number("x1", false, 0, "");
    check_number("-1", false, 0, "");
    check_number("+1", false, 0, "");
}

static void check_name(const char *text, const char *expected, const char *rest)
{
    const char *cursor = text;
    char name[WORD_NAME_BYTES];

    assert_int_equal(words_read_name(&cursor, name), expected != NULL);
    if (expected != NULL) {
        assert_string_equal(name, expected);
        assert_string_equal(cursor, rest);
    }
}

static void test_names(void **state)
{
    (void)state;
    check_name("solo", "solo", "");
    check_name("solo,pair", "solo", "pair");
    check_name("1x2x2:far", "1x2x2:far", "");
    check_name("same_cpu,-x.Y", "same_cpu", "-x.Y");
    check_name("", NULL, "");
    check_name(",a", NULL, "");
    check_name("a,", NULL, "");
    check_name("a b", NULL, "");
    check_name("a=b", NULL, "");
    check_name("\xe4", NULL, "");
    check_name("0123456789012345678901234567890", "0123456789012345678901234567890", "");
    check_name("01234567890123456789012345678901", NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_white_space_separates),
        cmocka_unit_test(test_quotes_keep_white_space),
        cmocka_unit_test(test_unbalanced_quote_ends_with_the_line),
        cmocka_unit_test(test_backslash_takes_quotes_literally),
        cmocka_unit_test(test_long_words_are_cut),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests_name("words", tests, NULL, NULL);
}
