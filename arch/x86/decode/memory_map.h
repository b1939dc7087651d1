/*
 * Turns what the boot loader says about memory into a sorted list of page-aligned ranges that are
 * free beyond doubt: usable RAM is rounded inwards, everything reserved is rounded outwards and
 * always wins, and the order of the input does not matter. Pure.
 */
#ifndef ARCH_X86_DECODE_MEMORY_MAP_H
#define ARCH_X86_DECODE_MEMORY_MAP_H

#include <stdint.h>

#include "kernel/machine_info.h"

#define MEMORY_PAGE_BYTES 4096u
#define MEMORY_MAP_MAX 256

struct memory_map {
    struct memory_range free[MEMORY_MAP_MAX]; /* ascending, apart from each other, not empty */
    unsigned count;
    uint64_t free_bytes;   /* sum of the above */
    uint64_t unused_bytes; /* RAM that is free but beyond the limit, or found no room in the list */
};

/*
 * ranges: the loader's map, whose ranges of type 1 are RAM and of any other type are not.
 * reserved: further ranges to be left alone, of whatever type.
 * limit: nothing at or above this address is given out.
 */
void memory_map_build(const struct memory_range *ranges, unsigned range_count,
                      const struct memory_range *reserved, unsigned reserved_count, uint64_t limit,
                      struct memory_map *out);

/*
 * The page to start the other CPUs in: a free one below 640 KiB whose number is a valid STARTUP
 * vector. Returns its address, or 0 if there is none: the machine then runs on one CPU.
 * ebda_segment, base_kib: the BIOS data area's words at 0x40e and 0x413, believed if plausible.
 */
uint32_t memory_map_low_page(const struct memory_map *map, uint16_t ebda_segment,
                             uint16_t base_kib);

#endif
