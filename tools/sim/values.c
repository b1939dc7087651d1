#include "tools/sim/values.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/sim/units.h"

void value_fail(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    fprintf(stderr, "schedsim: ");
    vfprintf(stderr, fmt, arguments);
    fprintf(stderr, " (--help lists the options)\n");
    va_end(arguments);
    exit(2);
}

uint64_t value_take_number(const char **text, uint64_t limit)
{
    const char *digit = *text;
    uint64_t number = 0;

    for (; *digit >= '0' && *digit <= '9'; digit++) {
        uint64_t value = (uint64_t)(*digit - '0');

        if (value > limit || number > (limit - value) / 10)
            value_fail("%s: more than %llu", *text, (unsigned long long)limit);
        number = 10 * number + value;
    }
    if (digit == *text)
        value_fail("%s: not a number", *text);
    *text = digit;
    return number;
}

uint64_t value_number(const char *text, uint64_t limit)
{
    uint64_t number = value_take_number(&text, limit);

    if (*text != '\0')
        value_fail("%s: not part of a number", text);
    return number;
}

void value_expect(const char **text, char c)
{
    if (**text != c)
        value_fail("%s: expected a '%c'", *text, c);
    (*text)++;
}

struct bitmap value_cpus(const char *text, uint32_t count)
{
    struct bitmap set = {{0}};

    for (;;) {
        uint64_t first = value_take_number(&text, count - 1), last = first;

        if (*text == '-') {
            text++;
            last = value_take_number(&text, count - 1);
            if (last < first)
                value_fail("%llu-%llu: a range that ends before it begins",
                           (unsigned long long)first, (unsigned long long)last);
        }
        for (; first <= last; first++)
            bitmap_set(&set, (uint32_t)first);
        if (*text == '\0')
            return set;
        value_expect(&text, ',');
    }
}

/* Up to four decimals, behind the point. */
static void take_decimals(const char **text, struct sim_ratio *ratio)
{
    if (**text < '0' || **text > '9')
        value_fail("%s: expected a decimal", *text);
    for (; **text >= '0' && **text <= '9' && ratio->denominator < 10000; (*text)++) {
        ratio->numerator = 10 * ratio->numerator + (uint32_t)(**text - '0');
        ratio->denominator *= 10;
    }
}

struct sim_ratio value_take_ratio(const char **text)
{
    struct sim_ratio ratio = {(uint32_t)value_take_number(text, 10000 * SIM_MAX_RATIO), 1};
    uint32_t common;

    if (**text == '/') {
        (*text)++;
        ratio.denominator = (uint32_t)value_take_number(text, 10000);
    } else if (ratio.numerator <= SIM_MAX_RATIO && **text == '.') {
        (*text)++;
        take_decimals(text, &ratio);
    }
    if (ratio.numerator == 0 || ratio.denominator == 0)
        value_fail("a ratio of or to nothing");
    if (ratio.numerator > (uint64_t)SIM_MAX_RATIO * ratio.denominator)
        value_fail("a ratio above %u", SIM_MAX_RATIO);
    common = (uint32_t)units_common(ratio.numerator, ratio.denominator);
    return (struct sim_ratio){ratio.numerator / common, ratio.denominator / common};
}

struct sim_ratio value_ratio(const char *text)
{
    struct sim_ratio ratio = value_take_ratio(&text);

    if (*text != '\0')
        value_fail("%s: not part of a ratio", text);
    return ratio;
}
