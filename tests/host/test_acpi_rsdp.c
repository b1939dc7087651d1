/* arch/x86/decode/acpi_tables: the search for the RSDP. */
#include "tests/host/acpi_case.h"

static void put_ebda(uint16_t segment)
{
    memcpy(low + 0x40e, &segment, 2);
}

static void test_a01_rsdp_is_found_on_any_16_byte_step(void **state)
{
    static const uint32_t places[] = {0xe0000, 0xe0010, 0xf59d0, 0xfffe0};

    (void)state;
    PUT_RSDT(MADT);
    put_table("APIC", MADT, 44);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        memset(low, 0, LOW_BYTES);
        put_rsdp(low + places[i], 0, RSDT, 0);
        assert_int_equal(find(), OK);
        assert_int_equal(found.rsdp_phys, places[i]);
        assert_int_equal(found.madt.phys, MADT);
    }
}

static void test_a01_rsdp_elsewhere_is_not_found(void **state)
{
    static const uint32_t places[] = {0x9f000, 0xdfff0, 0xe0008, 0xf59d4, 0xfffec};

    (void)state;
    PUT_RSDT(MADT);
    put_table("APIC", MADT, 44);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        memset(low, 0, LOW_BYTES);
        put_rsdp(low + places[i], 0, RSDT, 0);
        assert_int_equal(find(), ERROR_NOT_FOUND);
        assert_int_equal(found.rsdp_phys, 0);
        assert_int_equal(found.root, ACPI_ROOT_NONE);
    }
}

static void test_a02_first_kib_of_the_ebda_is_searched(void **state)
{
    (void)state;
    PUT_RSDT(MADT);
    put_table("APIC", MADT, 44);
    put_ebda(0x9f00);
    put_rsdp(low + 0x9f000 + 1008 - 16, 0, RSDT, 0);
    assert_int_equal(find(), OK);
    assert_int_equal(found.rsdp_phys, 0x9f000 + 1008 - 16);
    memset(low + 0x9f000, 0, 1024);
    put_rsdp(low + 0x9f000 + 1024, 0, RSDT, 0);
    assert_int_equal(find(), ERROR_NOT_FOUND);
}

static void test_a02_nonsense_ebda_pointers_are_not_followed(void **state)
{
    static const uint16_t segments[] = {0x0000, 0x0040, 0x1fff, 0xa000, 0xffff};

    (void)state;
    PUT_RSDT(MADT);
    for (size_t i = 0; i < sizeof(segments) / sizeof(segments[0]); i++) {
        memset(low, 0, LOW_BYTES);
        put_ebda(segments[i]);
        if (segments[i] != 0xffff)
            put_rsdp(low + ((uint32_t)segments[i] << 4), 0, RSDT, 0);
        assert_int_equal(find(), ERROR_NOT_FOUND);
    }
}

static void test_a03_ebda_comes_before_the_rom(void **state)
{
    (void)state;
    PUT_XSDT(MADT_2);
    PUT_RSDT(MADT);
    put_table("APIC", MADT, 44);
    put_table("APIC", MADT_2, 52);
    put_ebda(0x9f00);
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    put_rsdp(low + 0x9f100, 2, 0, XSDT);
    assert_int_equal(find(), OK);
    assert_int_equal(found.rsdp_phys, 0x9f100);
    assert_int_equal(found.madt.phys, MADT_2);
}

static void test_a04_bad_sum_is_passed_over(void **state)
{
    (void)state;
    PUT_RSDT(MADT);
    put_table("APIC", MADT, 44);
    put_rsdp(low + 0xe1000, 0, 0x1000, 0);
    low[0xe1008]++;
    memcpy(low + 0xe2000, "RSD PTR ", 8);
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    assert_int_equal(find(), OK);
    assert_int_equal(found.rsdp_phys, ROM_RSDP);
    low[ROM_RSDP + 8]++;
    assert_int_equal(find(), ERROR_NOT_FOUND);
}

static void test_a04_revision_0_has_20_bytes(void **state)
{
    (void)state;
    PUT_RSDT(MADT);
    PUT_XSDT(MADT_2);
    put_table("APIC", MADT, 44);
    put_table("APIC", MADT_2, 44);
    put_rsdp(low + ROM_RSDP, 2, RSDT, XSDT);
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    low[ROM_RSDP + 32] ^= 1;
    assert_int_equal(find(), OK);
    assert_int_equal(found.root, ACPI_ROOT_RSDT);
    assert_int_equal(found.madt.phys, MADT);
    assert_int_equal(found.revision, 0);
}

