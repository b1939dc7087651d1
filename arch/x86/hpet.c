/* The high precision event timer's main counter. IA-PC HPET Specification, "Register Overview". */
#include <stddef.h>

#include "arch/x86/clock_source.h"
#include "arch/x86/decode/acpi_tables.h"
#include "arch/x86/io.h"
#include "arch/x86/paging.h"
#include "kernel/lib/clock_math.h"

#define HPET_CAPABILITIES_LOW 0x00
#define HPET_CAPABILITIES_HIGH 0x04
#define HPET_CONFIGURATION 0x10
#define HPET_COUNTER_LOW 0xf0
#define HPET_BYTES 0x400
#define HPET_ENABLE 1u
#define FEMTOSECONDS_PER_SECOND 1000000000000000ull

static volatile void *registers;

static uint32_t read_counter(void)
{
    return mmio_read32(registers, HPET_COUNTER_LOW);
}

const struct clock_source *hpet_clock(const struct hpet *table)
{
    static struct clock_source source = {.name = "hpet", .width_bits = 32, .read = read_counter};
    uint32_t period_fs;

    registers = paging_map_device(table->phys, HPET_BYTES);
    if (registers == NULL)
        return NULL;
    period_fs = hpet_period_fs((uint64_t)mmio_read32(registers, HPET_CAPABILITIES_HIGH) << 32 |
                               mmio_read32(registers, HPET_CAPABILITIES_LOW));
    if (period_fs == 0)
        return NULL;
    source.hz = div_u64_u32(FEMTOSECONDS_PER_SECOND, period_fs, NULL);
    mmio_write32(registers, HPET_CONFIGURATION,
                 mmio_read32(registers, HPET_CONFIGURATION) | HPET_ENABLE);
    return &source;
}
