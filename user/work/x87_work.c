/*
 * Compiled for the x87 FPU on every machine: its extended precision is what `long double` means in
 * the System V ABI, so a host computes the same bits.
 */
#include "user/work/compute.h"

/* x -> factor * x * (1 - x), which never settles for this factor and stays between 0 and 1. Exact
 * in binary: 3.9990234375. */
#define FACTOR 3.9990234375L
#define STEP(stream) ((stream) = FACTOR * (stream) * (1.0L - (stream)))

void x87_work_start(struct x87_work *work)
{
    for (unsigned i = 0; i < COMPUTE_STREAMS; i++)
        work->streams[i] = 0.125L + 0.0625L * i;
}

void x87_work_run(struct x87_work *work, uint32_t steps)
{
    long double a = work->streams[0], b = work->streams[1], c = work->streams[2],
                d = work->streams[3];

    for (; steps > 0; steps--) {
        STEP(a);
        STEP(b);
        STEP(c);
        STEP(d);
    }
    work->streams[0] = a;
    work->streams[1] = b;
    work->streams[2] = c;
    work->streams[3] = d;
}

/* SDM volume 1, "Floating-Point Data Types": 64 bits of significand, then sign and exponent. */
static uint64_t bits_of(const long double *number)
{
    uint64_t significand;
    uint16_t exponent;

    __builtin_memcpy(&significand, number, sizeof significand);
    __builtin_memcpy(&exponent, (const uint8_t *)number + sizeof significand, sizeof exponent);
    return significand + exponent;
}

void x87_work_checksum(const struct x87_work *work, uint64_t sum[2])
{
    for (unsigned i = 0; i < 2; i++) {
        uint64_t first = bits_of(&work->streams[2 * i]),
                 second = bits_of(&work->streams[2 * i + 1]);

        sum[i] = (first << 21 | first >> 43) ^ second;
    }
}
