/*
 * The `arena` user program: whether its arena is what it should be. It looks for anything that is
 * not zero, writes to every page, and lets the kernel read text from it: at its end, across the
 * edge of a page, and, which must be an error, beyond its end.
 *
 *     arena -k KIB [-x]
 *
 * Ends with status 0, STATUS_CANNOT if the arena is smaller, STATUS_DIRTY if it was not empty,
 * STATUS_REFUSED if the kernel did not take what it should, or took what it should not. With -x it
 * then touches the first byte behind the arena, which ends it by a fault. Result: address and bytes
 * of the arena, 4 bytes each.
 */
#include "kernel/lib/string.h"
#include "user/libuser.h"
#include "user/program.h"

#define USAGE "usage: arena -k KIB [-x]\n"
#define STATUS_DIRTY 4
#define STATUS_REFUSED 5
#define PAGE 4096u

static const char text[] = "arena: this text lies in the arena\n";
#define TEXT_LENGTH (sizeof text - 1)

static bool is_empty(const uint32_t *words, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof words[0]; i++)
        if (words[i] != 0)
            return false;
    return true;
}

/* Whether the kernel takes the text from `at`. */
static bool is_taken(char *at)
{
    memcpy(at, text, TEXT_LENGTH);
    return sys_write(at, TEXT_LENGTH) == (int)TEXT_LENGTH;
}

int main(int argc, char **argv)
{
    uint32_t kib, beyond = 0, result[2];
    const struct argument known[] = {
        {'k', true, 1, PROGRAM_MAX_KIB, &kib},
        {'x', false, 0, 0, &beyond},
    };
    char *arena;
    size_t bytes;

    program_arguments(argc, argv, known, sizeof known / sizeof known[0], USAGE);
    arena = sys_arena(&bytes);
    result[0] = (uint32_t)arena;
    result[1] = bytes;
    if (bytes / 1024 < kib)
        return STATUS_CANNOT;
    if (!is_empty((const uint32_t *)(void *)arena, bytes))
        sys_exit(STATUS_DIRTY, result, sizeof result);
    for (size_t i = 0; i < bytes; i += PAGE)
        arena[i] = (char)(i / PAGE + 1);
    if (!is_taken(arena + bytes - TEXT_LENGTH) || !is_taken(arena + PAGE - 3) ||
        sys_write(arena + bytes - 1, 2) >= 0 || sys_write(arena + bytes, 1) >= 0)
        sys_exit(STATUS_REFUSED, result, sizeof result);
    if (beyond != 0)
        *(volatile char *)(arena + bytes) = 1;
    sys_exit(0, result, sizeof result);
}
