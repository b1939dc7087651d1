/*
 * Reproducible pseudo-random numbers with explicit state: equal seeds give equal draws, on the
 * kernel and on the host. For experiments and scheduling draws, not for secrets. Pure.
 */
#ifndef KERNEL_LIB_RANDOM_H
#define KERNEL_LIB_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state;
};

/* Starts the sequence that belongs to seed; every seed is good, 0 and neighbours included. */
static inline void random_seed(struct random *random, uint64_t seed)
{
    random->state = seed;
}

/*
 * The next 32 random bits. SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
 * Generators): a counter whose values are scrambled, which is why the seed needs no warming up.
 */
static inline uint32_t random_next(struct random *random)
{
    uint64_t mixed = random->state += 0x9e3779b97f4a7c15ull;

    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
    return (uint32_t)((mixed ^ mixed >> 31) >> 32);
}

/*
 * A number from 0 to bound - 1, all equally likely; 0 if bound is 0. The high half of a product
 * (Lemire: Fast Random Integer Generation in an Interval) spreads the draws over the range; where
 * 2^32 is no multiple of bound, the surplus draws are the products with a low half below
 * 2^32 mod bound, and are made again.
 */
static inline uint32_t random_below(struct random *random, uint32_t bound)
{
    uint64_t product = (uint64_t)random_next(random) * bound;

    if ((uint32_t)product < bound) { /* only then can it be a surplus draw: spares the division */
        uint32_t surplus = (0u - bound) % bound;

        while ((uint32_t)product < surplus) {
            product = (uint64_t)random_next(random) * bound;
        }
    }
    return (uint32_t)(product >> 32);
}

#endif
