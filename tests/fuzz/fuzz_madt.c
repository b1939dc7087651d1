/*
 * madt_parse on any bytes. Beyond not crashing: every CPU to be started is enabled in the table,
 * none is there twice, none is a broadcast address, and the boot CPU ends up first.
 */
#include "arch/x86/decode/madt.h"
#include "tests/fuzz/fuzz_memory.h"

#define FIRST_ENTRY 44u

/* An independent walk: does the table list this ID as enabled? */
static bool listed_as_enabled(const uint8_t *data, size_t size, uint32_t apic_id)
{
    uint32_t id;

    for (size_t at = FIRST_ENTRY; size - at >= 2; at += data[at + 1]) {
        uint8_t type = data[at], length = data[at + 1];

        if (length < 2 || length > size - at)
            return false;
        if (type == 0 && length >= 8 && data[at + 3] == apic_id && data[at + 4] & 1)
            return true;
        if (type != 9 || length < 16)
            continue;
        memcpy(&id, data + at + 4, sizeof(id));
        if (id == apic_id && data[at + 8] & 1)
            return true;
    }
    return false;
}

static void check_cpus(const struct madt *madt)
{
    CHECK(madt->usable_count <= madt->cpu_count && madt->cpu_count <= MAX_CPUS);
    CHECK(madt->entries == madt->enabled + madt->online_capable + madt->disabled);
    for (unsigned i = 0; i < madt->cpu_count; i++) {
        CHECK((madt->cpus[i].state == MADT_CPU_USABLE) == (i < madt->usable_count));
        CHECK((madt->cpus[i].reason[0] == '\0') == (i < madt->usable_count));
        CHECK(madt->cpus[i].apic_id != UINT32_MAX);
        for (unsigned other = 0; other < i; other++)
            CHECK(madt->cpus[other].apic_id != madt->cpus[i].apic_id);
    }
}

static void check_table(const uint8_t *data, size_t size, struct madt *madt)
{
    uint32_t length, boot_apic_id = data[size - 1];

    memcpy(&length, data + 4, sizeof(length));
    CHECK(length >= FIRST_ENTRY && length <= size);
    check_cpus(madt);
    for (unsigned i = 0; i < madt->usable_count; i++) {
        CHECK(madt->cpus[i].apic_id < 0xff);
        CHECK(listed_as_enabled(data, length, madt->cpus[i].apic_id));
    }
    CHECK(madt->ioapic_count <= MADT_MAX_IOAPICS && madt->override_count <= MADT_ISA_IRQS);
    CHECK(madt->local_nmi_count <= MADT_MAX_LOCAL_NMIS);
    if (size % 2 != 0)
        madt_accept_x2apic_ids(madt);
    check_cpus(madt);
    if (madt_order_boot_cpu_first(madt, boot_apic_id) != OK)
        return;
    check_cpus(madt);
    CHECK(madt->cpus[0].apic_id == boot_apic_id);
    for (unsigned i = 1; i < madt->usable_count; i++)
        CHECK(listed_as_enabled(data, length, madt->cpus[i].apic_id));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct madt madt;

    if (madt_parse(data, size, &madt) == OK)
        check_table(data, size, &madt);
    else
        CHECK(madt.cpu_count == 0);
    return 0;
}
