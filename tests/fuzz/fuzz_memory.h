/*
 * What the fuzz targets share: a check that stays on, and a physical memory that serves the input.
 */
#ifndef TESTS_FUZZ_FUZZ_MEMORY_H
#define TESTS_FUZZ_FUZZ_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A property of the decoder that no input may break. */
#define CHECK(property)                                                            \
    do {                                                                           \
        if (!(property)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #property); \
            abort();                                                               \
        }                                                                          \
    } while (0)

#define FUZZ_BIOS_START 0xe0000u
#define FUZZ_BIOS_END 0x100000u

/* The input is seen from address 0 up and again from FUZZ_BIOS_START up. */
struct fuzz_memory {
    const uint8_t *data;
    size_t size;
    uint8_t *served;
};

/* The phys_reader. Each answer is a block of its own and gone with the next one. */
static inline const void *fuzz_memory_read(void *ctx, uint64_t phys, size_t bytes)
{
    struct fuzz_memory *memory = ctx;

    free(memory->served);
    memory->served = NULL;
    CHECK(bytes != 0);
    if (phys >= FUZZ_BIOS_START && phys < FUZZ_BIOS_END)
        phys -= FUZZ_BIOS_START;
    if (phys > memory->size || bytes > memory->size - phys)
        return NULL;
    memory->served = malloc(bytes + 1);
    CHECK(memory->served != NULL);
    return memcpy(memory->served + 1, memory->data + phys, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
