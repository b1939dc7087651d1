#include "arch/x86/decode/acpi_tables.h"

#include "kernel/lib/string.h"

#define FOUR_GIB (1ull << 32)

/* ACPI Specification, Finding the RSDP on IA-PC Systems. */
#define BDA_EBDA_SEGMENT 0x40eu
#define EBDA_LOWEST 0x20000u
#define EBDA_END 0xa0000u
#define EBDA_SEARCH_BYTES 1024u
#define BIOS_START 0xe0000u
#define BIOS_END 0x100000u
#define RSDP_STEP 16u

#define RSDP_V1_BYTES 20u /* covered by the first checksum; all there is in revision 0 */
#define RSDP_MAX_BYTES 4096u

/* ACPI Specification, Root System Description Pointer (RSDP) Structure. */
struct rsdp {
    char signature[8];
    uint8_t checksum;
    char oem_id[6];
    uint8_t revision;
    uint32_t rsdt;
    uint32_t length; /* from here on: only with revision 2 and up */
    uint64_t xsdt;
    uint8_t extended_checksum;
    uint8_t reserved[3];
} __attribute__((packed));
_Static_assert(sizeof(struct rsdp) == 36, "RSDP Structure of revision 2");
_Static_assert(offsetof(struct rsdp, length) == RSDP_V1_BYTES, "RSDP Structure of revision 0");

/* What one acpi_find works with. */
struct search {
    phys_reader *read;
    void *ctx;
    struct acpi_tables *out;
};

/* A table the kernel wants, and the shortest one that can be it. */
struct wanted {
    char signature[5];
    uint32_t minimum_bytes;
    size_t slot; /* in struct acpi_tables */
};

static const struct wanted wanted_tables[] = {
    {"APIC", 44, offsetof(struct acpi_tables, madt)},
    {"FACP", 36, offsetof(struct acpi_tables, fadt)},
    {"HPET", 56, offsetof(struct acpi_tables, hpet)},
};

/* The two kinds of root table. A damaged XSDT has the RSDT to stand in for it; the RSDT has not. */
struct root_kind {
    char signature[5];
    uint32_t entry_bytes;
    bool checksum_decides;
};

static const struct root_kind rsdt_kind = {"RSDT", 4, false};
static const struct root_kind xsdt_kind = {"XSDT", 8, true};

uint8_t acpi_sum(const void *bytes, size_t length)
{
    const uint8_t *byte = bytes;
    uint8_t sum = 0;

    for (size_t i = 0; i < length; i++)
        sum = (uint8_t)(sum + byte[i]);
    return sum;
}

/*
 * Checks the RSDP at `bytes`. What a revision 0 structure does not have reads as zero in `out`:
 * the bytes after it may be anything. So does what a 20 byte copy of a later one has lost.
 */
static bool rsdp_valid(const void *bytes, size_t available, struct rsdp *out)
{
    memset(out, 0, sizeof(*out));
    if (available < RSDP_V1_BYTES || memcmp(bytes, "RSD PTR ", sizeof(out->signature)) != 0 ||
        acpi_sum(bytes, RSDP_V1_BYTES) != 0)
        return false;
    memcpy(out, bytes, RSDP_V1_BYTES);
    if (out->revision < 2 || available < sizeof(*out))
        return true;
    memcpy(out, bytes, sizeof(*out));
    return out->length >= sizeof(*out) && out->length <= RSDP_MAX_BYTES &&
           (out->length > available || acpi_sum(bytes, out->length) == 0);
}

/* Reads and checks one candidate of the search, with the length it says it has. */
static bool read_rsdp(const struct search *search, uint32_t phys, struct rsdp *out)
{
    const void *bytes = search->read(search->ctx, phys, RSDP_V1_BYTES);

    if (bytes == NULL || !rsdp_valid(bytes, RSDP_V1_BYTES, out))
        return false;
    if (out->revision < 2)
        return true;
    bytes = search->read(search->ctx, phys, sizeof(*out));
    if (bytes == NULL)
        return false;
    memcpy(out, bytes, sizeof(*out));
    if (out->length < sizeof(*out) || out->length > RSDP_MAX_BYTES)
        return false;
    bytes = search->read(search->ctx, phys, out->length);
    return bytes != NULL && rsdp_valid(bytes, out->length, out);
}

/* The header of the table at `phys` if it and the whole table can be read, else length 0. */
static struct acpi_header read_header(const struct search *search, uint64_t phys)
{
    const void *bytes = NULL;
    struct acpi_header header = {.length = 0};

    if (phys != 0 && phys < FOUR_GIB)
        bytes = search->read(search->ctx, phys, sizeof(header));
    if (bytes == NULL)
        return header;
    memcpy(&header, bytes, sizeof(header));
    if (header.length < sizeof(header) || header.length > ACPI_TABLE_MAX_BYTES ||
        phys + header.length > FOUR_GIB || search->read(search->ctx, phys, header.length) == NULL)
        header.length = 0;
    return header;
}

