/*
 * The `pairmd5` user program: two MD5 streams, each as long as that of `md5 -t -b BLOCKS`, in one
 * stream of instructions.
 *
 *     pairmd5 -n BLOCKS       10000-byte blocks of each stream
 *
 * Result: the MD5 of both digests, one after the other. The first stream is that of `md5 -t`, the
 * blocks of the second are its blocks backwards.
 */
#include "user/libuser.h"
#include "user/md5/command.h"
#include "user/md5/md5_pair.h"
#include "user/program.h"

static uint8_t blocks[2][MD5_TRIAL_BYTES];

int main(int argc, char **argv)
{
    uint32_t count;
    const struct argument known[] = {{'n', true, 1, MD5_MAX_TRIAL_BLOCKS, &count}};
    const void *const bytes[2] = {blocks[0], blocks[1]};
    uint8_t digests[2][MD5_DIGEST_BYTES], digest[MD5_DIGEST_BYTES];
    struct md5 pair[2], both;

    program_arguments(argc, argv, known, 1, "usage: pairmd5 -n BLOCKS\n");
    md5_fill_block(blocks[0]);
    for (unsigned i = 0; i < MD5_TRIAL_BYTES; i++)
        blocks[1][i] = blocks[0][MD5_TRIAL_BYTES - 1 - i];
    md5_init(&pair[0]);
    md5_init(&pair[1]);
    for (uint32_t i = 0; i < count; i++)
        md5_pair_update(pair, bytes, MD5_TRIAL_BYTES);
    md5_final(&pair[0], digests[0]);
    md5_final(&pair[1], digests[1]);
    md5_init(&both);
    md5_update(&both, digests, sizeof digests);
    md5_final(&both, digest);
    sys_exit(0, digest, sizeof digest);
}
