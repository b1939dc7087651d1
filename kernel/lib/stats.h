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

/* The same for samples that are sorted. */
struct stats stats_of_sorted(const uint32_t *sorted, uint32_t count);

/* How far samples that ought to be equal are apart: max - min in percent of the median. */
uint32_t stats_spread_percent(const struct stats *stats);

/* So many samples of the commoner kind show whether they are equal. */
#define STATS_PEAK_SAMPLES 3

/* The same for samples that may be of two kinds, sorted: the wider spread of the two parts they
 * fall into at the widest gap between neighbours. If neither part has STATS_PEAK_SAMPLES, the
 * spread of all. The smaller part may be a single sample, since luck may be rare. */
uint32_t stats_spread_of_peaks(const uint32_t *sorted, uint32_t count);

/* 100 * part / whole, rounded to nearest; 0 if whole is 0. Saturates. */
uint32_t stats_percent(uint64_t part, uint64_t whole);

#endif
