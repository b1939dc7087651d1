/*
 * Decoder for what a Multiboot 1 or Multiboot 2 boot loader hands over. It lies in memory the map
 * calls usable, so everything of lasting use is copied out, and the rest is listed as reserved.
 * Every flag, length and address is checked: loaders fill in what they like. Pure.
 */
#ifndef ARCH_X86_DECODE_BOOTINFO_H
#define ARCH_X86_DECODE_BOOTINFO_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/decode/phys_reader.h"
#include "kernel/error.h"
#include "kernel/lib/warnings.h"
#include "kernel/machine_info.h"

#define BOOTINFO_MAGIC_1 0x2badb002u /* in EAX at entry: Multiboot Specification, Machine state */
#define BOOTINFO_MAGIC_2 0x36d76289u

#define BOOTINFO_MAX_MEMORY 128
#define BOOTINFO_MAX_RESERVED 64
#define BOOTINFO_MAX_MODULES 16
#define BOOTINFO_RSDP_BYTES 36     /* revision 2 and up */
#define BOOTINFO_RSDP_OLD_BYTES 20 /* revision 0 */

#define MEMORY_USABLE 1u   /* type of the memory map; everything else is not ours */
#define MEMORY_RESERVED 2u /* type of the ranges in `reserved` */

enum boot_protocol { BOOT_MULTIBOOT1, BOOT_MULTIBOOT2 };

enum framebuffer_type {
    FRAMEBUFFER_UNKNOWN, /* the loader does not say: on a BIOS machine that means VGA text */
    FRAMEBUFFER_EGA_TEXT,
    FRAMEBUFFER_RGB,
    FRAMEBUFFER_NONE, /* there is one, of a kind that cannot be used */
};

/* Sizes in pixels, or in characters for EGA text. */
struct framebuffer {
    enum framebuffer_type type;
    uint8_t bits_per_pixel;
    uint8_t red_bit, red_bits; /* position of the lowest bit, and width */
    uint8_t green_bit, green_bits;
    uint8_t blue_bit, blue_bits;
    uint32_t width, height;
    uint32_t pitch_bytes;
    uint64_t phys;
};

struct bootinfo {
    enum boot_protocol protocol;
    char loader[64];
    char cmdline[4096]; /* zero-terminated; may or may not begin with the kernel's name */
    bool cmdline_truncated;

    /* The map as told, in the loader's order: unsorted, unaligned and overlapping as it may be. */
    struct memory_range memory[BOOTINFO_MAX_MEMORY];
    unsigned memory_count;
    unsigned memory_dropped;
    uint32_t lower_kib;  /* RAM from address 0 up; 0: not told */
    uint64_t usable_end; /* end of the highest usable RAM below 4 GiB, or 0 */

    /* What the loader left in usable RAM: this block, its map and strings, and the modules. */
    struct memory_range reserved[BOOTINFO_MAX_RESERVED];
    unsigned reserved_count;
    struct memory_range modules[BOOTINFO_MAX_MODULES];
    unsigned module_count;

    uint8_t rsdp[BOOTINFO_RSDP_BYTES];
    unsigned rsdp_length; /* 0: none handed over; else one of the two above */
    struct framebuffer framebuffer;
    struct warning_list warnings;
};

/*
 * Decodes the information block at `info_phys`; `magic` is what EAX held at entry.
 * ERROR_BAD_VALUE for another magic, ERROR_TRUNCATED or ERROR_BAD_LENGTH for an unreadable block;
 * a missing or damaged part of it is a warning at most.
 */
enum error bootinfo_parse(phys_reader *read, void *ctx, uint32_t magic, uint32_t info_phys,
                          struct bootinfo *out);

#endif
