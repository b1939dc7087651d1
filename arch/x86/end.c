/* The ways to end: QEMU's and Bochs's doors, power off, reset, halt. */
#include "arch/x86/console.h"
#include "arch/x86/io.h"
#include "arch/x86/machine.h"
#include "kernel/arch.h"
#include "kernel/lib/options.h"
#include "kernel/log.h"

/* QEMU's isa-debug-exit device ends the process with status 2 * value + 1. */
#define DEBUG_EXIT_PORT 0xf4
#define DEBUG_EXIT_OK 0x10
#define DEBUG_EXIT_FAILED 0x11
/* Bochs ends when this port receives the word. */
#define BOCHS_SHUTDOWN_PORT 0x8900
/* PM1a control of QEMU's pc and q35: SLP_EN with SLP_TYP 0 (ACPI Specification, "PM1 Control"). */
#define QEMU_PM1A_CONTROL 0x604
#define PM1_SLEEP_ENABLE 0x2000
/* 8042 keyboard controller: pulses the CPU's reset line. */
#define KEYBOARD_COMMAND 0x64
#define KEYBOARD_RESET 0xfe

static void leave_bochs(void)
{
    for (const char *c = "Shutdown"; *c != '\0'; c++)
        io_out8(BOCHS_SHUTDOWN_PORT, (uint8_t)*c);
}

static void reset(void)
{
    static const uint8_t no_idt[6]; /* a table of length 0: the next interrupt is the last */

    io_out8(KEYBOARD_COMMAND, KEYBOARD_RESET);
    __asm__ volatile("lidt %0\n\tint3" : : "m"(no_idt));
}

void arch_end(const struct options *options, bool ok)
{
    arch_irq_save();
    log_flush();
    console_drain(); /* or the machine is gone before its last line is */
    switch (options->end) {
    case OPTIONS_END_EXIT:
        if (machine_is_bochs())
            leave_bochs();
        io_out8(DEBUG_EXIT_PORT, ok ? DEBUG_EXIT_OK : DEBUG_EXIT_FAILED);
        break;
    case OPTIONS_END_POWEROFF:
        if (machine_is_bochs())
            leave_bochs();
        io_out16(QEMU_PM1A_CONTROL, PM1_SLEEP_ENABLE);
        break;
    case OPTIONS_END_REBOOT:
        reset();
        break;
    case OPTIONS_END_HALT:
    case OPTIONS_END_MONITOR:
        break;
    }
    cpu_halt_for_ever();
    __builtin_unreachable();
}
