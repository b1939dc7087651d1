/*
 * The constants that assembly may know. Compiled with -S only: the Makefile turns
 * each marker line of the result into a NASM %define in build/asm_offsets.inc.
 */
#include "arch/x86/idt.h"
#include "arch/x86/regs.h"

#define DEFINE(name, value) __asm__ volatile(".ascii \"@define " #name " %c0\"" : : "i"(value))

void asm_offsets(void);

void asm_offsets(void)
{
    DEFINE(SELECTOR_KERNEL_CODE, SELECTOR_KERNEL_CODE);
    DEFINE(SELECTOR_KERNEL_DATA, SELECTOR_KERNEL_DATA);
    DEFINE(SELECTOR_PERCPU, SELECTOR_PERCPU);
    DEFINE(IDT_VECTORS, IDT_VECTORS);
}
