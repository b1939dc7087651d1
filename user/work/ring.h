/*
 * A walk through memory in which every load gives the address of the next, so that none can begin
 * before the one before has ended, and no prefetcher can guess: the lines of a buffer linked into
 * one random cycle. Pure.
 */
#ifndef USER_WORK_RING_H
#define USER_WORK_RING_H

#include <stdint.h>

#define RING_LINE_BYTES 64 /* a cache line of every CPU that matters here */
#define RING_LINES_PER_KIB (1024 / RING_LINE_BYTES)

struct ring_line {
    struct ring_line *next;
    uint8_t rest[RING_LINE_BYTES - sizeof(struct ring_line *)];
};
_Static_assert(sizeof(struct ring_line) == RING_LINE_BYTES, "one load for each line");

/* Links `count` lines into one cycle, the same one for the same seed. */
void ring_build(struct ring_line *lines, uint32_t count, uint64_t seed);

/* Follows `steps` links and returns the line they lead to. */
const struct ring_line *ring_walk(const struct ring_line *from, uint32_t steps);

/* Two walks side by side in one loop, each of `steps` links; at[] is where they are. */
void ring_walk_two(const struct ring_line *at[2], uint32_t steps);

#endif
