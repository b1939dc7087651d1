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

/* How far samples that ought to be equal are apart: max - min in percent of the median. */
uint32_t stats_spread_percent(const struct stats *stats);

/* The same for samples that may be of two kinds, sorted: the wider spread of the two parts they
 * fall into at the widest gap between neighbours. */
uint32_t stats_spread_of_peaks(const uint32_t *sorted, uint32_t count);

/* 100 * part / whole, rounded to nearest; 0 if whole is 0. Saturates. */
uint32_t stats_percent(uint64_t part, uint64_t whole);

#endif
