/*
 * Order statistics of samples. Pure.
 */
#ifndef KERNEL_LIB_STATS_H
#define KERNEL_LIB_STATS_H

#include <stdint.h>

struct stats {
    uint32_t min, median, max;
};

/* Sorts the samples and sums them up; the median of an even number is the lower of the two in the
 * middle. All zero for no samples. */
struct stats stats_of(uint32_t *samples, uint32_t count);

/* 100 * part / whole, rounded to nearest; 0 if whole is 0. Saturates. */
uint32_t stats_percent(uint64_t part, uint64_t whole);

#endif
