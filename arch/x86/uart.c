#include "arch/x86/uart.h"

#include "arch/x86/io.h"

/* PC16550D data sheet, "Registers". Offsets from the base port. */
#define UART_DATA 0
#define UART_DIVISOR_LOW 0 /* while DLAB is set */
#define UART_IER 1
#define UART_DIVISOR_HIGH 1 /* while DLAB is set */
#define UART_FCR 2
#define UART_LCR 3
#define UART_MCR 4
#define UART_LSR 5
#define UART_SCRATCH 7
#define LCR_8N1 0x03
#define LCR_DLAB 0x80
#define FCR_ENABLE_CLEAR 0xc7
#define MCR_DTR_RTS 0x03
#define MCR_LOOPBACK 0x1e
#define LSR_DATA_READY 0x01
#define LSR_THR_EMPTY 0x20
#define LSR_TRANSMITTER_EMPTY 0x40
#define UART_CLOCK_BAUD 115200u
#define LOOPBACK_BYTE 0x5a
#define LOOPBACK_TRIES 8
#define FIFO_BYTES 16
#define POLLS 100000u        /* over 10 ms: longer than a character at 1200 baud */
#define LOST_IN_A_ROW_MAX 16 /* then the line is taken for dead */

static bool poll(uint16_t port, uint8_t bit)
{
    for (unsigned i = 0; i < POLLS; i++) {
        uint8_t status = io_in8(port + UART_LSR);
        if (status == 0xff)
            return false; /* nothing there */
        if ((status & bit) != 0)
            return true;
        cpu_pause();
    }
    return false;
}

/* Whether the loopback byte comes back, behind what was received before. */
static bool loops_back(uint16_t port)
{
    io_out8(port + UART_DATA, LOOPBACK_BYTE);
    for (unsigned i = 0; i <= FIFO_BYTES; i++) {
        if (!poll(port, LSR_DATA_READY))
            return false;
        if (io_in8(port + UART_DATA) == LOOPBACK_BYTE)
            return true;
    }
    return false;
}

/* A byte sent in loopback mode must come back: an empty bus reads FF, which looks ready. Where
 * somebody sends without pause, and the emulated chip does not cut the line meanwhile, it may take
 * several attempts to find it. */
static bool answers(uint16_t port)
{
    bool ok = false;

    io_out8(port + UART_MCR, MCR_LOOPBACK);
    for (unsigned i = 0; i < LOOPBACK_TRIES && !ok; i++)
        ok = loops_back(port);
    io_out8(port + UART_MCR, MCR_DTR_RTS);
    return ok;
}

bool uart_init(struct uart *uart, uint16_t port, uint32_t baud)
{
    uint32_t divisor = UART_CLOCK_BAUD / (baud == 0 ? UART_CLOCK_BAUD : baud);

    uart->port = port;
    uart->lost = 0;
    io_out8(port + UART_LCR, LCR_8N1);
    io_out8(port + UART_IER, 0);
    io_out8(port + UART_LCR, LCR_DLAB | LCR_8N1);
    io_out8(port + UART_DIVISOR_LOW, divisor & 0xff);
    io_out8(port + UART_DIVISOR_HIGH, divisor >> 8 & 0xff);
    io_out8(port + UART_LCR, LCR_8N1);
    io_out8(port + UART_FCR, FCR_ENABLE_CLEAR);
    uart->present = answers(port);
    return uart->present;
}

static void send(struct uart *uart, char c, unsigned *lost_in_a_row)
{
    if (!poll(uart->port, LSR_THR_EMPTY)) {
        uart->lost++;
        uart->present = ++*lost_in_a_row < LOST_IN_A_ROW_MAX;
        return;
    }
    *lost_in_a_row = 0;
    io_out8(uart->port + UART_DATA, (uint8_t)c);
}

void uart_write(struct uart *uart, const char *text, size_t length_bytes)
{
    unsigned lost_in_a_row = 0;

    for (size_t i = 0; i < length_bytes; i++) {
        if (!uart->present) {
            uart->lost++;
            continue;
        }
        if (text[i] == '\n')
            send(uart, '\r', &lost_in_a_row);
        send(uart, text[i], &lost_in_a_row);
    }
}

int uart_read(struct uart *uart)
{
    uint8_t status;

    if (!uart->present)
        return -1;
    status = io_in8(uart->port + UART_LSR);
    if (status == 0xff || (status & LSR_DATA_READY) == 0)
        return -1;
    return io_in8(uart->port + UART_DATA);
}

void uart_drain(struct uart *uart)
{
    if (uart->present)
        poll(uart->port, LSR_TRANSMITTER_EMPTY);
}
