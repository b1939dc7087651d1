/*
 * The `chase` user program: waits for memory. Dependent loads, one of each 64-byte line, through a
 * random cycle over -k KIB of the arena; one pass to warm up, then -n STEPS loads are timed.
 *
 *     chase -k KIB -n STEPS [-s SEED] [-2]
 *
 * With -2 two such walks run in one loop, through two cycles in the two halves, each of STEPS
 * loads. Result: the line where the walk ended (with -2, of both, as a sum) and STEPS, 4 bytes
 * each, so that a wrong walk shows; then the time in ticks of the time stamp counter, 8 bytes.
 */
#include "user/libuser.h"
#include "user/program.h"

#define USAGE "usage: chase -k KIB -n STEPS [-s SEED] [-2]\n"

struct result {
    uint32_t position, steps;
    uint64_t ticks;
};

static struct result walk(struct ring_line *lines, uint32_t count, uint32_t steps, uint32_t seed)
{
    const struct ring_line *at;
    uint64_t start;

    ring_build(lines, count, seed);
    at = ring_walk(lines, count);
    start = program_ticks();
    at = ring_walk(at, steps);
    return (struct result){(uint32_t)(at - lines), steps, program_ticks() - start};
}

static struct result walk_two(struct ring_line *lines, uint32_t count, uint32_t steps,
                              uint32_t seed)
{
    struct ring_line *second = lines + count / 2;
    const struct ring_line *at[2] = {lines, second};
    uint64_t start;

    ring_build(lines, count / 2, seed);
    ring_build(second, count / 2, ~seed);
    ring_walk_two(at, count / 2);
    start = program_ticks();
    ring_walk_two(at, steps);
    return (struct result){(uint32_t)(at[0] - lines) + (uint32_t)(at[1] - lines), steps,
                           program_ticks() - start};
}

int main(int argc, char **argv)
{
    uint32_t kib, steps, seed = 1, two = 0;
    const struct argument known[] = {
        {'k', true, 1, PROGRAM_MAX_KIB, &kib},
        {'n', true, 0, UINT32_MAX, &steps},
        {'s', false, 0, UINT32_MAX, &seed},
        {'2', false, 0, 0, &two},
    };
    struct ring_line *lines;
    struct result result;

    program_arguments(argc, argv, known, sizeof known / sizeof known[0], USAGE);
    lines = program_lines(kib);
    result = (two != 0 ? walk_two : walk)(lines, kib * RING_LINES_PER_KIB, steps, seed);
    sys_exit(0, &result, sizeof result);
}
