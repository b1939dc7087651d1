#include "user/md5/md5_pair.h"

#include "user/md5/md5_steps.h"

/* The same step of both messages; neither waits for the other. */
#define STEP(function, a, b, c, d, k, s, t)                              \
    do {                                                                 \
        MD5_STEP(function, first, a##_1, b##_1, c##_1, d##_1, k, s, t);  \
        MD5_STEP(function, second, a##_2, b##_2, c##_2, d##_2, k, s, t); \
    } while (0)

/* Takes as many whole blocks into each state. */
static void take_blocks(struct md5 pair[2], const uint8_t *first, const uint8_t *second,
                        size_t count)
{
    uint32_t *x = pair[0].state, *y = pair[1].state;
    uint32_t a_1 = x[0], b_1 = x[1], c_1 = x[2], d_1 = x[3];
    uint32_t a_2 = y[0], b_2 = y[1], c_2 = y[2], d_2 = y[3];

    for (; count > 0; count--, first += MD5_BLOCK_BYTES, second += MD5_BLOCK_BYTES) {
        MD5_ALL_STEPS(STEP);
        a_1 = x[0] += a_1;
        b_1 = x[1] += b_1;
        c_1 = x[2] += c_1;
        d_1 = x[3] += d_1;
        a_2 = y[0] += a_2;
        b_2 = y[1] += b_2;
        c_2 = y[2] += c_2;
        d_2 = y[3] += d_2;
    }
}

/* Keeps what is no whole block, behind `pending` bytes kept before. */
static void keep(struct md5 pair[2], size_t pending, const uint8_t *first, const uint8_t *second,
                 size_t length_bytes)
{
    copy_bytes(pair[0].pending + pending, first, length_bytes);
    copy_bytes(pair[1].pending + pending, second, length_bytes);
}

void md5_pair_update(struct md5 pair[2], const void *const bytes[2], size_t length_bytes)
{
    const uint8_t *first = bytes[0], *second = bytes[1];
    size_t pending = pair[0].length_bytes % MD5_BLOCK_BYTES, whole;

    pair[0].length_bytes += length_bytes;
    pair[1].length_bytes += length_bytes;
    if (pending != 0) {
        size_t wanted = MD5_BLOCK_BYTES - pending;

        if (length_bytes < wanted) {
            keep(pair, pending, first, second, length_bytes);
            return;
        }
        keep(pair, pending, first, second, wanted);
        take_blocks(pair, pair[0].pending, pair[1].pending, 1);
        first += wanted;
        second += wanted;
        length_bytes -= wanted;
    }
    whole = length_bytes / MD5_BLOCK_BYTES * MD5_BLOCK_BYTES;
    take_blocks(pair, first, second, whole / MD5_BLOCK_BYTES);
    keep(pair, 0, first + whole, second + whole, length_bytes - whole);
}
