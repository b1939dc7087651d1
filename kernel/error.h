/*
 * Error numbers shared by the kernel and the pure decoders. Zero is success.
 * Odd firmware or hardware is reported with one of these plus a warning that names table and
 * field (kernel/lib/warnings.h); the kernel's own bugs are ASSERTs (kernel/panic.h) instead.
 */
#ifndef KERNEL_ERROR_H
#define KERNEL_ERROR_H

enum error {
    OK = 0,
    ERROR_NOT_FOUND,  /* the thing asked for is not there */
    ERROR_TRUNCATED,  /* the bytes end before the structure does */
    ERROR_BAD_LENGTH, /* a length field contradicts the bytes around it */
    ERROR_BAD_CHECKSUM,
    ERROR_BAD_VALUE, /* a field holds a value it must not hold */
    ERROR_NO_MEMORY,
    ERROR_NO_SPACE, /* a fixed table is full */
    ERROR_TIMEOUT,
    ERROR_UNSUPPORTED, /* the hardware cannot do it */
};

#endif
