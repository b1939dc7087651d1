/* arch/x86/decode/bootinfo with Multiboot 2 blocks. */
#include "tests/host/bootinfo_case.h"

static struct table_builder block;

static void begin(void)
{
    block.length = 0;
    table_add_u64(&block, 0);
}

static void add_tag(uint32_t type, const void *body, size_t length)
{
    static const uint8_t padding[8];

    table_add_u32(&block, type);
    table_add_u32(&block, (uint32_t)length + 8);
    table_add(&block, body, length);
    table_add(&block, padding, -block.length % 8);
}

static enum error parse_block(void)
{
    table_set(&block, 0, block.length, 4);
    fake_memory_free(&memory);
    fake_memory_put(&memory, INFO, block.bytes, block.length);
    return bootinfo_parse(fake_memory_read, &memory, BOOTINFO_MAGIC_2, INFO, &info);
}

static void parse(void)
{
    add_tag(0, NULL, 0);
    assert_int_equal(parse_block(), OK);
}

static void test_plain_block(void **state)
{
    static const uint32_t sizes[] = {639, 7168};
    static const uint32_t module[] = {0x105000, 0x105801, 'm'};
    static const uint64_t map[] = {24, 0, 0x9f000, 1, 0x100000, 0x700000, 1, 0x800000, 0x8000, 4};

    (void)state;
    begin();
    add_tag(1, "run=pair", 9);
    add_tag(2, "GRUB 2.06", 10);
    add_tag(3, module, sizeof(module));
    add_tag(4, sizes, sizeof(sizes));
    add_tag(6, map, sizeof(map));
    add_tag(99, "unknown", 7);
    parse();
    assert_int_equal(info.protocol, BOOT_MULTIBOOT2);
    assert_string_equal(info.cmdline, "run=pair");
    assert_string_equal(info.loader, "GRUB 2.06");
    assert_int_equal(info.module_count, 1);
    assert_int_equal(info.modules[0].base, 0x105000);
    assert_int_equal(info.modules[0].length_bytes, 0x801);
    assert_int_equal(info.lower_kib, 639);
    assert_int_equal(info.memory_count, 3);
    expect_range(2, 0x800000, 0x8000, 4);
    assert_int_equal(info.usable_end, 0x800000);
    expect_reserved(INFO, block.length);
    expect_reserved(0x105000, 0x801);
    assert_int_equal(info.framebuffer.type, FRAMEBUFFER_UNKNOWN);
    assert_int_equal(info.warnings.count, 0);
}

static void test_b07_block_length_is_checked(void **state)
{
    static const struct {
        uint32_t total;
        enum error error;
    } cases[] = {{0, ERROR_BAD_LENGTH},
                 {7, ERROR_BAD_LENGTH},
                 {0x100001, ERROR_BAD_LENGTH},
                 {UINT32_MAX, ERROR_BAD_LENGTH},
                 {8, OK},
                 {17, ERROR_TRUNCATED}};

    (void)state;
    begin();
    add_tag(0, NULL, 0);
    parse_block();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memcpy(memory.areas[0].bytes, &cases[i].total, 4);
        assert_int_equal(bootinfo_parse(fake_memory_read, &memory, BOOTINFO_MAGIC_2, INFO, &info),
                         cases[i].error);
    }
    assert_int_equal(bootinfo_parse(fake_memory_read, &memory, BOOTINFO_MAGIC_2, 0x1000, &info),
                     ERROR_TRUNCATED);
}

static void test_b07_bad_tag_sizes_end_the_walk(void **state)
{
    static const uint32_t sizes[] = {0, 7, 1000, UINT32_MAX, UINT32_MAX - 7};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        begin();
        add_tag(2, "GRUB", 5);
        add_tag(1, "run=pair", 9);
        table_set(&block, 28, sizes[i], 4);
        assert_int_equal(parse_block(), OK);
        assert_string_equal(info.loader, "GRUB");
        assert_string_equal(info.cmdline, "");
        expect_warning("bootinfo.tag.size");
    }
}

static void test_b07_tags_too_short_for_their_type_are_skipped(void **state)
{
    static const uint32_t types[] = {3, 4, 6, 8, 14, 15};

    (void)state;
    begin();
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        add_tag(types[i], "short", 5);
    add_tag(1, "run=pair", 9);
    parse();
    assert_int_equal(info.module_count, 0);
    assert_int_equal(info.rsdp_length, 0);
    assert_string_equal(info.cmdline, "run=pair");
    assert_int_equal(info.warnings.count, 7); /* and no memory */
}

