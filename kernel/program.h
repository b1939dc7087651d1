/*
 * The programs built into the kernel image: small ELF files made from user/, linked at USER_BASE.
 */
#ifndef KERNEL_PROGRAM_H
#define KERNEL_PROGRAM_H

#include <stdint.h>

#include "kernel/arch.h"

struct program {
    const char *name;
    const uint8_t *file; /* page-aligned: read-only pages are mapped as they lie here */
    const uint8_t *file_end;
};

/* All programs; ends with a NULL name. Defined by kernel/programs.asm. */
extern const struct program programs[];

/* By name; NULL if there is none. */
const struct program *program_find(const char *name);

/* How many pages of its own a task needs for the program: those it may write. */
uint32_t program_own_pages(const struct program *program);

/* Maps the program into an empty address space and says where it starts. What it may write are
 * copies in `pages`: program_own_pages of them, zeroed. */
enum error program_load(const struct program *program, struct address_space *space, uint8_t *pages,
                        uint32_t *entry);

#endif
