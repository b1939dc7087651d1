#include "user/work/ring.h"

#include "kernel/lib/random.h"

/* Sattolo: An algorithm to generate a random cyclic permutation. Exchanging each line's link only
 * with that of a line below it joins cycles and never splits one. */
void ring_build(struct ring_line *lines, uint32_t count, uint64_t seed)
{
    struct random random;

    random_seed(&random, seed);
    for (uint32_t i = 0; i < count; i++)
        lines[i].next = &lines[i];
    for (uint32_t i = count; i-- > 1;) {
        struct ring_line *other = &lines[random_below(&random, i)];
        struct ring_line *next = other->next;

        other->next = lines[i].next;
        lines[i].next = next;
    }
}

const struct ring_line *ring_walk(const struct ring_line *from, uint32_t steps)
{
    for (; steps > 0; steps--)
        from = from->next;
    return from;
}

void ring_walk_two(const struct ring_line *at[2], uint32_t steps)
{
    const struct ring_line *first = at[0], *second = at[1];

    for (; steps > 0; steps--) {
        first = first->next;
        second = second->next;
    }
    at[0] = first;
    at[1] = second;
}
