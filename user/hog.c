/*
 * The `hog` user program: as busy as `md5 -tttt`, but it never ends. Experiments run it beside
 * what they measure.
 */
#include "user/libuser.h"
#include "user/md5/command.h"

static uint8_t block[MD5_TRIAL_BYTES];

int main(int argc, char **argv)
{
    struct md5 md5;

    (void)argc;
    (void)argv;
    md5_fill_block(block);
    md5_init(&md5);
    for (;;) {
        md5_update(&md5, block, MD5_TRIAL_BYTES);
    }
}
