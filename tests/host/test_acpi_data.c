/*
 * The malformed tables of the data collection, placed in memory as firmware does it: each case
 * comes with the RSDP, the tables and the script of the table loader that QEMU's firmware runs.
 */
#include "arch/x86/decode/madt.h"
#include "tests/host/acpi_case.h"
#include "tests/host/test_data.h"

#define SCRIPT_RSDP "etc/acpi/rsdp"
#define COMMAND_BYTES 128
#define TABLES 0x7fe0000u

/* QEMU, hw/acpi/bios-linker-loader.c: the commands of the script. */
enum command { COMMAND_ALLOCATE = 1, COMMAND_ADD_POINTER = 2, COMMAND_ADD_CHECKSUM = 3 };

/* A file of the script at its place in memory. */
struct blob {
    uint32_t phys;
    uint8_t *bytes;
    size_t length;
};

static struct blob load_blob(const char *directory, const char *file, uint32_t phys)
{
    struct blob blob = {.phys = phys};
    uint8_t *bytes = test_data_load(directory, file, "", &blob.length);

    if (phys < LOW_BYTES)
        blob.bytes = low + phys;
    else
        blob.bytes = fake_memory_add(&memory, phys, blob.length);
    memcpy(blob.bytes, bytes, blob.length);
    free(bytes);
    return blob;
}

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;

    memcpy(&word, bytes, sizeof(word));
    return word;
}

static void add_pointer(struct blob *to, const struct blob *from, uint32_t offset, uint8_t size)
{
    uint64_t pointer = 0;

    assert_true(size <= sizeof(pointer) && offset + size <= to->length);
    memcpy(&pointer, to->bytes + offset, size);
    pointer += from->phys;
    memcpy(to->bytes + offset, &pointer, size);
}

static void run_script(const char *directory, struct blob *rsdp, struct blob *tables)
{
    size_t length;
    uint8_t *script = test_data_load(directory, "l.bin", "", &length);

    for (size_t at = 0; at + COMMAND_BYTES <= length; at += COMMAND_BYTES) {
        const uint8_t *command = script + at;
        struct blob *file = strcmp((const char *)command + 4, SCRIPT_RSDP) == 0 ? rsdp : tables;

        if (word_at(command) == COMMAND_ADD_POINTER) {
            add_pointer(file, tables, word_at(command + 116), command[120]);
        } else if (word_at(command) == COMMAND_ADD_CHECKSUM) {
            uint32_t start = word_at(command + 64), bytes = word_at(command + 68);

            assert_true(start + bytes <= file->length);
            file->bytes[word_at(command + 60)] -= acpi_sum(file->bytes + start, bytes);
        }
    }
    free(script);
}

/* The IDs to start after the whole way from the search to the boot CPU, in cases.tsv's notation. */
static void start_case(const char *name, char ids[4096])
{
    static struct madt madt;
    char directory[128];
    struct blob rsdp, tables;
    uint32_t boot_apic_id = strcmp(name, "start16") == 0 ? 16 : 0;
    const void *bytes = NULL;

    snprintf(directory, sizeof(directory), "acpi-vectors/%s", name);
    rsdp = load_blob(directory, "r.bin", ROM_RSDP);
    tables = load_blob(directory, "t.bin", TABLES);
    run_script(directory, &rsdp, &tables);
    memset(&madt, 0, sizeof(madt));
    if (find() == OK && found.madt.length != 0)
        bytes = fake_memory_read(&memory, found.madt.phys, found.madt.length);
    if (bytes != NULL)
        assert_int_equal(madt_parse(bytes, found.madt.length, &madt), OK);
    assert_int_equal(madt_order_boot_cpu_first(&madt, boot_apic_id), OK);
    ids[0] = '\0';
    for (unsigned i = 0; i < madt.usable_count; i++)
        sprintf(ids + strlen(ids), "%s%u", i == 0 ? "" : " ", madt.cpus[i].apic_id);
}

static void test_every_case_starts_its_cpus(void **state)
{
    FILE *cases = test_data_open("acpi-vectors", "cases.tsv", "");
    char line[4096], ids[4096], *fields[TEST_DATA_FIELDS];
    unsigned count = 0;

    while (test_data_row(cases, line, sizeof(line), fields) >= 2) {
        bool many = strcmp(fields[1], "0..MAXCPU-1") == 0;

        free_memory(state);
        setup_memory(state);
        start_case(fields[0], ids);
        if (many ? strncmp(ids, "0 1 2 3 ", 8) != 0 : strcmp(ids, fields[1]) != 0)
            fail_msg("%s: %s, not %s", fields[0], ids, fields[1]);
        count++;
    }
    fclose(cases);
    print_message("%u cases\n", count);
    assert_int_not_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_MEMORY(test_every_case_starts_its_cpus),
    };

    return cmocka_run_group_tests_name("acpi_data", tests, NULL, NULL);
}
