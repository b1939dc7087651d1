#include "arch/x86/smp.h"

#include "arch/x86/clock.h"
#include "arch/x86/cpu.h"
#include "arch/x86/gdt.h"
#include "arch/x86/idt.h"
#include "arch/x86/io.h"
#include "arch/x86/lapic.h"
#include "arch/x86/paging.h"
#include "kernel/arch.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "kernel/sched.h"
#include "kernel/task.h"

/* SDM volume 3, "MP Initialization Protocol Algorithm for MP Systems": INIT, 10 ms, STARTUP,
 * 200 us, STARTUP. All CPUs are told each step together, or 255 of them would take 2.6 s. */
#define INIT_WAIT_US 10000
#define STARTUP_WAIT_US 200
#define ATTEMPTS 2
#define SILENCE_NS (700ull * NS_PER_MS) /* give up after so long without any CPU coming online */
#define DISCRETE_APIC_VERSION_END 0x10  /* the 82489DX needs INIT to be de-asserted */
#define MAX_TICKETS (MAX_CPUS * ATTEMPTS)

extern const char ap_trampoline[], ap_trampoline_end[];

/* Shared with the trampoline. A ticket is a stack; a retried CPU needs a fresh one, because its
 * first life may still be using the old. */
uint32_t smp_next_ticket;
uint32_t smp_ticket_count;
void *smp_stack_tops[MAX_TICKETS];
static struct task *ticket_idle[MAX_TICKETS];

struct topology_scan smp_scans[MAX_CPUS];
uint32_t smp_stopping;

/* The boot CPU's time while it waits: no started CPU may be behind it. [a] */
static uint32_t boot_cpu_now_us;

static struct cpu *find_by_apic_id(uint32_t apic_id)
{
    for (unsigned i = 0; i < cpu_count; i++)
        if (cpus[i].apic_id == apic_id)
            return &cpus[i];
    return NULL;
}

static bool change_state(struct cpu *cpu, enum cpu_state from, enum cpu_state to)
{
    uint32_t expected = from;
    return __atomic_compare_exchange_n(&cpu->state, &expected, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

void smp_ap_entry(uint32_t ticket)
{
    struct cpu *cpu;
    struct task *idle = ticket_idle[ticket];
    uint64_t now, earliest;

    paging_enable();
    if (!cpu_enable_apic_mode())
        cpu_halt_for_ever(); /* the boot CPU reports a CPU that did not answer */
    lapic_enable();
    cpu = find_by_apic_id(lapic_id());
    /* Nobody we know, or one already running (started twice): park on this stack for ever. */
    if (cpu == NULL || cpu_state(cpu) != CPU_STARTING)
        cpu_halt_for_ever();
    gdt_init(cpu->cpu, cpu, task_fault_stack_top(idle));
    idt_load();
    cpu_features_enable();
    topology_scan(cpu_live_cpuid, NULL, cpu->apic_id, &smp_scans[cpu->cpu]);
    cpu->idle = cpu->running = idle;
    idle->entity.cpu = (uint16_t)cpu->cpu;
    earliest = (uint64_t)__atomic_load_n(&boot_cpu_now_us, __ATOMIC_ACQUIRE) * NS_PER_US;
    now = arch_now_ns();
    if (now < earliest)
        cpu->clock_offset_ns = (int64_t)(earliest - now);
    if (!change_state(cpu, CPU_STARTING, CPU_ONLINE))
        cpu_halt_for_ever(); /* too late: the boot CPU has given up on us */
    sched_idle_loop(NULL);
    __builtin_unreachable();
}

static unsigned count_in_state(enum cpu_state state)
{
    unsigned count = 0;

    for (unsigned i = 0; i < cpu_count; i++)
        count += cpu_state(&cpus[i]) == state;
    return count;
}

/* One stack and idle task for each CPU about to be started; false if memory ran out. */
static bool add_tickets(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct task *idle = task_create_idle();

        if (idle == NULL)
            return false;
        ticket_idle[smp_ticket_count] = idle;
        smp_stack_tops[smp_ticket_count] = task_stack_top(idle);
        __atomic_store_n(&smp_ticket_count, smp_ticket_count + 1, __ATOMIC_RELEASE);
    }
    return true;
}

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

        __atomic_store_n(&boot_cpu_now_us, (uint32_t)div_u64_u32(now, NS_PER_US, NULL),
                         __ATOMIC_RELEASE);
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
    send_to_starting(ICR_INIT);
    clock_delay_us(INIT_WAIT_US);
    if (lapic_version() < DISCRETE_APIC_VERSION_END)
        send_to_starting(ICR_INIT_DEASSERT);
    send_to_starting(ICR_STARTUP | trampoline_page >> 12);
    clock_delay_us(STARTUP_WAIT_US);
    send_to_starting(ICR_STARTUP | trampoline_page >> 12);
    wait_for_answers();
}

static void start_all_listed(void)
{
    for (unsigned i = 0; i < cpu_count; i++)
        change_state(&cpus[i], CPU_LISTED, CPU_STARTING);
}

static void fail_all_starting(const char *reason)
{
    for (unsigned i = 0; i < cpu_count; i++) {
        if (!change_state(&cpus[i], CPU_STARTING, CPU_FAILED))
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
    memcpy((void *)trampoline_page, ap_trampoline, (size_t)(ap_trampoline_end - ap_trampoline));
    /* Said before the risky step, so that a photo of a frozen screen is a bug report. */
    log_print("smp: starting %u CPUs, trampoline at 0x%x\n", count_in_state(CPU_STARTING),
              trampoline_page);
    for (unsigned i = 0; i < ATTEMPTS && count_in_state(CPU_STARTING) > 0; i++) {
        if (!add_tickets(count_in_state(CPU_STARTING)))
            log_warning("smp", "memory for the stacks of some CPUs is missing");
        attempt(trampoline_page);
    }
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
