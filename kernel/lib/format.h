/*
 * The printf engine: turns a format string and its arguments into text for a sink. It knows no
 * console and takes no lock (kernel/log does both), and it has no floating point. Pure.
 *
 * Conversions: %d %i %u %x %X %c %s %p %%, with the lengths l, ll and z, the flags '-' and '0', a
 * width and a precision (each may be '*'). A precision cuts %s, and is the least number of digits
 * of a number. %p prints 0x and all digits of a pointer; a NULL %s prints (null). From a
 * conversion that is none of these on, the rest of the format is printed as it stands, since the
 * size of its argument is unknown.
 */
#ifndef KERNEL_LIB_FORMAT_H
#define KERNEL_LIB_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* Takes a piece of text, not terminated; one format call makes several such calls. */
typedef void text_sink(void *ctx, const char *text, size_t length_bytes);

/* Formats into the sink, piece by piece and in order. Never fails. */
void format_to(text_sink *sink, void *ctx, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As format_to, with the arguments as a va_list. */
void format_to_v(text_sink *sink, void *ctx, const char *fmt, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/*
 * Formats into a buffer of `size` bytes, cut to fit and always terminated (unless size is 0).
 * Returns the length of the whole text: cut off if that is >= size.
 */
size_t format_buffer(char *buffer, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* As format_buffer, with the arguments as a va_list. */
size_t format_buffer_v(char *buffer, size_t size, const char *fmt, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
