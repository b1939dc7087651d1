/* arch/x86/decode/madt against hand-made tables: the walk, and all entries but CPUs. */
#include "tests/host/madt_case.h"

static void test_plain_table(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(7, 0, 1), CPU(8, 1, 1));
    TABLE_ADD(&table, 0x01, 0x0c, 0x04, 0, 0x00, 0x00, 0xc0, 0xfe, 0x18, 0, 0, 0);
    TABLE_ADD(&table, 0x02, 0x0a, 0x00, 0x00, 0x02, 0, 0, 0, 0x0f, 0x00);
    TABLE_ADD(&table, 0x04, 0x06, 0xff, 0x05, 0x00, 0x01);
    TABLE_ADD(&table, 0x0a, 0x0c, 0x05, 0x00, 0x08, 0, 0, 0, 0x00, 0, 0, 0);
    parse();
    EXPECT_USABLE(0, 1);
    assert_int_equal(madt.cpus[1].acpi_uid, 8);
    assert_int_equal(madt.warnings.count, 0);
    assert_int_equal(madt.lapic_address, 0xfee00000);
    assert_true(madt.pcat_compat);
    assert_int_equal(madt.ioapic_count, 1);
    assert_int_equal(madt.ioapics[0].ioapic_id, 4);
    assert_int_equal(madt.ioapics[0].phys, 0xfec00000);
    assert_int_equal(madt.ioapics[0].gsi_base, 24);
    assert_int_equal(madt.override_count, 1);
    assert_int_equal(madt.overrides[0].irq, 0);
    assert_int_equal(madt.overrides[0].gsi, 2);
    assert_int_equal(madt.overrides[0].flags, 0xf);
    assert_int_equal(madt.local_nmi_count, 2);
    assert_int_equal(madt.local_nmis[0].acpi_uid, MADT_UID_ALL);
    assert_int_equal(madt.local_nmis[0].lint, 1);
    assert_int_equal(madt.local_nmis[1].acpi_uid, 8);
    assert_int_equal(madt.local_nmis[1].flags, 5);
}

static void test_pcat_compat_clear(void **state)
{
    (void)state;
    begin();
    table_set(&table, 40, 0, 4);
    TABLE_ADD(&table, CPU(0, 0, 1));
    parse();
    assert_false(madt.pcat_compat);
}

static void test_a10_lengths_are_checked(void **state)
{
    static const struct {
        uint32_t header_length;
        enum error error;
    } cases[] = {
        {0, ERROR_BAD_LENGTH},
        {35, ERROR_BAD_LENGTH},
        {43, ERROR_BAD_LENGTH},
        {53, ERROR_TRUNCATED},
        {1u << 20, ERROR_TRUNCATED},
        {(1u << 20) + 1, ERROR_BAD_LENGTH},
        {0x10000000, ERROR_BAD_LENGTH},
        {UINT32_MAX, ERROR_BAD_LENGTH},
        {44, OK},
        {52, OK},
    };

    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        table_set(&table, 4, cases[i].header_length, 4);
        assert_int_equal(parse_raw(), cases[i].error);
        assert_int_equal(madt.cpu_count, cases[i].header_length == 52);
    }
}

static void test_a10_short_or_foreign_bytes_are_refused(void **state)
{
    (void)state;
    begin();
    table_end(&table);
    for (table.length = 0; table.length < 44; table.length++)
        assert_int_equal(parse_raw(), ERROR_TRUNCATED);
    table.length = 44;
    table.bytes[0] = 'B';
    assert_int_equal(parse_raw(), ERROR_BAD_VALUE);
}

static void test_a10_bad_checksum_is_a_warning(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 1, 1));
    table_end(&table);
    table.bytes[9] ^= 0x55;
    assert_int_equal(parse_raw(), OK);
    EXPECT_USABLE(0, 1);
    expect_warning("madt.checksum");
}

static void test_d01_zero_length_entry_ends_the_walk(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), 0x00, 0x00, CPU(1, 1, 1));
    parse();
    EXPECT_USABLE(0);
    expect_warning("madt.entry.length");
}

static void test_d01_length_one_entry_ends_the_walk(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), 0x00, 0x01, CPU(1, 1, 1));
    parse();
    EXPECT_USABLE(0);
    expect_warning("madt.entry.length");
}

static void test_d02_truncated_tail_is_ignored(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 1, 1), 0x00, 0x08, 0x02);
    parse();
    EXPECT_USABLE(0, 1);
    expect_warning("madt.entry.length");
}

static void test_d02_single_byte_tail_is_ignored(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 1, 1), 0x00);
    parse();
    EXPECT_USABLE(0, 1);
    expect_warning("madt.length");
}

static void test_d02_overrunning_entry_is_ignored(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 1, 1), 0x00, 0x40, 0x02, 0x02, 0x01, 0, 0, 0);
    parse();
    EXPECT_USABLE(0, 1);
    expect_warning("madt.entry.length");
}

static void test_d02_entries_too_short_for_their_type_are_skipped(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), 0x00, 0x06, 0x01, 0x01, 0x01, 0x00);
    TABLE_ADD(&table, 0x09, 0x08, 0, 0, 0x02, 0, 0, 0);
    TABLE_ADD(&table, 0x01, 0x04, 1, 0, 0x02, 0x04, 0, 0, 0x04, 0x02, 0x05, 0x04, 0, 0);
    TABLE_ADD(&table, 0x0a, 0x04, 0, 0, CPU(3, 3, 1));
    parse();
    EXPECT_USABLE(0, 3);
    assert_int_equal(madt.entries, 2);
    assert_int_equal(madt.ioapic_count + madt.override_count + madt.local_nmi_count, 0);
    expect_warning("madt.entry.length");
}

