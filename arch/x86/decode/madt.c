#include "arch/x86/decode/madt.h"

#include "arch/x86/decode/acpi_tables.h"
#include "arch/x86/decode/madt_format.h"
#include "kernel/lib/string.h"

/* The part of a table that holds whole entries, found once and then walked without checks. */
struct entries {
    const uint8_t *first;
    const uint8_t *end;
};

/* A processor entry of either kind. */
struct processor {
    uint32_t apic_id;
    uint32_t acpi_uid;
    uint32_t flags;
};

static const struct madt_entry *entry_at(const uint8_t *at)
{
    return (const struct madt_entry *)at;
}

/* How long an entry must be to be read; 0 for the types that are not. */
static size_t entry_size(uint8_t type)
{
    switch (type) {
    case MADT_ENTRY_LOCAL_APIC:
        return sizeof(struct madt_local_apic_entry);
    case MADT_ENTRY_IOAPIC:
        return sizeof(struct madt_ioapic_entry);
    case MADT_ENTRY_SOURCE_OVERRIDE:
        return sizeof(struct madt_source_override_entry);
    case MADT_ENTRY_LOCAL_NMI:
        return sizeof(struct madt_local_nmi_entry);
    case MADT_ENTRY_LAPIC_ADDRESS:
        return sizeof(struct madt_lapic_address_entry);
    case MADT_ENTRY_LOCAL_X2APIC:
        return sizeof(struct madt_local_x2apic_entry);
    case MADT_ENTRY_X2APIC_NMI:
        return sizeof(struct madt_x2apic_nmi_entry);
    default:
        return 0;
    }
}

/* Finds the end of the whole entries. After a bad length nothing can be found: the walk ends. */
static struct entries find_entries(const uint8_t *bytes, size_t length,
                                   struct warning_list *warnings)
{
    size_t at = sizeof(struct madt_head);

    while (length - at >= sizeof(struct madt_entry)) {
        size_t size = entry_at(bytes + at)->length;

        if (size < sizeof(struct madt_entry)) {
            warnings_add(warnings, "madt.entry.length", "shorter than its own head: walk ends",
                         (uint32_t)size);
            break;
        }
        if (size > length - at) {
            warnings_add(warnings, "madt.entry.length", "runs past the table: walk ends",
                         (uint32_t)size);
            break;
        }
        at += size;
    }
    if (length - at == 1)
        warnings_add(warnings, "madt.length", "one byte after the last entry ignored", bytes[at]);
    return (struct entries){bytes + sizeof(struct madt_head), bytes + at};
}

/* Reads a processor entry of either kind; false for any other entry, and for a short one. */
static bool read_processor(const struct madt_entry *entry, struct processor *out)
{
    if (entry->length < entry_size(entry->type))
        return false;
    if (entry->type == MADT_ENTRY_LOCAL_APIC) {
        const struct madt_local_apic_entry *cpu = (const struct madt_local_apic_entry *)entry;

        *out = (struct processor){cpu->apic_id, cpu->acpi_uid, cpu->flags};
        if (cpu->apic_id == MADT_XAPIC_BROADCAST)
            out->apic_id = MADT_X2APIC_BROADCAST; /* one name for "no CPU in particular" */
        return true;
    }
    if (entry->type == MADT_ENTRY_LOCAL_X2APIC) {
        const struct madt_local_x2apic_entry *cpu = (const struct madt_local_x2apic_entry *)entry;

        *out = (struct processor){cpu->apic_id, cpu->acpi_uid, cpu->flags};
        return true;
    }
    return false;
}

static enum madt_cpu_state state_of(const struct processor *cpu)
{
    if (!(cpu->flags & MADT_FLAG_ENABLED))
        return MADT_CPU_DISABLED;
    return cpu->apic_id < MADT_XAPIC_BROADCAST ? MADT_CPU_USABLE : MADT_CPU_SKIPPED;
}

static const char *reason_of(const struct processor *cpu)
{
    switch (state_of(cpu)) {
    case MADT_CPU_USABLE:
        return "";
    case MADT_CPU_SKIPPED:
        return "needs x2APIC mode";
    default:
        return cpu->flags & MADT_FLAG_ONLINE_CAPABLE ? "empty hot-plug slot" : "not enabled";
    }
}

/* The slot that holds `apic_id`, or cpu_count. */
static unsigned find_cpu(const struct madt *madt, uint32_t apic_id)
{
    unsigned slot = 0;

    while (slot < madt->cpu_count && madt->cpus[slot].apic_id != apic_id)
        slot++;
    return slot;
}

