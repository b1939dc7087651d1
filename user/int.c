/*
 * The `int` user program: keeps the integer units of a core busy, the multiplier too.
 *
 *     int -n N        N thousand steps
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
    struct int_work work;

    program_arguments(argc, argv, known, 1, "usage: int -n N\n");
    int_work_start(&work);
    int_work_run(&work, units * COMPUTE_UNIT_STEPS);
    sys_exit(0, work.streams, sizeof work.streams);
}
