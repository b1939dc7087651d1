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

/* Maps the program into an empty address space and says where it starts. Pages it may write are
 * its own copies; task_destroy frees them. */
enum error program_load(const struct program *program, struct address_space *space,
                        uint32_t *entry);

/* One zeroed, writable page of user memory; NULL without memory. */
void *program_add_page(struct address_space *space, uint32_t address);

#endif
