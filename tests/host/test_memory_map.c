/* arch/x86/decode/memory_map: what is free, and where the other CPUs can start. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "arch/x86/decode/memory_map.h"
#include "kernel/lib/random.h"

#define COUNT(array) (unsigned)(sizeof(array) / sizeof((array)[0]))
#define FOUR_GIB 0x100000000ull
#define NO_LIMIT UINT64_MAX
#define RAM 1u
#define HELD 2u

static struct memory_map map;

static void expect_free(unsigned count, const uint64_t *edges)
{
    uint64_t sum = 0;

    assert_int_equal(map.count, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(map.free[i].base, edges[2 * i]);
        assert_int_equal(map.free[i].base + map.free[i].length_bytes, edges[2 * i + 1]);
        sum += map.free[i].length_bytes;
    }
    assert_int_equal(map.free_bytes, sum);
}

/* The free ranges are [start, end) pairs of these. */
#define EXPECT_FREE(...)                                                        \
    expect_free(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t) / 2, \
                (const uint64_t[]){__VA_ARGS__})

static void build(unsigned range_count, const struct memory_range *ranges)
{
    memory_map_build(ranges, range_count, NULL, 0, NO_LIMIT, &map);
}

static void test_nothing_told_is_nothing_free(void **state)
{
    (void)state;
    build(0, NULL);
    EXPECT_FREE();
    assert_int_equal(map.unused_bytes, 0);
}

static void test_m01_empty_ranges_are_nothing(void **state)
{
    static const struct memory_range ranges[] = {
        {0x1000, 0, RAM}, {0x4000, 0x4000, RAM}, {0x5000, 0, HELD}, {0x5800, 0, HELD}};

    (void)state;
    build(COUNT(ranges), ranges);
    EXPECT_FREE(0x4000, 0x8000);
}

static void test_m02_usable_rounds_inwards_and_reserved_outwards(void **state)
{
    static const struct memory_range ranges[] = {{0x100, 0x9fb00, RAM},
                                                 {0x100000, 0x3fe30000 - 0x100000, RAM},
                                                 {0x3fe30000, 0x11810, 4},
                                                 {0x3fe41810, 0xa000, RAM}};

    (void)state;
    build(COUNT(ranges), ranges);
    EXPECT_FREE(0x1000, 0x9f000, 0x100000, 0x3fe30000, 0x3fe42000, 0x3fe4b000);
}

static void test_m02_two_halves_make_a_page(void **state)
{
    static const struct memory_range ranges[] = {{0x1800, 0x800, RAM}, {0x1000, 0x800, RAM}};

    (void)state;
    build(COUNT(ranges), ranges);
    EXPECT_FREE(0x1000, 0x2000);
}

static void test_m02_reserved_wins_in_any_order(void **state)
{
    static const struct memory_range ranges[] = {
        {0x30000, 0x10000, RAM}, /* wholly inside a reserved one */
        {0x20000, 0x40000, HELD}, {0x50000, 0x8000, RAM}, {0x0, 0x100000, RAM}, {0x8000, 1, HELD},
        {0xff001, 0x2000, HELD},  {0x10000, 0x1000, RAM}, {0x0, 0x100000, RAM}};
    struct memory_range turned[COUNT(ranges)];

    (void)state;
    for (unsigned turn = 0; turn < COUNT(ranges); turn++) {
        for (unsigned i = 0; i < COUNT(ranges); i++)
            turned[i] = ranges[(i + turn) % COUNT(ranges)];
        build(COUNT(turned), turned);
        EXPECT_FREE(0x0, 0x8000, 0x9000, 0x20000, 0x60000, 0xff000);
    }
}

static void test_m04_nothing_beyond_the_limit_is_given_out(void **state)
{
    static const struct memory_range ranges[] = {{0xfd00000000, 0x300000000, HELD},
                                                 {0xffff0000, 0x10000, RAM},
                                                 {FOUR_GIB, 0x20000000, RAM},
                                                 {0x100000, 0x1000000, RAM}};

    (void)state;
    memory_map_build(ranges, COUNT(ranges), NULL, 0, FOUR_GIB, &map);
    EXPECT_FREE(0x100000, 0x1100000, 0xffff0000, FOUR_GIB);
    assert_int_equal(map.unused_bytes, 0x20000000);
    memory_map_build(ranges, COUNT(ranges), NULL, 0, 0x200800, &map);
    EXPECT_FREE(0x100000, 0x200000);
    assert_int_equal(map.unused_bytes, 0x20000000 + 0x10000 + 0xf00000);
}

