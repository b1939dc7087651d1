#include "arch/x86/console.h"

#include "arch/x86/uart.h"
#include "arch/x86/vga.h"
#include "kernel/arch.h"
#include "kernel/lib/options.h"
#include "kernel/log.h"

#define BDA_COM1 0x400 /* BIOS Data Area: port of the first serial line, 0 if there is none */
#define COM1_PORT 0x3f8

static struct uart uarts[OPTIONS_MAX_OUTPUTS];
static unsigned uart_count;
static bool screen_in_use;
static const char *missing; /* the output asked for that was not found, or NULL */

static uint16_t first_serial_port(void)
{
    uint32_t address = BDA_COM1;
    uint16_t port;

    __asm__("" : "+r"(address)); /* an address the compiler must not reason about */
    port = *(const volatile uint16_t *)address;
    return port >= 0x100 && port % 8 == 0 ? port : COM1_PORT;
}

static void add_uart(uint16_t port, uint32_t baud, const char *name)
{
    if (!uart_init(&uarts[uart_count], port, baud))
        missing = name;
    else
        uart_count++;
}

void console_init(const struct options *options, bool text_screen)
{
    static const uint16_t com_ports[] = {0x3f8, 0x2f8, 0x3e8, 0x2e8};

    for (unsigned i = 0; i < options->console.count; i++) {
        const struct options_output *output = &options->console.outputs[i];

        switch (output->kind) {
        case OPTIONS_CONSOLE_SERIAL:
            add_uart(first_serial_port(), options->baud, "serial");
            break;
        case OPTIONS_CONSOLE_COM:
            add_uart(com_ports[output->base - 1], options->baud, "com");
            break;
        case OPTIONS_CONSOLE_IO:
            add_uart((uint16_t)output->base, options->baud, "io");
            break;
        case OPTIONS_CONSOLE_MMIO:
            missing = "mmio"; /* no driver for memory-mapped ports */
            break;
        case OPTIONS_CONSOLE_SCREEN:
            screen_in_use = text_screen;
            if (text_screen)
                vga_init();
            break;
        }
    }
}

void console_report(void)
{
    if (missing != NULL)
        log_warning("console", "no output found for console=%s", missing);
}

void arch_console_write(const char *text, size_t length_bytes)
{
    for (unsigned i = 0; i < uart_count; i++)
        uart_write(&uarts[i], text, length_bytes);
    if (screen_in_use)
        vga_write(text, length_bytes);
}

int arch_console_read(void)
{
    return uart_count > 0 ? uart_read(&uarts[0]) : -1;
}

uint32_t arch_console_lost(void)
{
    uint32_t lost = 0;

    for (unsigned i = 0; i < uart_count; i++)
        lost += uarts[i].lost;
    return lost;
}

void console_drain(void)
{
    for (unsigned i = 0; i < uart_count; i++)
        uart_drain(&uarts[i]);
}
