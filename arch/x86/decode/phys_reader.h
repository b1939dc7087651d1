/*
 * How pure decoders look at physical memory: through a function of the caller. The kernel's one
 * maps what is asked for, a test's one serves a byte array. Pure.
 */
#ifndef ARCH_X86_DECODE_PHYS_READER_H
#define ARCH_X86_DECODE_PHYS_READER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns `bytes` readable bytes (never 0 of them) from physical address `phys`, or NULL where
 * there is nothing to read. The pointer is good until the next call, needs no alignment, and is
 * never written through.
 */
typedef const void *phys_reader(void *ctx, uint64_t phys, size_t bytes);

#endif
