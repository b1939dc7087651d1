/*
 * How the decoders see the CPUID instruction: through a function they are handed. In the kernel it
 * executes the instruction on this CPU, in the host tests it serves a dump. Pure.
 */
#ifndef ARCH_X86_DECODE_CPUID_READER_H
#define ARCH_X86_DECODE_CPUID_READER_H

#include <stdint.h>

struct cpuid_regs {
    uint32_t eax, ebx, ecx, edx;
};

/*
 * The registers of one leaf and sub-leaf. A reader may be asked for any leaf: on a CPU without the
 * instruction it returns zeros, above the maximum leaf it returns what the CPU returns (Intel: the
 * highest basic leaf once more). The decoders check the maximum themselves.
 */
typedef struct cpuid_regs cpuid_reader(void *ctx, uint32_t leaf, uint32_t subleaf);

#endif
