#include "kernel/lib/clock_math.h"

/* The number of significant bits of value, 0..64. GCC's 64-bit clz would need libgcc. */
static unsigned bit_length(uint64_t value)
{
    uint32_t high = (uint32_t)(value >> 32);

    if (high != 0) {
        return 64u - (unsigned)__builtin_clz(high);
    }
    return (uint32_t)value == 0 ? 0 : 32u - (unsigned)__builtin_clz((uint32_t)value);
}

/* Shift and subtract, one quotient bit a turn; only as many turns as the quotient has bits. */
static uint64_t divide_bitwise(uint64_t dividend, uint64_t divisor, uint64_t *remainder)
{
    uint64_t quotient = 0;

    if (dividend >= divisor) {
        unsigned shift = bit_length(dividend) - bit_length(divisor);

        for (unsigned turn = 0; turn <= shift; turn++) {
            uint64_t part = divisor << (shift - turn);

            quotient <<= 1;
            if (dividend >= part) {
                dividend -= part;
                quotient |= 1;
            }
        }
    }
    *remainder = dividend;
    return quotient;
}

uint64_t div_u64(uint64_t dividend, uint64_t divisor, uint64_t *remainder)
{
    uint64_t quotient;
    uint64_t rest = 0;

    if (divisor == 0) {
        quotient = UINT64_MAX;
    } else if ((dividend | divisor) <= UINT32_MAX) {
        quotient = (uint32_t)dividend / (uint32_t)divisor;
        rest = (uint32_t)dividend % (uint32_t)divisor;
    } else {
        quotient = divide_bitwise(dividend, divisor, &rest);
    }
    if (remainder != NULL) {
        *remainder = rest;
    }
    return quotient;
}

/*
 * Long division with digits of 16 bits: while the divisor has 16 bits too, remainder and next
 * digit together fit one 32-bit division. That covers every number base and unit we print.
 */
static uint64_t divide_by_digits(uint64_t dividend, uint32_t divisor, uint32_t *remainder)
{
    uint32_t high = (uint32_t)(dividend >> 32);
    uint32_t low = (uint32_t)dividend;
    uint32_t middle = (high % divisor) << 16 | low >> 16;
    uint32_t last = (middle % divisor) << 16 | (low & 0xffff);

    *remainder = last % divisor;
    return ((uint64_t)(high / divisor) << 32) + ((uint64_t)(middle / divisor) << 16) +
           last / divisor;
}

uint64_t div_u64_u32(uint64_t dividend, uint32_t divisor, uint32_t *remainder)
{
    uint64_t quotient;
    uint64_t rest;
    uint32_t digit_rest;

    if (divisor != 0 && divisor <= UINT16_MAX) {
        quotient = divide_by_digits(dividend, divisor, &digit_rest);
        rest = digit_rest;
    } else {
        quotient = div_u64(dividend, divisor, &rest);
    }
    if (remainder != NULL) {
        *remainder = (uint32_t)rest;
    }
    return quotient;
}

/* The 128-bit product of a and b; returns its low half. */
static uint64_t multiply_wide(uint64_t a, uint64_t b, uint64_t *high)
{
    uint64_t a_low = (uint32_t)a;
    uint64_t a_high = a >> 32;
    uint64_t b_low = (uint32_t)b;
    uint64_t b_high = b >> 32;
    uint64_t low = a_low * b_low;
    uint64_t cross = a_high * b_low + (low >> 32);
    uint64_t other_cross = a_low * b_high + (uint32_t)cross;

    *high = a_high * b_high + (cross >> 32) + (other_cross >> 32);
    return other_cross << 32 | (uint32_t)low;
}

uint64_t mul_div_u64(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t rest;
    uint64_t low = multiply_wide(a, b, &rest);
    uint64_t quotient = 0;

    if (rest >= c) { /* more than 64 quotient bits, or c is 0 */
        return UINT64_MAX;
    }
    if (rest == 0) {
        return div_u64(low, c, NULL);
    }
    for (unsigned turn = 0; turn < 64; turn++) {
        bool carry = rest >> 63 != 0;

        rest = rest << 1 | low >> 63;
        low <<= 1;
        quotient <<= 1;
        if (carry || rest >= c) {
            rest -= c; /* with a carry this wraps to the true remainder, which is below c */
            quotient |= 1;
        }
    }
    return quotient;
}

