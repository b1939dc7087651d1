#include "kernel/program.h"

#include "kernel/lib/string.h"
#include "kernel/memory.h"

/* System V ABI, "Object Files": the parts of ELF32 that a static program has. */
struct elf_header {
    uint8_t magic[4];
    uint8_t ident[12];
    uint16_t type, machine;
    uint32_t version, entry, program_headers, section_headers, flags;
    uint16_t header_bytes, program_header_bytes, program_header_count;
    uint16_t section_header_bytes, section_header_count, section_names;
};
_Static_assert(sizeof(struct elf_header) == 52, "ELF32 header");

struct elf_segment {
    uint32_t type, offset, address, phys, file_bytes, memory_bytes, flags, align;
};
_Static_assert(sizeof(struct elf_segment) == 32, "ELF32 program header");

#define ELF_LOAD 1
#define ELF_EXECUTABLE 1
#define ELF_WRITABLE 2

const struct program *program_find(const char *name)
{
    for (const struct program *program = programs; program->name != NULL; program++)
        if (strcmp(program->name, name) == 0)
            return program;
    return NULL;
}

static const struct elf_header *header_of(const struct program *program)
{
    return (const void *)program->file;
}

static const struct elf_segment *segments_of(const struct program *program)
{
    return (const void *)(program->file + header_of(program)->program_headers);
}

static bool is_loaded(const struct elf_segment *segment)
{
    return segment->type == ELF_LOAD && segment->memory_bytes > 0;
}

static uint32_t page_count(const struct elf_segment *segment)
{
    uint32_t offset = segment->address % PAGE_BYTES;

    return (offset + segment->memory_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
}

uint32_t program_own_pages(const struct program *program)
{
    const struct elf_segment *segments = segments_of(program);
    uint32_t pages = 0;

    for (unsigned i = 0; i < header_of(program)->program_header_count; i++)
        if (is_loaded(&segments[i]) && (segments[i].flags & ELF_WRITABLE) != 0)
            pages += page_count(&segments[i]);
    return pages;
}

static bool is_sound(const struct program *program, const struct elf_segment *segment)
{
    uint32_t size = (uint32_t)(program->file_end - program->file);

    return segment->offset <= size && segment->file_bytes <= size - segment->offset &&
           segment->file_bytes <= segment->memory_bytes &&
           segment->address % PAGE_BYTES == segment->offset % PAGE_BYTES &&
           segment->address + segment->memory_bytes >= segment->address;
}

/* Maps the pages of a segment from `phys` on, where they lie one after the other. */
static enum error map_segment(struct address_space *space, const struct elf_segment *segment,
                              const uint8_t *phys)
{
    uint32_t first = segment->address / PAGE_BYTES * PAGE_BYTES;

    for (uint32_t i = 0; i < page_count(segment); i++) {
        enum error error = arch_space_map(
            space, first + i * PAGE_BYTES, (uint32_t)phys + i * PAGE_BYTES,
            (segment->flags & ELF_WRITABLE) != 0, (segment->flags & ELF_EXECUTABLE) != 0);

        if (error != OK)
            return error;
    }
    return OK;
}

enum error program_load(const struct program *program, struct address_space *space, uint8_t *pages,
                        uint32_t *entry)
{
    const struct elf_segment *segments = segments_of(program);

    for (unsigned i = 0; i < header_of(program)->program_header_count; i++) {
        const struct elf_segment *segment = &segments[i];
        const uint8_t *in_image = program->file + segment->offset;
        uint32_t offset = segment->address % PAGE_BYTES;
        enum error error;

        if (!is_loaded(segment))
            continue;
        if (!is_sound(program, segment))
            return ERROR_BAD_VALUE;
        if ((segment->flags & ELF_WRITABLE) != 0) {
            memcpy(pages + offset, in_image, segment->file_bytes);
            error = map_segment(space, segment, pages);
            pages += page_count(segment) * PAGE_BYTES;
        } else {
            error = map_segment(space, segment, in_image - offset);
        }
        if (error != OK)
            return error;
    }
    *entry = header_of(program)->entry;
    return OK;
}
