#include "arch/x86/lapic.h"

#include <stddef.h>

#include "arch/x86/idt.h"
#include "arch/x86/io.h"
#include "arch/x86/paging.h"
#include "arch/x86/regs.h"
#include "kernel/lib/bits.h"

#define LAPIC_BYTES 0x400
#define X2APIC_MSR_BASE 0x800
#define X2APIC_MSR_ICR 0x830
#define ICR_DELIVERY_PENDING (1u << 12)
#define ICR_POLLS 1000000u /* far beyond any delivery; ends the wait on a dead bus */
#define SVR_ENABLE (1u << 8)
#define LVT_MASKED (1u << 16)
#define LVT_NMI (4u << 8)
#define TIMER_DIVIDE_BY_1 0x0b

static volatile void *registers;
static const struct lapic_ops *ops;

static uint32_t xapic_read(uint32_t reg)
{
    return mmio_read32(registers, reg);
}

static void xapic_write(uint32_t reg, uint32_t value)
{
    mmio_write32(registers, reg, value);
}

/* Interrupts are off: nobody else may write the destination between the two halves. */
static bool xapic_send_ipi(uint32_t apic_id, uint32_t command)
{
    for (unsigned polls = 0; (xapic_read(LAPIC_ICR_LOW) & ICR_DELIVERY_PENDING) != 0; polls++) {
        if (polls == ICR_POLLS)
            return false;
        cpu_pause();
    }
    xapic_write(LAPIC_ICR_HIGH, apic_id << 24);
    xapic_write(LAPIC_ICR_LOW, command);
    return true;
}

static uint32_t xapic_id(void)
{
    return field(xapic_read(LAPIC_ID), 31, 24);
}

static const struct lapic_ops xapic_ops = {"xapic", xapic_read, xapic_write, xapic_send_ipi,
                                           xapic_id};

static uint32_t x2apic_read(uint32_t reg)
{
    return (uint32_t)msr_read(X2APIC_MSR_BASE + reg / 16);
}

static void x2apic_write(uint32_t reg, uint32_t value)
{
    msr_write(X2APIC_MSR_BASE + reg / 16, value);
}

/* WRMSR to the ICR is not serializing: the kicked CPU must see what was written before. */
static bool x2apic_send_ipi(uint32_t apic_id, uint32_t command)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    msr_write(X2APIC_MSR_ICR, (uint64_t)apic_id << 32 | command);
    return true;
}

static uint32_t x2apic_id(void)
{
    return x2apic_read(LAPIC_ID);
}

static const struct lapic_ops x2apic_ops = {"x2apic", x2apic_read, x2apic_write, x2apic_send_ipi,
                                            x2apic_id};

bool lapic_init(enum apic_mode mode, uint32_t phys)
{
    if (mode == APIC_MODE_X2APIC)
        ops = &x2apic_ops;
    if (mode == APIC_MODE_XAPIC) {
        registers = paging_map_device(phys, LAPIC_BYTES);
        ops = registers == NULL ? NULL : &xapic_ops;
    }
    return ops != NULL;
}

bool lapic_present(void)
{
    return ops != NULL;
}

void lapic_enable(void)
{
    unsigned last_lvt = field(ops->read(LAPIC_VERSION), 23, 16);

    /* Firmware may have left anything: no source is open when the APIC is enabled. */
    ops->write(LAPIC_LVT_TIMER, LVT_MASKED);
    ops->write(LAPIC_LVT_LINT0, LVT_MASKED);
    ops->write(LAPIC_LVT_LINT1, LVT_MASKED);
    if (last_lvt >= 3)
        ops->write(LAPIC_LVT_ERROR, LVT_MASKED);
    if (last_lvt >= 4)
        ops->write(LAPIC_LVT_PERFORMANCE, LVT_MASKED);
    if (last_lvt >= 5)
        ops->write(LAPIC_LVT_THERMAL, LVT_MASKED);
    if (last_lvt >= 6)
        ops->write(LAPIC_LVT_CMCI, LVT_MASKED);
    ops->write(LAPIC_TPR, 0);
    ops->write(LAPIC_ESR, 0);
    ops->write(LAPIC_SVR, SVR_ENABLE | VECTOR_SPURIOUS);
    /* SDM volume 3, "APIC Timer": divide, then LVT (lapic_timer_enable), then count. */
    ops->write(LAPIC_TIMER_DIVIDE, TIMER_DIVIDE_BY_1);
    lapic_eoi();
}

uint32_t lapic_id(void)
{
    return ops->apic_id();
}

uint32_t lapic_version(void)
{
    return field(ops->read(LAPIC_VERSION), 7, 0);
}

void lapic_eoi(void)
{
    if (ops != NULL)
        ops->write(LAPIC_EOI, 0);
}

bool lapic_send_ipi(uint32_t apic_id, uint32_t command)
{
    return ops->send_ipi(apic_id, command);
}

void lapic_enable_nmi(void)
{
    ops->write(LAPIC_LVT_LINT1, LVT_NMI);
}

void lapic_timer_enable(void)
{
    ops->write(LAPIC_TIMER_INITIAL, 0); /* whatever it has been doing */
    ops->write(LAPIC_LVT_TIMER, VECTOR_TIMER);
}

void lapic_timer_arm(uint32_t ticks)
{
    /* SDM volume 3, "APIC Timer": writing the initial count starts it, 0 stops it. */
    ops->write(LAPIC_TIMER_INITIAL, ticks);
}

void lapic_timer_start_free(void)
{
    ops->write(LAPIC_LVT_TIMER, LVT_MASKED);
    ops->write(LAPIC_TIMER_INITIAL, 0xffffffff);
}

uint32_t lapic_timer_elapsed(void)
{
    return 0xffffffff - ops->read(LAPIC_TIMER_CURRENT);
}
