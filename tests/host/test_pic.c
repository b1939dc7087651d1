/*
 * arch/x86/pic.c on a pair of 8259s made up here: which end-of-interrupt commands go where.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/host/fake_io.h"

#include "arch/x86/pic.c"

#define EOI_MASTER             \
    {                          \
        PORT_WRITE, 0x20, 0x20 \
    }
#define EOI_SLAVE              \
    {                          \
        PORT_WRITE, 0xa0, 0x20 \
    }
#define ASK_MASTER             \
    {                          \
        PORT_WRITE, 0x20, 0x0b \
    }
#define ASK_SLAVE              \
    {                          \
        PORT_WRITE, 0xa0, 0x0b \
    }

static uint8_t in_service[2]; /* master, slave */

static uint8_t read_in_service(uint16_t port)
{
    assert_true(port == 0x20 || port == 0xa0);
    return in_service[port == 0xa0];
}

static bool end_of(unsigned irq, uint8_t master, uint8_t slave)
{
    fake_io_reset();
    fake_port_read = read_in_service;
    in_service[0] = master;
    in_service[1] = slave;
    return pic_end_of_interrupt(VECTOR_PIC + irq);
}

static void test_n01_irq_7_without_request_gets_no_eoi(void **state)
{
    (void)state;
    assert_false(end_of(7, 0x00, 0x00));
    FAKE_EXPECT(ASK_MASTER);
    assert_false(end_of(7, 0x01, 0x80)); /* others being served make no difference */
    FAKE_EXPECT(ASK_MASTER);
}

static void test_n01_irq_15_without_request_gets_the_masters_eoi(void **state)
{
    (void)state;
    assert_false(end_of(15, 0x04, 0x00));
    FAKE_EXPECT(ASK_SLAVE, EOI_MASTER);
}

static void test_n01_real_irq_7_and_15_are_ended(void **state)
{
    (void)state;
    assert_true(end_of(7, 0x80, 0x00));
    FAKE_EXPECT(ASK_MASTER, EOI_MASTER);
    assert_true(end_of(15, 0x04, 0x80));
    FAKE_EXPECT(ASK_SLAVE, EOI_SLAVE, EOI_MASTER);
}

static void test_other_lines_are_ended_without_a_question(void **state)
{
    (void)state;
    assert_true(end_of(0, 0x01, 0x00));
    FAKE_EXPECT(EOI_MASTER);
    assert_true(end_of(8, 0x04, 0x01));
    FAKE_EXPECT(EOI_SLAVE, EOI_MASTER);
}

/* All lines end up masked, and the vectors lie behind those of the exceptions. */
static void test_b08_both_chips_are_moved_and_masked(void **state)
{
    (void)state;
    fake_io_reset();
    pic_init();
    assert_true(VECTOR_PIC >= 32);
    FAKE_EXPECT({PORT_WRITE, 0x20, 0x11}, {PORT_WRITE, 0xa0, 0x11}, {PORT_WRITE, 0x21, VECTOR_PIC},
                {PORT_WRITE, 0xa1, VECTOR_PIC + 8}, {PORT_WRITE, 0x21, 0x04},
                {PORT_WRITE, 0xa1, 0x02}, {PORT_WRITE, 0x21, 0x01}, {PORT_WRITE, 0xa1, 0x01},
                {PORT_WRITE, 0x21, 0xff}, {PORT_WRITE, 0xa1, 0xff});
}

static void test_n03_only_the_timer_line_opens(void **state)
{
    (void)state;
    fake_io_reset();
    pic_enable_timer();
    FAKE_EXPECT({PORT_WRITE, 0x21, 0xfe});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_n01_irq_7_without_request_gets_no_eoi),
        cmocka_unit_test(test_n01_irq_15_without_request_gets_the_masters_eoi),
        cmocka_unit_test(test_n01_real_irq_7_and_15_are_ended),
        cmocka_unit_test(test_other_lines_are_ended_without_a_question),
        cmocka_unit_test(test_b08_both_chips_are_moved_and_masked),
        cmocka_unit_test(test_n03_only_the_timer_line_opens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
