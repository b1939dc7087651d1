#include "kernel/lib/rounds.h"

static uint32_t left(const struct rounds *rounds)
{
    uint32_t more = rounds->wanted / 2 > ROUNDS_MORE_MIN ? rounds->wanted / 2 : ROUNDS_MORE_MIN;
    uint32_t finished = rounds->clean + rounds->disturbed, limit = rounds->wanted + more;

    return finished < limit ? limit - finished : 0;
}

bool rounds_go_on(const struct rounds *rounds)
{
    return rounds->clean < rounds->wanted && left(rounds) > 0;
}

bool rounds_suffice(const struct rounds *rounds)
{
    return rounds->clean >= rounds->wanted - rounds->wanted / 2;
}
