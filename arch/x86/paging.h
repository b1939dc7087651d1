/*
 * Page tables in PAE format (SDM volume 3, "PAE Paging"). The four gigabytes:
 *
 *   0  identity mapping of RAM: the kernel image page by page (text read-only, data never
 *      executable, page 0 absent), the rest in 2 MiB pages
 *   1  the running task's user memory, absent outside tasks: 2 MiB for program and stack page by
 *      page, above it the arena in 2 MiB pages
 *   2  nothing
 *   3  device registers, mapped on demand and never cached
 */
#ifndef ARCH_X86_PAGING_H
#define ARCH_X86_PAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Builds the kernel's tables: RAM up to `ram_end`. `use_nx` and `use_global` say what every CPU
 * that will load them can do. Paging is still off. */
void paging_init(uint32_t ram_end, bool use_nx, bool use_global);

/* Turns paging on for the CPU that calls; it runs on with the same addresses. */
void paging_enable(void);

/* Physical address of the kernel's own root table. */
uint32_t paging_kernel_root(void);

/* Maps device registers; the pointer is good for as long as paging is on. NULL if the window is
 * full or the range is beyond 4 GiB. Start-up only. */
volatile void *paging_map_device(uint64_t phys, size_t length_bytes);

#endif
