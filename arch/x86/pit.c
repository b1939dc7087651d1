/* The 8254 programmable interval timer: channel 2 as reference clock, channel 0 as event timer.
 * Intel 8254 data sheet, "Programming the 8254" and "Mode Definitions". */
#include <stddef.h>

#include "arch/x86/clock_source.h"
#include "arch/x86/io.h"
#include "kernel/lib/clock_math.h"

#define PIT_HZ 1193182u
#define PIT_CHANNEL0 0x40
#define PIT_CHANNEL2 0x42
#define PIT_CONTROL 0x43
#define CONTROL_CHANNEL2_MODE0 0xb0 /* low byte then high byte; counts down once */
#define CONTROL_CHANNEL0_MODE0 0x30
#define CONTROL_LATCH2 0x80
#define PIT_GATE_PORT 0x61
#define GATE_ENABLE 0x01
#define GATE_SPEAKER 0x02
#define PIT_MAX_NS 50000000u /* the 16-bit counter is out after 54.9 ms */

static void restart(void)
{
    io_out8(PIT_GATE_PORT, (io_in8(PIT_GATE_PORT) & ~GATE_SPEAKER) | GATE_ENABLE);
    io_out8(PIT_CONTROL, CONTROL_CHANNEL2_MODE0);
    io_out8(PIT_CHANNEL2, 0xff);
    io_out8(PIT_CHANNEL2, 0xff);
}

static uint32_t read_up(void)
{
    uint32_t low, high;

    io_out8(PIT_CONTROL, CONTROL_LATCH2);
    low = io_in8(PIT_CHANNEL2);
    high = io_in8(PIT_CHANNEL2);
    return 0xffff - (high << 8 | low);
}

const struct clock_source *pit_clock(void)
{
    static const struct clock_source source = {
        .name = "pit", .hz = PIT_HZ, .width_bits = 16, .restart = restart, .read = read_up};
    return &source;
}

void pit_arm(uint64_t ns)
{
    uint32_t count;

    if (ns > PIT_MAX_NS)
        ns = PIT_MAX_NS;
    count = (uint32_t)mul_div_u64(ns, PIT_HZ, NS_PER_SECOND) + 1;
    io_out8(PIT_CONTROL, CONTROL_CHANNEL0_MODE0);
    io_out8(PIT_CHANNEL0, count & 0xff);
    io_out8(PIT_CHANNEL0, count >> 8 & 0xff);
}
