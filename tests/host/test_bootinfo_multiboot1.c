/* arch/x86/decode/bootinfo with Multiboot 1 blocks: all but the memory map. */
#include "tests/host/multiboot1_case.h"

static void test_b07_foreign_magic_is_refused(void **state)
{
    (void)state;
    put_block(0);
    assert_int_equal(bootinfo_parse(fake_memory_read, &memory, 0x2badb003, INFO, &info),
                     ERROR_BAD_VALUE);
    assert_int_equal(bootinfo_parse(fake_memory_read, &memory, 0, INFO, &info), ERROR_BAD_VALUE);
}

static void test_b07_block_that_is_nowhere_is_refused(void **state)
{
    (void)state;
    assert_int_equal(bootinfo_parse(fake_memory_read, &memory, BOOTINFO_MAGIC_1, INFO, &info),
                     ERROR_TRUNCATED);
}

static void test_b07_fields_without_their_flag_are_not_read(void **state)
{
    (void)state;
    put_block(0);
    parse();
    assert_int_equal(info.protocol, BOOT_MULTIBOOT1);
    assert_string_equal(info.cmdline, "");
    assert_string_equal(info.loader, "");
    assert_int_equal(info.memory_count, 0);
    assert_int_equal(info.module_count, 0);
    assert_int_equal(info.reserved_count, 1);
    assert_int_equal(info.lower_kib, 0);
    assert_int_equal(info.usable_end, 0);
    assert_int_equal(info.framebuffer.type, FRAMEBUFFER_UNKNOWN);
    expect_warning("bootinfo.memory");
}

static void test_b07_flags_as_qemu_sets_them(void **state)
{
    uint8_t *block = put_block(0x24f);
    struct table_builder map = {.length = 0};

    (void)state;
    set(block, LOWER, 639);
    set(block, UPPER, 130048);
    set(block, CMDLINE, 0x9800);
    set(block, MODS, 0);
    set(block, MODS + 4, 0x9900);
    set(block, LOADER, 0x9700);
    put_text(0x9700, "qemu");
    put_text(0x9800, "build/tandem.elf run=pair");
    map_entry(&map, 20, 0, 0x9fc00, 1);
    map_entry(&map, 20, 0x9fc00, 0x400, 2);
    map_entry(&map, 20, 0x100000, 0x7ee0000, 1);
    map_entry(&map, 20, 0xfd00000000, 0x300000000, 2);
    put_map(block, &map);
    parse();
    assert_string_equal(info.loader, "qemu");
    assert_string_equal(info.cmdline, "build/tandem.elf run=pair");
    assert_false(info.cmdline_truncated);
    assert_int_equal(info.memory_count, 4);
    expect_range(2, 0x100000, 0x7ee0000, 1);
    expect_range(3, 0xfd00000000, 0x300000000, 2);
    assert_int_equal(info.usable_end, 0x7fe0000);
    assert_int_equal(info.lower_kib, 639);
    assert_int_equal(info.rsdp_length, 0);
    assert_int_equal(info.warnings.count, 0);
}

static void test_b07_no_map_means_sizes(void **state)
{
    uint8_t *block = put_block(0x1);

    (void)state;
    set(block, LOWER, 639);
    set(block, UPPER, UINT32_MAX);
    parse();
    assert_int_equal(info.memory_count, 2);
    expect_range(0, 0, 639 * 1024, 1);
    expect_range(1, 0x100000, (uint64_t)UINT32_MAX << 10, 1);
    assert_int_equal(info.usable_end, 0x100000000);
    expect_warning("bootinfo.memory");
}

static void test_b05_what_the_loader_left_in_ram_is_reserved(void **state)
{
    uint8_t *block = put_block(0x24f);
    struct table_builder map = {.length = 0}, modules = {.length = 0};

    (void)state;
    set(block, CMDLINE, 0x10100);
    set(block, LOADER, 0x10200);
    set(block, MODS, 2);
    set(block, MODS + 4, 0x10300);
    put_text(0x10100, "a b");
    put_text(0x10200, "GRUB 2.06");
    put_text(0x10400, "first");
    table_add_u64(&modules, 0x105000ull | 0x105801ull << 32);
    table_add_u64(&modules, 0x10400);
    table_add_u64(&modules, 0x106000ull | 0x106000ull << 32); /* empty: the end is exclusive */
    table_add_u64(&modules, 0);
    fake_memory_put(&memory, 0x10300, modules.bytes, modules.length);
    map_entry(&map, 20, 0, 0x9fc00, 1);
    put_map(block, &map);
    parse();
    expect_reserved(INFO, BLOCK_BYTES);
    expect_reserved(MAP, 24);
    expect_reserved(0x10100, 4);
    expect_reserved(0x10200, 10);
    expect_reserved(0x10300, 32);
    expect_reserved(0x10400, 6);
    expect_reserved(0x105000, 0x801);
    assert_int_equal(info.module_count, 2);
    assert_int_equal(info.modules[0].length_bytes, 0x801);
    assert_int_equal(info.modules[1].length_bytes, 0);
    assert_int_equal(info.reserved_count, 7);
}

