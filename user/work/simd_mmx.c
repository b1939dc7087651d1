/* Compiled for CPUs with MMX: nobody may call it on others. */
#include "user/work/compute.h"
#include "user/work/simd_steps.h"

typedef int vector __attribute__((vector_size(8)));
typedef short halves __attribute__((vector_size(8)));

/* The compiler's names for the instructions; it makes none of them by itself. */
#define ADD(a, b) __builtin_ia32_paddd(a, b)
#define XOR(a, b) __builtin_ia32_pxor(a, b)
#define OR(a, b) __builtin_ia32_por(a, b)
#define LEFT(a, bits) __builtin_ia32_pslldi(a, bits)
#define RIGHT(a, bits) __builtin_ia32_psrldi(a, bits)
#define MADD(a, b) __builtin_ia32_pmaddwd((halves)(a), (halves)(b))

#define HALF (COMPUTE_LANES / 2)

static vector load(const uint32_t lanes[HALF])
{
    vector result;

    __builtin_memcpy(&result, lanes, sizeof result);
    return result;
}

static void run_half(struct simd_work *work, unsigned lane, uint32_t steps)
{
    const vector factor = {(int)SIMD_FACTOR, (int)SIMD_FACTOR};
    const vector summand = {(int)SIMD_SUMMAND, (int)SIMD_SUMMAND};
    vector a = load(&work->streams[0][lane]), b = load(&work->streams[1][lane]),
           c = load(&work->streams[2][lane]), d = load(&work->streams[3][lane]);

    for (; steps > 0; steps--)
        SIMD_ALL_STREAMS(a, b, c, d);
    __builtin_memcpy(&work->streams[0][lane], &a, sizeof a);
    __builtin_memcpy(&work->streams[1][lane], &b, sizeof b);
    __builtin_memcpy(&work->streams[2][lane], &c, sizeof c);
    __builtin_memcpy(&work->streams[3][lane], &d, sizeof d);
}

void simd_work_run_mmx(struct simd_work *work, uint32_t steps)
{
    run_half(work, 0, steps);
    run_half(work, HALF, steps);
    __builtin_ia32_emms(); /* the registers are the FPU's again */
}