static void test_d02_entries_longer_than_their_type_are_read(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, 0x00, 0x0a, 0, 0, 1, 0, 0, 0, 0xaa, 0xbb, CPU(1, 1, 1));
    parse();
    EXPECT_USABLE(0, 1);
}

static void test_d02_unknown_types_are_skipped_by_length(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), 0x7f, 0x06, 0, 0, 0, 0, 0xff, 0x04, 0, 0, 0x06, 0x02);
    TABLE_ADD(&table, 0x03, 0x08, 0, 0, 2, 0, 0, 0, CPU(1, 1, 1));
    parse();
    EXPECT_USABLE(0, 1);
    assert_int_equal(madt.warnings.count, 0);
}

static void test_d02_ioapic_may_come_first(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, 0x01, 0x0c, 0x04, 0, 0x00, 0x00, 0xc0, 0xfe, 0, 0, 0, 0);
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 1, 1));
    parse();
    EXPECT_USABLE(0, 1);
    assert_int_equal(madt.ioapic_count, 1);
}

static void test_d08_address_override_below_4_gib_is_used(void **state)
{
    (void)state;
    begin();
    table_set(&table, 36, 0x12345000, 4);
    TABLE_ADD(&table, CPU(0, 0, 1), 0x05, 0x0c, 0, 0, 0x00, 0x00, 0xe0, 0xfe, 0, 0, 0, 0);
    parse();
    assert_int_equal(madt.lapic_address, 0xfee00000);
    assert_int_equal(madt.warnings.count, 0);
}

static void test_d08_address_override_above_4_gib_is_ignored(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), 0x05, 0x0c, 0, 0, 0x00, 0x10, 0xe0, 0xfe, 1, 0, 0, 0);
    parse();
    assert_int_equal(madt.lapic_address, 0xfee00000);
    expect_warning("madt.lapic_address_override");
}

static void test_lists_of_other_entries_are_bounded(void **state)
{
    (void)state;
    begin();
    for (unsigned i = 0; i < MADT_MAX_IOAPICS + 3; i++)
        TABLE_ADD(&table, 0x01, 0x0c, (uint8_t)i, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0, 0);
    for (unsigned i = 0; i < 2 * MADT_ISA_IRQS; i++)
        TABLE_ADD(&table, 0x02, 0x0a, 0, (uint8_t)i, (uint8_t)i, 0, 0, 0, 0, 0);
    for (unsigned i = 0; i < MADT_MAX_LOCAL_NMIS + 3; i++)
        TABLE_ADD(&table, 0x04, 0x06, (uint8_t)i, 0, 0, 1);
    TABLE_ADD(&table, CPU(0, 0, 1));
    parse();
    assert_int_equal(madt.ioapic_count, MADT_MAX_IOAPICS);
    assert_int_equal(madt.override_count, MADT_ISA_IRQS);
    assert_int_equal(madt.local_nmi_count, MADT_MAX_LOCAL_NMIS);
    assert_int_equal(madt.warnings.count, WARNINGS_MAX);
    assert_int_equal(madt.warnings.dropped, 3 + MADT_ISA_IRQS + 3 - WARNINGS_MAX);
    EXPECT_USABLE(0);
}

static void test_odd_overrides_are_ignored(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, 0x02, 0x0a, 0, 9, 9, 0, 0, 0, 0xd, 0);
    TABLE_ADD(&table, 0x02, 0x0a, 0, 9, 20, 0, 0, 0, 0xf, 0); /* again */
    TABLE_ADD(&table, 0x02, 0x0a, 1, 3, 3, 0, 0, 0, 0, 0);    /* not ISA */
    TABLE_ADD(&table, 0x04, 0x06, 0, 0, 0, 2);                /* no LINT2 */
    parse();
    assert_int_equal(madt.override_count, 1);
    assert_int_equal(madt.overrides[0].gsi, 9);
    assert_int_equal(madt.local_nmi_count, 0);
    assert_int_equal(madt.warnings.count, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_table),
        cmocka_unit_test(test_pcat_compat_clear),
        cmocka_unit_test(test_a10_lengths_are_checked),
        cmocka_unit_test(test_a10_short_or_foreign_bytes_are_refused),
        cmocka_unit_test(test_a10_bad_checksum_is_a_warning),
        cmocka_unit_test(test_d01_zero_length_entry_ends_the_walk),
        cmocka_unit_test(test_d01_length_one_entry_ends_the_walk),
        cmocka_unit_test(test_d02_truncated_tail_is_ignored),
        cmocka_unit_test(test_d02_single_byte_tail_is_ignored),
        cmocka_unit_test(test_d02_overrunning_entry_is_ignored),
        cmocka_unit_test(test_d02_entries_too_short_for_their_type_are_skipped),
        cmocka_unit_test(test_d02_entries_longer_than_their_type_are_read),
        cmocka_unit_test(test_d02_unknown_types_are_skipped_by_length),
        cmocka_unit_test(test_d02_ioapic_may_come_first),
        cmocka_unit_test(test_d08_address_override_below_4_gib_is_used),
        cmocka_unit_test(test_d08_address_override_above_4_gib_is_ignored),
        cmocka_unit_test(test_lists_of_other_entries_are_bounded),
        cmocka_unit_test(test_odd_overrides_are_ignored),
    };

    return cmocka_run_group_tests_name("madt", tests, NULL, NULL);
}
