/*
 * How large the buffers are in which tasks shall wait for memory: larger than the last-level cache,
 * where there is room for two such tasks. Chosen once, and printed.
 */
#ifndef KERNEL_EXPERIMENT_BUFFERS_H
#define KERNEL_EXPERIMENT_BUFFERS_H

#include <stdint.h>

/* The size for one task in KiB; 0 if there is too little memory. */
uint32_t buffers_kib(void);

/* Why what is measured with them means nothing although there are caches; NULL if it does. */
const char *buffers_problem(void);

#endif
