/*
 * Ports, memory-mapped registers and the instructions C has no word for. Nearly all inline
 * assembly of the kernel is in this file.
 */
#ifndef ARCH_X86_IO_H
#define ARCH_X86_IO_H

#include <stdbool.h>
#include <stdint.h>

static inline void io_out8(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline void io_out16(uint16_t port, uint16_t value)
{
    __asm__ volatile("outw %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t io_in8(uint16_t port)
{
    uint8_t value;
    __asm__ volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

static inline uint32_t io_in32(uint16_t port)
{
    uint32_t value;
    __asm__ volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
    return value;
}

/* Device registers are read and written whole: anything narrower is lost on real APICs. */
static inline uint32_t mmio_read32(const volatile void *base, uint32_t offset)
{
    return *(const volatile uint32_t *)((uintptr_t)base + offset);
}

static inline void mmio_write32(volatile void *base, uint32_t offset, uint32_t value)
{
    *(volatile uint32_t *)((uintptr_t)base + offset) = value;
}

static inline uint64_t msr_read(uint32_t msr)
{
    uint64_t value;
    __asm__ volatile("rdmsr" : "=A"(value) : "c"(msr));
    return value;
}

static inline void msr_write(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "A"(value));
}

static inline uint64_t tsc_read(void)
{
    uint64_t value;
    __asm__ volatile("rdtsc" : "=A"(value));
    return value;
}

static inline void cpu_pause(void)
{
    __asm__ volatile("pause");
}

/* Waits for an interrupt with interrupts enabled; none can slip in between the two. */
static inline void cpu_enable_interrupts_and_halt(void)
{
    __asm__ volatile("sti; hlt" : : : "memory");
}

__attribute__((noreturn)) static inline void cpu_halt_for_ever(void)
{
    for (;;)
        __asm__ volatile("cli; hlt");
}

#define DEFINE_CONTROL_REGISTER(name)                                   \
    static inline uint32_t name##_read(void)                            \
    {                                                                   \
        uint32_t value;                                                 \
        __asm__ volatile("mov %%" #name ", %0" : "=r"(value));          \
        return value;                                                   \
    }                                                                   \
    static inline void name##_write(uint32_t value)                     \
    {                                                                   \
        __asm__ volatile("mov %0, %%" #name : : "r"(value) : "memory"); \
    }
DEFINE_CONTROL_REGISTER(cr0)
DEFINE_CONTROL_REGISTER(cr3)
DEFINE_CONTROL_REGISTER(cr4)

static inline uint32_t cr2_read(void)
{
    uint32_t value;
    __asm__ volatile("mov %%cr2, %0" : "=r"(value));
    return value;
}

#endif
