/* arch/x86/decode/acpi_tables: the walk from the RSDP to the tables. */
#include "tests/host/acpi_case.h"

static void test_a03_first_valid_madt_wins(void **state)
{
    (void)state;
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    PUT_RSDT(0x1234000, MADT_2, MADT, MADT);
    put_table("APIC", MADT, 44);
    put_table("APIC", MADT_2, 52);
    assert_int_equal(find(), OK);
    assert_int_equal(found.madt.phys, MADT_2);
    assert_int_equal(found.madt.length, 52);
    assert_true(warned("APIC"));            /* the second one */
    assert_true(warned("acpi.root.entry")); /* the one that is nowhere */
}

static void test_a03_madt_too_short_is_not_the_first(void **state)
{
    (void)state;
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    PUT_RSDT(MADT, MADT_2);
    put_table("APIC", MADT, 43);
    put_table("APIC", MADT_2, 44);
    assert_int_equal(find(), OK);
    assert_int_equal(found.madt.phys, MADT_2);
}

static void test_a06_xsdt_entries_have_8_bytes(void **state)
{
    (void)state;
    put_rsdp(low + ROM_RSDP, 2, RSDT, XSDT);
    PUT_RSDT(MADT);
    PUT_XSDT(FADT, HPET, MADT_2);
    put_table("APIC", MADT, 44);
    put_table("APIC", MADT_2, 44);
    put_table("FACP", FADT, 244);
    put_table("HPET", HPET, 56);
    assert_int_equal(find(), OK);
    assert_int_equal(found.root, ACPI_ROOT_XSDT);
    assert_int_equal(found.madt.phys, MADT_2);
    assert_int_equal(found.fadt.phys, FADT);
    assert_int_equal(found.fadt.length, 244);
    assert_int_equal(found.hpet.phys, HPET);
    assert_string_equal(found.oem_id, "TANDEM");
    assert_int_equal(found.warnings.count, 0);
}

static void expect_rsdt(uint64_t xsdt)
{
    put_rsdp(low + ROM_RSDP, 2, RSDT, xsdt);
    PUT_RSDT(MADT);
    put_table("APIC", MADT, 44);
    assert_int_equal(find(), OK);
    assert_int_equal(found.root, ACPI_ROOT_RSDT);
    assert_int_equal(found.madt.phys, MADT);
}

static void test_a07_xsdt_above_4_gib_gives_way_to_the_rsdt(void **state)
{
    (void)state;
    put_root("XSDT", 0x23456000, 8, 1, (const uint64_t[]){MADT_2});
    put_table("APIC", MADT_2, 44);
    expect_rsdt(0x123456000);
}

static void test_a07_null_xsdt_gives_way_to_the_rsdt(void **state)
{
    (void)state;
    expect_rsdt(0);
}

static void test_a07_empty_xsdt_gives_way_to_the_rsdt(void **state)
{
    (void)state;
    put_table("XSDT", XSDT, 36);
    expect_rsdt(XSDT);
}

static void test_a07_damaged_xsdt_gives_way_to_the_rsdt(void **state)
{
    uint8_t *xsdt = PUT_XSDT(MADT_2);

    (void)state;
    put_table("APIC", MADT_2, 44);
    xsdt[9]++;
    expect_rsdt(XSDT);
    assert_true(warned("XSDT"));
}

static void test_a07_xsdt_of_bad_length_gives_way_to_the_rsdt(void **state)
{
    uint8_t *xsdt = PUT_XSDT(MADT_2);

    (void)state;
    put_table("APIC", MADT_2, 44);
    memcpy(xsdt + 4, &(uint32_t){35}, 4);
    expect_rsdt(XSDT);
}

static void test_a07_xsdt_without_madt_keeps_its_other_tables(void **state)
{
    (void)state;
    PUT_XSDT(FADT);
    put_table("FACP", FADT, 116);
    expect_rsdt(XSDT);
    assert_int_equal(found.fadt.phys, FADT);
}

