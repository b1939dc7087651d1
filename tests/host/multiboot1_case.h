/*
 * A Multiboot 1 block and map, built up, for test_bootinfo_multiboot1*.c.
 */
#ifndef TESTS_HOST_MULTIBOOT1_CASE_H
#define TESTS_HOST_MULTIBOOT1_CASE_H

#include "tests/host/bootinfo_case.h"

#define MAP 0x20000u
#define BLOCK_BYTES 116

/* Offsets of the block's fields. */
enum { FLAGS = 0, LOWER = 4, UPPER = 8, CMDLINE = 16, MODS = 20, MMAP = 44, LOADER = 64, FB = 88 };

static inline void set(uint8_t *block, size_t offset, uint32_t value)
{
    memcpy(block + offset, &value, sizeof(value));
}

static inline uint8_t *put_block(uint32_t flags)
{
    uint8_t *block = fake_memory_add(&memory, INFO, BLOCK_BYTES);

    memset(block, 0xa5, BLOCK_BYTES); /* a field that no flag vouches for is anything */
    set(block, FLAGS, flags);
    return block;
}

static inline void map_entry(struct table_builder *map, uint32_t size, uint64_t base,
                             uint64_t length, uint32_t type)
{
    static const uint8_t zeros[64];

    table_add_u32(map, size);
    table_add_u64(map, base);
    table_add_u64(map, length);
    table_add_u32(map, type);
    if (size > 20)
        table_add(map, zeros, size - 20);
}

static inline void put_map(uint8_t *block, const struct table_builder *map)
{
    set(block, MMAP, (uint32_t)map->length);
    set(block, MMAP + 4, MAP);
    fake_memory_put(&memory, MAP, map->bytes, map->length);
}

static inline void parse(void)
{
    assert_int_equal(bootinfo_parse(fake_memory_read, &memory, BOOTINFO_MAGIC_1, INFO, &info), OK);
}

#endif
