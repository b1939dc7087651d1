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

void *program_add_page(struct address_space *space, uint32_t address)
{
    void *page = memory_allocate_zeroed(1);

    if (page != NULL && arch_space_map(space, address, (uint32_t)page, true, false) != OK) {
        memory_free(page, 1);
        page = NULL;
    }
    return page;
}

/* A page of a segment that may be written: a copy of the file's part of it, zeroes after. */
static enum error add_data_page(const struct program *program, struct address_space *space,
                                const struct elf_segment *segment, uint32_t page_address)
{
    uint8_t *page = program_add_page(space, page_address);
    uint32_t start = segment->address > page_address ? segment->address : page_address;
    uint32_t end = segment->address + segment->file_bytes;

    if (page == NULL)
        return ERROR_NO_MEMORY;
    if (end > page_address + PAGE_BYTES)
        end = page_address + PAGE_BYTES;
    if (start < end)
        memcpy(page + start % PAGE_BYTES,
               program->file + segment->offset + (start - segment->address), end - start);
    return OK;
}

static enum error load_segment(const struct program *program, struct address_space *space,
                               const struct elf_segment *segment)
{
    uint32_t size = (uint32_t)(program->file_end - program->file);
    uint32_t first = segment->address / PAGE_BYTES * PAGE_BYTES;
    uint32_t end = segment->address + segment->memory_bytes;
    bool writable = (segment->flags & ELF_WRITABLE) != 0;

    if (segment->offset > size || segment->file_bytes > size - segment->offset ||
        segment->address % PAGE_BYTES != segment->offset % PAGE_BYTES || end < segment->address)
        return ERROR_BAD_VALUE;
    for (uint32_t page = first; page < end; page += PAGE_BYTES) {
        const uint8_t *in_image =
            program->file + segment->offset / PAGE_BYTES * PAGE_BYTES + (page - first);
        enum error error = writable ? add_data_page(program, space, segment, page)
                                    : arch_space_map(space, page, (uint32_t)in_image, false,
                                                     (segment->flags & ELF_EXECUTABLE) != 0);
        if (error != OK)
            return error;
    }
    return OK;
}

enum error program_load(const struct program *program, struct address_space *space, uint32_t *entry)
{
    const struct elf_header *header = (const void *)program->file;
    const struct elf_segment *segments = (const void *)(program->file + header->program_headers);

    for (unsigned i = 0; i < header->program_header_count; i++) {
        enum error error;

        if (segments[i].type != ELF_LOAD || segments[i].memory_bytes == 0)
            continue;
        error = load_segment(program, space, &segments[i]);
        if (error != OK)
            return error;
    }
    *entry = header->entry;
    return OK;
}
