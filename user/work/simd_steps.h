/*
 * One step of the vector work, over operations that the including file defines for its registers:
 * ADD, XOR, OR, LEFT and RIGHT (shift every lane by a number of bits), and MADD, which multiplies
 * signed halves of the lanes and adds the two products of each lane (PMADDWD).
 */
#ifndef USER_WORK_SIMD_STEPS_H
#define USER_WORK_SIMD_STEPS_H

#define SIMD_FACTOR 0x5bd13c6du  /* in every lane: two 16-bit factors */
#define SIMD_SUMMAND 0x6b79f0e5u /* in every lane */

#define SIMD_STEP(stream) \
    ((stream) = ADD(XOR(OR(LEFT(stream, 7), RIGHT(stream, 25)), MADD(stream, factor)), summand))

#define SIMD_ALL_STREAMS(a, b, c, d) \
    do {                             \
        SIMD_STEP(a);                \
        SIMD_STEP(b);                \
        SIMD_STEP(c);                \
        SIMD_STEP(d);                \
    } while (0)

#endif
