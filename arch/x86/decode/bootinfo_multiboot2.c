/* Multiboot 2: a block of tags, each with its own type and length. */
#include "arch/x86/decode/bootinfo_parts.h"
#include "kernel/lib/string.h"

#define TAG_ALIGN 8u

/* Multiboot2 Specification, Boot information: tag types. */
enum tag_type {
    TAG_END = 0,
    TAG_CMDLINE = 1,
    TAG_LOADER_NAME = 2,
    TAG_MODULE = 3,
    TAG_MEMORY_SIZES = 4,
    TAG_MEMORY_MAP = 6,
    TAG_FRAMEBUFFER = 8,
    TAG_ACPI_OLD = 14,
    TAG_ACPI_NEW = 15,
};

struct block_head {
    uint32_t total_size;
    uint32_t reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct block_head) == 8, "Basic tags structure");

struct tag {
    uint32_t type;
    uint32_t size; /* with this head, without the padding to the next tag */
} __attribute__((packed));
_Static_assert(sizeof(struct tag) == 8, "tag head");

struct module_tag {
    struct tag tag;
    uint32_t start;
    uint32_t end;
} __attribute__((packed));
_Static_assert(sizeof(struct module_tag) == 16, "Modules: the string follows");

struct memory_sizes_tag {
    struct tag tag;
    uint32_t lower;
    uint32_t upper;
} __attribute__((packed));
_Static_assert(sizeof(struct memory_sizes_tag) == 16, "Basic memory information");

struct memory_map_tag {
    struct tag tag;
    uint32_t entry_size;
    uint32_t entry_version;
} __attribute__((packed));
_Static_assert(sizeof(struct memory_map_tag) == 16, "Memory map: the entries follow");

struct map_entry {
    uint64_t base;
    uint64_t length;
    uint32_t type;
    uint32_t reserved;
} __attribute__((packed));
_Static_assert(sizeof(struct map_entry) == 24, "Memory map entry");

struct framebuffer_tag {
    struct tag tag;
    struct bootinfo_framebuffer framebuffer;
    uint16_t reserved;
    struct bootinfo_colors colors;
} __attribute__((packed));
_Static_assert(offsetof(struct framebuffer_tag, colors) == 32, "Framebuffer info: color_info");

/* Copies a string of at most `length` characters, as much of it as fits; true if it was cut. */
static bool copy_string(const char *from, size_t length, char *to, size_t size)
{
    size_t i = 0;

    while (i < length && i < size - 1 && from[i] != '\0') {
        to[i] = from[i];
        i++;
    }
    to[i] = '\0';
    return i < length && from[i] != '\0';
}

static void parse_map(const struct memory_map_tag *tag, struct bootinfo *out)
{
    const uint8_t *bytes = (const void *)tag;
    struct map_entry entry;

    if (tag->entry_size < sizeof(entry)) {
        warnings_add(&out->warnings, "bootinfo.mmap.entry_size", "too small: map ignored",
                     tag->entry_size);
        return;
    }
    for (uint64_t at = sizeof(*tag); at + tag->entry_size <= tag->tag.size; at += tag->entry_size) {
        memcpy(&entry, bytes + at, sizeof(entry));
        bootinfo_add_memory(out, entry.base, entry.length, entry.type);
    }
}

/* Keeps the newer of the two copies, whichever comes first. */
static void copy_rsdp(const struct tag *tag, struct bootinfo *out)
{
    size_t length = tag->size - sizeof(*tag);

    length = length < BOOTINFO_RSDP_BYTES ? BOOTINFO_RSDP_OLD_BYTES : BOOTINFO_RSDP_BYTES;
    if (length < out->rsdp_length)
        return;
    memcpy(out->rsdp, tag + 1, length);
    out->rsdp_length = (unsigned)length;
}

/* How long a tag must be to be read; 0 for the types that are not. */
static size_t tag_minimum(uint32_t type)
{
    switch (type) {
    case TAG_CMDLINE:
    case TAG_LOADER_NAME:
        return sizeof(struct tag);
    case TAG_MODULE:
        return sizeof(struct module_tag);
    case TAG_MEMORY_SIZES:
        return sizeof(struct memory_sizes_tag);
    case TAG_MEMORY_MAP:
        return sizeof(struct memory_map_tag);
    case TAG_FRAMEBUFFER:
        return offsetof(struct framebuffer_tag, reserved);
    case TAG_ACPI_OLD:
    case TAG_ACPI_NEW:
        return sizeof(struct tag) + BOOTINFO_RSDP_OLD_BYTES;
    default:
        return 0;
    }
}

/* Reads a tag that has the minimum size of its type. */
static void parse_tag(const struct tag *tag, struct bootinfo_source *source)
{
    struct bootinfo *out = source->out;
    const void *bytes = tag;
    const struct framebuffer_tag *fb = bytes;
    const struct module_tag *module = bytes;
    const struct memory_sizes_tag *sizes = bytes;
    const char *text = (const char *)(tag + 1);
    size_t text_length = tag->size - sizeof(*tag);

    switch (tag->type) {
    case TAG_CMDLINE:
        out->cmdline_truncated = copy_string(text, text_length, out->cmdline, sizeof(out->cmdline));
        break;
    case TAG_LOADER_NAME:
        copy_string(text, text_length, out->loader, sizeof(out->loader));
        break;
    case TAG_MODULE:
        bootinfo_add_module(out, module->start, module->end);
        break;
    case TAG_MEMORY_SIZES:
        out->lower_kib = sizes->lower;
        source->upper_kib = sizes->upper;
        break;
    case TAG_MEMORY_MAP:
        parse_map(bytes, out);
        break;
    case TAG_FRAMEBUFFER:
        bootinfo_set_framebuffer(out, &fb->framebuffer,
                                 tag->size < sizeof(*fb) ? NULL : &fb->colors);
        break;
    case TAG_ACPI_OLD:
    case TAG_ACPI_NEW:
        copy_rsdp(tag, out);
        break;
    default:
        break;
    }
}

/* Walks the tags after the head; a bad length ends the walk, since nothing behind it is certain. */
static void parse_tags(const uint8_t *block, uint32_t total, struct bootinfo_source *source)
{
    uint32_t at = sizeof(struct block_head);

    while (at < total) {
        const struct tag *tag = (const struct tag *)(block + at);

        if (total - at < sizeof(*tag) || tag->size < sizeof(*tag) || tag->size > total - at) {
            warnings_add(&source->out->warnings, "bootinfo.tag.size", "bad: tags end", at);
            return;
        }
        if (tag->type == TAG_END)
            return;
        if (tag->size < tag_minimum(tag->type))
            warnings_add(&source->out->warnings, "bootinfo.tag.size",
                         "too short for its type: tag ignored", tag->type);
        else
            parse_tag(tag, source);
        at += (tag->size + TAG_ALIGN - 1) / TAG_ALIGN * TAG_ALIGN;
    }
}

enum error bootinfo_parse_multiboot2(struct bootinfo_source *source, uint32_t info_phys)
{
    const void *block = source->read(source->ctx, info_phys, sizeof(struct block_head));
    uint32_t total;

    if (block == NULL)
        return ERROR_TRUNCATED;
    total = ((const struct block_head *)block)->total_size;
    if (total < sizeof(struct block_head) || total > BOOTINFO_BLOCK_MAX_BYTES)
        return ERROR_BAD_LENGTH;
    block = source->read(source->ctx, info_phys, total);
    if (block == NULL)
        return ERROR_TRUNCATED;
    bootinfo_add_reserved(source->out, info_phys, total);
    parse_tags(block, total, source);
    return OK;
}
