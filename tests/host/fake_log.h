/*
 * The kernel's log as a text, for tests of what is said in it. A test empties it by length = 0.
 */
#ifndef TESTS_HOST_FAKE_LOG_H
#define TESTS_HOST_FAKE_LOG_H

#include "kernel/log.h"

static char text[8192];
static size_t length;

void log_print(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    length += (size_t)vsnprintf(text + length, sizeof text - length, fmt, args);
    va_end(args);
    assert_in_range(length, 0, sizeof text - 1);
}

#endif
