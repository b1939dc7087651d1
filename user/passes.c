/*
 * The `passes` user program: what a task loses that goes on somewhere else. It walks its working
 * set, -k KIB of the arena, until that is in the cache, takes the time of one pass, sleeps (its
 * affinity may be changed meanwhile) and takes the times of the first and the second pass after it.
 *
 *     passes -k KIB -z SLEEP_US
 *
 * Result: the ticks of the warm, the first and the second pass, 4 bytes each, and the number of
 * lines in a pass, or 0 if a pass did not come back to where it began. A pass that ended on another
 * CPU than it began on has 0 ticks: the two counters may differ.
 */
#include "user/libuser.h"
#include "user/program.h"

#define USAGE "usage: passes -k KIB -z SLEEP_US\n"
#define WARM_UP_PASSES 4
#define SEED 1

struct result {
    uint32_t warm, first, second, check;
};

static struct ring_line *lines;
static uint32_t count;
static bool strayed;

static void walk_all(void)
{
    strayed |= ring_walk(lines, count) != lines;
}

/* The ticks of one pass; no pass is longer than fits. */
static uint32_t time_pass(void)
{
    unsigned cpu = sys_cpu();
    uint64_t start = program_ticks(), ticks;

    walk_all();
    ticks = program_ticks() - start;
    if (sys_cpu() != cpu)
        return 0;
    return ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

int main(int argc, char **argv)
{
    uint32_t kib, sleep_us;
    const struct argument known[] = {
        {'k', true, 1, PROGRAM_MAX_KIB, &kib},
        {'z', true, 0, UINT32_MAX, &sleep_us},
    };
    struct result result;

    program_arguments(argc, argv, known, sizeof known / sizeof known[0], USAGE);
    lines = program_lines(kib);
    count = kib * RING_LINES_PER_KIB;
    ring_build(lines, count, SEED);
    for (unsigned i = 0; i < WARM_UP_PASSES; i++)
        walk_all();
    result.warm = time_pass();
    sys_sleep_us(sleep_us);
    result.first = time_pass();
    result.second = time_pass();
    result.check = strayed ? 0 : count;
    sys_exit(0, &result, sizeof result);
}
