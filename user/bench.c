/*
 * The `bench` user program: the task's half of what kernel/experiment/bench.c measures. Its result
 * is two 64-bit numbers: time stamps, or time stamp differences, of the CPU it runs on.
 *
 *     bench cpu N     N system calls that do next to nothing
 *     bench yield N   N yields
 *     bench sleep N   N sleeps of 100 us
 *     bench spin N    N rounds of a loop of two instructions
 *     bench tick N    at most N looks at the clock, until an interrupt comes between two of them:
 *                     the time between two looks without and with one
 *     bench stamp     the time when it begins
 */
#include <stdint.h>

#include "kernel/lib/string.h"
#include "user/libuser.h"

#define SLEEP_US 100
#define INTERRUPTED 8 /* times as long as without */

static uint64_t now(void)
{
    uint64_t value;
    __asm__ volatile("rdtsc" : "=A"(value));
    return value;
}

static uint32_t number(const char *text)
{
    uint32_t value = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        value = value * 10 + (uint32_t)(*text - '0');
    return value;
}

static void spin(uint32_t rounds)
{
    __asm__ volatile("1:\n\tdecl %0\n\tjnz 1b" : "+r"(rounds));
}

/* The shortest and the longest time between two looks at the clock. */
static void await_tick(uint32_t looks, uint64_t gaps[2])
{
    uint64_t before = now();

    gaps[0] = UINT64_MAX;
    gaps[1] = 0;
    for (uint32_t i = 0; i < looks && (i == 0 || gaps[1] < INTERRUPTED * gaps[0]); i++) {
        uint64_t after = now(), gap = after - before;

        gaps[0] = gap < gaps[0] ? gap : gaps[0];
        gaps[1] = gap > gaps[1] ? gap : gaps[1];
        before = after;
    }
}

static void repeat(const char *kind, uint32_t times)
{
    if (strcmp(kind, "spin") == 0) {
        spin(times);
        return;
    }
    for (uint32_t i = 0; i < times; i++) {
        if (kind[0] == 'c')
            sys_cpu();
        else if (kind[0] == 'y')
            sys_yield();
        else
            sys_sleep_us(SLEEP_US);
    }
}

int main(int argc, char **argv)
{
    uint64_t stamps[2] = {now(), 0};

    if (argc > 2 && strcmp(argv[1], "tick") == 0) {
        await_tick(number(argv[2]), stamps);
    } else if (argc > 2) {
        repeat(argv[1], number(argv[2]));
        stamps[1] = now();
    }
    sys_exit(0, stamps, sizeof stamps);
}