static void test_m04_ranges_to_the_end_of_all_addresses(void **state)
{
    static const struct memory_range ranges[] = {{UINT64_MAX - 0xffff, UINT64_MAX, HELD},
                                                 {UINT64_MAX - 0x1ffff, 0x20000, RAM},
                                                 {0x1000, 0x1000, RAM}};

    (void)state;
    build(COUNT(ranges), ranges);
    EXPECT_FREE(0x1000, 0x2000, UINT64_MAX - 0x1ffff, UINT64_MAX - 0xffff);
    build(1, &ranges[0]);
    EXPECT_FREE();
}

static void test_m05_unknown_types_are_reserved(void **state)
{
    static const struct memory_range ranges[] = {
        {0, 0x10000, RAM},   {0x1000, 0x1000, 0},    {0x3000, 0x1000, 3},
        {0x5000, 0x1000, 7}, {0x7000, 0x1000, 0x14}, {0x9000, 0x1000, UINT32_MAX}};

    (void)state;
    build(COUNT(ranges), ranges);
    EXPECT_FREE(0x0, 0x1000, 0x2000, 0x3000, 0x4000, 0x5000, 0x6000, 0x7000, 0x8000, 0x9000, 0xa000,
                0x10000);
}

static void test_b05_further_reservations_are_cut_out(void **state)
{
    static const struct memory_range ranges[] = {{0x0, 0x9fc00, RAM}, {0x100000, 0x100000, RAM}};
    static const struct memory_range reserved[] = {
        {0x9500, 116, RAM}, {0x100000, 0x5000, HELD}, {0x105000, 0x801, HELD}, {0x9000, 24, HELD}};

    (void)state;
    memory_map_build(ranges, COUNT(ranges), reserved, COUNT(reserved), NO_LIMIT, &map);
    EXPECT_FREE(0x0, 0x9000, 0xa000, 0x9f000, 0x106000, 0x200000);
}

static void test_full_list_counts_what_it_leaves_out(void **state)
{
    static struct memory_range ranges[MEMORY_MAP_MAX + 10];

    (void)state;
    for (unsigned i = 0; i < COUNT(ranges); i++)
        ranges[i] = (struct memory_range){0x2000u * i, 0x1000, RAM};
    build(COUNT(ranges), ranges);
    assert_int_equal(map.count, MEMORY_MAP_MAX);
    assert_int_equal(map.free_bytes, MEMORY_MAP_MAX * 0x1000);
    assert_int_equal(map.unused_bytes, 10 * 0x1000);
}

#define GRAIN 0x400u
#define GRAINS 256u /* 64 pages */

static struct memory_range random_range(struct random *random, uint32_t type)
{
    uint32_t base = random_below(random, GRAINS), length = random_below(random, GRAINS / 4);

    return (struct memory_range){base * GRAIN, length * GRAIN, type};
}

/* Whether a page is free, worked out grain by grain. */
static bool page_is_free(uint64_t page, const struct memory_range *ranges, unsigned count)
{
    unsigned usable = 0;

    for (uint64_t at = page; at < page + MEMORY_PAGE_BYTES; at += GRAIN) {
        bool here = false;

        for (unsigned i = 0; i < count; i++) {
            bool inside = at >= ranges[i].base && at < ranges[i].base + ranges[i].length_bytes;

            if (inside && ranges[i].type != RAM)
                return false;
            here |= inside;
        }
        usable += here;
    }
    return usable == MEMORY_PAGE_BYTES / GRAIN;
}

static bool map_has(uint64_t page)
{
    for (unsigned i = 0; i < map.count; i++) {
        if (page >= map.free[i].base && page < map.free[i].base + map.free[i].length_bytes)
            return true;
    }
    return false;
}

static void test_m02_random_maps_agree_with_a_page_by_page_count(void **state)
{
    struct memory_range ranges[8];
    struct random random;

    (void)state;
    random_seed(&random, 1);
    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned i = 0; i < COUNT(ranges); i++)
            ranges[i] = random_range(&random, random_below(&random, 3) == 0 ? HELD : RAM);
        build(COUNT(ranges), ranges);
        for (uint64_t page = 0; page < 2 * GRAINS * GRAIN; page += MEMORY_PAGE_BYTES)
            assert_int_equal(map_has(page), page_is_free(page, ranges, COUNT(ranges)));
        for (unsigned i = 1; i < map.count; i++)
            assert_true(map.free[i - 1].base + map.free[i - 1].length_bytes < map.free[i].base);
    }
}

