/*
 * The collection of real and malformed tables lives beside the repository, not in it: in
 * $TANDEM_DATA, or ../shared/data seen from the repository. Tests that need it skip without it.
 */
#ifndef TESTS_HOST_TEST_DATA_H
#define TESTS_HOST_TEST_DATA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define TEST_DATA_FIELDS 16

static inline void test_data_path(char path[512], const char *directory, const char *file,
                                  const char *suffix)
{
    const char *root = getenv("TANDEM_DATA");

    snprintf(path, 512, "%s/%s/%s%s", root != NULL ? root : "../shared/data", directory, file,
             suffix);
}

/* Opens a data file, or skips the running test. */
static inline FILE *test_data_open(const char *directory, const char *file, const char *suffix)
{
    char path[512];
    FILE *stream;

    test_data_path(path, directory, file, suffix);
    stream = fopen(path, "rb");
    if (stream == NULL) {
        print_message("no %s: skipped\n", path);
        skip();
    }
    return stream;
}

/* The whole file in a block of exactly its size; the caller frees it. */
static inline uint8_t *test_data_load(const char *directory, const char *file, const char *suffix,
                                      size_t *length)
{
    FILE *stream = test_data_open(directory, file, suffix);
    uint8_t *bytes;

    fseek(stream, 0, SEEK_END);
    *length = (size_t)ftell(stream);
    rewind(stream);
    bytes = malloc(*length + (*length == 0));
    if (bytes == NULL || fread(bytes, 1, *length, stream) != *length)
        abort();
    fclose(stream);
    return bytes;
}

/* Reads one line and splits it at its tabs, in place. Returns the number of fields, 0 at the end.
 */
static inline unsigned test_data_row(FILE *stream, char *line, int size,
                                     char *fields[TEST_DATA_FIELDS])
{
    unsigned count = 0;

    if (fgets(line, size, stream) == NULL)
        return 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at != NULL && count < TEST_DATA_FIELDS;) {
        fields[count++] = at;
        at = strchr(at, '\t');
        if (at != NULL)
            *at++ = '\0';
    }
    return count;
}

#endif
