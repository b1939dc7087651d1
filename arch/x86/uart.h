/*
 * The 16550 serial port: detection, set-up, polled output with bounded waits, polled input.
 */
#ifndef ARCH_X86_UART_H
#define ARCH_X86_UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uart {
    uint16_t port;
    bool present;
    uint32_t lost; /* characters the transmitter did not take in time */
};

/* Looks for a UART at the port and sets it to `baud`, 8N1; false if none answers. */
bool uart_init(struct uart *uart, uint16_t port, uint32_t baud);

/* Sends text, \n as \r\n. A transmitter that never empties costs one bounded wait a character
 * until the port is given up; what it did not take is counted. */
void uart_write(struct uart *uart, const char *text, size_t length_bytes);

/* The next byte that was received, 0 to 255, or -1 if there is none. Does not wait. */
int uart_read(struct uart *uart);

/* Waits, within a bound, until the last character has left the transmitter. */
void uart_drain(struct uart *uart);

#endif
