/*
 * The `simd` user program: keeps the vector units of a core busy, with SSE2, or with MMX where
 * there is no SSE2. Ends with STATUS_CANNOT on a CPU with neither.
 *
 *     simd -n N       N thousand steps
 *
 * Result: a checksum of 16 bytes, the same for the same N everywhere.
 */
#include "user/libuser.h"
#include "user/program.h"
#include "user/work/compute.h"

int main(int argc, char **argv)
{
    uint32_t units, sum[COMPUTE_LANES];
    const struct argument known[] = {{'n', true, 0, COMPUTE_MAX_UNITS, &units}};
    struct simd_work work;

    program_arguments(argc, argv, known, 1, "usage: simd -n N\n");
    simd_work_start(&work);
    /* Without FXSAVE the kernel cannot have enabled SSE. */
    if (program_has(PROGRAM_HAS_SSE2 | PROGRAM_HAS_FXSAVE))
        simd_work_run_sse2(&work, units * COMPUTE_UNIT_STEPS);
    else if (program_has(PROGRAM_HAS_MMX | PROGRAM_HAS_FPU))
        simd_work_run_mmx(&work, units * COMPUTE_UNIT_STEPS);
    else
        return STATUS_CANNOT;
    simd_work_checksum(&work, sum);
    sys_exit(0, sum, sizeof sum);
}