static void count_processor(struct madt *out, const struct processor *cpu)
{
    out->entries++;
    if (cpu->flags & MADT_FLAG_ENABLED)
        out->enabled++;
    else if (cpu->flags & MADT_FLAG_ONLINE_CAPABLE)
        out->online_capable++;
    else
        out->disabled++;
    if (cpu->apic_id == MADT_X2APIC_BROADCAST && cpu->flags & MADT_FLAG_ENABLED)
        warnings_add(&out->warnings, "madt.cpu.apic_id", "addresses every CPU: entry ignored",
                     cpu->acpi_uid);
}

static void add_cpu(struct madt *out, const struct processor *cpu)
{
    enum madt_cpu_state state = state_of(cpu);

    if (find_cpu(out, cpu->apic_id) < out->cpu_count) {
        if (state != MADT_CPU_DISABLED) /* disabled copies of a live ID are common and harmless */
            warnings_add(&out->warnings, "madt.cpu.apic_id", "listed twice: first one kept",
                         cpu->apic_id);
        return;
    }
    if (out->cpu_count == MAX_CPUS) {
        out->dropped += state != MADT_CPU_DISABLED;
        return;
    }
    out->cpus[out->cpu_count++] = (struct madt_cpu){
        .apic_id = cpu->apic_id,
        .acpi_uid = cpu->acpi_uid,
        .state = state,
        .reason = reason_of(cpu),
        .online_capable = (cpu->flags & MADT_FLAG_ONLINE_CAPABLE) != 0,
    };
    out->usable_count += state == MADT_CPU_USABLE;
}

/*
 * One pass per state, so that a disabled slot neither hides an enabled CPU with the same ID nor
 * takes its room.
 */
static void collect_cpus(struct entries entries, struct madt *out)
{
    static const enum madt_cpu_state order[] = {MADT_CPU_USABLE, MADT_CPU_SKIPPED,
                                                MADT_CPU_DISABLED};
    struct processor cpu;

    for (unsigned pass = 0; pass < sizeof(order) / sizeof(order[0]); pass++) {
        for (const uint8_t *at = entries.first; at < entries.end; at += entry_at(at)->length) {
            if (!read_processor(entry_at(at), &cpu))
                continue;
            if (pass == 0)
                count_processor(out, &cpu);
            if (cpu.apic_id != MADT_X2APIC_BROADCAST && state_of(&cpu) == order[pass])
                add_cpu(out, &cpu);
        }
    }
    if (out->dropped > 0)
        warnings_add(&out->warnings, "madt.cpu", "more CPUs than this kernel can run: rest ignored",
                     out->dropped);
}

static void add_ioapic(struct madt *out, const struct madt_ioapic_entry *entry)
{
    if (out->ioapic_count == MADT_MAX_IOAPICS) {
        warnings_add(&out->warnings, "madt.ioapic", "too many: ignored", entry->ioapic_id);
        return;
    }
    out->ioapics[out->ioapic_count++] =
        (struct madt_ioapic){entry->ioapic_id, entry->address, entry->gsi_base};
}

static void add_override(struct madt *out, const struct madt_source_override_entry *entry)
{
    if (entry->bus != MADT_ISA_BUS || entry->source >= MADT_ISA_IRQS) {
        warnings_add(&out->warnings, "madt.override.source", "not an ISA interrupt: ignored",
                     entry->source);
        return;
    }
    for (unsigned i = 0; i < out->override_count; i++) {
        if (out->overrides[i].irq == entry->source) {
            warnings_add(&out->warnings, "madt.override.source", "listed twice: first one kept",
                         entry->source);
            return;
        }
    }
    out->overrides[out->override_count++] =
        (struct madt_override){entry->source, entry->gsi, entry->flags};
}

static void add_local_nmi(struct madt *out, uint32_t acpi_uid, uint16_t flags, uint8_t lint)
{
    if (lint > 1) /* some firmware fills these entries with leftovers */
        warnings_add(&out->warnings, "madt.local_nmi.lint", "no such line: ignored", lint);
    else if (out->local_nmi_count == MADT_MAX_LOCAL_NMIS)
        warnings_add(&out->warnings, "madt.local_nmi", "too many: ignored", acpi_uid);
    else
        out->local_nmis[out->local_nmi_count++] = (struct madt_local_nmi){acpi_uid, flags, lint};
}

static void set_lapic_address(struct madt *out, uint64_t address)
{
    if (address == 0 || address >> 32 != 0) {
        warnings_add(&out->warnings, "madt.lapic_address_override", "zero, or above 4 GiB: ignored",
                     (uint32_t)(address >> 32));
        return;
    }
    out->lapic_address = (uint32_t)address;
}

