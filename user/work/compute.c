#include "user/work/compute.h"

#define GOLDEN 0x9e3779b9u /* of the golden ratio: no pattern in its bits */

static inline uint32_t rotate_left(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

/* ---- integers ---- */

void int_work_start(struct int_work *work)
{
    for (uint32_t i = 0; i < COMPUTE_STREAMS; i++)
        work->streams[i] = GOLDEN * (i + 1);
}

/* An odd factor and an odd summand: every state has one predecessor, so no stream dies out. */
#define INT_STEP(stream) ((stream) = rotate_left((stream)*0x2c1b3c6du, 13) + 0x6b79f0e5u)

void int_work_run(struct int_work *work, uint32_t steps)
{
    uint32_t a = work->streams[0], b = work->streams[1], c = work->streams[2], d = work->streams[3];

    for (; steps > 0; steps--) {
        INT_STEP(a);
        INT_STEP(b);
        INT_STEP(c);
        INT_STEP(d);
    }
    work->streams[0] = a;
    work->streams[1] = b;
    work->streams[2] = c;
    work->streams[3] = d;
}

/* ---- vectors: what does not need them ---- */

void simd_work_start(struct simd_work *work)
{
    for (uint32_t i = 0; i < COMPUTE_STREAMS; i++)
        for (uint32_t lane = 0; lane < COMPUTE_LANES; lane++)
            work->streams[i][lane] = GOLDEN * (i * COMPUTE_LANES + lane + 1);
}

void simd_work_checksum(const struct simd_work *work, uint32_t sum[COMPUTE_LANES])
{
    for (uint32_t lane = 0; lane < COMPUTE_LANES; lane++) {
        sum[lane] = 0;
        for (uint32_t i = 0; i < COMPUTE_STREAMS; i++)
            sum[lane] = rotate_left(sum[lane], 7) ^ work->streams[i][lane];
    }
}
