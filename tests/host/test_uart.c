/*
 * arch/x86/uart.c on a 16550 made up here, with what can be wrong with one: absent, mute in
 * loopback, never ready to send, left with the divisor latch open, flooded with input.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tests/host/fake_io.h"

#include "arch/x86/uart.c"

#define COM1 0x3f8

/* PC16550D data sheet, "Registers". What is sent is read back while loopback is on. The flood comes
 * in loopback, too: emulated chips let it. */
static struct {
    uint8_t lcr, ier, fcr, mcr, divisor_low, divisor_high, looped;
    bool has_looped, loopback_broken, never_ready;
    const char *received; /* and not yet read */
    unsigned flood;       /* bytes that come before each that is looped back */
    unsigned flooded;     /* of these, the ones still to be read */
    char sent[256];
    unsigned sent_count;
} chip;

static bool latch_is_open(void)
{
    return (chip.lcr & LCR_DLAB) != 0;
}

static void take_byte(uint8_t value)
{
    if ((chip.mcr & 0x10) != 0) {
        chip.looped = value;
        chip.has_looped = !chip.loopback_broken;
        chip.flooded = chip.flood;
    } else {
        assert_true(chip.sent_count < sizeof(chip.sent));
        chip.sent[chip.sent_count++] = (char)value;
    }
}

static void chip_write(uint16_t port, uint8_t value)
{
    switch (port - COM1) {
    case UART_DATA:
        if (latch_is_open())
            chip.divisor_low = value;
        else
            take_byte(value);
        break;
    case UART_IER:
        *(latch_is_open() ? &chip.divisor_high : &chip.ier) = value;
        break;
    case UART_FCR:
        chip.fcr = value;
        break;
    case UART_LCR:
        chip.lcr = value;
        break;
    case UART_MCR:
        chip.mcr = value;
        break;
    default:
        fail();
    }
}

static bool has_received(void)
{
    return chip.received != NULL && *chip.received != '\0';
}

static uint8_t chip_read(uint16_t port)
{
    if (port == COM1 + UART_LSR)
        return (chip.never_ready ? 0 : LSR_THR_EMPTY | 0x40) |
               (chip.has_looped || chip.flooded > 0 || has_received() ? LSR_DATA_READY : 0);
    assert_int_equal(port, COM1 + UART_DATA);
    assert_false(latch_is_open());
    if (chip.flooded > 0) {
        chip.flooded--;
        return 'x';
    }
    if (has_received())
        return (uint8_t)*chip.received++;
    chip.has_looped = false;
    return chip.looped;
}

static void plug_in(void)
{
    fake_io_reset();
    memset(&chip, 0, sizeof(chip));
    fake_port_read = chip_read;
    fake_port_write = chip_write;
}

static void test_o02_line_is_set_up_in_full(void **state)
{
    struct uart uart;

    (void)state;
    plug_in();
    assert_true(uart_init(&uart, COM1, 9600));
    assert_int_equal(chip.divisor_high << 8 | chip.divisor_low, 12);
    assert_int_equal(chip.lcr, 0x03);
    assert_int_equal(chip.ier, 0);
    assert_int_equal(chip.fcr & 0x07, 0x07);
    assert_int_equal(chip.mcr & 0x13, 0x03);
}

/* Firmware may leave the latch open: the interrupt enable register is then not at its place. */
static void test_o02_open_divisor_latch_is_closed_first(void **state)
{
    struct uart uart;

    (void)state;
    plug_in();
    chip.lcr = 0x83;
    chip.ier = 0x0f;
    assert_true(uart_init(&uart, COM1, 115200));
    assert_int_equal(fake_events[0].where, COM1 + UART_LCR);
    assert_int_equal(fake_events[0].value & LCR_DLAB, 0);
    assert_int_equal(chip.ier, 0);
    assert_int_equal(chip.divisor_high << 8 | chip.divisor_low, 1);
    uart_write(&uart, "ok\n", 3);
    assert_memory_equal(chip.sent, "ok\r\n", 4);
}

static void test_o02_slow_line_has_a_high_divisor_byte(void **state)
{
    struct uart uart;

    (void)state;
    plug_in();
    assert_true(uart_init(&uart, COM1, 300));
    assert_int_equal(chip.divisor_high << 8 | chip.divisor_low, 384);
    assert_true(uart_init(&uart, COM1, 0)); /* nonsense is the default */
    assert_int_equal(chip.divisor_high << 8 | chip.divisor_low, 1);
}