static void test_a04_revision_2_is_summed_over_its_length(void **state)
{
    static const uint32_t lengths[] = {0, 20, 35, 4097, UINT32_MAX};

    (void)state;
    PUT_XSDT(MADT);
    put_table("APIC", MADT, 44);
    put_rsdp(low + ROM_RSDP, 2, 0, XSDT);
    assert_int_equal(find(), OK);
    assert_int_equal(found.revision, 2);
    low[ROM_RSDP + 33]++; /* outside the first 20 bytes */
    assert_int_equal(find(), ERROR_NOT_FOUND);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        put_rsdp(low + ROM_RSDP, 2, 0, XSDT);
        memcpy(low + ROM_RSDP + 20, &lengths[i], 4);
        table_fix_sum(low + ROM_RSDP, 36, 32);
        assert_int_equal(find(), ERROR_NOT_FOUND);
    }
}

static void test_a04_longer_rsdp_is_summed_to_its_end(void **state)
{
    uint32_t length = 40;

    (void)state;
    PUT_XSDT(MADT);
    put_table("APIC", MADT, 44);
    put_rsdp(low + ROM_RSDP, 3, 0, XSDT);
    memcpy(low + ROM_RSDP + 20, &length, 4);
    low[ROM_RSDP + 38] = 0x77;
    table_fix_sum(low + ROM_RSDP, length, 32);
    assert_int_equal(find(), OK);
    low[ROM_RSDP + 38] = 0x78;
    assert_int_equal(find(), ERROR_NOT_FOUND);
}

static void test_a07_rsdp_that_leads_nowhere_is_passed_over(void **state)
{
    (void)state;
    put_rsdp(low + 0xe1000, 2, 0x1000, 0x2000);
    PUT_RSDT(MADT);
    put_table("APIC", MADT, 44);
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    assert_int_equal(find(), OK);
    assert_int_equal(found.rsdp_phys, ROM_RSDP);
    assert_int_equal(found.madt.phys, MADT);
}

static void test_copy_from_the_boot_loader_is_used(void **state)
{
    uint8_t rsdp[36];

    (void)state;
    PUT_RSDT(MADT);
    PUT_XSDT(MADT_2);
    put_table("APIC", MADT, 44);
    put_table("APIC", MADT_2, 44);
    put_rsdp(rsdp, 2, RSDT, XSDT);
    assert_int_equal(acpi_find(fake_memory_read, &memory, rsdp, 36, &found), OK);
    assert_int_equal(found.madt.phys, MADT_2);
    assert_int_equal(found.rsdp_phys, 0);
    assert_int_equal(acpi_find(fake_memory_read, &memory, rsdp, 20, &found), OK);
    assert_int_equal(found.madt.phys, MADT);
    assert_int_equal(acpi_find(fake_memory_read, &memory, rsdp, 19, &found), ERROR_NOT_FOUND);
    rsdp[35]++;
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    assert_int_equal(acpi_find(fake_memory_read, &memory, rsdp, 36, &found), OK);
    assert_int_equal(found.rsdp_phys, ROM_RSDP);
    assert_true(warned("acpi.rsdp"));
}

static void test_oem_id_is_printable(void **state)
{
    (void)state;
    PUT_RSDT(MADT);
    put_rsdp(low + ROM_RSDP, 0, RSDT, 0);
    memcpy(low + ROM_RSDP + 9, "A\n\"\xff B", 6);
    table_fix_sum(low + ROM_RSDP, 20, 8);
    assert_int_equal(find(), OK);
    assert_string_equal(found.oem_id, "A??? B");
}

static void test_nothing_readable_is_no_acpi(void **state)
{
    struct fake_memory empty = {.count = 0};

    (void)state;
    assert_int_equal(acpi_find(fake_memory_read, &empty, NULL, 0, &found), ERROR_NOT_FOUND);
    fake_memory_free(&empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MEMORY(test_a01_rsdp_is_found_on_any_16_byte_step),
        WITH_MEMORY(test_a01_rsdp_elsewhere_is_not_found),
        WITH_MEMORY(test_a02_first_kib_of_the_ebda_is_searched),
        WITH_MEMORY(test_a02_nonsense_ebda_pointers_are_not_followed),
        WITH_MEMORY(test_a03_ebda_comes_before_the_rom),
        WITH_MEMORY(test_a04_bad_sum_is_passed_over),
        WITH_MEMORY(test_a04_revision_0_has_20_bytes),
        WITH_MEMORY(test_a04_revision_2_is_summed_over_its_length),
        WITH_MEMORY(test_a04_longer_rsdp_is_summed_to_its_end),
        WITH_MEMORY(test_a07_rsdp_that_leads_nowhere_is_passed_over),
        WITH_MEMORY(test_copy_from_the_boot_loader_is_used),
        WITH_MEMORY(test_oem_id_is_printable),
        WITH_MEMORY(test_nothing_readable_is_no_acpi),
    };

    return cmocka_run_group_tests_name("acpi_rsdp", tests, NULL, NULL);
}
