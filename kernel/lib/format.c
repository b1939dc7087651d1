#include "kernel/lib/format.h"

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/clock_math.h"

#define MAX_DIGITS 20 /* of UINT64_MAX in decimal */

enum length { LENGTH_INT, LENGTH_LONG, LENGTH_LONG_LONG, LENGTH_SIZE };

/* Where the text goes; carried through all functions below. */
struct output {
    text_sink *sink;
    void *ctx;
};

/* What stands between '%' and the conversion letter. */
struct spec {
    bool left;
    bool zero;
    bool has_precision;
    unsigned width;
    unsigned precision;
    enum length length;
};

/* The argument list, boxed: a va_list is an array on some hosts and cannot be passed by address. */
struct arguments {
    va_list list;
};

static void emit(const struct output *out, const char *text, size_t length_bytes)
{
    if (length_bytes != 0) {
        out->sink(out->ctx, text, length_bytes);
    }
}

static void emit_repeated(const struct output *out, char c, size_t count)
{
    char run[16];

    for (size_t i = 0; i < sizeof(run); i++) {
        run[i] = c;
    }
    for (; count > sizeof(run); count -= sizeof(run)) {
        emit(out, run, sizeof(run));
    }
    emit(out, run, count);
}

static size_t padding(const struct spec *spec, size_t length)
{
    return spec->width > length ? spec->width - length : 0;
}

static void emit_text(const struct output *out, const struct spec *spec, const char *text,
                      size_t length)
{
    if (!spec->left) {
        emit_repeated(out, ' ', padding(spec, length));
    }
    emit(out, text, length);
    if (spec->left) {
        emit_repeated(out, ' ', padding(spec, length));
    }
}

static void emit_string(const struct output *out, const struct spec *spec, const char *text)
{
    size_t length = 0;

    if (text == NULL) {
        text = "(null)";
    }
    /* With a precision the text need not be terminated, so look no further than that. */
    while ((!spec->has_precision || length < spec->precision) && text[length] != '\0') {
        length++;
    }
    emit_text(out, spec, text, length);
}

/* Writes the digits of value, right-aligned, before `end`; returns where they begin. */
static char *write_digits(char *end, uint64_t value, unsigned base, const char *digits)
{
    while (value != 0) {
        uint32_t digit;

        value = div_u64_u32(value, base, &digit);
        *--end = digits[digit];
    }
    return end;
}

