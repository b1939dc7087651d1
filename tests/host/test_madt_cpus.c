/* arch/x86/decode/madt against hand-made tables: which CPUs are listed, and in which order. */
#include "tests/host/madt_case.h"

static void test_d03_only_the_enabled_bit_starts_a_cpu(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 1, 0), CPU(2, 2, 2), CPU(3, 3, 3), CPU(4, 4, 0xfc));
    TABLE_ADD(&table, X2APIC_CPU(5, 5, 0, 2), X2APIC_CPU(6, 6, 0, 0));
    parse();
    EXPECT_USABLE(0, 3);
    assert_int_equal(madt.entries, 7);
    assert_int_equal(madt.enabled, 2);
    assert_int_equal(madt.online_capable, 2);
    assert_int_equal(madt.disabled, 3);
    assert_int_equal(madt.cpu_count, 7);
    assert_true(madt.cpus[1].online_capable);
    assert_int_equal(madt.cpus[3].apic_id, 2);
    assert_string_not_equal(madt.cpus[2].reason, madt.cpus[3].reason);
}

static void test_d04_broadcast_ids_are_rejected(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 0xff, 0), CPU(2, 0xff, 1), CPU(3, 3, 1));
    TABLE_ADD(&table, 0x09, 0x10, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 9, 0, 0, 0);
    TABLE_ADD(&table, 0x09, 0x10, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 9, 0, 0, 0);
    parse();
    EXPECT_USABLE(0, 3);
    assert_int_equal(madt.cpu_count, 2);
    assert_int_equal(madt.warnings.count, 2); /* the enabled ones; disabled ones are common */
}

static void test_d05_disabled_copy_does_not_hide_the_cpu(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(4, 1, 0), CPU(0, 0, 1), CPU(5, 0, 0), CPU(1, 1, 1), CPU(6, 2, 0));
    TABLE_ADD(&table, CPU(7, 2, 0));
    parse();
    EXPECT_USABLE(0, 1);
    assert_int_equal(madt.cpus[1].acpi_uid, 1);
    assert_int_equal(madt.cpu_count, 3);
    assert_int_equal(madt.warnings.count, 0);
}

static void test_d05_same_cpu_in_both_kinds_of_entry_counts_once(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 1, 1), X2APIC_CPU(10, 0, 0, 1), X2APIC_CPU(11, 1, 0, 1));
    parse();
    EXPECT_USABLE(0, 1);
    assert_int_equal(madt.cpus[0].acpi_uid, 0);
    expect_warning("madt.cpu.apic_id");
}

static void test_d06_x2apic_entries_alone(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, X2APIC_CPU(0, 0, 0, 1), X2APIC_CPU(1, 0xfe, 0, 1));
    parse();
    EXPECT_USABLE(0, 0xfe);
}

static void test_d06_ids_beyond_xapic_are_skipped(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, X2APIC_CPU(2, 0, 1, 1), X2APIC_CPU(3, 0xff, 0, 1), CPU(0, 0, 1));
    parse();
    EXPECT_USABLE(0);
    assert_int_equal(madt.cpu_count, 3);
    assert_int_equal(madt.cpus[1].apic_id, 0x100);
    assert_int_equal(madt.cpus[1].state, MADT_CPU_SKIPPED);
    assert_string_not_equal(madt.cpus[1].reason, "");
    assert_int_equal(madt.cpus[2].state, MADT_CPU_SKIPPED);
}

static void test_d06_x2apic_mode_uses_them(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, X2APIC_CPU(2, 0, 1, 1), CPU(0, 0, 1), CPU(1, 1, 0));
    parse();
    madt_accept_x2apic_ids(&madt);
    EXPECT_USABLE(0, 0x100);
    madt_accept_x2apic_ids(&madt);
    EXPECT_USABLE(0, 0x100);
}

static void test_d07_boot_cpu_moves_to_the_front(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 16, 1), CPU(1, 18, 1), CPU(2, 0, 1), CPU(3, 2, 1), CPU(4, 4, 0));
    parse();
    assert_int_equal(madt_order_boot_cpu_first(&madt, 0), OK);
    EXPECT_USABLE(0, 16, 18, 2);
    assert_int_equal(madt.cpus[0].acpi_uid, 2);
    assert_int_equal(madt.warnings.count, 0);
    assert_int_equal(madt_order_boot_cpu_first(&madt, 0), OK);
    EXPECT_USABLE(0, 16, 18, 2);
    assert_int_equal(madt.cpu_count, 5);
}

static void test_d07_absent_boot_cpu_is_added(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(1, 1, 1), CPU(2, 2, 0));
    parse();
    assert_int_equal(madt_order_boot_cpu_first(&madt, 9), OK);
    EXPECT_USABLE(9, 1);
    assert_int_equal(madt.cpu_count, 3);
    assert_int_equal(madt.cpus[0].acpi_uid, MADT_UID_UNKNOWN);
    assert_int_equal(madt.cpus[2].apic_id, 2);
    expect_warning("madt.cpu");
}

