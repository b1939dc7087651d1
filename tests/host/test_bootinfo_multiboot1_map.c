/* arch/x86/decode/bootinfo with Multiboot 1 blocks: the memory map. */
#include "tests/host/multiboot1_case.h"

static void test_m01_map_steps_by_size_plus_4(void **state)
{
    struct table_builder map = {.length = 0};

    (void)state;
    map_entry(&map, 20, 0x1000, 0x1000, 1);
    map_entry(&map, 24, 0x3000, 0x1000, 1);
    map_entry(&map, 60, 0x5000, 0x1000, 3);
    map_entry(&map, 20, 0x2000, 0, 1); /* empty */
    map_entry(&map, 20, 0x1800, 0x1000, 2);
    put_map(put_block(0x40), &map);
    parse();
    assert_int_equal(info.memory_count, 4);
    expect_range(0, 0x1000, 0x1000, 1);
    expect_range(1, 0x3000, 0x1000, 1);
    expect_range(2, 0x5000, 0x1000, 3);
    expect_range(3, 0x1800, 0x1000, 2);
    assert_int_equal(info.warnings.count, 0);
}

static void test_m01_bad_sizes_end_the_map(void **state)
{
    static const uint32_t sizes[] = {0, 4, 16, 19, 44, 0x7fffffff, UINT32_MAX - 3, UINT32_MAX};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct table_builder map = {.length = 0};

        map_entry(&map, 20, 0x1000, 0x1000, 1);
        map_entry(&map, 20, 0x3000, 0x1000, 1);
        map_entry(&map, 20, 0x5000, 0x1000, 1);
        table_set(&map, 24, sizes[i], 4);
        put_map(put_block(0x40), &map);
        parse();
        assert_int_equal(info.memory_count, sizes[i] == 44 ? 2 : 1);
        if (sizes[i] != 44) /* 44 swallows the third entry, which a map may do */
            expect_warning("bootinfo.mmap.size");
        free_memory(state);
    }
}

static void test_m01_cut_last_entry_is_ignored(void **state)
{
    struct table_builder map = {.length = 0};

    (void)state;
    map_entry(&map, 20, 0x1000, 0x1000, 1);
    map_entry(&map, 20, 0x3000, 0x1000, 1);
    map.length -= 4;
    put_map(put_block(0x40), &map);
    parse();
    assert_int_equal(info.memory_count, 1);
    expect_warning("bootinfo.mmap.size");
}

static void test_m01_absurd_map_length_is_not_walked(void **state)
{
    uint8_t *block = put_block(0x41);

    (void)state;
    set(block, LOWER, 640);
    set(block, UPPER, 1024);
    set(block, MMAP, UINT32_MAX);
    set(block, MMAP + 4, MAP);
    parse();
    assert_int_equal(info.memory_count, 2); /* the sizes are used instead */
    expect_warning("bootinfo.mmap_length");
}

static void test_m04_ranges_end_where_addresses_do(void **state)
{
    struct table_builder map = {.length = 0};

    (void)state;
    map_entry(&map, 20, 0xfff00000, 0x100000, 1);
    map_entry(&map, 20, UINT64_MAX - 0xfff, UINT64_MAX, 2);
    map_entry(&map, 20, UINT64_MAX, 1, 2); /* nothing is left of it */
    map_entry(&map, 20, 0x100000000, 0x100000000, 1);
    put_map(put_block(0x40), &map);
    parse();
    expect_range(0, 0xfff00000, 0x100000, 1);
    expect_range(1, UINT64_MAX - 0xfff, 0xfff, 2);
    expect_range(2, 0x100000000, 0x100000000, 1);
    assert_int_equal(info.memory_count, 3);
    assert_int_equal(info.usable_end, 0x100000000);
    expect_warning("bootinfo.memory.length");
}

static void test_m05_a_full_list_gives_up_ram_only(void **state)
{
    struct table_builder map = {.length = 0};
    unsigned usable = 0;

    (void)state;
    for (unsigned i = 0; i < BOOTINFO_MAX_MEMORY + 2; i++)
        map_entry(&map, 20, 0x10000u * i, 0x8000, 1);
    map_entry(&map, 20, 0xe0000000, 0x1000, 0x14);
    put_map(put_block(0x40), &map);
    parse();
    assert_int_equal(info.memory_count, BOOTINFO_MAX_MEMORY);
    assert_int_equal(info.memory_dropped, 3);
    for (unsigned i = 0; i < info.memory_count; i++)
        usable += info.memory[i].type == MEMORY_USABLE;
    assert_int_equal(usable, BOOTINFO_MAX_MEMORY - 1);
    expect_range(BOOTINFO_MAX_MEMORY - 1, 0xe0000000, 0x1000, 0x14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MEMORY(test_m01_map_steps_by_size_plus_4),
        WITH_MEMORY(test_m01_bad_sizes_end_the_map),
        WITH_MEMORY(test_m01_cut_last_entry_is_ignored),
        WITH_MEMORY(test_m01_absurd_map_length_is_not_walked),
        WITH_MEMORY(test_m04_ranges_end_where_addresses_do),
        WITH_MEMORY(test_m05_a_full_list_gives_up_ram_only),
    };

    return cmocka_run_group_tests_name("bootinfo_multiboot1_map", tests, NULL, NULL);
}
