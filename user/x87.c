/*
 * The `x87` user program: keeps the x87 FPU busy. Ends with STATUS_CANNOT on a CPU without one.
 *
 *     x87 -n N        N thousand steps
 *
 * Result: a checksum of 16 bytes, the same for the same N everywhere.
 */
#include "user/libuser.h"
#include "user/program.h"
#include "user/work/compute.h"

int main(int argc, char **argv)
{
    uint32_t units;
    const struct argument known[] = {{'n', true, 0, COMPUTE_MAX_UNITS, &units}};
    struct x87_work work;
    uint64_t sum[2];

    program_arguments(argc, argv, known, 1, "usage: x87 -n N\n");
    if (!program_has(PROGRAM_HAS_FPU))
        return STATUS_CANNOT;
    x87_work_start(&work);
    x87_work_run(&work, units * COMPUTE_UNIT_STEPS);
    x87_work_checksum(&work, sum);
    sys_exit(0, sum, sizeof sum);
}
