/*
 * Two interleaved MD5 messages, user/md5/md5_pair.c, against one at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernel/lib/random.h"
#include "user/md5/md5_pair.h"

#define MESSAGE_BYTES 5000

static uint8_t messages[2][MESSAGE_BYTES];
static struct random draws;

static int fill_messages(void **state)
{
    (void)state;
    random_seed(&draws, 1);
    for (unsigned i = 0; i < MESSAGE_BYTES; i++) {
        messages[0][i] = (uint8_t)random_next(&draws);
        messages[1][i] = (uint8_t)random_next(&draws);
    }
    return 0;
}

static void expect_digests(struct md5 pair[2], size_t length_bytes)
{
    for (unsigned i = 0; i < 2; i++) {
        uint8_t digest[MD5_DIGEST_BYTES], expected[MD5_DIGEST_BYTES];
        struct md5 alone;

        md5_init(&alone);
        md5_update(&alone, messages[i], length_bytes);
        md5_final(&alone, expected);
        md5_final(&pair[i], digest);
        assert_memory_equal(digest, expected, sizeof digest);
    }
}

static void begin(struct md5 pair[2])
{
    md5_init(&pair[0]);
    md5_init(&pair[1]);
}

static void test_every_length(void **state)
{
    const void *const bytes[2] = {messages[0], messages[1]};

    (void)state;
    for (size_t length = 0; length <= 200; length++) {
        struct md5 pair[2];

        begin(pair);
        md5_pair_update(pair, bytes, length);
        expect_digests(pair, length);
    }
}

/* Pieces of every size around a block, in memory of exactly that size. */
static void test_cut_anywhere(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 300; round++) {
        struct md5 pair[2];
        size_t done = 0;

        begin(pair);
        while (done < MESSAGE_BYTES) {
            size_t piece = random_below(&draws, 150);
            uint8_t *copies[2];

            if (piece > MESSAGE_BYTES - done)
                piece = MESSAGE_BYTES - done;
            for (unsigned i = 0; i < 2; i++) {
                copies[i] = malloc(piece + 1); /* at odd addresses, too */
                memcpy(copies[i] + 1, messages[i] + done, piece);
            }
            md5_pair_update(pair, (const void *const[]){copies[0] + 1, copies[1] + 1}, piece);
            free(copies[0]);
            free(copies[1]);
            done += piece;
        }
        expect_digests(pair, MESSAGE_BYTES);
    }
}

static void test_one_may_go_on_alone_at_the_end(void **state)
{
    const void *const bytes[2] = {messages[0], messages[1]};
    uint8_t digest[MD5_DIGEST_BYTES], expected[MD5_DIGEST_BYTES];
    struct md5 pair[2], alone;

    (void)state;
    begin(pair);
    md5_pair_update(pair, bytes, 100);
    md5_update(&pair[1], messages[1] + 100, 77);
    md5_final(&pair[1], digest);
    md5_init(&alone);
    md5_update(&alone, messages[1], 177);
    md5_final(&alone, expected);
    assert_memory_equal(digest, expected, sizeof digest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_one_may_go_on_alone_at_the_end),
    };

    return cmocka_run_group_tests(tests, fill_messages, NULL);
}
