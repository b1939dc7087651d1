/*
 * The arena of a task: one large buffer beside its program, for working sets larger than the
 * caches. It begins at ARENA_BASE, is made of large pages, so that its translations are few, and
 * belongs to the task alone, zeroed. A task asks for its size by a system call (user/libuser.h,
 * sys_arena).
 */
#ifndef KERNEL_ARENA_H
#define KERNEL_ARENA_H

#include <stdint.h>

#include "kernel/arch.h"

/* Gives an address space without arena one of at least `kib` KiB, rounded up to whole large pages;
 * 0 is none. After ERROR_NO_MEMORY it may have a part of it, which arena_free frees. */
enum error arena_allocate(struct address_space *space, uint32_t kib);

/* Frees the arena, if there is one. */
void arena_free(struct address_space *space);

/* The largest arena that memory has room for now, in KiB. */
uint32_t arena_room_kib(void);

uint32_t arena_bytes(const struct address_space *space);

#endif
