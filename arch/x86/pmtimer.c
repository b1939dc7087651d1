/* The ACPI power management timer. ACPI Specification, "Power Management Timer". */
#include <stddef.h>

#include "arch/x86/clock_source.h"
#include "arch/x86/decode/acpi_tables.h"
#include "arch/x86/io.h"
#include "arch/x86/paging.h"

#define PM_TIMER_HZ 3579545u

static uint16_t port;
static volatile void *registers;

static uint32_t read_port(void)
{
    return io_in32(port);
}

static uint32_t read_memory(void)
{
    return mmio_read32(registers, 0);
}

const struct clock_source *pmtimer_clock(const struct fadt *table)
{
    static struct clock_source source = {.name = "pm", .hz = PM_TIMER_HZ};

    if (table->pm_timer_bits == 0)
        return NULL;
    source.width_bits = table->pm_timer_bits;
    if (table->pm_timer.space == ACPI_SPACE_IO && table->pm_timer.address <= 0xfffc) {
        port = (uint16_t)table->pm_timer.address;
        source.read = read_port;
        return &source;
    }
    registers = table->pm_timer.space == ACPI_SPACE_MEMORY
                    ? paging_map_device(table->pm_timer.address, 4)
                    : NULL;
    source.read = read_memory;
    return registers == NULL ? NULL : &source;
}
