/*
 * user/md5/md5 against the vectors of RFC 1321 and against a second implementation, written below
 * for obviousness straight from the RFC's definitions: whole message in memory, functions as they
 * are printed there, constants computed from the sine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/lib/random.h"
#include "user/md5/md5.h"

#define MAX_LENGTH 300
#define DIGEST_TEXT_BYTES (2 * MD5_DIGEST_BYTES + 1)

/* ---- the reference --------------------------------------------------------------------------- */

/* RFC 1321, "Process Message in 16-Word Blocks": T[i] is the integer part of 2^32 |sin(i)|. */
#define T(i) ((uint32_t)(4294967296.0 * __builtin_fabs(__builtin_sin(i))))
#define T_4(i) T(i), T(i + 1), T(i + 2), T(i + 3)
#define T_16(i) T_4(i), T_4(i + 4), T_4(i + 8), T_4(i + 12)

static uint32_t function(unsigned round, uint32_t x, uint32_t y, uint32_t z)
{
    switch (round) {
    case 0:
        return (x & y) | (~x & z);
    case 1:
        return (x & z) | (y & ~z);
    case 2:
        return x ^ y ^ z;
    default:
        return y ^ (x | ~z);
    }
}

static void reference_block(uint32_t state[4], const uint8_t block[64])
{
    static const unsigned shifts[4][4] = {
        {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    static const unsigned first_word[4] = {0, 1, 5, 0};
    static const unsigned word_stride[4] = {1, 5, 3, 7};
    const uint32_t sine_table[64] = {T_16(1), T_16(17), T_16(33), T_16(49)};
    uint32_t v[4] = {state[0], state[1], state[2], state[3]};

    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i / 16;
        const uint8_t *bytes = block + 4 * ((first_word[round] + i * word_stride[round]) % 16);
        uint32_t word = bytes[0] + 256u * bytes[1] + 65536u * bytes[2] + 16777216u * bytes[3];
        uint32_t sum = v[0] + function(round, v[1], v[2], v[3]) + word + sine_table[i];
        unsigned shift = shifts[round][i % 4];
        uint32_t rotated = sum << shift | sum >> (32 - shift);
        uint32_t result = v[1] + rotated;

        v[0] = v[3];
        v[3] = v[2];
        v[2] = v[1];
        v[1] = result;
    }
    for (unsigned i = 0; i < 4; i++) {
        state[i] += v[i];
    }
}

static void reference_md5(const uint8_t *message, size_t length, uint8_t digest[MD5_DIGEST_BYTES])
{
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint8_t padded[MAX_LENGTH + 128] = {0};
    size_t padded_length = length + 1;

    memcpy(padded, message, length);
    padded[length] = 0x80;
    while (padded_length % 64 != 56) {
        padded_length++;
    }
    for (unsigned i = 0; i < 8; i++) {
        padded[padded_length++] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
    }
    for (size_t at = 0; at < padded_length; at += 64) {
        reference_block(state, padded + at);
    }
    for (unsigned i = 0; i < MD5_DIGEST_BYTES; i++) {
        digest[i] = (uint8_t)(state[i / 4] >> 8 * (i % 4));
    }
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void digest_text(struct md5 *md5, char text[DIGEST_TEXT_BYTES])
{
    uint8_t digest[MD5_DIGEST_BYTES];

    md5_final(md5, digest);
    for (unsigned i = 0; i < MD5_DIGEST_BYTES; i++) {
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    }
}

static void test_rfc_1321_vectors(void **state)
{
    static const struct {
        const char *message;
        const char *digest;
    } vectors[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0cc175b9c0f1b6a831c399e269772661"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        struct md5 md5;
        char text[DIGEST_TEXT_BYTES];

        md5_init(&md5);
        md5_update(&md5, vectors[i].message, strlen(vectors[i].message));
        digest_text(&md5, text);
        assert_string_equal(text, vectors[i].digest);
    }
}

static void fill(uint8_t *bytes, size_t length)
{
    struct random random;

    random_seed(&random, 1321);
    for (size_t i = 0; i < length; i++) {
        bytes[i] = (uint8_t)random_next(&random);
    }
}

static void check_split(const uint8_t *message, size_t length, size_t first,
                        const uint8_t expected[MD5_DIGEST_BYTES])
{
    uint8_t digest[MD5_DIGEST_BYTES];
    struct md5 md5;

    memset(&md5, 0xa5, sizeof(md5));
    md5_init(&md5);
    md5_update(&md5, message, first);
    md5_update(&md5, message + first, length - first);
    md5_final(&md5, digest);
    assert_memory_equal(digest, expected, MD5_DIGEST_BYTES);
}

static void test_every_length_in_every_split(void **state)
{
    uint8_t message[MAX_LENGTH];
    uint8_t expected[MD5_DIGEST_BYTES];

    (void)state;
    fill(message, sizeof(message));
    for (size_t length = 0; length <= MAX_LENGTH; length++) {
        reference_md5(message, length, expected);
        for (size_t first = 0; first <= length; first++) {
            check_split(message, length, first, expected);
        }
    }
}

static void test_every_alignment(void **state)
{
    uint8_t memory[MAX_LENGTH + 16];
    uint8_t expected[MD5_DIGEST_BYTES];

    (void)state;
    for (size_t offset = 0; offset < 16; offset++) {
        fill(memory + offset, MAX_LENGTH);
        reference_md5(memory + offset, MAX_LENGTH, expected);
        check_split(memory + offset, MAX_LENGTH, 0, expected);
        check_split(memory + offset, MAX_LENGTH, 7, expected);
    }
}

static void test_many_small_pieces(void **state)
{
    uint8_t message[MAX_LENGTH];
    uint8_t expected[MD5_DIGEST_BYTES];
    uint8_t digest[MD5_DIGEST_BYTES];

    (void)state;
    fill(message, sizeof(message));
    reference_md5(message, sizeof(message), expected);
    for (size_t piece = 1; piece <= 130; piece++) {
        struct md5 md5;

        md5_init(&md5);
        for (size_t at = 0; at < sizeof(message); at += piece) {
            size_t rest = sizeof(message) - at;

            md5_update(&md5, message + at, rest < piece ? rest : piece);
        }
        md5_final(&md5, digest);
        assert_memory_equal(digest, expected, MD5_DIGEST_BYTES);
    }
}

/* What `md5 -t` digests: 10000 blocks of 10000 bytes that count up. */
static void test_openbsd_time_trial_digest(void **state)
{
    static uint8_t block[10000];
    struct md5 md5;
    char text[DIGEST_TEXT_BYTES];

    (void)state;
    for (unsigned i = 0; i < sizeof(block); i++) {
        block[i] = i & 0xff;
    }
    md5_init(&md5);
    for (unsigned i = 0; i < 10000; i++) {
        md5_update(&md5, block, sizeof(block));
    }
    digest_text(&md5, text);
    assert_string_equal(text, "52e5f9c9e6f656f3e1800dfa5579d089");
}

/* Lengths whose number of bits needs more than 32 bits: only the length is made up. */
static void test_length_is_64_bits(void **state)
{
    uint8_t block[64] = {0x80};
    uint32_t expected[4];
    struct md5 md5;
    uint8_t digest[MD5_DIGEST_BYTES];

    (void)state;
    md5_init(&md5);
    memcpy(expected, md5.state, sizeof(expected));
    md5.length_bytes = 0x123456780ull; /* a multiple of 64 */
    block[56] = 0x00;                  /* times 8 is 0x91a2b3c00 */
    block[57] = 0x3c;
    block[58] = 0x2b;
    block[59] = 0x1a;
    block[60] = 0x09;
    reference_block(expected, block);
    md5_final(&md5, digest);
    assert_memory_equal(digest, expected, MD5_DIGEST_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfc_1321_vectors),
        cmocka_unit_test(test_every_length_in_every_split),
        cmocka_unit_test(test_every_alignment),
        cmocka_unit_test(test_many_small_pieces),
        cmocka_unit_test(test_openbsd_time_trial_digest),
        cmocka_unit_test(test_length_is_64_bits),
    };

    return cmocka_run_group_tests_name("md5", tests, NULL, NULL);
}
