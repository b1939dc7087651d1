/*
 * madt FILE...: decodes binary MADTs (ACPI tables "APIC") as the kernel does and prints what it
 * would make of them. Exit status 0 if every table lists a CPU to start, else 1, with one `error:`
 * line per file at fault; 2 if called wrongly.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/decode/acpi_tables.h"
#include "arch/x86/decode/madt.h"

static const char *const state_names[] = {
    [MADT_CPU_USABLE] = "usable",
    [MADT_CPU_SKIPPED] = "skipped",
    [MADT_CPU_DISABLED] = "disabled",
};

/* Prints ` key="text"` with whatever would break the record replaced. */
static void print_text(const char *key, const char *text)
{
    printf(" %s=\"", key);
    for (; *text != '\0'; text++)
        putchar(*text < ' ' || *text > '~' || *text == '"' ? '?' : *text);
    putchar('"');
}

static void print_cpus(const struct madt *madt)
{
    for (unsigned i = 0; i < madt->cpu_count; i++) {
        const struct madt_cpu *cpu = &madt->cpus[i];

        printf("cpu: apic_id=0x%x acpi_uid=%u state=%s", cpu->apic_id, cpu->acpi_uid,
               state_names[cpu->state]);
        print_text("reason", cpu->reason);
        putchar('\n');
    }
}

static void print_summary(const char *name, const struct madt *madt)
{
    const struct warning_list *warnings = &madt->warnings;

    printf("madt: entries=%u enabled=%u disabled=%u online_capable=%u usable=%u ignored=%u "
           "lapic=0x%x pcat_compat=%d ioapics=%u overrides=%u nmis=%u",
           madt->entries, madt->enabled, madt->disabled, madt->online_capable, madt->usable_count,
           madt->dropped, madt->lapic_address, madt->pcat_compat, madt->ioapic_count,
           madt->override_count, madt->local_nmi_count);
    print_text("file", name);
    putchar('\n');
    for (unsigned i = 0; i < warnings->count; i++)
        printf("warning: where=%s what=\"%s\" value=0x%x\n", warnings->entries[i].where,
               warnings->entries[i].what, warnings->entries[i].value);
    if (warnings->dropped != 0)
        printf("warning: where=madt what=\"further warnings not kept\" value=0x%x\n",
               warnings->dropped);
}

static int fail(const char *name, const char *what)
{
    printf("error: where=madt");
    print_text("what", what);
    print_text("file", name);
    putchar('\n');
    return EXIT_FAILURE;
}

static const char *explain(enum error error)
{
    switch (error) {
    case ERROR_TRUNCATED:
        return "the file ends before the table does";
    case ERROR_BAD_LENGTH:
        return "the header gives an impossible length";
    case ERROR_BAD_VALUE:
        return "the signature is not APIC";
    default:
        return "not a MADT";
    }
}

/* Reads at most what a table may have: anything can be named on a command line. */
static int decode_file(const char *name)
{
    static unsigned char bytes[ACPI_TABLE_MAX_BYTES];
    static struct madt madt;
    FILE *file = fopen(name, "rb");
    enum error error;
    size_t length;

    if (file == NULL)
        return fail(name, strerror(errno));
    errno = 0;
    length = fread(bytes, 1, sizeof(bytes), file);
    if (ferror(file)) {
        int status = fail(name, strerror(errno));

        fclose(file);
        return status;
    }
    fclose(file);
    error = madt_parse(bytes, length, &madt);
    if (error != OK)
        return fail(name, explain(error));
    print_cpus(&madt);
    print_summary(name, &madt);
    return madt.usable_count != 0 ? EXIT_SUCCESS : fail(name, "no usable CPU listed");
}

int main(int argc, char **argv)
{
    int status = EXIT_SUCCESS;

    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        if (decode_file(argv[i]) != EXIT_SUCCESS)
            status = EXIT_FAILURE;
    }
    return status;
}
