/* arch/x86/decode/acpi_tables: the FADT and HPET decoders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "arch/x86/decode/acpi_tables.h"
#include "tests/host/table_builder.h"

#define FADT_BYTES 244

static struct table_builder table;
static struct warning_list warnings;
static struct fadt fadt;
static struct hpet hpet;

/* A FADT of revision 3 with nothing in it. */
static void begin_fadt(void)
{
    static const uint8_t zeros[FADT_BYTES];

    table_begin(&table, "FACP", 3);
    table_add(&table, zeros, FADT_BYTES - table.length);
}

static enum error parse_fadt(size_t length)
{
    uint8_t *bytes;
    enum error error;

    table.length = length;
    table_end(&table);
    warnings.count = 0;
    bytes = table_copy(&table);
    error = fadt_parse(bytes, length, &fadt, &warnings);
    free(bytes);
    return error;
}

static void expect_pm_timer(enum acpi_space space, uint64_t address, unsigned bits)
{
    assert_int_equal(fadt.pm_timer.address, address);
    assert_int_equal(fadt.pm_timer_bits, bits);
    if (bits != 0)
        assert_int_equal(fadt.pm_timer.space, space);
}

static void test_i05_pm_timer_width_is_the_flag(void **state)
{
    (void)state;
    begin_fadt();
    table_set(&table, 76, 0x608, 4);
    assert_int_equal(parse_fadt(116), OK);
    expect_pm_timer(ACPI_SPACE_IO, 0x608, 24);
    table_set(&table, 112, 1u << 8, 4);
    assert_int_equal(parse_fadt(116), OK);
    expect_pm_timer(ACPI_SPACE_IO, 0x608, 32);
    assert_int_equal(warnings.count, 0);
}

static void test_a11_fields_beyond_the_table_do_not_count(void **state)
{
    (void)state;
    begin_fadt();
    table_set(&table, 76, 0x608, 4);
    table_set(&table, 109, 3, 2);
    table_set(&table, 112, 1u << 8 | 1u << 10, 4);
    table_set(&table, 116, 1, 1);
    table_set(&table, 120, 0xcf9, 8);
    assert_int_equal(parse_fadt(129), OK);
    assert_int_equal(fadt.reset.address, 0xcf9);
    assert_int_equal(parse_fadt(128), OK);
    assert_int_equal(fadt.reset.address, 0);
    assert_int_equal(parse_fadt(84), OK); /* the flags are gone: 24 bits */
    expect_pm_timer(ACPI_SPACE_IO, 0x608, 24);
    assert_false(fadt.has_boot_flags);
    assert_int_equal(parse_fadt(79), OK); /* half the port is gone */
    expect_pm_timer(ACPI_SPACE_IO, 0, 0);
    assert_int_equal(parse_fadt(40), OK);
    expect_pm_timer(ACPI_SPACE_IO, 0, 0);
}

static void test_a11_pm_timer_block_zero_or_absurd_is_none(void **state)
{
    (void)state;
    begin_fadt();
    assert_int_equal(parse_fadt(FADT_BYTES), OK);
    expect_pm_timer(ACPI_SPACE_IO, 0, 0);
    table_set(&table, 76, 0x10608, 4);
    assert_int_equal(parse_fadt(FADT_BYTES), OK);
    expect_pm_timer(ACPI_SPACE_IO, 0, 0);
}

static void test_a11_hardware_reduced_has_no_pm_timer(void **state)
{
    (void)state;
    begin_fadt();
    table_set(&table, 76, 0x608, 4);
    table_set(&table, 112, 1u << 20, 4);
    assert_int_equal(parse_fadt(FADT_BYTES), OK);
    assert_true(fadt.hardware_reduced);
    expect_pm_timer(ACPI_SPACE_IO, 0, 0);
}

static void test_extended_pm_timer_block_is_preferred_if_reachable(void **state)
{
    static const struct {
        uint8_t space;
        uint64_t address;
        enum acpi_space expected_space;
        uint64_t expected_address;
    } cases[] = {
        {1, 0x1808, ACPI_SPACE_IO, 0x1808},     {0, 0xfed80800, ACPI_SPACE_MEMORY, 0xfed80800},
        {0, 0x1fed80800, ACPI_SPACE_IO, 0x608}, /* above 4 GiB */
        {1, 0x10000, ACPI_SPACE_IO, 0x608},     /* no such port */
        {2, 0x44, ACPI_SPACE_IO, 0x608},        /* PCI configuration space */
        {0x7f, 0x1808, ACPI_SPACE_IO, 0x608},   {1, 0, ACPI_SPACE_IO, 0x608},
    };

    (void)state;
    begin_fadt();
    table_set(&table, 76, 0x608, 4);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        table.length = FADT_BYTES;
        table_set(&table, 208, cases[i].space, 1);
        table_set(&table, 212, cases[i].address, 8);
        assert_int_equal(parse_fadt(FADT_BYTES), OK);
        expect_pm_timer(cases[i].expected_space, cases[i].expected_address, 24);
    }
    assert_int_equal(parse_fadt(219), OK); /* not all of the extended block */
    expect_pm_timer(ACPI_SPACE_IO, 0x608, 24);
}

