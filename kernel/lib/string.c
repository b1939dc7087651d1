/*
 * Empty on a host: there the C library and the sanitizers' versions of these functions must stay
 * in place. The test includes this file with STRING_TEST defined and the names changed.
 */
#if !__STDC_HOSTED__ || defined(STRING_TEST)

#include "kernel/lib/string.h"

#include <stdint.h>

/*
 * GCC recognises loops that copy, fill or measure and replaces them by calls of memcpy, memset and
 * strlen, which here would be calls of themselves.
 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

/* Four bytes at any address; x86 reads them at once, aligned or not. */
struct word {
    uint32_t value;
} __attribute__((packed, may_alias));

#define WORD sizeof(struct word)

static void copy_forwards(unsigned char *to, const unsigned char *from, size_t length)
{
    for (; length >= WORD; length -= WORD, to += WORD, from += WORD) {
        ((struct word *)to)->value = ((const struct word *)from)->value;
    }
    for (; length > 0; length--) {
        *to++ = *from++;
    }
}

/* From the end down, so that a destination above an overlapping source does not spoil it. */
static void copy_backwards(unsigned char *to, const unsigned char *from, size_t length)
{
    while (length >= WORD) {
        length -= WORD;
        ((struct word *)(to + length))->value = ((const struct word *)(from + length))->value;
    }
    while (length > 0) {
        length--;
        to[length] = from[length];
    }
}

void *memcpy(void *restrict destination, const void *restrict source, size_t length_bytes)
{
    copy_forwards(destination, source, length_bytes);
    return destination;
}

void *memmove(void *destination, const void *source, size_t length_bytes)
{
    /* The difference wraps for a destination below the source: large, so forwards. */
    if ((uintptr_t)destination - (uintptr_t)source < length_bytes) {
        copy_backwards(destination, source, length_bytes);
    } else {
        copy_forwards(destination, source, length_bytes);
    }
    return destination;
}

void *memset(void *destination, int value, size_t length_bytes)
{
    unsigned char *to = destination;
    uint32_t pattern = (unsigned char)value * 0x01010101u;

    for (; length_bytes >= WORD; length_bytes -= WORD, to += WORD) {
        ((struct word *)to)->value = pattern;
    }
    for (; length_bytes > 0; length_bytes--) {
        *to++ = (unsigned char)value;
    }
    return destination;
}

int memcmp(const void *left, const void *right, size_t length_bytes)
{
    const unsigned char *a = left;
    const unsigned char *b = right;

    for (size_t i = 0; i < length_bytes; i++) {
        if (a[i] != b[i]) {
            return a[i] - b[i];
        }
    }
    return 0;
}

size_t strlen(const char *text)
{
    return strnlen(text, SIZE_MAX);
}

size_t strnlen(const char *text, size_t limit)
{
    size_t length = 0;

    while (length < limit && text[length] != '\0') {
        length++;
    }
    return length;
}

int strcmp(const char *left, const char *right)
{
    return strncmp(left, right, SIZE_MAX);
}

int strncmp(const char *left, const char *right, size_t limit)
{
    for (size_t i = 0; i < limit; i++) {
        int difference = (unsigned char)left[i] - (unsigned char)right[i];

        if (difference != 0 || left[i] == '\0') {
            return difference;
        }
    }
    return 0;
}

char *strchr(const char *text, int c)
{
    for (; *text != (char)c; text++) {
        if (*text == '\0') {
            return NULL;
        }
    }
    return (char *)(uintptr_t)text; /* the standard's prototype takes the const away */
}

#endif