/* The chooser on a machine whose RAM is [start, end), with some of it reserved. */
static uint32_t low_page(uint64_t start, uint64_t end, struct memory_range reserved, uint16_t ebda,
                         uint16_t base_kib)
{
    struct memory_range ram = {start, end - start, RAM};

    memory_map_build(&ram, 1, &reserved, 1, FOUR_GIB, &map);
    return memory_map_low_page(&map, ebda, base_kib);
}

static const struct memory_range nothing = {0, 0, HELD};

static void test_s01_page_avoids_the_loaders_data(void **state)
{
    (void)state;
    assert_int_equal(low_page(0, 0x9fc00, nothing, 0x9fc0, 639), 0x10000);
    assert_int_equal(low_page(0, 0x9fc00, (struct memory_range){0x10000, 116, HELD}, 0x9fc0, 639),
                     0x11000);
    assert_int_equal(low_page(0, 0x9fc00, (struct memory_range){0x9000, 0x600, HELD}, 0x9fc0, 639),
                     0x10000);
}

static void test_s01_vector_is_1_to_9e(void **state)
{
    (void)state;
    assert_int_equal(low_page(0, 0x1000, nothing, 0, 0), 0);
    assert_int_equal(low_page(0, 0x2000, nothing, 0, 0), 0x1000);
    assert_int_equal(low_page(0x9e000, 0xa0000, nothing, 0, 0), 0x9e000);
    assert_int_equal(low_page(0x9f000, 0xb0000, nothing, 0, 0), 0);
    assert_int_equal(low_page(0x100000, 0x8000000, nothing, 0x9fc0, 639), 0);
}

static void test_m03_little_low_memory(void **state)
{
    static const struct memory_range ranges[] = {{0, 0x8000, RAM}, {0x9e000, 0x1800, RAM}};
    static const struct memory_range info = {0x9e000, 116, HELD};

    (void)state;
    memory_map_build(ranges, COUNT(ranges), &info, 1, FOUR_GIB, &map);
    assert_int_equal(memory_map_low_page(&map, 0x9fc0, 0x20), 0x7000);
    memory_map_build(ranges, 1, &ranges[0], 1, FOUR_GIB, &map);
    assert_int_equal(memory_map_low_page(&map, 0x9fc0, 0x20), 0);
}

static void test_m03_ebda_and_base_memory_bound_the_page(void **state)
{
    (void)state;
    assert_int_equal(low_page(0x80000, 0xa0000, nothing, 0x8000, 640), 0);
    assert_int_equal(low_page(0x7f000, 0xa0000, nothing, 0x8000, 640), 0x7f000);
    assert_int_equal(low_page(0x7f000, 0xa0000, nothing, 0x9fc0, 508), 0);
    assert_int_equal(low_page(0x7f000, 0xa0000, nothing, 0x9fc0, 511), 0);
    assert_int_equal(low_page(0x7f000, 0xa0000, nothing, 0x9fc0, 512), 0x7f000);
}

static void test_a02_nonsense_in_the_bios_data_area_is_not_believed(void **state)
{
    (void)state;
    assert_int_equal(low_page(0, 0xa0000, nothing, 0, 0), 0x10000);
    assert_int_equal(low_page(0, 0xa0000, nothing, 0x1fff, 0xffff), 0x10000);
    assert_int_equal(low_page(0, 0xa0000, nothing, 0xffff, 640), 0x10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_told_is_nothing_free),
        cmocka_unit_test(test_m01_empty_ranges_are_nothing),
        cmocka_unit_test(test_m02_usable_rounds_inwards_and_reserved_outwards),
        cmocka_unit_test(test_m02_two_halves_make_a_page),
        cmocka_unit_test(test_m02_reserved_wins_in_any_order),
        cmocka_unit_test(test_m04_nothing_beyond_the_limit_is_given_out),
        cmocka_unit_test(test_m04_ranges_to_the_end_of_all_addresses),
        cmocka_unit_test(test_m05_unknown_types_are_reserved),
        cmocka_unit_test(test_b05_further_reservations_are_cut_out),
        cmocka_unit_test(test_full_list_counts_what_it_leaves_out),
        cmocka_unit_test(test_m02_random_maps_agree_with_a_page_by_page_count),
        cmocka_unit_test(test_s01_page_avoids_the_loaders_data),
        cmocka_unit_test(test_s01_vector_is_1_to_9e),
        cmocka_unit_test(test_m03_little_low_memory),
        cmocka_unit_test(test_m03_ebda_and_base_memory_bound_the_page),
        cmocka_unit_test(test_a02_nonsense_in_the_bios_data_area_is_not_believed),
    };

    return cmocka_run_group_tests_name("memory_map", tests, NULL, NULL);
}
