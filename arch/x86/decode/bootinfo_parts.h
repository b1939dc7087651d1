/*
 * What the two Multiboot decoders have in common: for bootinfo*.c only. Pure.
 */
#ifndef ARCH_X86_DECODE_BOOTINFO_PARTS_H
#define ARCH_X86_DECODE_BOOTINFO_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "arch/x86/decode/bootinfo.h"

/* A block or map longer than this is taken for garbage. */
#define BOOTINFO_BLOCK_MAX_BYTES (1u << 20)

/* What one bootinfo_parse works with. */
struct bootinfo_source {
    phys_reader *read;
    void *ctx;
    struct bootinfo *out;
    uint32_t upper_kib; /* RAM from 1 MiB up; 0: not told */
};

/* Both specifications lay out a framebuffer's description like this. */
struct bootinfo_framebuffer {
    uint64_t phys;
    uint32_t pitch;
    uint32_t width;
    uint32_t height;
    uint8_t bits_per_pixel;
    uint8_t type;
} __attribute__((packed));
_Static_assert(sizeof(struct bootinfo_framebuffer) == 22, "framebuffer_addr to framebuffer_type");

/* The colour fields of an RGB framebuffer. */
struct bootinfo_colors {
    uint8_t red_bit, red_bits;
    uint8_t green_bit, green_bits;
    uint8_t blue_bit, blue_bits;
} __attribute__((packed));
_Static_assert(sizeof(struct bootinfo_colors) == 6, "color_info of a direct RGB framebuffer");

/* One entry of the loader's map. Empty ones are left out, and one that wraps around is cut. */
void bootinfo_add_memory(struct bootinfo *out, uint64_t base, uint64_t length_bytes, uint32_t type);

/* Something of the loader's to be left alone. */
void bootinfo_add_reserved(struct bootinfo *out, uint64_t base, uint64_t length_bytes);

/* A module from `start` up to, not including, `end`. */
void bootinfo_add_module(struct bootinfo *out, uint32_t start, uint32_t end);

/* colors: NULL if the block does not reach that far. */
void bootinfo_set_framebuffer(struct bootinfo *out, const struct bootinfo_framebuffer *told,
                              const struct bootinfo_colors *colors);

/* The decoders proper: fill source->out, which is zeroed, from the block at `info_phys`. */
enum error bootinfo_parse_multiboot1(struct bootinfo_source *source, uint32_t info_phys);
enum error bootinfo_parse_multiboot2(struct bootinfo_source *source, uint32_t info_phys);

#endif
