/*
 * Physical pages of 4 KiB. All of them lie in the identity-mapped part of memory, so an address is
 * a pointer and its physical address at once.
 */
#ifndef KERNEL_MEMORY_H
#define KERNEL_MEMORY_H

#include <stdint.h>

#define PAGE_BYTES 4096u
#define LARGE_PAGE_BYTES 0x200000u
#define MEMORY_LIMIT 0x40000000u /* the identity mapping ends here; memory above is not used */

/* Gives [start, end) to the allocator; both page-aligned and below MEMORY_LIMIT. Start-up only. */
void memory_add(uint32_t start, uint32_t end);

/* `count` adjacent pages, or NULL if there are none. Contents are undefined. Any context. */
void *memory_allocate(unsigned count);

/* Like memory_allocate, zeroed. */
void *memory_allocate_zeroed(unsigned count);

/* One run of LARGE_PAGE_BYTES, aligned to its size, zeroed; NULL if there is none. It is taken from
 * the far end of memory, where small allocations come last. */
void *memory_allocate_large(void);

/* How many of these there are now. */
uint32_t memory_count_large(void);

/* Gives back what memory_allocate returned; NULL does nothing. */
void memory_free(void *pages, unsigned count);
void memory_free_large(void *block);

struct memory_counts {
    uint32_t total_pages, free_pages;
};
struct memory_counts memory_counts(void);

#endif
