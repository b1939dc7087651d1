/* Compiled for CPUs with SSE2: nobody may call it on others. */
#include "user/work/compute.h"
#include "user/work/simd_steps.h"

typedef uint32_t vector __attribute__((vector_size(16)));
typedef int16_t halves __attribute__((vector_size(16)));

#define ADD(a, b) ((a) + (b))
#define XOR(a, b) ((a) ^ (b))
#define OR(a, b) ((a) | (b))
#define LEFT(a, bits) ((a) << (bits))
#define RIGHT(a, bits) ((a) >> (bits))
#define MADD(a, b) ((vector)__builtin_ia32_pmaddwd128((halves)(a), (halves)(b)))

static vector load(const uint32_t lanes[COMPUTE_LANES])
{
    vector result;

    __builtin_memcpy(&result, lanes, sizeof result);
    return result;
}

void simd_work_run_sse2(struct simd_work *work, uint32_t steps)
{
    const vector factor = {SIMD_FACTOR, SIMD_FACTOR, SIMD_FACTOR, SIMD_FACTOR};
    const vector summand = {SIMD_SUMMAND, SIMD_SUMMAND, SIMD_SUMMAND, SIMD_SUMMAND};
    vector a = load(work->streams[0]), b = load(work->streams[1]), c = load(work->streams[2]),
           d = load(work->streams[3]);

    for (; steps > 0; steps--)
        SIMD_ALL_STREAMS(a, b, c, d);
    __builtin_memcpy(work->streams[0], &a, sizeof a);
    __builtin_memcpy(work->streams[1], &b, sizeof b);
    __builtin_memcpy(work->streams[2], &c, sizeof c);
    __builtin_memcpy(work->streams[3], &d, sizeof d);
}
