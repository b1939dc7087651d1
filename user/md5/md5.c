#include "user/md5/md5.h"

#include "user/md5/md5_steps.h"

#define STEP(function, a, b, c, d, k, s, t) MD5_STEP(function, block, a, b, c, d, k, s, t)

/* Takes whole blocks into the state. */
static void take_blocks(uint32_t state[4], const uint8_t *block, size_t count)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];

    for (; count > 0; count--, block += MD5_BLOCK_BYTES) {
        MD5_ALL_STEPS(STEP);
        a = state[0] += a;
        b = state[1] += b;
        c = state[2] += c;
        d = state[3] += d;
    }
}

void md5_init(struct md5 *md5)
{
    /* RFC 1321, "Initialize MD Buffer": the bytes 01 23 ... ef fe ... 10. */
    md5->state[0] = 0x67452301;
    md5->state[1] = 0xefcdab89;
    md5->state[2] = 0x98badcfe;
    md5->state[3] = 0x10325476;
    md5->length_bytes = 0;
}

void md5_update(struct md5 *md5, const void *bytes, size_t length_bytes)
{
    const uint8_t *from = bytes;
    size_t pending = md5->length_bytes % MD5_BLOCK_BYTES;

    md5->length_bytes += length_bytes;
    if (pending != 0) {
        size_t wanted = MD5_BLOCK_BYTES - pending;

        if (length_bytes < wanted) {
            copy_bytes(md5->pending + pending, from, length_bytes);
            return;
        }
        copy_bytes(md5->pending + pending, from, wanted);
        take_blocks(md5->state, md5->pending, 1);
        from += wanted;
        length_bytes -= wanted;
    }
    take_blocks(md5->state, from, length_bytes / MD5_BLOCK_BYTES);
    copy_bytes(md5->pending, from + length_bytes / MD5_BLOCK_BYTES * MD5_BLOCK_BYTES,
               length_bytes % MD5_BLOCK_BYTES);
}

void md5_final(struct md5 *md5, uint8_t digest[MD5_DIGEST_BYTES])
{
    static const uint8_t padding[MD5_BLOCK_BYTES] = {0x80};
    uint64_t length_bits = md5->length_bytes * 8;
    size_t pending = md5->length_bytes % MD5_BLOCK_BYTES;
    /* RFC 1321, "Append Padding Bits": at least one byte, up to 8 before the end of a block. */
    size_t padding_bytes = (pending < 56 ? 56 : 56 + MD5_BLOCK_BYTES) - pending;

    md5_update(md5, padding, padding_bytes);
    md5_update(md5, &length_bits, sizeof(length_bits));
    copy_bytes(digest, md5->state, MD5_DIGEST_BYTES);
}
