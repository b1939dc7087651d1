/*
 * Arithmetic around clocks: 64-bit division for a 32-bit machine, counts of one clock turned into
 * counts of another, counters that wrap, and the choice among calibration samples. It reads no
 * clock (arch/x86/clock) and keeps no deadlines (kernel/timer). Pure.
 *
 * Nothing here can fault: a division by zero saturates, so a dead counter becomes an implausible
 * number that the caller's range check refuses.
 */
#ifndef KERNEL_LIB_CLOCK_MATH_H
#define KERNEL_LIB_CLOCK_MATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/error.h"

#define NS_PER_SECOND 1000000000u
#define NS_PER_MS 1000000u
#define NS_PER_US 1000u
#define US_PER_SECOND 1000000u
#define PPM 1000000u

/*
 * dividend / divisor, rounded down. The remainder goes to *remainder unless that is NULL. For a
 * divisor of 0 the quotient is UINT64_MAX and the remainder 0.
 */
uint64_t div_u64_u32(uint64_t dividend, uint32_t divisor, uint32_t *remainder);

/* As div_u64_u32, for any 64-bit divisor. */
uint64_t div_u64(uint64_t dividend, uint64_t divisor, uint64_t *remainder);

/* a * b / c rounded down, through a 128-bit product; UINT64_MAX if that does not fit or c is 0. */
uint64_t mul_div_u64(uint64_t a, uint64_t b, uint64_t c);

/* A ratio of two frequencies as multiplier / 2^shift, with 2^31 <= multiplier < 2^32. */
struct clock_scale {
    uint32_t multiplier;
    uint32_t shift; /* at most 62 */
};

/*
 * Fills *scale so that clock_scale_apply turns counts of a clock of from_hz into counts of one of
 * to_hz, with a relative error under 2.4e-10: (tsc_hz, NS_PER_SECOND) makes nanoseconds of ticks,
 * (NS_PER_SECOND, lapic_hz) makes ticks of nanoseconds. ERROR_BAD_VALUE if a frequency is 0 or
 * they differ by more than a factor of about 2^31; *scale then turns everything into 0.
 */
enum error clock_scale_init(struct clock_scale *scale, uint64_t from_hz, uint64_t to_hz);

/*
 * count * multiplier / 2^shift through a 96-bit product, so nothing is lost for any 64-bit count;
 * UINT64_MAX if the result does not fit (nanoseconds: after 584 years).
 */
static inline uint64_t clock_scale_apply(const struct clock_scale *scale, uint64_t count)
{
    uint64_t low = (uint64_t)(uint32_t)count * scale->multiplier;
    uint64_t high = (count >> 32) * scale->multiplier + (low >> 32); /* product bits 95..32 */

    /* A compiler for 32 bits has to be told that the distances are below 32: see clock_scale_init.
     */
    if (scale->shift >= 32)
        return high >> ((scale->shift - 32) & 31);
    if ((uint32_t)(high >> 32) >> scale->shift != 0)
        return UINT64_MAX;
    return high << ((31 - scale->shift) & 31) << 1 | (uint32_t)low >> scale->shift;
}

/*
 * How far a counter of width_bits (1..64) went from `before` to `after`, if it wrapped once at
 * most. Bits above the width are ignored: some chipsets leave rubbish there.
 */
uint64_t counter_delta(uint64_t before, uint64_t after, unsigned width_bits);

/* The difference of two frequencies in millionths of the smaller; UINT32_MAX if one is 0. */
uint32_t difference_ppm(uint64_t a_hz, uint64_t b_hz);

#define CALIBRATION_MAX_SAMPLES 32
#define CALIBRATION_MIN_SAMPLES 5    /* fewer leave a median that two SMIs can move */
#define CALIBRATION_AGREE_PPM 50000u /* sources further apart than this contradict each other */
#define TSC_MIN_HZ                                                                \
    20000000ull /* slower than any CPU with PAE, and than Bochs as it is run here \
                 */
#define TSC_MAX_HZ 10000000000ull /* faster than any CPU so far */

/* One measuring window: how far the counter went while the reference clock went so far. */
struct calibration_sample {
    uint64_t ticks; /* counter_delta; a counter that ran backwards shows as a huge value */
    uint64_t reference_ns;
    uint64_t uncertainty_ns; /* how long reading the pair at both ends took: SMIs stretch it */
};

struct calibration {
    uint64_t hz;        /* median of the samples used; 0 if there were none */
    uint32_t error_ppm; /* half their spread without the outermost quarters, UINT32_MAX if none */
    unsigned used;      /* samples the median was taken of */
    unsigned rejected;  /* samples without ticks or time, or outside the plausible window */
};

/*
 * Estimates the counter's frequency from `count` samples (those beyond CALIBRATION_MAX_SAMPLES
 * are not looked at). Implausible ones, outside min_hz..max_hz, are dropped; of the others the
 * half read with the least uncertainty, but at least CALIBRATION_MIN_SAMPLES, is kept, and the
 * median taken. ERROR_NOT_FOUND if no sample is plausible, ERROR_BAD_VALUE if there are too few or
 * they disagree by more than CALIBRATION_AGREE_PPM: worth a retry, but *out is filled all the
 * same, for a caller who has no better clock.
 */
enum error calibrate_pick(const struct calibration_sample *samples, size_t count, uint64_t min_hz,
                          uint64_t max_hz, struct calibration *out);

/*
 * The index of the first of `count` independent estimates (0 means "this source is missing") that
 * some other one confirms within CALIBRATION_AGREE_PPM, or -1: then none has a witness.
 */
int calibrate_vote(const uint64_t *hz, size_t count);

#endif
