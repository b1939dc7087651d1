#include "user/program.h"

#include "kernel/lib/string.h"
#include "user/libuser.h"

void program_arguments(int argc, char **argv, const struct argument *known, unsigned count,
                       const char *usage)
{
    if (arguments_read(argc, argv, known, count))
        return;
    sys_write(usage, strlen(usage));
    sys_exit(STATUS_USAGE, NULL, 0);
}

struct ring_line *program_lines(uint32_t kib)
{
    size_t bytes;
    struct ring_line *lines = sys_arena(&bytes);

    if (bytes / 1024 < kib)
        sys_exit(STATUS_CANNOT, NULL, 0);
    return lines;
}

static uint32_t cpuid_features(void)
{
    uint32_t eax = 1, ebx, ecx = 0, edx;

    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    return edx;
}

bool program_has(uint32_t features)
{
    return (cpuid_features() & features) == features;
}

/*
 * SDM volume 2, "RDTSC": it does not wait for the loads before it unless an LFENCE does. CPUs
 * without that have CPUID, which waits too, but is slow under a hypervisor.
 */
uint64_t program_ticks(void)
{
    static bool looked, has_lfence;
    uint64_t value;

    if (!looked) {
        has_lfence = program_has(PROGRAM_HAS_SSE2);
        looked = true;
    }
    if (has_lfence)
        __asm__ volatile("lfence" : : : "memory");
    else
        cpuid_features();
    __asm__ volatile("rdtsc" : "=A"(value) : : "memory");
    return value;
}
