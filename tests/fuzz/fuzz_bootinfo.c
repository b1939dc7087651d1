/*
 * bootinfo_parse on a memory of any bytes, and the memory map of what it finds. Beyond not
 * crashing: all text ends, and no free page is outside RAM or inside anything reserved.
 */
#include "arch/x86/decode/bootinfo.h"
#include "arch/x86/decode/memory_map.h"
#include "tests/fuzz/fuzz_memory.h"

#define FOUR_GIB 0x100000000ull

static uint64_t end_of(const struct memory_range *range)
{
    return range->base + range->length_bytes;
}

static bool overlaps(const struct memory_range *free_range, const struct memory_range *other)
{
    return other->length_bytes != 0 && other->base < end_of(free_range) &&
           end_of(other) > free_range->base;
}

static bool is_usable(const struct bootinfo *info, uint64_t address)
{
    for (unsigned i = 0; i < info->memory_count; i++) {
        const struct memory_range *range = &info->memory[i];

        if (range->type == MEMORY_USABLE && address >= range->base && address < end_of(range))
            return true;
    }
    return false;
}

static void check_free_range(const struct bootinfo *info, const struct memory_range *range)
{
    CHECK(range->base % MEMORY_PAGE_BYTES == 0 && range->length_bytes % MEMORY_PAGE_BYTES == 0);
    CHECK(range->length_bytes != 0 && end_of(range) <= FOUR_GIB);
    CHECK(is_usable(info, range->base) && is_usable(info, end_of(range) - 1));
    for (unsigned i = 0; i < info->memory_count; i++)
        CHECK(info->memory[i].type == MEMORY_USABLE || !overlaps(range, &info->memory[i]));
    for (unsigned i = 0; i < info->reserved_count; i++)
        CHECK(!overlaps(range, &info->reserved[i]));
}

static void check_map(const struct bootinfo *info, uint16_t ebda_segment, uint16_t base_kib)
{
    static struct memory_map map;
    uint64_t sum = 0;
    uint32_t page;

    memory_map_build(info->memory, info->memory_count, info->reserved, info->reserved_count,
                     FOUR_GIB, &map);
    for (unsigned i = 0; i < map.count; i++) {
        check_free_range(info, &map.free[i]);
        CHECK(i == 0 || end_of(&map.free[i - 1]) < map.free[i].base);
        sum += map.free[i].length_bytes;
    }
    CHECK(sum == map.free_bytes);
    page = memory_map_low_page(&map, ebda_segment, base_kib);
    CHECK(page % MEMORY_PAGE_BYTES == 0 && page < 0x9f000);
    CHECK(page == 0 || is_usable(info, page));
}

static void check_info(const struct bootinfo *info)
{
    CHECK(memchr(info->cmdline, '\0', sizeof(info->cmdline)) != NULL);
    CHECK(memchr(info->loader, '\0', sizeof(info->loader)) != NULL);
    CHECK(info->memory_count <= BOOTINFO_MAX_MEMORY);
    CHECK(info->module_count <= BOOTINFO_MAX_MODULES);
    CHECK(info->reserved_count >= 1 && info->reserved_count <= BOOTINFO_MAX_RESERVED);
    CHECK(info->usable_end <= FOUR_GIB);
    CHECK(info->rsdp_length == 0 || info->rsdp_length == BOOTINFO_RSDP_OLD_BYTES ||
          info->rsdp_length == BOOTINFO_RSDP_BYTES);
    for (unsigned i = 0; i < info->memory_count; i++)
        CHECK(end_of(&info->memory[i]) > info->memory[i].base);
}

/* The first bytes choose the protocol and fill the BIOS data area; the block lies at address 8. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bootinfo info;
    struct fuzz_memory memory = {data, size, NULL};
    uint16_t words[2];
    uint32_t magic;

    if (size < 8)
        return 0;
    magic = data[0] % 2 == 0 ? BOOTINFO_MAGIC_1 : BOOTINFO_MAGIC_2;
    memcpy(words, data + 4, sizeof(words));
    if (bootinfo_parse(fuzz_memory_read, &memory, magic, 8, &info) == OK) {
        check_info(&info);
        check_map(&info, words[0], words[1]);
    }
    free(memory.served);
    return 0;
}
