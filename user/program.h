/*
 * What the work programs share beside the system calls: their arguments, their arena as lines to
 * walk through, and the time stamp counter.
 */
#ifndef USER_PROGRAM_H
#define USER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "user/arguments.h"
#include "user/work/ring.h"

/* Reads the arguments as arguments_read does; ends the program with STATUS_USAGE, and the line
 * `usage` in the log, if they make no sense. */
void program_arguments(int argc, char **argv, const struct argument *known, unsigned count,
                       const char *usage);

/* The first `kib` KiB of the arena; ends the program with STATUS_CANNOT if it has less. */
struct ring_line *program_lines(uint32_t kib);

/* The time stamp counter, read when all that comes before has been done. Only differences on one
 * CPU mean something. */
uint64_t program_ticks(void);

/* Leaf 1 EDX of CPUID: what this CPU has. */
#define PROGRAM_HAS_FPU (1u << 0)
#define PROGRAM_HAS_MMX (1u << 23)
#define PROGRAM_HAS_FXSAVE (1u << 24)
#define PROGRAM_HAS_SSE (1u << 25)
#define PROGRAM_HAS_SSE2 (1u << 26)
bool program_has(uint32_t features);

#define PROGRAM_MAX_KIB (1022u * 1024) /* the largest arena */

#endif