/* Prints padding, sign or other prefix, zeros and digits, in the order the flags ask for. */
static void emit_number(const struct output *out, const struct spec *spec, const char *prefix,
                        size_t prefix_length, uint64_t value, char conversion)
{
    char buffer[MAX_DIGITS];
    char *end = buffer + sizeof(buffer);
    unsigned base = conversion == 'x' || conversion == 'X' ? 16 : 10;
    char *first =
        write_digits(end, value, base, conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef");
    size_t length = (size_t)(end - first);
    size_t least = spec->has_precision ? spec->precision : 1;
    size_t zeros = least > length ? least - length : 0;

    if (spec->zero && !spec->left && !spec->has_precision) {
        zeros += padding(spec, prefix_length + zeros + length);
    }

    size_t blanks = padding(spec, prefix_length + zeros + length);

    if (!spec->left) {
        emit_repeated(out, ' ', blanks);
    }
    emit(out, prefix, prefix_length);
    emit_repeated(out, '0', zeros);
    emit(out, first, length);
    if (spec->left) {
        emit_repeated(out, ' ', blanks);
    }
}

static uint64_t take_unsigned(struct arguments *arguments, enum length length)
{
    switch (length) {
    case LENGTH_LONG:
        return va_arg(arguments->list, unsigned long);
    case LENGTH_LONG_LONG:
        return va_arg(arguments->list, unsigned long long);
    case LENGTH_SIZE:
        return va_arg(arguments->list, size_t);
    default:
        return va_arg(arguments->list, unsigned);
    }
}

static int64_t take_signed(struct arguments *arguments, enum length length)
{
    switch (length) {
    case LENGTH_LONG:
        return va_arg(arguments->list, long);
    case LENGTH_LONG_LONG:
        return va_arg(arguments->list, long long);
    case LENGTH_SIZE:
        return va_arg(arguments->list, ptrdiff_t);
    default:
        return va_arg(arguments->list, int);
    }
}

static void emit_signed(const struct output *out, const struct spec *spec, int64_t value)
{
    bool negative = value < 0;

    emit_number(out, spec, "-", negative, negative ? 0 - (uint64_t)value : (uint64_t)value, 'd');
}

static void emit_pointer(const struct output *out, struct spec spec, const void *pointer)
{
    spec.has_precision = true;
    spec.precision = 2 * sizeof(pointer);
    emit_number(out, &spec, "0x", 2, (uintptr_t)pointer, 'x');
}

/* Reads a width or precision: digits or '*'. A negative '*' is returned as it is. */
static int parse_count(const char **cursor, struct arguments *arguments)
{
    int value = 0;

    if (**cursor == '*') {
        (*cursor)++;
        return va_arg(arguments->list, int);
    }
    for (; **cursor >= '0' && **cursor <= '9'; (*cursor)++) {
        if (value < 10000) { /* wider is a mistake; do not let it overflow */
            value = value * 10 + (**cursor - '0');
        }
    }
    return value;
}

static enum length parse_length(const char **cursor)
{
    if (**cursor == 'z') {
        (*cursor)++;
        return LENGTH_SIZE;
    }
    if (**cursor != 'l') {
        return LENGTH_INT;
    }
    (*cursor)++;
    if (**cursor != 'l') {
        return LENGTH_LONG;
    }
    (*cursor)++;
    return LENGTH_LONG_LONG;
}

/* Reads everything up to the conversion letter; returns a pointer to that letter. */
static const char *parse_spec(const char *cursor, struct arguments *arguments, struct spec *spec)
{
    *spec = (struct spec){0};
    for (; *cursor == '-' || *cursor == '0'; cursor++) {
        if (*cursor == '-') {
            spec->left = true;
        } else {
            spec->zero = true;
        }
    }

    int width = parse_count(&cursor, arguments);

    spec->left |= width < 0;
    spec->width = width < 0 ? 0u - (unsigned)width : (unsigned)width;
    if (*cursor == '.') {
        cursor++;

        int precision = parse_count(&cursor, arguments);

        spec->has_precision = precision >= 0;
        spec->precision = precision >= 0 ? (unsigned)precision : 0;
    }
    spec->length = parse_length(&cursor);
    return cursor;
}

/* Prints one conversion; false if the letter is not known (nothing was printed or taken). */
static bool emit_conversion(const struct output *out, const struct spec *spec, char conversion,
                            struct arguments *arguments)
{
    char c;

    switch (conversion) {
    case 'd':
    case 'i':
        emit_signed(out, spec, take_signed(arguments, spec->length));
        return true;
    case 'u':
    case 'x':
    case 'X':
        emit_number(out, spec, "", 0, take_unsigned(arguments, spec->length), conversion);
        return true;
    case 'c':
        c = (char)va_arg(arguments->list, int);
        emit_text(out, spec, &c, 1);
        return true;
    case 's':
        emit_string(out, spec, va_arg(arguments->list, const char *));
        return true;
    case 'p':
        emit_pointer(out, *spec, va_arg(arguments->list, const void *));
        return true;
    case '%':
        emit(out, "%", 1);
        return true;
    default:
        return false;
    }
}

void format_to_v(text_sink *sink, void *ctx, const char *fmt, va_list arguments)
{
    const struct output out = {sink, ctx};
    struct arguments boxed;
    struct spec spec;
    const char *literal = fmt; /* start of what is not printed yet */
    const char *cursor = fmt;

    va_copy(boxed.list, arguments);
    while (*cursor != '\0') {
        if (*cursor != '%') {
            cursor++;
            continue;
        }
        emit(&out, literal, (size_t)(cursor - literal));
        literal = cursor;
        cursor = parse_spec(cursor + 1, &boxed, &spec);
        if (!emit_conversion(&out, &spec, *cursor, &boxed)) {
            while (*cursor != '\0') {
                cursor++;
            }
            break;
        }
        literal = ++cursor;
    }
    emit(&out, literal, (size_t)(cursor - literal));
    va_end(boxed.list);
}

void format_to(text_sink *sink, void *ctx, const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    format_to_v(sink, ctx, fmt, arguments);
    va_end(arguments);
}

/* A buffer being filled; length counts on past its end. */
struct buffer_sink {
    char *buffer;
    size_t size;
    size_t length;
};

static void append_to_buffer(void *ctx, const char *text, size_t length_bytes)
{
    struct buffer_sink *sink = ctx;

    for (size_t i = 0; i < length_bytes; i++, sink->length++) {
        if (sink->length + 1 < sink->size) {
            sink->buffer[sink->length] = text[i];
        }
    }
}

size_t format_buffer_v(char *buffer, size_t size, const char *fmt, va_list arguments)
{
    struct buffer_sink sink = {buffer, size, 0};

    format_to_v(append_to_buffer, &sink, fmt, arguments);
    if (size != 0) {
        buffer[sink.length < size ? sink.length : size - 1] = '\0';
    }
    return sink.length;
}

size_t format_buffer(char *buffer, size_t size, const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    size_t length = format_buffer_v(buffer, size, fmt, arguments);
    va_end(arguments);
    return length;
}
