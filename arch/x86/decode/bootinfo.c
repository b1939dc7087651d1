#include "arch/x86/decode/bootinfo.h"

#include "arch/x86/decode/bootinfo_parts.h"
#include "kernel/lib/string.h"

#define FOUR_GIB (1ull << 32)
#define ONE_MIB (1u << 20)

/* Multiboot Specification, Boot information format: framebuffer_type. */
#define FRAMEBUFFER_TYPE_RGB 1
#define FRAMEBUFFER_TYPE_EGA_TEXT 2

/*
 * A full list gives up RAM, never a reservation: a usable range that is not known costs memory,
 * a reserved one that is not known costs data.
 */
static struct memory_range *memory_slot(struct bootinfo *out, uint32_t type)
{
    if (out->memory_count < BOOTINFO_MAX_MEMORY)
        return &out->memory[out->memory_count++];
    out->memory_dropped++;
    if (type == MEMORY_USABLE)
        return NULL;
    for (unsigned i = BOOTINFO_MAX_MEMORY; i > 0; i--) {
        if (out->memory[i - 1].type == MEMORY_USABLE)
            return &out->memory[i - 1];
    }
    return NULL;
}

void bootinfo_add_memory(struct bootinfo *out, uint64_t base, uint64_t length_bytes, uint32_t type)
{
    struct memory_range *slot;

    if (length_bytes > UINT64_MAX - base) {
        warnings_add(&out->warnings, "bootinfo.memory.length", "wraps around: cut",
                     (uint32_t)(base >> 32));
        length_bytes = UINT64_MAX - base;
    }
    slot = length_bytes == 0 ? NULL : memory_slot(out, type);
    if (slot != NULL)
        *slot = (struct memory_range){base, length_bytes, type};
}

void bootinfo_add_reserved(struct bootinfo *out, uint64_t base, uint64_t length_bytes)
{
    if (length_bytes == 0)
        return;
    if (out->reserved_count == BOOTINFO_MAX_RESERVED) {
        warnings_add(&out->warnings, "bootinfo.reserved", "list full: not reserved",
                     (uint32_t)base);
        return;
    }
    out->reserved[out->reserved_count++] =
        (struct memory_range){base, length_bytes, MEMORY_RESERVED};
}

void bootinfo_add_module(struct bootinfo *out, uint32_t start, uint32_t end)
{
    if (end < start) {
        warnings_add(&out->warnings, "bootinfo.module.end", "before its start: ignored", end);
        return;
    }
    if (out->module_count == BOOTINFO_MAX_MODULES) {
        warnings_add(&out->warnings, "bootinfo.module", "too many: ignored", start);
        return;
    }
    out->modules[out->module_count++] = (struct memory_range){start, end - start, MEMORY_RESERVED};
    bootinfo_add_reserved(out, start, end - start);
}

static bool rgb_usable(const struct framebuffer *fb)
{
    uint8_t bits = fb->bits_per_pixel;

    return (bits == 15 || bits == 16 || bits == 24 || bits == 32) && fb->phys != 0 &&
           fb->width != 0 && fb->height != 0 &&
           fb->pitch_bytes >= (uint64_t)fb->width * ((bits + 7u) / 8) &&
           fb->red_bit + fb->red_bits <= bits && fb->green_bit + fb->green_bits <= bits &&
           fb->blue_bit + fb->blue_bits <= bits && fb->phys < FOUR_GIB &&
           (uint64_t)fb->pitch_bytes * fb->height <= FOUR_GIB - fb->phys;
}

void bootinfo_set_framebuffer(struct bootinfo *out, const struct bootinfo_framebuffer *told,
                              const struct bootinfo_colors *colors)
{
    struct framebuffer *fb = &out->framebuffer;

    *fb = (struct framebuffer){
        .type = FRAMEBUFFER_NONE,
        .bits_per_pixel = told->bits_per_pixel,
        .width = told->width,
        .height = told->height,
        .pitch_bytes = told->pitch,
        .phys = told->phys,
    };
    if (told->type == FRAMEBUFFER_TYPE_EGA_TEXT)
        fb->type = FRAMEBUFFER_EGA_TEXT;
    if (told->type != FRAMEBUFFER_TYPE_RGB || colors == NULL)
        return;
    fb->red_bit = colors->red_bit;
    fb->red_bits = colors->red_bits;
    fb->green_bit = colors->green_bit;
    fb->green_bits = colors->green_bits;
    fb->blue_bit = colors->blue_bit;
    fb->blue_bits = colors->blue_bits;
    if (rgb_usable(fb))
        fb->type = FRAMEBUFFER_RGB;
    else
        warnings_add(&out->warnings, "bootinfo.framebuffer", "not usable: ignored",
                     told->bits_per_pixel);
}

/* Without a map there are two sizes at best: below 640 KiB, and from 1 MiB to the first hole. */
static void memory_from_sizes(const struct bootinfo_source *source)
{
    struct bootinfo *out = source->out;

    warnings_add(&out->warnings, "bootinfo.memory", "no memory map: sizes used instead",
                 source->upper_kib);
    bootinfo_add_memory(out, 0, (uint64_t)out->lower_kib << 10, MEMORY_USABLE);
    bootinfo_add_memory(out, ONE_MIB, (uint64_t)source->upper_kib << 10, MEMORY_USABLE);
}

static void find_usable_end(struct bootinfo *out)
{
    for (unsigned i = 0; i < out->memory_count; i++) {
        const struct memory_range *range = &out->memory[i];
        uint64_t end = range->base + range->length_bytes;

        if (end > FOUR_GIB)
            end = FOUR_GIB;
        if (range->type == MEMORY_USABLE && range->base < end && end > out->usable_end)
            out->usable_end = end;
    }
}

enum error bootinfo_parse(phys_reader *read, void *ctx, uint32_t magic, uint32_t info_phys,
                          struct bootinfo *out)
{
    struct bootinfo_source source = {read, ctx, out, 0};
    enum error error = ERROR_BAD_VALUE;

    memset(out, 0, sizeof(*out));
    if (magic == BOOTINFO_MAGIC_1) {
        out->protocol = BOOT_MULTIBOOT1;
        error = bootinfo_parse_multiboot1(&source, info_phys);
    } else if (magic == BOOTINFO_MAGIC_2) {
        out->protocol = BOOT_MULTIBOOT2;
        error = bootinfo_parse_multiboot2(&source, info_phys);
    }
    if (error != OK)
        return error;
    if (out->memory_count == 0)
        memory_from_sizes(&source);
    if (out->memory_dropped != 0)
        warnings_add(&out->warnings, "bootinfo.memory", "map too long: some RAM not used",
                     out->memory_dropped);
    find_usable_end(out);
    return OK;
}
