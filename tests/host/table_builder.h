/*
 * Builds ACPI tables byte by byte, with whatever damage a test wants.
 */
#ifndef TESTS_HOST_TABLE_BUILDER_H
#define TESTS_HOST_TABLE_BUILDER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/decode/acpi_tables.h"

struct table_builder {
    uint8_t bytes[8192];
    size_t length;
};

static inline void table_add(struct table_builder *table, const void *bytes, size_t length)
{
    if (length > sizeof(table->bytes) - table->length)
        abort();
    if (length != 0) /* or else `bytes` may be NULL */
        memcpy(table->bytes + table->length, bytes, length);
    table->length += length;
}

/* table_add of literal bytes. */
#define TABLE_ADD(table, ...) \
    table_add(table, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static inline void table_add_u32(struct table_builder *table, uint32_t value)
{
    table_add(table, &value, sizeof(value));
}

static inline void table_add_u64(struct table_builder *table, uint64_t value)
{
    table_add(table, &value, sizeof(value));
}

/* Overwrites bytes in place. */
static inline void table_set(struct table_builder *table, size_t offset, uint64_t value,
                             size_t length)
{
    if (offset + length > table->length)
        abort();
    memcpy(table->bytes + offset, &value, length);
}

/* Starts a table with a System Description Table Header. */
static inline void table_begin(struct table_builder *table, const char *signature, uint8_t revision)
{
    struct acpi_header header = {.revision = revision, .oem_id = "TANDEM"};

    memcpy(header.signature, signature, sizeof(header.signature));
    table->length = 0;
    table_add(table, &header, sizeof(header));
}

/* Makes the sum of the first `length` bytes zero by the byte at `offset`. */
static inline void table_fix_sum(uint8_t *bytes, size_t length, size_t offset)
{
    bytes[offset] = 0;
    bytes[offset] = (uint8_t)-acpi_sum(bytes, length);
}

/* Fills in length and checksum. */
static inline void table_end(struct table_builder *table)
{
    table_set(table, offsetof(struct acpi_header, length), table->length, 4);
    table_fix_sum(table->bytes, table->length, offsetof(struct acpi_header, checksum));
}

/* The table in a block of exactly its size, so that the sanitizer sees reads beyond it. */
static inline uint8_t *table_copy(const struct table_builder *table)
{
    uint8_t *copy = malloc(table->length != 0 ? table->length : 1);

    if (copy == NULL)
        abort();
    return memcpy(copy, table->bytes, table->length);
}

#endif
