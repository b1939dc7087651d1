/*
 * Sets of small numbers, mostly of CPUs: fixed-size bitmaps, copied by assignment. They are not
 * atomic; the owner of a shared one holds a lock. Pure.
 *
 * Bit numbers given to these functions are below BITMAP_BITS.
 */
#ifndef KERNEL_LIB_BITMAP_H
#define KERNEL_LIB_BITMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/machine_info.h"

#define BITMAP_BITS MAX_CPUS
#define BITMAP_WORD_BITS 32u
#define BITMAP_WORDS ((BITMAP_BITS + BITMAP_WORD_BITS - 1) / BITMAP_WORD_BITS)
#define BITMAP_NONE UINT32_MAX /* what the searches return if there is no such bit */

/* Zero-initialised it is the empty set. */
struct bitmap {
    uint32_t words[BITMAP_WORDS];
};

/* Walks the bits that are set, in ascending order; the body may change the bitmap. */
#define BITMAP_FOR_EACH(number, map)                                 \
    for (uint32_t number = bitmap_first(map); number != BITMAP_NONE; \
         number = bitmap_next(map, number + 1))

static inline void bitmap_set(struct bitmap *map, uint32_t number)
{
    map->words[number / BITMAP_WORD_BITS] |= 1u << number % BITMAP_WORD_BITS;
}

static inline void bitmap_clear(struct bitmap *map, uint32_t number)
{
    map->words[number / BITMAP_WORD_BITS] &= ~(1u << number % BITMAP_WORD_BITS);
}

static inline bool bitmap_test(const struct bitmap *map, uint32_t number)
{
    return (map->words[number / BITMAP_WORD_BITS] >> number % BITMAP_WORD_BITS & 1) != 0;
}

static inline void bitmap_clear_all(struct bitmap *map)
{
    *map = (struct bitmap){{0}};
}

/* Sets the bits 0..count-1 and no others; count is at most BITMAP_BITS. */
static inline void bitmap_set_first(struct bitmap *map, uint32_t count)
{
    bitmap_clear_all(map);
    for (uint32_t number = 0; number < count; number++) {
        bitmap_set(map, number);
    }
}

/* The bits that are in both. */
static inline struct bitmap bitmap_and(const struct bitmap *a, const struct bitmap *b)
{
    struct bitmap both;

    for (unsigned word = 0; word < BITMAP_WORDS; word++) {
        both.words[word] = a->words[word] & b->words[word];
    }
    return both;
}

/* The bits of the first that are not in the second. */
static inline struct bitmap bitmap_without(const struct bitmap *a, const struct bitmap *b)
{
    struct bitmap rest;

    for (unsigned word = 0; word < BITMAP_WORDS; word++) {
        rest.words[word] = a->words[word] & ~b->words[word];
    }
    return rest;
}

/* The lowest bit set that is >= from, or BITMAP_NONE; `from` may be BITMAP_BITS or more. */
static inline uint32_t bitmap_next(const struct bitmap *map, uint32_t from)
{
    uint32_t skip = ~0u << from % BITMAP_WORD_BITS; /* hides the bits below `from` in its word */

    for (uint32_t word = from / BITMAP_WORD_BITS; word < BITMAP_WORDS; word++) {
        uint32_t bits = map->words[word] & skip;

        if (bits != 0) {
            return word * BITMAP_WORD_BITS + (uint32_t)__builtin_ctz(bits);
        }
        skip = ~0u;
    }
    return BITMAP_NONE;
}

/* The lowest bit set, or BITMAP_NONE. */
static inline uint32_t bitmap_first(const struct bitmap *map)
{
    return bitmap_next(map, 0);
}

/* The lowest bit set in both, or BITMAP_NONE. */
static inline uint32_t bitmap_first_and(const struct bitmap *a, const struct bitmap *b)
{
    struct bitmap both = bitmap_and(a, b);

    return bitmap_first(&both);
}

static inline bool bitmap_is_empty(const struct bitmap *map)
{
    return bitmap_first(map) == BITMAP_NONE;
}

/* How many bits are set. */
static inline uint32_t bitmap_count(const struct bitmap *map)
{
    uint32_t count = 0;

    for (unsigned word = 0; word < BITMAP_WORDS; word++) {
        /* Clears the lowest bit each turn; GCC's popcount would need libgcc. */
        for (uint32_t bits = map->words[word]; bits != 0; bits &= bits - 1) {
            count++;
        }
    }
    return count;
}

#endif
