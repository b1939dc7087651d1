/* Multiboot 1: a block of fixed layout whose flags say which fields count. */
#include "arch/x86/decode/bootinfo_parts.h"
#include "kernel/lib/string.h"

/* Multiboot Specification, Boot information format: bits of `flags`. */
#define HAS_MEMORY_SIZES (1u << 0)
#define HAS_CMDLINE (1u << 2)
#define HAS_MODULES (1u << 3)
#define HAS_MEMORY_MAP (1u << 6)
#define HAS_LOADER_NAME (1u << 9)
#define HAS_FRAMEBUFFER (1u << 12)

/* Multiboot Specification, Boot information format. */
struct info_block {
    uint32_t flags;
    uint32_t mem_lower;
    uint32_t mem_upper;
    uint32_t boot_device;
    uint32_t cmdline;
    uint32_t mods_count;
    uint32_t mods_addr;
    uint32_t syms[4];
    uint32_t mmap_length;
    uint32_t mmap_addr;
    uint32_t drives_length;
    uint32_t drives_addr;
    uint32_t config_table;
    uint32_t boot_loader_name;
    uint32_t apm_table;
    uint8_t vbe[16];
    struct bootinfo_framebuffer framebuffer;
    struct bootinfo_colors colors;
} __attribute__((packed));
_Static_assert(offsetof(struct info_block, mmap_length) == 44, "mmap_length");
_Static_assert(offsetof(struct info_block, boot_loader_name) == 64, "boot_loader_name");
_Static_assert(offsetof(struct info_block, framebuffer) == 88, "framebuffer_addr");
_Static_assert(sizeof(struct info_block) == 116, "Boot information format");

struct module_entry {
    uint32_t start;
    uint32_t end;
    uint32_t string;
    uint32_t reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct module_entry) == 16, "module structure");

struct map_entry {
    uint32_t size; /* of what follows: the next entry is size + 4 further on */
    uint64_t base;
    uint64_t length;
    uint32_t type;
} __attribute__((packed));
_Static_assert(sizeof(struct map_entry) == 24, "mmap buffer entry");

#define MODULE_STRING_BYTES 256u

#define MAP_SIZE_BYTES 4u /* `size` does not count itself */

/* Copies `bytes` of memory; false, and zeros, if they are not there. */
static bool copy_from(const struct bootinfo_source *source, uint64_t phys, void *to, size_t bytes)
{
    const void *from = source->read(source->ctx, phys, bytes);

    if (from != NULL)
        memcpy(to, from, bytes);
    else
        memset(to, 0, bytes);
    return from != NULL;
}

/*
 * Copies the string at `phys`, as much of it as fits, and reserves that much of it. How long it
 * is nobody says, so it is read byte by byte. Returns whether it was cut.
 */
static bool copy_string(const struct bootinfo_source *source, uint32_t phys, char *to, size_t size)
{
    size_t length = 0;
    char c = '\0';

    while (copy_from(source, (uint64_t)phys + length, &c, 1) && c != '\0' && length < size - 1)
        to[length++] = c;
    to[length] = '\0';
    bootinfo_add_reserved(source->out, phys, length + 1);
    return c != '\0';
}

static void parse_modules(const struct bootinfo_source *source, uint32_t count, uint32_t phys)
{
    char string[MODULE_STRING_BYTES];
    struct module_entry module;

    if (count > BOOTINFO_MAX_MODULES) {
        warnings_add(&source->out->warnings, "bootinfo.mods_count", "too many: rest ignored",
                     count);
        count = BOOTINFO_MAX_MODULES;
    }
    bootinfo_add_reserved(source->out, phys, (uint64_t)count * sizeof(module));
    for (uint32_t i = 0; i < count; i++) {
        if (!copy_from(source, phys + (uint64_t)i * sizeof(module), &module, sizeof(module))) {
            warnings_add(&source->out->warnings, "bootinfo.mods_addr", "not readable", phys);
            return;
        }
        bootinfo_add_module(source->out, module.start, module.end);
        if (module.string != 0)
            copy_string(source, module.string, string, sizeof(string));
    }
}

static void parse_map(const struct bootinfo_source *source, uint32_t phys, uint32_t length)
{
    struct warning_list *warnings = &source->out->warnings;
    struct map_entry entry;

    if (length > BOOTINFO_BLOCK_MAX_BYTES) {
        warnings_add(warnings, "bootinfo.mmap_length", "not believable: map ignored", length);
        return;
    }
    bootinfo_add_reserved(source->out, phys, length);
    for (uint32_t at = 0; at < length; at += entry.size + MAP_SIZE_BYTES) {
        if (length - at < sizeof(entry) ||
            !copy_from(source, (uint64_t)phys + at, &entry, sizeof(entry)) ||
            entry.size < sizeof(entry) - MAP_SIZE_BYTES ||
            entry.size > length - at - MAP_SIZE_BYTES) {
            warnings_add(warnings, "bootinfo.mmap.size", "bad entry: map ends", at);
            return;
        }
        bootinfo_add_memory(source->out, entry.base, entry.length, entry.type);
    }
}

enum error bootinfo_parse_multiboot1(struct bootinfo_source *source, uint32_t info_phys)
{
    struct bootinfo *out = source->out;
    struct info_block info;

    if (!copy_from(source, info_phys, &info, sizeof(info)))
        return ERROR_TRUNCATED;
    bootinfo_add_reserved(out, info_phys, sizeof(info));
    if (info.flags & HAS_MEMORY_SIZES) {
        out->lower_kib = info.mem_lower;
        source->upper_kib = info.mem_upper;
    }
    if (info.flags & HAS_CMDLINE)
        out->cmdline_truncated =
            copy_string(source, info.cmdline, out->cmdline, sizeof(out->cmdline));
    if (info.flags & HAS_LOADER_NAME)
        copy_string(source, info.boot_loader_name, out->loader, sizeof(out->loader));
    if (info.flags & HAS_MODULES)
        parse_modules(source, info.mods_count, info.mods_addr);
    if (info.flags & HAS_MEMORY_MAP)
        parse_map(source, info.mmap_addr, info.mmap_length);
    if (info.flags & HAS_FRAMEBUFFER)
        bootinfo_set_framebuffer(out, &info.framebuffer, &info.colors);
    return OK;
}
