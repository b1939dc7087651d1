/*
 * The 80x25 colour text screen as an output that scrolls.
 */
#ifndef ARCH_X86_VGA_H
#define ARCH_X86_VGA_H

#include <stddef.h>

/* Clears the screen. Only to be called where text mode is known or likely. */
void vga_init(void);

/* Writes text at the cursor; \n starts a new line, long lines wrap. */
void vga_write(const char *text, size_t length_bytes);

#endif