static void test_b05_odd_modules_are_ignored(void **state)
{
    uint8_t *block = put_block(0x8);
    struct table_builder modules = {.length = 0};

    (void)state;
    set(block, MODS, UINT32_MAX);
    set(block, MODS + 4, 0x10300);
    table_add_u64(&modules, 0x105000ull | 0x104000ull << 32); /* ends before it starts */
    table_add_u64(&modules, 0);
    for (unsigned i = 1; i < BOOTINFO_MAX_MODULES; i++) {
        table_add_u64(&modules, 0x105000ull | 0x106000ull << 32);
        table_add_u64(&modules, 0xdead0000); /* its name is nowhere */
    }
    fake_memory_put(&memory, 0x10300, modules.bytes, modules.length);
    parse();
    assert_int_equal(info.module_count, BOOTINFO_MAX_MODULES - 1);
    expect_warning("bootinfo.mods_count");
    expect_warning("bootinfo.module.end");
}

static void test_b05_module_list_may_end_early(void **state)
{
    uint8_t *block = put_block(0x8);

    (void)state;
    set(block, MODS, 2);
    set(block, MODS + 4, 0x10300);
    set(fake_memory_add(&memory, 0x10300, 24), 4, 0x1000);
    parse();
    assert_int_equal(info.module_count, 1);
    expect_warning("bootinfo.mods_addr");
}

static void test_b06_command_lines_are_copied_as_they_are(void **state)
{
    static const char *const lines[] = {"", "probe.elf a \"b c\"", "a \"b c\"", "a \"b", " \t"};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        set(put_block(0x4), CMDLINE, 0x9800);
        put_text(0x9800, lines[i]);
        parse();
        assert_string_equal(info.cmdline, lines[i]);
        assert_false(info.cmdline_truncated);
        free_memory(state);
    }
}

static void test_b06_long_command_line_is_cut(void **state)
{
    uint8_t *text = fake_memory_add(&memory, 0x9800, 8192);

    (void)state;
    set(put_block(0x4), CMDLINE, 0x9800);
    memset(text, 'x', 4095);
    parse();
    assert_int_equal(strlen(info.cmdline), 4095);
    assert_false(info.cmdline_truncated);
    memset(text, 'x', 8192);
    parse();
    assert_int_equal(strlen(info.cmdline), 4095);
    assert_true(info.cmdline_truncated);
}

static void test_b06_command_line_may_end_with_memory(void **state)
{
    (void)state;
    set(put_block(0x204), CMDLINE, 0xfffffffe);
    set(memory.areas[0].bytes, LOADER, 0xdead0000);
    fake_memory_put(&memory, 0xfffffffe, "ab", 2);
    parse();
    assert_string_equal(info.cmdline, "ab");
    assert_string_equal(info.loader, "");
}

/* framebuffer_addr and on, as GRUB fills it in for 1024x768 in 32 bits. */
static const uint8_t framebuffer[28] = {0x00, 0x00, 0x00, 0xe0, 0, 0, 0,    0,    0x00, 0x10,
                                        0,    0,    0x00, 0x04, 0, 0, 0x00, 0x03, 0,    0,
                                        32,   1,    16,   8,    8, 8, 0,    8};

static void test_framebuffer_of_grub(void **state)
{
    uint8_t *block = put_block(0x1000);

    (void)state;
    memcpy(block + FB, framebuffer, sizeof(framebuffer));
    parse();
    assert_int_equal(info.framebuffer.type, FRAMEBUFFER_RGB);
    assert_int_equal(info.framebuffer.phys, 0xe0000000);
    assert_int_equal(info.framebuffer.width, 1024);
    assert_int_equal(info.framebuffer.height, 768);
    assert_int_equal(info.framebuffer.pitch_bytes, 4096);
    assert_int_equal(info.framebuffer.red_bit, 16);
    assert_int_equal(info.framebuffer.blue_bits, 8);
    block[FB + 21] = 2;
    parse();
    assert_int_equal(info.framebuffer.type, FRAMEBUFFER_EGA_TEXT);
    block[FB + 21] = 0;
    parse();
    assert_int_equal(info.framebuffer.type, FRAMEBUFFER_NONE);
}

static void test_unusable_framebuffers_are_not_used(void **state)
{
    static const struct {
        size_t offset;
        uint8_t value;
    } damage[] = {{4, 1},  {3, 0},   {10, 0x10}, {9, 0x0f}, {13, 0},
                  {17, 0}, {20, 64}, {20, 8},    {23, 17},  {22, 255}};
    uint8_t *block = put_block(0x1000);

    (void)state;
    for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++) {
        memcpy(block + FB, framebuffer, sizeof(framebuffer));
        block[FB + damage[i].offset] = damage[i].value;
        parse();
        assert_int_equal(info.framebuffer.type, FRAMEBUFFER_NONE);
        expect_warning("bootinfo.framebuffer");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MEMORY(test_b07_foreign_magic_is_refused),
        WITH_MEMORY(test_b07_block_that_is_nowhere_is_refused),
        WITH_MEMORY(test_b07_fields_without_their_flag_are_not_read),
        WITH_MEMORY(test_b07_flags_as_qemu_sets_them),
        WITH_MEMORY(test_b07_no_map_means_sizes),
        WITH_MEMORY(test_b05_what_the_loader_left_in_ram_is_reserved),
        WITH_MEMORY(test_b05_odd_modules_are_ignored),
        WITH_MEMORY(test_b05_module_list_may_end_early),
        WITH_MEMORY(test_b06_command_lines_are_copied_as_they_are),
        WITH_MEMORY(test_b06_long_command_line_is_cut),
        WITH_MEMORY(test_b06_command_line_may_end_with_memory),
        WITH_MEMORY(test_framebuffer_of_grub),
        WITH_MEMORY(test_unusable_framebuffers_are_not_used),
    };

    return cmocka_run_group_tests_name("bootinfo_multiboot1", tests, NULL, NULL);
}
