/*
 * The outputs of the log: serial ports and the text screen, as the command line chooses them.
 */
#ifndef ARCH_X86_CONSOLE_H
#define ARCH_X86_CONSOLE_H

#include <stdbool.h>

struct options;

/* Finds and sets up the outputs. `text_screen`: the machine has, or may have, a VGA text screen.
 * Early: no paging, no log; what is missing is only kept for console_report. */
void console_init(const struct options *options, bool text_screen);

/* Warns of outputs that were asked for and not found. */
void console_report(void);

/* Waits, within a bound, until everything written has left the serial ports. */
void console_drain(void);

#endif
