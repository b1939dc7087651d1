/*
 * Bit fields by the manuals' bit numbers, and the few powers of two the decoders need. Pure.
 */
#ifndef KERNEL_LIB_BITS_H
#define KERNEL_LIB_BITS_H

#include <stdint.h>

/* Bits high..low of value, moved down to bit 0; 31 >= high >= low >= 0. */
static inline uint32_t field(uint32_t value, unsigned high, unsigned low)
{
    return value >> low & 0xffffffffu >> (31 - (high - low));
}

/* Bit number `bit` of value, as 0 or 1. */
static inline uint32_t bit(uint32_t value, unsigned bit_number)
{
    return value >> bit_number & 1u;
}

/* The smallest n with 2^n >= value; 0 for a value of 0 or 1. At most 32. */
static inline unsigned ceil_log2(uint32_t value)
{
    return value <= 1 ? 0 : 32u - (unsigned)__builtin_clz(value - 1);
}

/* id >> shift, for shifts up to and beyond the width of the ID (C leaves those undefined). */
static inline uint32_t shift_right(uint32_t value, unsigned shift)
{
    return shift < 32 ? value >> shift : 0;
}

#endif
