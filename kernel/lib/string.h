/*
 * The few memory and string functions of the C library that this code uses, under their standard
 * names and with their standard contracts. GCC may call memcpy, memmove, memset and memcmp on its
 * own even in freestanding code. On a host the C library's own are used instead. Pure.
 */
#ifndef KERNEL_LIB_STRING_H
#define KERNEL_LIB_STRING_H

#include <stddef.h>

#if __STDC_HOSTED__
#include <string.h>
#else
/* Copies length_bytes; the ranges must not overlap. Returns destination. */
void *memcpy(void *restrict destination, const void *restrict source, size_t length_bytes);

/* Copies length_bytes; the ranges may overlap. Returns destination. */
void *memmove(void *destination, const void *source, size_t length_bytes);

/* Sets length_bytes to the low byte of value. Returns destination. */
void *memset(void *destination, int value, size_t length_bytes);

/* Compares bytes as unsigned; negative, 0 or positive as the first difference decides. */
int memcmp(const void *left, const void *right, size_t length_bytes);

/* The length of text without its terminator. */
size_t strlen(const char *text);

/* As memcmp, up to and including the first terminator. */
int strcmp(const char *left, const char *right);

/* As strcmp, but looks at no more than `limit` characters. */
int strncmp(const char *left, const char *right, size_t limit);

/* The first c in text, the terminator included; NULL if there is none. */
char *strchr(const char *text, int c);
#endif

/* As strlen, but looks at no more than `limit` characters. (Not in C11, so declared for hosts too.)
 */
size_t strnlen(const char *text, size_t limit);

#endif