static void test_a07_without_rsdt_the_xsdt_must_do(void **state)
{
    (void)state;
    put_rsdp(low + ROM_RSDP, 2, 0, XSDT);
    PUT_XSDT(FADT);
    put_table("FACP", FADT, 116);
    assert_int_equal(find(), OK);
    assert_int_equal(found.root, ACPI_ROOT_XSDT);
    assert_int_equal(found.madt.length, 0);
}

static void test_a07_no_root_table_is_no_acpi(void **state)
{
    (void)state;
    put_rsdp(low + ROM_RSDP, 2, 0, 0);
    assert_int_equal(find(), ERROR_NOT_FOUND);
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    assert_int_equal(find(), ERROR_NOT_FOUND);
    put_table("FACP", RSDT, 64);
    assert_int_equal(find(), ERROR_NOT_FOUND);
}

static void test_a08_null_and_high_entries_are_skipped(void **state)
{
    (void)state;
    put_rsdp(low + ROM_RSDP, 2, 0, XSDT);
    PUT_XSDT(0, 0, 0x100000000 + MADT_2, UINT64_MAX, 0, MADT);
    put_table("APIC", MADT_2, 44);
    put_table("APIC", MADT, 44);
    assert_int_equal(find(), OK);
    assert_int_equal(found.madt.phys, MADT);
}

static void test_a10_lengths_are_checked(void **state)
{
    static const uint32_t lengths[] = {0, 35, 0x100001, 0x10000000, UINT32_MAX};
    uint8_t *madt;

    (void)state;
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    PUT_RSDT(MADT);
    madt = put_table("APIC", MADT, 64);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        memcpy(madt + 4, &lengths[i], 4);
        assert_int_equal(find(), OK);
        assert_int_equal(found.madt.length, 0);
        assert_true(warned("acpi.root.entry"));
    }
    memcpy(madt + 4, &(uint32_t){65}, 4); /* its last byte is nowhere */
    assert_int_equal(find(), OK);
    assert_int_equal(found.madt.length, 0);
    memcpy(madt + 4, &(uint32_t){64}, 4);
    assert_int_equal(find(), OK);
    assert_int_equal(found.madt.length, 64);
}

static void test_a10_bad_rsdt_sum_is_a_warning(void **state)
{
    uint8_t *rsdt = PUT_RSDT(MADT);

    (void)state;
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    put_table("APIC", MADT, 44)[9]++;
    rsdt[9]++;
    assert_int_equal(find(), OK);
    assert_int_equal(found.madt.phys, MADT);
    assert_true(warned("RSDT"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MEMORY(test_a03_first_valid_madt_wins),
        WITH_MEMORY(test_a03_madt_too_short_is_not_the_first),
        WITH_MEMORY(test_a06_xsdt_entries_have_8_bytes),
        WITH_MEMORY(test_a07_xsdt_above_4_gib_gives_way_to_the_rsdt),
        WITH_MEMORY(test_a07_null_xsdt_gives_way_to_the_rsdt),
        WITH_MEMORY(test_a07_empty_xsdt_gives_way_to_the_rsdt),
        WITH_MEMORY(test_a07_damaged_xsdt_gives_way_to_the_rsdt),
        WITH_MEMORY(test_a07_xsdt_of_bad_length_gives_way_to_the_rsdt),
        WITH_MEMORY(test_a07_xsdt_without_madt_keeps_its_other_tables),
        WITH_MEMORY(test_a07_without_rsdt_the_xsdt_must_do),
        WITH_MEMORY(test_a07_no_root_table_is_no_acpi),
        WITH_MEMORY(test_a08_null_and_high_entries_are_skipped),
        WITH_MEMORY(test_a10_lengths_are_checked),
        WITH_MEMORY(test_a10_bad_rsdt_sum_is_a_warning),
    };

    return cmocka_run_group_tests_name("acpi_tables", tests, NULL, NULL);
}
