#include "arch/x86/smp.h"

#include "arch/x86/ap.h"
#include "arch/x86/clock.h"
#include "arch/x86/idt.h"
#include "arch/x86/io.h"
#include "arch/x86/lapic.h"
#include "kernel/arch.h"
#include "kernel/lib/clock_math.h"
#include "kernel/log.h"

/* SDM volume 3, "MP Initialization Protocol Algorithm for MP Systems": INIT, 10 ms, STARTUP,
 * 200 us, STARTUP. All CPUs are told each step together, or 255 of them would take 2.6 s. */
#define INIT_WAIT_US 10000
#define STARTUP_WAIT_US 200
#define SILENCE_NS (700ull * NS_PER_MS) /* give up after so long without any CPU coming online */
#define DISCRETE_APIC_VERSION_END 0x10  /* the 82489DX needs INIT to be de-asserted */

uint32_t smp_stopping;

static unsigned count_in_state(enum cpu_state state)
{
    unsigned count = 0;

    for (unsigned i = 0; i < cpu_count; i++)
        count += cpu_state(&cpus[i]) == state;
    return count;
}

/* One target at a time: a broadcast would wake CPUs that firmware has disabled. */
static void send_to_starting(uint32_t command)
{
    for (unsigned i = 0; i < cpu_count; i++) {
        if (cpu_state(&cpus[i]) != CPU_STARTING)
            continue;
        if (!lapic_send_ipi(cpus[i].apic_id, command))
            log_warning("smp", "IPI 0x%x to APIC ID 0x%x was not delivered", command,
                        cpus[i].apic_id);
    }
}

/* Waits until no CPU is starting any more, or nothing has happened for SILENCE_NS. */
static void wait_for_answers(void)
{
    unsigned starting = count_in_state(CPU_STARTING);
    uint64_t last_progress = arch_now_ns();

    while (starting > 0) {
        uint64_t now = arch_now_ns();
        unsigned still = count_in_state(CPU_STARTING);

        ap_tell_time(now);
        if (still != starting)
            last_progress = now;
        else if (now - last_progress > SILENCE_NS)
            return;
        starting = still;
        cpu_pause();
    }
}

static void attempt(uint32_t trampoline_page)
{
    uint32_t startup = ICR_STARTUP | trampoline_page >> 12;

    send_to_starting(ICR_INIT);
    clock_delay_us(INIT_WAIT_US);
    if (lapic_version() < DISCRETE_APIC_VERSION_END)
        send_to_starting(ICR_INIT_DEASSERT);
    send_to_starting(startup);
    clock_delay_us(STARTUP_WAIT_US);
    send_to_starting(startup);
    wait_for_answers();
}

static void start_all_listed(void)
{
    for (unsigned i = 0; i < cpu_count; i++)
        cpu_change_state(&cpus[i], CPU_LISTED, CPU_STARTING);
}

static void fail_all_starting(const char *reason)
{
    for (unsigned i = 0; i < cpu_count; i++) {
        if (!cpu_change_state(&cpus[i], CPU_STARTING, CPU_FAILED))
            continue;
        cpus[i].reason = reason;
        log_warning("smp", "CPU with APIC ID 0x%x: %s", cpus[i].apic_id, reason);
    }
}

void smp_start(uint32_t trampoline_page)
{
    start_all_listed();
    if (count_in_state(CPU_STARTING) == 0)
        return;
    if (trampoline_page == 0) {
        fail_all_starting("no free page below 1 MiB for its first instructions");
        return;
    }
    ap_install_trampoline(trampoline_page);
    /* Said before the risky step, so that a photo of a frozen screen is a bug report. */
    log_print("smp: starting %u CPUs, trampoline at 0x%x\n", count_in_state(CPU_STARTING),
              trampoline_page);
    for (unsigned i = 0; i < SMP_ATTEMPTS && count_in_state(CPU_STARTING) > 0; i++) {
        if (!ap_add_tickets(count_in_state(CPU_STARTING)))
            log_warning("smp", "memory for the stacks of some CPUs is missing");
        attempt(trampoline_page);
    }
    if (ap_lacking() != NULL)
        log_warning("smp", "a CPU lacks %s, which the boot CPU has", ap_lacking());
    fail_all_starting("no answer to INIT and STARTUP");
}

/* Not while a lock is held by a stopped CPU: the log is in panic mode by then. */
void arch_stop_other_cpus(void)
{
    __atomic_store_n(&smp_stopping, 1, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < cpu_count; i++)
        if (&cpus[i] != arch_this_cpu() && cpu_is_online(&cpus[i]))
            lapic_send_ipi(cpus[i].apic_id, ICR_NMI);
}

void arch_kick(unsigned cpu)
{
    lapic_send_ipi(cpus[cpu].apic_id, ICR_FIXED | VECTOR_KICK);
}
