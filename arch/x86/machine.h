/*
 * The order in which the hardware is started, and what was found on the way. Each step is in the
 * file named after its device.
 */
#ifndef ARCH_X86_MACHINE_H
#define ARCH_X86_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

/* First C code, called by multiboot.asm with what the boot loader left in EAX and EBX: interrupts
 * off, paging off, boot stack. Never returns. */
__attribute__((noreturn)) void machine_entry(uint32_t magic, uint32_t boot_information);

bool machine_is_bochs(void);

#endif
