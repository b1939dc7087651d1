/* The system calls from the task's side: number in EAX, arguments in EBX, ECX, EDX. */
#include "user/libuser.h"

#include "kernel/syscall.h"

static uint64_t system_call(enum syscall number, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t low, high;

    __asm__ volatile("int $0x80"
                     : "=a"(low), "=d"(high)
                     : "a"(number), "b"(a), "c"(b), "d"(c)
                     : "memory");
    return (uint64_t)high << 32 | low;
}

int sys_write(const void *buf, size_t n)
{
    return (int)system_call(SYSCALL_WRITE, (uint32_t)buf, n, 0);
}

void sys_exit(int status, const void *result, size_t result_bytes)
{
    system_call(SYSCALL_EXIT, (uint32_t)status, (uint32_t)result, result_bytes);
    __builtin_unreachable();
}

void sys_yield(void)
{
    system_call(SYSCALL_YIELD, 0, 0, 0);
}

uint64_t sys_clock_ns(void)
{
    return system_call(SYSCALL_CLOCK, 0, 0, 0);
}

int sys_sleep_us(uint32_t us)
{
    return (int)system_call(SYSCALL_SLEEP, us, 0, 0);
}

void *sys_arena(size_t *bytes)
{
    uint64_t arena = system_call(SYSCALL_ARENA, 0, 0, 0);

    *bytes = (size_t)(arena >> 32);
    return (void *)(uint32_t)arena;
}

unsigned sys_cpu(void)
{
    return (unsigned)system_call(SYSCALL_CPU, 0, 0, 0);
}