/* Everything but CPUs. Entries of unknown types are what newer firmware looks like: no warning. */
static void read_entry(const struct madt_entry *entry, struct madt *out)
{
    const void *bytes = entry;
    const struct madt_local_nmi_entry *nmi = bytes;
    const struct madt_x2apic_nmi_entry *x2apic_nmi = bytes;

    if (entry->length < entry_size(entry->type)) {
        warnings_add(&out->warnings, "madt.entry.length", "too short for its type: entry ignored",
                     entry->type);
        return;
    }
    switch (entry->type) {
    case MADT_ENTRY_IOAPIC:
        add_ioapic(out, bytes);
        break;
    case MADT_ENTRY_SOURCE_OVERRIDE:
        add_override(out, bytes);
        break;
    case MADT_ENTRY_LOCAL_NMI:
        add_local_nmi(out, nmi->acpi_uid == MADT_UID_ALL_SHORT ? MADT_UID_ALL : nmi->acpi_uid,
                      nmi->flags, nmi->lint);
        break;
    case MADT_ENTRY_X2APIC_NMI:
        add_local_nmi(out, x2apic_nmi->acpi_uid, x2apic_nmi->flags, x2apic_nmi->lint);
        break;
    case MADT_ENTRY_LAPIC_ADDRESS:
        set_lapic_address(out, ((const struct madt_lapic_address_entry *)bytes)->address);
        break;
    default:
        break;
    }
}

static enum error check_head(const struct madt_head *head, size_t length)
{
    if (length < sizeof(*head))
        return ERROR_TRUNCATED;
    if (memcmp(head->header.signature, "APIC", 4) != 0)
        return ERROR_BAD_VALUE;
    if (head->header.length < sizeof(*head) || head->header.length > ACPI_TABLE_MAX_BYTES)
        return ERROR_BAD_LENGTH;
    return head->header.length > length ? ERROR_TRUNCATED : OK;
}

enum error madt_parse(const void *bytes, size_t length, struct madt *out)
{
    const struct madt_head *head = bytes;
    enum error error = check_head(head, length);
    struct entries entries;

    memset(out, 0, sizeof(*out));
    if (error != OK)
        return error;
    length = head->header.length;
    if (acpi_sum(bytes, length) != 0)
        warnings_add(&out->warnings, "madt.checksum", "wrong: table used all the same",
                     head->header.checksum);
    out->lapic_address = head->lapic_address;
    out->pcat_compat = (head->flags & MADT_FLAG_PCAT_COMPAT) != 0;
    entries = find_entries(bytes, length, &out->warnings);
    for (const uint8_t *at = entries.first; at < entries.end; at += entry_at(at)->length)
        read_entry(entry_at(at), out);
    collect_cpus(entries, out);
    return OK;
}

void madt_accept_x2apic_ids(struct madt *madt)
{
    while (madt->usable_count < madt->cpu_count &&
           madt->cpus[madt->usable_count].state == MADT_CPU_SKIPPED) {
        madt->cpus[madt->usable_count].state = MADT_CPU_USABLE;
        madt->cpus[madt->usable_count].reason = "";
        madt->usable_count++;
    }
}

/* Room for one more CPU at the end of the list; if it is full, the last one gives way. */
static unsigned free_slot(struct madt *madt)
{
    const struct madt_cpu *last = &madt->cpus[MAX_CPUS - 1];

    if (madt->cpu_count < MAX_CPUS)
        return madt->cpu_count++;
    madt->dropped += last->state != MADT_CPU_DISABLED;
    madt->usable_count -= last->state == MADT_CPU_USABLE;
    return MAX_CPUS - 1;
}

enum error madt_order_boot_cpu_first(struct madt *madt, uint32_t boot_apic_id)
{
    struct madt_cpu boot = {.apic_id = boot_apic_id, .acpi_uid = MADT_UID_UNKNOWN, .reason = ""};
    unsigned slot = find_cpu(madt, boot_apic_id);

    if (boot_apic_id == MADT_XAPIC_BROADCAST || boot_apic_id == MADT_X2APIC_BROADCAST)
        return ERROR_BAD_VALUE;
    if (slot == madt->cpu_count) {
        warnings_add(&madt->warnings, "madt.cpu", "boot CPU not listed: added", boot_apic_id);
        slot = free_slot(madt);
        madt->usable_count++;
    } else {
        boot.acpi_uid = madt->cpus[slot].acpi_uid;
        boot.online_capable = madt->cpus[slot].online_capable;
        if (slot >= madt->usable_count) {
            warnings_add(&madt->warnings, "madt.cpu", "boot CPU not listed as usable: used",
                         boot_apic_id);
            madt->usable_count++;
        }
    }
    memmove(&madt->cpus[1], &madt->cpus[0], slot * sizeof(madt->cpus[0]));
    madt->cpus[0] = boot;
    return OK;
}
