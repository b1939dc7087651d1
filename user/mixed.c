/*
 * The `mixed` user program: computes for half of its time and waits for memory for the other, in
 * turns of a few microseconds: MD5 of a piece, then dependent loads from a random cycle over -k KIB
 * of the arena. With more KIB than the caches hold, a load from memory takes about as long as MD5
 * of 64 bytes.
 *
 *     mixed -k KIB -n ROUNDS
 *
 * Result: the MD5 of all pieces and of the number of the line where the walk ended.
 */
#include "user/libuser.h"
#include "user/md5/md5.h"
#include "user/program.h"

#define USAGE "usage: mixed -k KIB -n ROUNDS\n"
#define ROUND_BYTES 1024
#define ROUND_LOADS 16
#define SEED 1

static uint8_t piece[ROUND_BYTES];

int main(int argc, char **argv)
{
    uint32_t kib, rounds, position;
    const struct argument known[] = {
        {'k', true, 1, PROGRAM_MAX_KIB, &kib},
        {'n', true, 0, UINT32_MAX, &rounds},
    };
    const struct ring_line *at;
    struct ring_line *lines;
    uint8_t digest[MD5_DIGEST_BYTES];
    struct md5 md5;

    program_arguments(argc, argv, known, sizeof known / sizeof known[0], USAGE);
    lines = program_lines(kib);
    ring_build(lines, kib * RING_LINES_PER_KIB, SEED);
    for (unsigned i = 0; i < ROUND_BYTES; i++)
        piece[i] = (uint8_t)i;
    at = ring_walk(lines, kib * RING_LINES_PER_KIB);
    md5_init(&md5);
    for (uint32_t i = 0; i < rounds; i++) {
        md5_update(&md5, piece, ROUND_BYTES);
        at = ring_walk(at, ROUND_LOADS);
    }
    position = (uint32_t)(at - lines);
    md5_update(&md5, &position, sizeof position);
    md5_final(&md5, digest);
    sys_exit(0, digest, sizeof digest);
}