enum error clock_scale_init(struct clock_scale *scale, uint64_t from_hz, uint64_t to_hz)
{
    *scale = (struct clock_scale){0, 0};
    /* The largest shift whose multiplier still fits 32 bits keeps the most digits of the ratio. */
    for (unsigned shift = 63; shift-- > 0;) {
        uint64_t twice = mul_div_u64(to_hz, 1ull << (shift + 1), from_hz);
        uint64_t rounded = (twice >> 1) + (twice & 1);

        if (rounded <= UINT32_MAX) {
            if (rounded < 1u << 31) {
                return ERROR_BAD_VALUE; /* even the largest shift left it small */
            }
            *scale = (struct clock_scale){(uint32_t)rounded, shift};
            return OK;
        }
    }
    return ERROR_BAD_VALUE;
}

uint64_t counter_delta(uint64_t before, uint64_t after, unsigned width_bits)
{
    return (after - before) & (UINT64_MAX >> (64 - width_bits));
}

uint32_t difference_ppm(uint64_t a_hz, uint64_t b_hz)
{
    uint64_t smaller = a_hz < b_hz ? a_hz : b_hz;
    uint64_t larger = a_hz < b_hz ? b_hz : a_hz;
    uint64_t ppm = mul_div_u64(larger - smaller, PPM, smaller);

    return ppm < UINT32_MAX ? (uint32_t)ppm : UINT32_MAX;
}

/* What one sample says, and how far to trust it. */
struct estimate {
    uint64_t hz;
    uint64_t uncertainty_ppb; /* relative, since windows may differ in length */
};

static bool less_certain(const struct estimate *a, const struct estimate *b)
{
    return a->uncertainty_ppb > b->uncertainty_ppb;
}

static bool faster(const struct estimate *a, const struct estimate *b)
{
    return a->hz > b->hz;
}

/* Insertion sort: a few dozen entries, and equal ones keep their order. */
static void sort_estimates(struct estimate *estimates, size_t count,
                           bool (*after)(const struct estimate *a, const struct estimate *b))
{
    for (size_t i = 1; i < count; i++) {
        struct estimate moving = estimates[i];
        size_t place = i;

        for (; place > 0 && after(&estimates[place - 1], &moving); place--) {
            estimates[place] = estimates[place - 1];
        }
        estimates[place] = moving;
    }
}

/* Turns the plausible samples into estimates; returns how many there are. */
static size_t estimate_all(const struct calibration_sample *samples, size_t count, uint64_t min_hz,
                           uint64_t max_hz, struct estimate *estimates)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const struct calibration_sample *sample = &samples[i];
        uint64_t hz = mul_div_u64(sample->ticks, NS_PER_SECOND, sample->reference_ns);

        if (sample->ticks != 0 && sample->reference_ns != 0 && hz >= min_hz && hz <= max_hz) {
            estimates[kept].hz = hz;
            estimates[kept].uncertainty_ppb =
                mul_div_u64(sample->uncertainty_ns, NS_PER_SECOND, sample->reference_ns);
            kept++;
        }
    }
    return kept;
}

enum error calibrate_pick(const struct calibration_sample *samples, size_t count, uint64_t min_hz,
                          uint64_t max_hz, struct calibration *out)
{
    struct estimate estimates[CALIBRATION_MAX_SAMPLES];
    size_t looked_at = count < CALIBRATION_MAX_SAMPLES ? count : CALIBRATION_MAX_SAMPLES;
    size_t usable = estimate_all(samples, looked_at, min_hz, max_hz, estimates);
    size_t used = (usable + 1) / 2;

    if (used < CALIBRATION_MIN_SAMPLES) {
        used = usable < CALIBRATION_MIN_SAMPLES ? usable : CALIBRATION_MIN_SAMPLES;
    }
    *out = (struct calibration){0, UINT32_MAX, (unsigned)used, (unsigned)(looked_at - usable)};
    if (used == 0) {
        return ERROR_NOT_FOUND;
    }
    sort_estimates(estimates, usable, less_certain);
    sort_estimates(estimates, used, faster);

    uint64_t lowest = estimates[used / 4].hz;
    uint64_t highest = estimates[used - 1 - used / 4].hz;
    uint32_t spread_ppm = difference_ppm(lowest, highest);

    out->hz = estimates[used / 2].hz;
    out->error_ppm = spread_ppm / 2 + spread_ppm % 2;
    if (used < CALIBRATION_MIN_SAMPLES || spread_ppm > CALIBRATION_AGREE_PPM) {
        return ERROR_BAD_VALUE;
    }
    return OK;
}

int calibrate_vote(const uint64_t *hz, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t other = 0; other < count; other++) {
            if (other != i && difference_ppm(hz[i], hz[other]) <= CALIBRATION_AGREE_PPM) {
                return (int)i;
            }
        }
    }
    return -1;
}