/* Keeps the table at `phys` if it is a wanted one and the first of its kind. */
static void note_table(const struct search *search, uint64_t phys)
{
    struct warning_list *warnings = &search->out->warnings;
    struct acpi_header header = read_header(search, phys);

    if (header.length == 0) {
        if (phys != 0) /* null entries are common */
            warnings_add(warnings, "acpi.root.entry", "out of reach or of bad length: skipped",
                         (uint32_t)phys);
        return;
    }
    for (size_t i = 0; i < sizeof(wanted_tables) / sizeof(wanted_tables[0]); i++) {
        const struct wanted *wanted = &wanted_tables[i];
        struct acpi_table *slot = (void *)((char *)search->out + wanted->slot);

        if (memcmp(header.signature, wanted->signature, sizeof(header.signature)) != 0)
            continue;
        if (header.length < wanted->minimum_bytes)
            warnings_add(warnings, wanted->signature, "too short: skipped", header.length);
        else if (slot->length == 0)
            *slot = (struct acpi_table){(uint32_t)phys, header.length};
        else if (slot->phys != phys)
            warnings_add(warnings, wanted->signature, "a second one: ignored", (uint32_t)phys);
    }
}

/* Notes the tables behind one root table; false if the root table itself is unusable. */
static bool walk_root(const struct search *search, const struct root_kind *kind, uint64_t phys)
{
    struct warning_list *warnings = &search->out->warnings;
    struct acpi_header header = read_header(search, phys);
    const void *bytes;

    if (header.length == 0 || memcmp(header.signature, kind->signature, 4) != 0) {
        warnings_add(warnings, kind->signature, "not a table within reach: not used",
                     (uint32_t)phys);
        return false;
    }
    bytes = search->read(search->ctx, phys, header.length);
    if (bytes == NULL || acpi_sum(bytes, header.length) != 0) {
        warnings_add(warnings, kind->signature,
                     kind->checksum_decides ? "wrong checksum: not used"
                                            : "wrong checksum: used all the same",
                     header.checksum);
        if (kind->checksum_decides)
            return false;
    }
    for (uint32_t at = sizeof(header); at + kind->entry_bytes <= header.length;
         at += kind->entry_bytes) {
        uint64_t entry = 0;

        bytes = search->read(search->ctx, phys + at, kind->entry_bytes);
        if (bytes != NULL)
            memcpy(&entry, bytes, kind->entry_bytes);
        note_table(search, entry);
    }
    return true;
}

/*
 * The XSDT is preferred, but real ones are empty, damaged or out of reach while the RSDT is fine:
 * it counts only if it leads to the MADT.
 */
static enum acpi_root walk_roots(const struct search *search, const struct rsdp *rsdp)
{
    enum acpi_root root = ACPI_ROOT_NONE;

    if (rsdp->xsdt != 0 && walk_root(search, &xsdt_kind, rsdp->xsdt))
        root = ACPI_ROOT_XSDT;
    if (search->out->madt.length != 0)
        return root;
    if (rsdp->rsdt != 0 && walk_root(search, &rsdt_kind, rsdp->rsdt) &&
        (root == ACPI_ROOT_NONE || search->out->madt.length != 0))
        root = ACPI_ROOT_RSDT;
    return root;
}

static void copy_oem_id(const struct rsdp *rsdp, char oem_id[7])
{
    for (size_t i = 0; i < sizeof(rsdp->oem_id); i++) {
        char c = rsdp->oem_id[i];

        oem_id[i] = c >= ' ' && c <= '~' && c != '"' ? c : '?'; /* it goes into quotes */
    }
    oem_id[sizeof(rsdp->oem_id)] = '\0';
}

/* Goes on from a valid RSDP; false if it leads nowhere, so that the search can go on. */
static bool use_rsdp(const struct search *search, const struct rsdp *rsdp, uint32_t phys)
{
    struct acpi_tables *out = search->out;

    out->root = walk_roots(search, rsdp);
    if (out->root == ACPI_ROOT_NONE)
        return false;
    out->rsdp_phys = phys;
    out->revision = rsdp->revision;
    copy_oem_id(rsdp, out->oem_id);
    return true;
}

/* Tries every RSDP of an area. A copy of the bare signature is passed over. */
static bool search_area(const struct search *search, uint32_t start, uint32_t end)
{
    struct rsdp rsdp;

    for (uint32_t at = start; at + RSDP_V1_BYTES <= end; at += RSDP_STEP) {
        if (read_rsdp(search, at, &rsdp) && use_rsdp(search, &rsdp, at))
            return true;
    }
    return false;
}

/* The EBDA comes first: a boot loader that replaces tables leaves the old RSDP in the ROM area. */
static bool search_bios(const struct search *search)
{
    const uint8_t *word = search->read(search->ctx, BDA_EBDA_SEGMENT, 2);
    uint32_t ebda = word == NULL ? 0 : (word[0] | (uint32_t)word[1] << 8) << 4;
    uint32_t end = ebda + EBDA_SEARCH_BYTES < EBDA_END ? ebda + EBDA_SEARCH_BYTES : EBDA_END;

    if (ebda >= EBDA_LOWEST && ebda < EBDA_END && search_area(search, ebda, end))
        return true;
    return search_area(search, BIOS_START, BIOS_END);
}

enum error acpi_find(phys_reader *read, void *ctx, const void *rsdp_copy, size_t rsdp_length,
                     struct acpi_tables *out)
{
    const struct search search = {read, ctx, out};
    struct rsdp rsdp;

    memset(out, 0, sizeof(*out));
    if (rsdp_copy != NULL) {
        if (rsdp_valid(rsdp_copy, rsdp_length, &rsdp) && use_rsdp(&search, &rsdp, 0))
            return OK;
        warnings_add(&out->warnings, "acpi.rsdp", "unusable copy from the boot loader",
                     (uint32_t)rsdp_length);
    }
    return search_bios(&search) ? OK : ERROR_NOT_FOUND;
}
