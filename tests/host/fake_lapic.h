/*
 * The local APIC driver on a recording fake: what it reads, and the ways to bring it up in either
 * mode. Include after cmocka.h.
 */
#ifndef TESTS_HOST_FAKE_LAPIC_H
#define TESTS_HOST_FAKE_LAPIC_H

#include "tests/host/fake_io.h"

#include "arch/x86/lapic.c"

#define VERSION_PENTIUM_4 0x00050014u /* six LVT entries */
#define VERSION_CURRENT 0x01060015u   /* seven */
#define VERSION_DISCRETE 0x00030004u  /* the 82489DX: four */
#define MSR(offset) (0x800 + (offset) / 16)

static uint32_t fake_version;
static uint32_t fake_id;            /* what the ID register holds */
static uint64_t fake_pending_reads; /* so many reads of the ICR find it busy */

static inline uint32_t fake_lapic_register(uint32_t offset)
{
    switch (offset) {
    case LAPIC_ID:
        return fake_id;
    case LAPIC_VERSION:
        return fake_version;
    case LAPIC_ICR_LOW:
        return fake_pending_reads > 0 && fake_pending_reads-- > 0 ? ICR_DELIVERY_PENDING : 0;
    case LAPIC_TIMER_CURRENT:
        return 0xffffffff - 1000;
    default:
        return 0;
    }
}

static inline uint64_t fake_lapic_msr(uint32_t msr)
{
    return fake_lapic_register((msr - 0x800) * 16);
}

volatile void *paging_map_device(uint64_t phys, size_t length_bytes)
{
    static uint8_t page[LAPIC_BYTES];

    assert_true(phys != 0 && phys % 4096 == 0 && length_bytes == LAPIC_BYTES);
    return page;
}

static inline void fake_lapic_begin(enum apic_mode mode)
{
    fake_io_reset();
    ops = NULL;
    fake_version = VERSION_PENTIUM_4;
    fake_id = 0;
    fake_pending_reads = 0;
    fake_mmio_read = fake_lapic_register;
    fake_msr_read = fake_lapic_msr;
    assert_true(lapic_init(mode, 0xfee00000));
}

#endif