static void test_d07_boot_cpu_of_an_empty_table(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, 0x01, 0x0c, 0x04, 0, 0x00, 0x00, 0xc0, 0xfe, 0, 0, 0, 0);
    parse();
    assert_int_equal(madt.usable_count, 0);
    assert_int_equal(madt_order_boot_cpu_first(&madt, 0), OK);
    EXPECT_USABLE(0);
}

static void test_d07_boot_cpu_listed_as_disabled_is_used(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(1, 1, 1), CPU(2, 2, 0), CPU(3, 3, 0));
    parse();
    assert_int_equal(madt_order_boot_cpu_first(&madt, 3), OK);
    EXPECT_USABLE(3, 1);
    assert_int_equal(madt.cpu_count, 3);
    assert_int_equal(madt.cpus[2].apic_id, 2);
    expect_warning("madt.cpu");
}

static void test_d07_dead_apic_names_no_boot_cpu(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1));
    parse();
    assert_int_equal(madt_order_boot_cpu_first(&madt, 0xff), ERROR_BAD_VALUE);
    assert_int_equal(madt_order_boot_cpu_first(&madt, UINT32_MAX), ERROR_BAD_VALUE);
    EXPECT_USABLE(0);
}

/* 255 IDs fit xAPIC mode, so only x2APIC ones can overflow the list. */
static void add_many(unsigned count)
{
    begin();
    TABLE_ADD(&table, CPU(0, 250, 0), CPU(1, 251, 2));
    for (unsigned id = 0; id < count; id++)
        TABLE_ADD(&table, X2APIC_CPU((uint8_t)id, (uint8_t)id, (uint8_t)(id >> 8), 1));
    parse();
}

static void test_d09_cpus_beyond_the_list_are_counted(void **state)
{
    (void)state;
    add_many(MAX_CPUS + 44);
    assert_int_equal(madt.cpu_count, MAX_CPUS);
    assert_int_equal(madt.usable_count, 255);
    assert_int_equal(madt.dropped, 44);
    assert_int_equal(madt.enabled, MAX_CPUS + 44);
    expect_warning("madt.cpu");
    madt_accept_x2apic_ids(&madt);
    assert_int_equal(madt.usable_count, MAX_CPUS);
}

static void test_d09_boot_cpu_finds_room_in_a_full_list(void **state)
{
    (void)state;
    add_many(MAX_CPUS + 44);
    assert_int_equal(madt_order_boot_cpu_first(&madt, MAX_CPUS + 43), OK);
    assert_int_equal(madt.cpu_count, MAX_CPUS);
    assert_int_equal(madt.cpus[0].apic_id, MAX_CPUS + 43);
    assert_int_equal(madt.usable_count, MAX_CPUS);
    assert_int_equal(madt.dropped, 45);
    assert_int_equal(madt_order_boot_cpu_first(&madt, MAX_CPUS + 42), OK);
    assert_int_equal(madt.usable_count, MAX_CPUS);
    assert_int_equal(madt.dropped, 46);
}

static void test_d10_sparse_ids_keep_their_order(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 6, 1), CPU(2, 2, 1), CPU(3, 0xfe, 1));
    parse();
    EXPECT_USABLE(0, 6, 2, 0xfe);
}

static void test_d12_phantom_cpu_is_a_candidate_like_any_other(void **state)
{
    (void)state;
    begin();
    TABLE_ADD(&table, CPU(0, 0, 1), CPU(1, 1, 1), CPU(9, 9, 1));
    parse();
    EXPECT_USABLE(0, 1, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_d03_only_the_enabled_bit_starts_a_cpu),
        cmocka_unit_test(test_d04_broadcast_ids_are_rejected),
        cmocka_unit_test(test_d05_disabled_copy_does_not_hide_the_cpu),
        cmocka_unit_test(test_d05_same_cpu_in_both_kinds_of_entry_counts_once),
        cmocka_unit_test(test_d06_x2apic_entries_alone),
        cmocka_unit_test(test_d06_ids_beyond_xapic_are_skipped),
        cmocka_unit_test(test_d06_x2apic_mode_uses_them),
        cmocka_unit_test(test_d07_boot_cpu_moves_to_the_front),
        cmocka_unit_test(test_d07_absent_boot_cpu_is_added),
        cmocka_unit_test(test_d07_boot_cpu_of_an_empty_table),
        cmocka_unit_test(test_d07_boot_cpu_listed_as_disabled_is_used),
        cmocka_unit_test(test_d07_dead_apic_names_no_boot_cpu),
        cmocka_unit_test(test_d09_cpus_beyond_the_list_are_counted),
        cmocka_unit_test(test_d09_boot_cpu_finds_room_in_a_full_list),
        cmocka_unit_test(test_d10_sparse_ids_keep_their_order),
        cmocka_unit_test(test_d12_phantom_cpu_is_a_candidate_like_any_other),
    };

    return cmocka_run_group_tests_name("madt_cpus", tests, NULL, NULL);
}
