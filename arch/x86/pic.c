#include "arch/x86/pic.h"

#include "arch/x86/idt.h"
#include "arch/x86/io.h"

/* Intel 8259A data sheet, "Initialization Command Words" and "Operation Command Words". */
#define PIC_MASTER 0x20
#define PIC_SLAVE 0xa0
#define PIC_DATA 1 /* offset of the second port */
#define ICW1_INIT_ICW4 0x11
#define ICW4_8086 0x01
#define OCW2_EOI 0x20
#define OCW3_READ_ISR 0x0b
#define CASCADE_LINE 2
#define SPURIOUS_LINE 7

void pic_init(void)
{
    io_out8(PIC_MASTER, ICW1_INIT_ICW4);
    io_out8(PIC_SLAVE, ICW1_INIT_ICW4);
    io_out8(PIC_MASTER + PIC_DATA, VECTOR_PIC);
    io_out8(PIC_SLAVE + PIC_DATA, VECTOR_PIC + 8);
    io_out8(PIC_MASTER + PIC_DATA, 1 << CASCADE_LINE);
    io_out8(PIC_SLAVE + PIC_DATA, CASCADE_LINE);
    io_out8(PIC_MASTER + PIC_DATA, ICW4_8086);
    io_out8(PIC_SLAVE + PIC_DATA, ICW4_8086);
    io_out8(PIC_MASTER + PIC_DATA, 0xff);
    io_out8(PIC_SLAVE + PIC_DATA, 0xff);
}

void pic_enable_timer(void)
{
    io_out8(PIC_MASTER + PIC_DATA, 0xfe);
}

bool pic_end_of_interrupt(uint32_t vector)
{
    unsigned irq = vector - VECTOR_PIC;
    uint16_t chip = irq < 8 ? PIC_MASTER : PIC_SLAVE;

    if (irq % 8 == SPURIOUS_LINE) {
        io_out8(chip, OCW3_READ_ISR);
        if ((io_in8(chip) & 1 << SPURIOUS_LINE) == 0) {
            if (chip == PIC_SLAVE)
                io_out8(PIC_MASTER, OCW2_EOI); /* the cascade line itself was real */
            return false;
        }
    }
    if (chip == PIC_SLAVE)
        io_out8(PIC_SLAVE, OCW2_EOI);
    io_out8(PIC_MASTER, OCW2_EOI);
    return true;
}
