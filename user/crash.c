/*
 * The `crash` user program: does what a task must not do, one kind at a time, by name. Tests see
 * that it ends this task and nothing else. If nothing happens it ends with status 0; the kind
 * `syscall` is to end so. Status 3 or 4: this machine cannot do it.
 */
#include <stdint.h>

#include "kernel/lib/string.h"
#include "user/libuser.h"

#define KERNEL_ADDRESS 0x100000u
#define TEXT_ADDRESS 0x40001000u
#define CPUID_SSE (1u << 25) /* leaf 1 EDX */
#define CRASH_CANNOT 3       /* the CPU has not got what it takes */
#define CRASH_NOT_RAISED 4   /* it did, and said nothing */

static void poke(uint32_t address)
{
    *(volatile uint32_t *)address = 1;
}

static void null(void)
{
    uint32_t address = 0;

    __asm__("" : "+r"(address));
    poke(address);
}

static void kernel(void)
{
    poke(KERNEL_ADDRESS);
}

static void text(void)
{
    poke(TEXT_ADDRESS);
}

/* Far more than a stack has. */
static void stack(void)
{
    __asm__ volatile("1:\n\tpushl $0\n\tjmp 1b");
}

static void opcode(void)
{
    __asm__ volatile("ud2");
}

static void privilege(void)
{
    __asm__ volatile("cli");
}

static void port(void)
{
    __asm__ volatile("inb $0x60, %%al" : : : "eax");
}

static void divide(void)
{
    __asm__ volatile("xorl %%ecx, %%ecx\n\tdivl %%ecx" : : : "eax", "ecx", "edx");
}

/* Data is never executable where the CPU can tell; the bytes are no instructions either way. */
static void jump(void)
{
    static uint16_t bytes[2] = {0x0b0f, 0x0b0f};

    ((void (*)(void))(uintptr_t)bytes)();
}

/* Bad system calls are errors, not faults. */
static void syscall(void)
{
    if (sys_write((const void *)KERNEL_ADDRESS, 4) >= 0 || sys_write((const void *)0, 1) >= 0 ||
        sys_write((const void *)TEXT_ADDRESS, UINT32_MAX) >= 0)
        sys_exit(2, NULL, 0);
    sys_exit(0, (const void *)KERNEL_ADDRESS, 16);
}

/* One divided by zero, with that exception unmasked. Reported by the next instruction of the FPU.
 */
static void x87(void)
{
    static const uint16_t control = 0x037b;

    __asm__ volatile("fninit\n\tfldcw %0\n\tfld1\n\tfldz\n\tfdivrp\n\tfwait" : : "m"(control));
}

/* The same by SSE. There are emulators that do not raise its exceptions, but flag them. */
static void simd(void)
{
    static const uint32_t control = 0x1d80, one = 0x3f800000;
    uint32_t eax = 1, ebx, ecx = 0, edx;

    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    if ((edx & CPUID_SSE) == 0)
        sys_exit(CRASH_CANNOT, NULL, 0);
    __asm__ volatile("ldmxcsr %0\n\tmovss %1, %%xmm0\n\txorps %%xmm1, %%xmm1\n\t"
                     "divss %%xmm1, %%xmm0"
                     :
                     : "m"(control), "m"(one));
    sys_exit(CRASH_NOT_RAISED, NULL, 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*act)(void);
    } kinds[] = {{"null", null},     {"kernel", kernel},       {"text", text}, {"stack", stack},
                 {"opcode", opcode}, {"privilege", privilege}, {"port", port}, {"divide", divide},
                 {"jump", jump},     {"syscall", syscall},     {"x87", x87},   {"simd", simd}};

    for (unsigned i = 0; argc > 1 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(argv[1], kinds[i].name) == 0)
            kinds[i].act();
    return 0;
}
