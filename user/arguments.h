/*
 * The arguments of the work programs: options of one letter, each with a number (-k 512) or without
 * (-2), in any order, each at most once, and nothing else. Pure.
 */
#ifndef USER_ARGUMENTS_H
#define USER_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* What a program ends with if its arguments make no sense, or if this machine, or an arena that is
 * too small, does not let it do its work. */
#define STATUS_USAGE 2
#define STATUS_CANNOT 3

struct argument {
    char option;
    bool required;
    uint32_t minimum, maximum; /* of the number; none follows if both are 0 */
    uint32_t *value;           /* the number, or 1; left alone if the option is not there */
};

/* Reads all arguments (argv[0] is the program). False if one is unknown, given twice, out of its
 * range or missing; some values may be set then. */
bool arguments_read(int argc, char **argv, const struct argument *known, unsigned count);

#endif
