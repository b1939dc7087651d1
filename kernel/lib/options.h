/*
 * The kernel command line: `key=value` words turned into one struct. It only reads text: it
 * neither applies the options nor prints the warnings. Pure.
 *
 * How words and quotes are understood is in kernel/lib/words.h. QEMU puts the kernel's path in
 * front and GRUB does not, so a first word that is no key=value is skipped.
 */
#ifndef KERNEL_LIB_OPTIONS_H
#define KERNEL_LIB_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/words.h"

#define OPTIONS_MAX_NAMES 16  /* in one list */
#define OPTIONS_MAX_OUTPUTS 8 /* of the console */
#define OPTIONS_MAX_WARNINGS 16
#define OPTIONS_TEXT_BYTES 256 /* the longest free text, its terminator included */

/* A list of words as given, in order. */
struct options_names {
    uint32_t count;
    char names[OPTIONS_MAX_NAMES][WORD_NAME_BYTES];
};

enum options_console_kind {
    OPTIONS_CONSOLE_SERIAL, /* whichever serial port is found */
    OPTIONS_CONSOLE_SCREEN,
    OPTIONS_CONSOLE_COM,  /* base: 1..4 */
    OPTIONS_CONSOLE_IO,   /* base: I/O port, up to 0xffff */
    OPTIONS_CONSOLE_MMIO, /* base: physical address */
};

struct options_output {
    enum options_console_kind kind;
    uint32_t base;
};

/* Where the log goes; `console=none` is no outputs. */
struct options_console {
    uint32_t count;
    struct options_output outputs[OPTIONS_MAX_OUTPUTS];
};

enum options_end {
    OPTIONS_END_HALT,
    OPTIONS_END_EXIT,
    OPTIONS_END_POWEROFF,
    OPTIONS_END_REBOOT,
    OPTIONS_END_MONITOR,
};

/* How AMD compute units count: as two cores or as one with two threads. */
enum options_module { OPTIONS_MODULE_CORE, OPTIONS_MODULE_SHARED };

/* What plays one core of the emulated machine; the tool that starts the emulator knows. */
enum options_sharing {
    OPTIONS_SHARING_UNKNOWN,
    OPTIONS_SHARING_NONE,
    OPTIONS_SHARING_HOST_CPU,
    OPTIONS_SHARING_HOST_SMT,
};

/* Whether somebody on the serial line knows if something else ran on the host. */
enum options_host_load { OPTIONS_HOST_LOAD_OFF, OPTIONS_HOST_LOAD_SERIAL };

/* One complaint: printable, without double quotes or backslashes, so fit to be quoted. */
struct options_warning {
    char text[80];
};

/* One member per key, named as on the command line; the table in options.c has the defaults. */
struct options {
    struct options_names run;
    struct options_names sched;
    uint32_t slice_us;
    uint32_t rounds;
    uint32_t blocks;
    uint32_t groups;            /* of tasks that trust each other */
    uint32_t tasks;             /* 0: the experiment's own number */
    uint32_t smt_model_percent; /* 0: off; else 100 to 400 */
    bool smt;
    uint32_t cpus;
    char topology[WORD_NAME_BYTES]; /* "auto" or the override, not looked at here */
    uint32_t seed;
    struct options_console console;
    uint32_t baud;
    bool trace;
    enum options_end end;
    enum options_module module;
    bool check;
    uint32_t host_cpus; /* 0: unknown */
    enum options_sharing sharing;
    enum options_host_load host_load;
    struct options_names inject;   /* failures to cause on purpose, for tests */
    char exec[OPTIONS_TEXT_BYTES]; /* programs to run first, as kernel/experiment/exec.h reads it */

    uint32_t warning_count;
    uint32_t warnings_dropped; /* further ones that found no room */
    struct options_warning warnings[OPTIONS_MAX_WARNINGS];
};

/*
 * Fills *out from a terminated command line of any length (NULL counts as empty). Never fails:
 * an unknown key, a word that is no key=value, and a bad value, which leaves that key's default,
 * make one warning each. The last occurrence of a key wins.
 */
void options_parse(const char *cmdline, struct options *out);

/*
 * Checks the list that belongs to `key` ("run" or "sched") against the names that exist, an array
 * that ends with NULL. An unknown one makes one warning and brings back the whole default list.
 */
void options_check_names(struct options *options, const char *key, const char *const *known);

#endif
