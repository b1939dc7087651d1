/*
 * The `md5` user program: OpenBSD's command on our system calls. Its result is the digest, which
 * the kernel checks and logs. There are no files, so only -t, -x and -s do something.
 */
#include "kernel/lib/string.h"
#include "user/libuser.h"
#include "user/md5/command.h"

static uint8_t block[MD5_TRIAL_BYTES];

static void write_text(const char *text, size_t length_bytes)
{
    sys_write(text, length_bytes);
}

int main(int argc, char **argv)
{
    const struct md5_environment environment = {write_text, sys_clock_ns, block};
    struct md5_command command;
    uint8_t digest[MD5_DIGEST_BYTES];

    if (md5_parse(argc, argv, &command) != OK || command.action == MD5_FILES) {
        write_text(MD5_USAGE, strlen(MD5_USAGE));
        return 1;
    }
    md5_run(&command, &environment, digest);
    sys_exit(0, digest, sizeof(digest));
}
