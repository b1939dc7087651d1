/*
 * How often a measured round is repeated if something else ran on the machine meanwhile, and which
 * rounds count. Pure.
 *
 * A disturbed round is repeated until there are as many clean ones as were wanted, but no more than
 * half as many rounds are added. If at least half of the rounds wanted are clean in the end, only
 * those count; if not, all do, and the result is not to be relied on.
 */
#ifndef KERNEL_LIB_ROUNDS_H
#define KERNEL_LIB_ROUNDS_H

#include <stdbool.h>
#include <stdint.h>

#define ROUNDS_MORE_MIN 2 /* rounds that may be added, however few are wanted */

struct rounds {
    uint32_t wanted;
    uint32_t clean; /* finished so far; the unknown ones among them */
    uint32_t disturbed;
    uint32_t unknown; /* nobody could say, which is taken for clean */
};

/* Whether there is another round to measure. */
bool rounds_go_on(const struct rounds *rounds);

/* After the last round: whether so many are clean that the disturbed ones need not count. */
bool rounds_suffice(const struct rounds *rounds);

#endif
