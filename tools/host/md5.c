/*
 * OpenBSD's md5 command with the kernel's MD5: what `md5` does inside the kernel, on the machine
 * that builds it, and digests of files as a check against other implementations.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "user/md5/command.h"

static void write_text(const char *text, size_t length_bytes)
{
    fwrite(text, 1, length_bytes, stdout);
    fflush(stdout);
}

static uint64_t clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int complain(const char *name)
{
    fprintf(stderr, "md5: %s: %s\n", name, strerror(errno));
    return EXIT_FAILURE;
}

/* Digests a whole stream; 0, or -1 with errno where reading failed. */
static int digest_stream(FILE *stream, char text[2 * MD5_DIGEST_BYTES + 1])
{
    static uint8_t buffer[32768];
    uint8_t digest[MD5_DIGEST_BYTES];
    struct md5 md5;
    size_t got;

    md5_init(&md5);
    while ((got = fread(buffer, 1, sizeof(buffer), stream)) != 0) {
        md5_update(&md5, buffer, got);
    }
    md5_final(&md5, digest);
    md5_digest_text(digest, text);
    return ferror(stream) ? -1 : 0;
}

/* Prints one file's digest; of standard input, "-", the digest alone. Returns an exit status. */
static int digest_file(const char *name)
{
    char text[2 * MD5_DIGEST_BYTES + 1];
    int is_stdin = strcmp(name, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(name, "rb");

    if (stream == NULL) {
        return complain(name);
    }
    if (digest_stream(stream, text) != 0) {
        int status = complain(name);

        if (!is_stdin) {
            fclose(stream);
        }
        return status;
    }
    if (is_stdin) {
        printf("%s\n", text);
    } else {
        printf("MD5 (%s) = %s\n", name, text);
        fclose(stream);
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static uint8_t block[MD5_TRIAL_BYTES];
    const struct md5_environment environment = {write_text, clock_ns, block};
    struct md5_command command;
    uint8_t digest[MD5_DIGEST_BYTES];
    int status = EXIT_SUCCESS;

    if (md5_parse(argc, argv, &command) != OK) {
        fputs(MD5_USAGE, stderr);
        return EXIT_FAILURE;
    }
    if (command.action != MD5_FILES) {
        md5_run(&command, &environment, digest);
    } else if (command.first_file == argc) {
        status = digest_file("-");
    } else {
        for (int i = command.first_file; i < argc; i++) {
            status |= digest_file(argv[i]);
        }
    }
    return fflush(stdout) != 0 || ferror(stdout) ? complain("standard output") : status;
}
