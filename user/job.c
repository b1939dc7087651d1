/*
 * The `job` user program: a short job, as a keystroke or a packet makes one.
 *
 *     job -n N        N units of integer work, each of about a microsecond on a typical core
 *
 * Result: N, and 12 bytes of checksum.
 */
#include "kernel/lib/string.h"
#include "user/libuser.h"
#include "user/program.h"
#include "user/work/compute.h"

#define UNIT_STEPS 500
#define MAX_UNITS 8000000u /* so that steps fit 32 bits */

int main(int argc, char **argv)
{
    uint32_t units, result[4];
    const struct argument known[] = {{'n', true, 0, MAX_UNITS, &units}};
    struct int_work work;

    program_arguments(argc, argv, known, 1, "usage: job -n N\n");
    int_work_start(&work);
    int_work_run(&work, units * UNIT_STEPS);
    result[0] = units;
    memcpy(result + 1, work.streams, 3 * sizeof result[0]);
    sys_exit(0, result, sizeof result);
}