static void test_b07_no_map_means_sizes(void **state)
{
    static const uint32_t sizes[] = {640, 1024};

    (void)state;
    begin();
    add_tag(4, sizes, sizeof(sizes));
    parse();
    assert_int_equal(info.memory_count, 2);
    expect_range(0, 0, 640 * 1024, 1);
    expect_range(1, 0x100000, 0x100000, 1);
}

static void test_b06_text_without_terminator_is_bounded(void **state)
{
    static char text[5000];

    (void)state;
    memset(text, 'x', sizeof(text));
    begin();
    add_tag(1, text, 4095);
    add_tag(2, text, 0);
    parse();
    assert_int_equal(strlen(info.cmdline), 4095);
    assert_false(info.cmdline_truncated);
    assert_string_equal(info.loader, "");
    begin();
    add_tag(1, text, sizeof(text));
    add_tag(2, text, 100);
    parse();
    assert_int_equal(strlen(info.cmdline), 4095);
    assert_true(info.cmdline_truncated);
    assert_int_equal(strlen(info.loader), 63);
}

static void test_m01_map_steps_by_its_entry_size(void **state)
{
    static const uint64_t map[] = {40, 0x1000, 0x1000, 1, 0, 0, 0x3000, 0x1000, 2, 0, 0, 0x5000};

    (void)state;
    begin();
    add_tag(6, map, sizeof(map));
    parse();
    assert_int_equal(info.memory_count, 2);
    expect_range(1, 0x3000, 0x1000, 2);
}

static void test_m01_bad_entry_sizes_are_refused(void **state)
{
    static const uint32_t sizes[] = {0, 20, 23};
    uint64_t map[] = {0, 0x1000, 0x1000, 1};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        map[0] = sizes[i];
        begin();
        add_tag(6, map, sizeof(map));
        parse();
        assert_int_equal(info.memory_count, 0);
        expect_warning("bootinfo.mmap.entry_size");
    }
    map[0] = UINT32_MAX; /* no entry fits */
    begin();
    add_tag(6, map, sizeof(map));
    parse();
    assert_int_equal(info.memory_count, 0);
}

static void test_a05_newer_rsdp_copy_wins(void **state)
{
    static const uint8_t old[20] = "RSD PTR old", new[36] = "RSD PTR new";

    (void)state;
    begin();
    add_tag(14, old, sizeof(old));
    parse();
    assert_int_equal(info.rsdp_length, 20);
    assert_memory_equal(info.rsdp, old, 20);
    begin();
    add_tag(15, new, sizeof(new));
    add_tag(14, old, sizeof(old));
    parse();
    assert_int_equal(info.rsdp_length, 36);
    assert_memory_equal(info.rsdp, new, 36);
    begin();
    add_tag(14, old, sizeof(old));
    add_tag(15, new, sizeof(new));
    parse();
    assert_int_equal(info.rsdp_length, 36);
    assert_memory_equal(info.rsdp, new, 36);
}

static void test_framebuffer_tag(void **state)
{
    static const uint8_t told[30] = {0x00, 0x00, 0x00, 0xe0, 0,  0, 0,    0,    0x60, 0x09,
                                     0,    0,    0x20, 0x03, 0,  0, 0x58, 0x02, 0,    0,
                                     24,   1,    0,    0,    16, 8, 8,    8,    0,    8};

    (void)state;
    begin();
    add_tag(8, told, sizeof(told));
    parse();
    assert_int_equal(info.framebuffer.type, FRAMEBUFFER_RGB);
    assert_int_equal(info.framebuffer.width, 800);
    assert_int_equal(info.framebuffer.bits_per_pixel, 24);
    assert_int_equal(info.framebuffer.green_bit, 8);
    begin();
    add_tag(8, told, 29); /* not all of the colours */
    parse();
    assert_int_equal(info.framebuffer.type, FRAMEBUFFER_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MEMORY(test_plain_block),
        WITH_MEMORY(test_b07_block_length_is_checked),
        WITH_MEMORY(test_b07_bad_tag_sizes_end_the_walk),
        WITH_MEMORY(test_b07_tags_too_short_for_their_type_are_skipped),
        WITH_MEMORY(test_b07_no_map_means_sizes),
        WITH_MEMORY(test_b06_text_without_terminator_is_bounded),
        WITH_MEMORY(test_m01_map_steps_by_its_entry_size),
        WITH_MEMORY(test_m01_bad_entry_sizes_are_refused),
        WITH_MEMORY(test_a05_newer_rsdp_copy_wins),
        WITH_MEMORY(test_framebuffer_tag),
    };

    return cmocka_run_group_tests_name("bootinfo_multiboot2", tests, NULL, NULL);
}
