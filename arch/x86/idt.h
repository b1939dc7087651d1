/*
 * The interrupt descriptor table, one for all CPUs, and the one list of which vector belongs to
 * whom. What happens on a vector is in trap.c; how hardware interrupts reach one is in pic.c and
 * lapic.c.
 */
#ifndef ARCH_X86_IDT_H
#define ARCH_X86_IDT_H

#define IDT_VECTORS 256

/* Vectors 0-31 are the processor's own exceptions (SDM volume 3, "Exception and Interrupt
 * Vectors"). */
#define VECTOR_NMI 2
#define VECTOR_BREAKPOINT 3
#define VECTOR_OVERFLOW 4
#define VECTOR_DOUBLE_FAULT 8
#define VECTOR_PAGE_FAULT 14
#define VECTOR_LAST_EXCEPTION 31
#define VECTOR_PIC 0x20 /* the two 8259s: 16 vectors */
#define VECTOR_PIC_LAST 0x2f
#define VECTOR_TIMER 0x40 /* this CPU's one-shot timer */
#define VECTOR_KICK 0x41  /* another CPU wants this one to look at its run queue */
#define VECTOR_SYSCALL 0x80
#define VECTOR_SPURIOUS 0xff /* low four bits set: older APICs hard-wire them */

/* Builds the table; once, on the boot CPU, before anything can fault. */
void idt_init(void);

/* Loads the table on this CPU. */
void idt_load(void);

#endif
