/*
 * The order of everything after the first instructions.
 */
#ifndef KERNEL_MAIN_H
#define KERNEL_MAIN_H

#include "kernel/lib/options.h"

/* The command line. Parsed before the console exists; fixed afterwards. */
extern struct options main_options;

/* The kernel proper, on the boot CPU; its stack becomes the conductor's. Never returns. */
__attribute__((noreturn)) void kernel_main(void);

#endif
