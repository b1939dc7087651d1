/*
 * A physical memory of a few areas for decoders that read through a phys_reader. Strict on
 * purpose: every read is served from a block of exactly the size asked for, at an odd address, and
 * is gone with the next read, so that the sanitizers see whatever the contract forbids.
 */
#ifndef TESTS_HOST_FAKE_MEMORY_H
#define TESTS_HOST_FAKE_MEMORY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FAKE_MEMORY_AREAS 32

struct fake_area {
    uint64_t phys;
    size_t length;
    uint8_t *bytes;
};

struct fake_memory {
    struct fake_area areas[FAKE_MEMORY_AREAS];
    unsigned count;
    uint8_t *served;
};

/* Adds `length` bytes of zeros at `phys` and returns them for the test to fill. */
static inline uint8_t *fake_memory_add(struct fake_memory *memory, uint64_t phys, size_t length)
{
    uint8_t *bytes = calloc(1, length);

    if (bytes == NULL || memory->count == FAKE_MEMORY_AREAS)
        abort();
    memory->areas[memory->count++] = (struct fake_area){phys, length, bytes};
    return bytes;
}

/* Adds a copy of `bytes` at `phys`. */
static inline void fake_memory_put(struct fake_memory *memory, uint64_t phys, const void *bytes,
                                   size_t length)
{
    memcpy(fake_memory_add(memory, phys, length), bytes, length);
}

/* The phys_reader; ctx is the struct fake_memory. Of overlapping areas the first one counts. */
static inline const void *fake_memory_read(void *ctx, uint64_t phys, size_t bytes)
{
    struct fake_memory *memory = ctx;

    free(memory->served);
    memory->served = NULL;
    if (bytes == 0)
        abort();
    for (unsigned i = 0; i < memory->count; i++) {
        const struct fake_area *area = &memory->areas[i];

        if (phys < area->phys || phys - area->phys > area->length ||
            bytes > area->length - (phys - area->phys))
            continue;
        memory->served = malloc(bytes + 1);
        if (memory->served == NULL)
            abort();
        return memcpy(memory->served + 1, area->bytes + (phys - area->phys), bytes);
    }
    return NULL;
}

static inline void fake_memory_free(struct fake_memory *memory)
{
    for (unsigned i = 0; i < memory->count; i++)
        free(memory->areas[i].bytes);
    free(memory->served);
    memset(memory, 0, sizeof(*memory));
}

#endif
