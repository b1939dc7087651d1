/*
 * Fixed work for the execution units of a core, which leaves a checksum of every step: if another
 * task's registers got in between, or a bit was lost, it is wrong. Each kind runs four streams that
 * do not depend on each other, so that it is bound by the units and not by waiting. Pure.
 */
#ifndef USER_WORK_COMPUTE_H
#define USER_WORK_COMPUTE_H

#include <stdint.h>

#define COMPUTE_STREAMS 4
#define COMPUTE_LANES 4            /* 32-bit numbers in one SSE2 register */
#define COMPUTE_UNIT_STEPS 1000    /* what programs count their work in */
#define COMPUTE_MAX_UNITS 4000000u /* so that steps fit 32 bits */

/* Integers: multiply, rotate, add. */
struct int_work {
    uint32_t streams[COMPUTE_STREAMS];
};
void int_work_start(struct int_work *work);
void int_work_run(struct int_work *work, uint32_t steps);

/* The x87 FPU: multiply and subtract in extended precision. Needs an FPU. */
struct x87_work {
    long double streams[COMPUTE_STREAMS];
};
void x87_work_start(struct x87_work *work);
void x87_work_run(struct x87_work *work, uint32_t steps);
/* The streams to the last bit, in 16 bytes. */
void x87_work_checksum(const struct x87_work *work, uint64_t sum[2]);

/* Integers in vectors: multiply, rotate, add in each lane. SSE2 takes the lanes at once, MMX half
 * of them at a time; the results are the same. */
struct simd_work {
    uint32_t streams[COMPUTE_STREAMS][COMPUTE_LANES];
};
void simd_work_start(struct simd_work *work);
void simd_work_run_sse2(struct simd_work *work, uint32_t steps);
void simd_work_run_mmx(struct simd_work *work, uint32_t steps);
/* All streams, lane by lane. */
void simd_work_checksum(const struct simd_work *work, uint32_t sum[COMPUTE_LANES]);

#endif
