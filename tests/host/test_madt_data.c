/* arch/x86/decode/madt against real tables and the malformed ones of the data collection. */
#include "arch/x86/decode/madt.h"
#include "tests/host/test_data.h"

/* Columns of madt/index.tsv. */
enum column {
    NAME,
    CPU_ENTRIES = 7,
    ENABLED,
    ONLINE_CAPABLE,
    DISABLED,
    ENABLED_IDS = 12,
    COLUMNS = 16
};

static struct madt madt;

static enum error parse_file(const char *directory, const char *file, const char *suffix)
{
    size_t length;
    uint8_t *bytes = test_data_load(directory, file, suffix, &length);
    enum error error = madt_parse(bytes, length, &madt);

    free(bytes);
    return error;
}

/* Appends one ID to a list in the notation of index.tsv. */
static void append_id(char ids[4096], const char *separator, uint32_t apic_id)
{
    size_t length = strlen(ids);

    snprintf(ids + length, 4096 - length, "%s%u", length == 0 ? "" : separator, apic_id);
}

static void list_usable(char ids[4096], const char *separator)
{
    ids[0] = '\0';
    for (unsigned i = 0; i < madt.usable_count; i++)
        append_id(ids, separator, madt.cpus[i].apic_id);
}

static void test_real_tables_give_the_ids_of_the_index(void **state)
{
    FILE *index = test_data_open("madt", "index.tsv", "");
    char line[4096], ids[4096], *fields[TEST_DATA_FIELDS];
    unsigned tables = 0;

    (void)state;
    test_data_row(index, line, sizeof(line), fields);
    while (test_data_row(index, line, sizeof(line), fields) >= COLUMNS) {
        assert_int_equal(parse_file("madt", fields[NAME], ".bin"), OK);
        list_usable(ids, ",");
        if (strcmp(ids, fields[ENABLED_IDS]) != 0)
            fail_msg("%s: %s, not %s", fields[NAME], ids, fields[ENABLED_IDS]);
        assert_int_equal(madt.entries, atoi(fields[CPU_ENTRIES]));
        assert_int_equal(madt.enabled, atoi(fields[ENABLED]));
        assert_int_equal(madt.online_capable, atoi(fields[ONLINE_CAPABLE]));
        assert_int_equal(madt.disabled, atoi(fields[DISABLED]));
        tables++;
    }
    fclose(index);
    print_message("%u real tables\n", tables);
    assert_int_not_equal(tables, 0);
}

/* "0..MAXCPU-1" stands for as many IDs as there are. */
static bool ids_match(const char *ids, const char *expected)
{
    if (strcmp(expected, "0..MAXCPU-1") == 0)
        return strncmp(ids, "0 1 2 3 ", 8) == 0 && madt.usable_count == 80;
    return strcmp(ids, expected) == 0;
}

/* Cases root_* say what is found behind a damaged root: test_acpi_data.c. */
static void test_malformed_tables_give_the_ids_of_the_cases(void **state)
{
    FILE *cases = test_data_open("acpi-vectors", "cases.tsv", "");
    char line[4096], ids[4096], *fields[TEST_DATA_FIELDS];
    unsigned tables = 0;

    (void)state;
    while (test_data_row(cases, line, sizeof(line), fields) >= 2) {
        bool rejected = strcmp(fields[0], "len_huge") == 0;

        if (strncmp(fields[0], "root_", 5) == 0)
            continue;
        assert_int_equal(parse_file("acpi-vectors", fields[0], "/madt.bin"),
                         rejected ? ERROR_BAD_LENGTH : OK);
        madt_order_boot_cpu_first(&madt, strcmp(fields[0], "start16") == 0 ? 16 : 0);
        list_usable(ids, " ");
        if (!ids_match(ids, fields[1]))
            fail_msg("%s: %s, not %s", fields[0], ids, fields[1]);
        tables++;
    }
    fclose(cases);
    print_message("%u malformed tables\n", tables);
    assert_int_not_equal(tables, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_tables_give_the_ids_of_the_index),
        cmocka_unit_test(test_malformed_tables_give_the_ids_of_the_cases),
    };

    return cmocka_run_group_tests_name("madt_data", tests, NULL, NULL);
}