static void test_boot_flags_need_revision_2(void **state)
{
    (void)state;
    begin_fadt();
    table_set(&table, 109, 1u << 2, 2);
    assert_int_equal(parse_fadt(FADT_BYTES), OK);
    assert_true(fadt.has_boot_flags);
    assert_false(fadt.has_legacy_devices);
    assert_false(fadt.has_8042);
    assert_true(fadt.vga_absent);
    table_set(&table, 109, 3, 2);
    assert_int_equal(parse_fadt(FADT_BYTES), OK);
    assert_true(fadt.has_legacy_devices);
    assert_true(fadt.has_8042);
    assert_false(fadt.vga_absent);
    table_set(&table, 109, 1u << 2, 2);
    table_set(&table, 8, 1, 1); /* ACPI 1.0: reserved bytes */
    assert_int_equal(parse_fadt(116), OK);
    assert_false(fadt.has_boot_flags);
    assert_true(fadt.has_legacy_devices);
    assert_true(fadt.has_8042);
    assert_false(fadt.vga_absent);
}

static void test_reset_register_needs_its_flag(void **state)
{
    (void)state;
    begin_fadt();
    table_set(&table, 116, 1, 1);
    table_set(&table, 120, 0xcf9, 8);
    table_set(&table, 128, 6, 1);
    assert_int_equal(parse_fadt(FADT_BYTES), OK);
    assert_int_equal(fadt.reset.address, 0);
    table_set(&table, 112, 1u << 10, 4);
    assert_int_equal(parse_fadt(FADT_BYTES), OK);
    assert_int_equal(fadt.reset.space, ACPI_SPACE_IO);
    assert_int_equal(fadt.reset.address, 0xcf9);
    assert_int_equal(fadt.reset_value, 6);
}

static void test_a10_fadt_head_is_checked(void **state)
{
    (void)state;
    begin_fadt();
    table_end(&table);
    assert_int_equal(fadt_parse(table.bytes, 35, &fadt, &warnings), ERROR_TRUNCATED);
    assert_int_equal(fadt_parse(table.bytes, 243, &fadt, &warnings), ERROR_TRUNCATED);
    warnings.count = 0;
    table.bytes[200]++;
    assert_int_equal(fadt_parse(table.bytes, 244, &fadt, &warnings), OK);
    assert_int_equal(warnings.count, 1);
    table_set(&table, 4, 35, 4);
    assert_int_equal(fadt_parse(table.bytes, 244, &fadt, &warnings), ERROR_BAD_LENGTH);
    table_set(&table, 4, 0x100001, 4);
    assert_int_equal(fadt_parse(table.bytes, 244, &fadt, &warnings), ERROR_BAD_LENGTH);
    table.bytes[0] = 'X';
    assert_int_equal(fadt_parse(table.bytes, 244, &fadt, &warnings), ERROR_BAD_VALUE);
}

static enum error parse_hpet(uint8_t space, uint64_t base)
{
    uint8_t *bytes;
    enum error error;

    table_begin(&table, "HPET", 1);
    table_add_u32(&table, 0x8086a201);
    TABLE_ADD(&table, space, 64, 0, 0);
    table_add_u64(&table, base);
    TABLE_ADD(&table, 1, 0x80, 0x00, 0);
    table_end(&table);
    bytes = table_copy(&table);
    error = hpet_parse(bytes, table.length, &hpet, &warnings);
    free(bytes);
    return error;
}

static void test_i04_hpet_block_must_be_in_reach(void **state)
{
    (void)state;
    assert_int_equal(parse_hpet(0, 0xfed00000), OK);
    assert_int_equal(hpet.phys, 0xfed00000);
    assert_int_equal(hpet.number, 1);
    assert_int_equal(hpet.minimum_tick, 0x80);
    assert_int_equal(parse_hpet(0, 0), ERROR_BAD_VALUE);
    assert_int_equal(parse_hpet(0, 0x100000000), ERROR_BAD_VALUE);
    assert_int_equal(parse_hpet(1, 0x400), ERROR_BAD_VALUE);
    assert_int_equal(parse_hpet(2, 0xfed00000), ERROR_BAD_VALUE);
    assert_int_equal(hpet.phys, 0);
}

static void test_i04_short_hpet_table_is_refused(void **state)
{
    (void)state;
    parse_hpet(0, 0xfed00000);
    table_set(&table, 4, 55, 4);
    assert_int_equal(hpet_parse(table.bytes, 56, &hpet, &warnings), ERROR_BAD_LENGTH);
}

static void test_i04_hpet_period_is_1_to_100000000_fs(void **state)
{
    (void)state;
    assert_int_equal(hpet_period_fs(0x0429b17f8086a201), 69841279);
    assert_int_equal(hpet_period_fs(0x000000018086a201), 1);
    assert_int_equal(hpet_period_fs(0x05f5e1008086a201), 100000000);
    assert_int_equal(hpet_period_fs(0x05f5e1018086a201), 0);
    assert_int_equal(hpet_period_fs(200000000ull << 32), 0);
    assert_int_equal(hpet_period_fs(0x000000008086a201), 0);
    assert_int_equal(hpet_period_fs(UINT64_MAX), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_i05_pm_timer_width_is_the_flag),
        cmocka_unit_test(test_a11_fields_beyond_the_table_do_not_count),
        cmocka_unit_test(test_a11_pm_timer_block_zero_or_absurd_is_none),
        cmocka_unit_test(test_a11_hardware_reduced_has_no_pm_timer),
        cmocka_unit_test(test_extended_pm_timer_block_is_preferred_if_reachable),
        cmocka_unit_test(test_boot_flags_need_revision_2),
        cmocka_unit_test(test_reset_register_needs_its_flag),
        cmocka_unit_test(test_a10_fadt_head_is_checked),
        cmocka_unit_test(test_i04_hpet_block_must_be_in_reach),
        cmocka_unit_test(test_i04_short_hpet_table_is_refused),
        cmocka_unit_test(test_i04_hpet_period_is_1_to_100000000_fs),
    };

    return cmocka_run_group_tests_name("acpi_fields", tests, NULL, NULL);
}
