/*
 * Takes the place of arch/x86/io.h in a test that includes a driver's .c file: every write to a
 * port, register or MSR, and every wait, is written down in order; reads are answered by the test.
 * Include after cmocka.h and before the driver.
 */
#ifndef ARCH_X86_IO_H
#define ARCH_X86_IO_H

#include <stdbool.h>
#include <stdint.h>

#define FAKE_EVENTS_MAX 512

enum fake_event_kind { PORT_WRITE, MMIO_WRITE, MSR_WRITE, DELAY_US };

struct fake_event {
    enum fake_event_kind kind;
    uint32_t where; /* port, offset or MSR; 0 for a wait */
    uint64_t value;
};

static struct fake_event fake_events[FAKE_EVENTS_MAX];
static unsigned fake_event_count;
static unsigned fake_reads; /* of any kind: bounds of polls are counted with it */
static unsigned fake_pauses;

/* What the hardware does; a test sets those it needs. NULL: reads give all ones, as an empty bus
 * does, and writes have no effect. */
static uint8_t (*fake_port_read)(uint16_t port);
static void (*fake_port_write)(uint16_t port, uint8_t value);
static uint32_t (*fake_mmio_read)(uint32_t offset);
static uint64_t (*fake_msr_read)(uint32_t msr);

static inline void fake_io_reset(void)
{
    fake_event_count = fake_reads = fake_pauses = 0;
    fake_port_read = NULL;
    fake_port_write = NULL;
    fake_mmio_read = NULL;
    fake_msr_read = NULL;
}

static inline void fake_record(enum fake_event_kind kind, uint32_t where, uint64_t value)
{
    assert_true(fake_event_count < FAKE_EVENTS_MAX);
    fake_events[fake_event_count++] = (struct fake_event){kind, where, value};
}

/* The events from number `first` on are these, and then there are no more. */
static inline void fake_check_events(unsigned first, const struct fake_event *wanted,
                                     unsigned count)
{
    for (unsigned i = 0; i < count && first + i < fake_event_count; i++) {
        assert_int_equal(fake_events[first + i].kind, wanted[i].kind);
        assert_int_equal(fake_events[first + i].where, wanted[i].where);
        assert_int_equal(fake_events[first + i].value, wanted[i].value);
    }
    assert_int_equal(fake_event_count, first + count);
}

#define FAKE_EXPECT(...)                                                 \
    fake_check_events(0, (const struct fake_event[]){__VA_ARGS__},       \
                      sizeof((const struct fake_event[]){__VA_ARGS__}) / \
                          sizeof(struct fake_event))

/* The number of the only write there is to this place. */
static inline unsigned fake_find_write(enum fake_event_kind kind, uint32_t where)
{
    unsigned found = FAKE_EVENTS_MAX;

    for (unsigned i = 0; i < fake_event_count; i++) {
        if (fake_events[i].kind != kind || fake_events[i].where != where)
            continue;
        assert_int_equal(found, FAKE_EVENTS_MAX);
        found = i;
    }
    assert_true(found < FAKE_EVENTS_MAX);
    return found;
}

static inline void io_out8(uint16_t port, uint8_t value)
{
    fake_record(PORT_WRITE, port, value);
    if (fake_port_write != NULL)
        fake_port_write(port, value);
}

static inline uint8_t io_in8(uint16_t port)
{
    fake_reads++;
    return fake_port_read != NULL ? fake_port_read(port) : 0xff;
}

static inline uint32_t mmio_read32(const volatile void *base, uint32_t offset)
{
    (void)base;
    fake_reads++;
    return fake_mmio_read != NULL ? fake_mmio_read(offset) : UINT32_MAX;
}

static inline void mmio_write32(volatile void *base, uint32_t offset, uint32_t value)
{
    (void)base;
    fake_record(MMIO_WRITE, offset, value);
}

static inline uint64_t msr_read(uint32_t msr)
{
    fake_reads++;
    return fake_msr_read != NULL ? fake_msr_read(msr) : UINT64_MAX;
}

static inline void msr_write(uint32_t msr, uint64_t value)
{
    fake_record(MSR_WRITE, msr, value);
}

static inline void cpu_pause(void)
{
    fake_pauses++;
}

#endif