/* An empty bus reads FF, which looks ready for everything: nothing is sent there. */
static void test_o01_empty_bus_is_no_uart(void **state)
{
    struct uart uart;
    unsigned written;

    (void)state;
    fake_io_reset();
    assert_false(uart_init(&uart, COM1, 115200));
    assert_true(fake_reads < 10);
    written = fake_event_count;
    uart_write(&uart, "lost", 4);
    assert_int_equal(fake_event_count, written);
    assert_int_equal(uart.lost, 4);
}

static uint8_t zero_bus(uint16_t port)
{
    (void)port;
    return 0;
}

static void test_o01_bus_of_zeros_is_no_uart_in_bounded_time(void **state)
{
    struct uart uart;

    (void)state;
    fake_io_reset();
    fake_port_read = zero_bus;
    assert_false(uart_init(&uart, COM1, 115200));
    assert_true(fake_reads < 1000000);
}

static void test_o01_failing_loopback_is_no_uart(void **state)
{
    struct uart uart;

    (void)state;
    plug_in();
    chip.loopback_broken = true;
    assert_false(uart_init(&uart, COM1, 115200));
    assert_int_equal(chip.mcr & 0x10, 0); /* not left in loopback */
}

/* A line that never takes a byte costs a bounded time once, then it is given up. */
static void test_o02_transmitter_that_never_empties_is_given_up(void **state)
{
    static char text[1000];
    struct uart uart;

    (void)state;
    plug_in();
    assert_true(uart_init(&uart, COM1, 115200));
    chip.never_ready = true;
    memset(text, 'x', sizeof(text));
    uart_write(&uart, text, sizeof(text));
    assert_int_equal(uart.lost, sizeof(text));
    assert_false(uart.present);
    assert_in_range(fake_reads, POLLS, 20 * POLLS);
    assert_int_equal(chip.sent_count, 0);
}

static void test_o02_a_hiccup_loses_little(void **state)
{
    struct uart uart;

    (void)state;
    plug_in();
    assert_true(uart_init(&uart, COM1, 115200));
    chip.never_ready = true;
    uart_write(&uart, "abc", 3);
    chip.never_ready = false;
    uart_write(&uart, "def", 3);
    assert_int_equal(uart.lost, 3);
    assert_true(uart.present);
    assert_memory_equal(chip.sent, "def", 3);
}

/* A UART is found behind as much as its FIFO can hold, and in bounded time not behind more. */
static void test_o01_input_without_pause_hides_no_uart(void **state)
{
    struct uart uart;

    (void)state;
    plug_in();
    chip.flood = FIFO_BYTES;
    assert_true(uart_init(&uart, COM1, 115200));
    plug_in();
    chip.flood = UINT_MAX;
    assert_false(uart_init(&uart, COM1, 115200));
    assert_true(fake_reads < 1000);
    assert_int_equal(chip.mcr & 0x10, 0);
}

static void test_o02_input_is_read_byte_by_byte(void **state)
{
    struct uart uart;

    (void)state;
    plug_in();
    assert_true(uart_init(&uart, COM1, 115200));
    assert_int_equal(uart_read(&uart), -1);
    chip.received = "a\xff";
    assert_int_equal(uart_read(&uart), 'a');
    assert_int_equal(uart_read(&uart), 0xff);
    assert_int_equal(uart_read(&uart), -1);
}

static void test_o01_nothing_is_read_where_nothing_is(void **state)
{
    struct uart uart;

    (void)state;
    fake_io_reset();
    uart_init(&uart, COM1, 115200);
    assert_int_equal(uart_read(&uart), -1);
    uart.present = true; /* it was pulled out: an empty bus is all ones */
    assert_int_equal(uart_read(&uart), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_o02_line_is_set_up_in_full),
        cmocka_unit_test(test_o02_open_divisor_latch_is_closed_first),
        cmocka_unit_test(test_o02_slow_line_has_a_high_divisor_byte),
        cmocka_unit_test(test_o01_empty_bus_is_no_uart),
        cmocka_unit_test(test_o01_bus_of_zeros_is_no_uart_in_bounded_time),
        cmocka_unit_test(test_o01_failing_loopback_is_no_uart),
        cmocka_unit_test(test_o02_transmitter_that_never_empties_is_given_up),
        cmocka_unit_test(test_o02_a_hiccup_loses_little),
        cmocka_unit_test(test_o01_input_without_pause_hides_no_uart),
        cmocka_unit_test(test_o02_input_is_read_byte_by_byte),
        cmocka_unit_test(test_o01_nothing_is_read_where_nothing_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
