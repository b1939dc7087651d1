#include "user/arguments.h"

#include <stddef.h>

#include "kernel/lib/words.h"

#define MAX_KNOWN 32 /* bits of a set */

static const struct argument *find(const char *text, const struct argument *known, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (text[0] == '-' && text[1] == known[i].option && text[2] == '\0')
            return &known[i];
    return NULL;
}

/* A whole argument that is a number in the range. */
static bool read_value(const char *text, const struct argument *argument)
{
    return text != NULL && words_read_number(&text, argument->value) && *text == '\0' &&
           *argument->value >= argument->minimum && *argument->value <= argument->maximum;
}

bool arguments_read(int argc, char **argv, const struct argument *known, unsigned count)
{
    uint32_t seen = 0;

    if (count > MAX_KNOWN)
        return false;
    for (int i = 1; i < argc; i++) {
        const struct argument *argument = find(argv[i], known, count);
        uint32_t mark;

        if (argument == NULL)
            return false;
        mark = 1u << (argument - known);
        if ((seen & mark) != 0)
            return false;
        seen |= mark;
        if (argument->maximum == 0)
            *argument->value = 1;
        else if (!read_value(++i < argc ? argv[i] : NULL, argument))
            return false;
    }
    for (unsigned i = 0; i < count; i++)
        if (known[i].required && (seen >> i & 1) == 0)
            return false;
    return true;
}
