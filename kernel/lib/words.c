#include "kernel/lib/words.h"

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_quote(char c)
{
    return c == '"' || c == '\'';
}

static bool is_name_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == ':' || c == '.';
}

static void append(struct word *word, size_t *length, char c)
{
    if (*length < sizeof(word->text) - 1) {
        word->text[(*length)++] = c;
    } else {
        word->cut = true;
    }
}

bool words_next(const char **cursor, struct word *word)
{
    const char *text = *cursor;
    size_t length = 0;
    char quote = '\0'; /* the one we are inside of */

    while (is_space(*text)) {
        text++;
    }
    if (*text == '\0') {
        return false;
    }
    word->cut = false;
    for (; *text != '\0' && (quote != '\0' || !is_space(*text)); text++) {
        if (is_quote(*text) && quote == '\0') {
            quote = *text;
        } else if (*text == quote) {
            quote = '\0';
        } else {
            if (*text == '\\' && (is_quote(text[1]) || text[1] == '\\')) {
                text++;
            }
            append(word, &length, *text);
        }
    }
    word->text[length] = '\0';
    word->unended = quote != '\0';
    *cursor = text;
    return true;
}

/* The value of a digit in the base, or the base itself for any other character. */
static uint32_t digit_value(char c, uint32_t base)
{
    if (c >= '0' && c <= '9') {
        return (uint32_t)(c - '0');
    }
    c |= 'a' - 'A'; /* to lower case */
    return base == 16 && c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : base;
}

bool words_read_number(const char **cursor, uint32_t *number)
{
    const char *text = *cursor;
    uint32_t base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
    uint64_t value = 0;

    if (base == 16) {
        text += 2;
    }

    const char *first = text;

    for (uint32_t digit; (digit = digit_value(*text, base)) != base; text++) {
        value = value * base + digit;
        if (value > UINT32_MAX) {
            return false;
        }
    }
    *cursor = text;
    *number = (uint32_t)value;
    return text != first;
}

bool words_read_name(const char **cursor, char name[WORD_NAME_BYTES])
{
    const char *text = *cursor;
    size_t length = 0;

    for (; is_name_character(*text) && length < WORD_NAME_BYTES - 1; text++) {
        name[length++] = *text;
    }
    name[length] = '\0';
    if (length == 0 || (*text != '\0' && *text != ',')) {
        return false;
    }
    if (*text == ',') {
        text++;
        *cursor = text;
        return *text != '\0';
    }
    *cursor = text;
    return true;
}
