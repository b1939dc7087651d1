/*
 * OpenBSD's md5 command without the system around it: arguments, time trial, test suite, output
 * format. The user program (user/md5/main.c) and the host tool (tools/host/md5.c) share it; they
 * supply output and clock, and the host tool the files. Pure.
 *
 *     md5 [-t...] [-b blocks] [-x] [-s string] [file ...]
 */
#ifndef USER_MD5_COMMAND_H
#define USER_MD5_COMMAND_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/error.h"
#include "user/md5/md5.h"

#define MD5_TRIAL_BYTES 10000          /* length of a block of the time trial */
#define MD5_TRIAL_BLOCKS 10000u        /* blocks of `-t`; each further t means ten times as many */
#define MD5_MAX_TRIAL_BLOCKS 10000000u /* most that -b takes */
#define MD5_USAGE "usage: md5 [-x] [-t...] [-b blocks] [-s string] [file ...]\n"

enum md5_action { MD5_FILES, MD5_STRING, MD5_TIME_TRIAL, MD5_TEST_SUITE };

/* What the arguments ask for. */
struct md5_command {
    enum md5_action action;
    uint32_t blocks;    /* of MD5_TIME_TRIAL */
    const char *string; /* of MD5_STRING */
    int first_file;     /* of MD5_FILES: index in argv; argc means standard input */
};

/* What the surrounding program supplies. */
struct md5_environment {
    /* Writes a whole piece of text with one system call, so that parallel tasks do not mix. */
    void (*write)(const char *text, size_t length_bytes);
    uint64_t (*clock_ns)(void); /* a clock that never goes back */
    uint8_t *block;             /* MD5_TRIAL_BYTES of memory for the time trial */
};

/*
 * Reads the arguments (argv[0] is the program). Options may be joined (-tt) and their values
 * attached (-sfoo), `--` ends them. ERROR_BAD_VALUE where OpenBSD would print the usage: unknown
 * options, missing or bad values, more than one action.
 */
enum error md5_parse(int argc, char **argv, struct md5_command *command);

/*
 * Does what the command asks for and writes the result; MD5_FILES is not for here and writes
 * nothing. `digest` receives the last digest computed.
 */
void md5_run(const struct md5_command *command, const struct md5_environment *environment,
             uint8_t digest[MD5_DIGEST_BYTES]);

/* Writes digest as 32 lower-case hexadecimal digits and a terminator. */
void md5_digest_text(const uint8_t digest[MD5_DIGEST_BYTES], char text[2 * MD5_DIGEST_BYTES + 1]);

/* Fills the block of the time trial: byte i is i modulo 256. */
void md5_fill_block(uint8_t block[MD5_TRIAL_BYTES]);

#endif
