#include "arch/x86/machine.h"

#include "arch/x86/ap.h"
#include "arch/x86/apic_switch.h"
#include "arch/x86/clock.h"
#include "arch/x86/console.h"
#include "arch/x86/cpu.h"
#include "arch/x86/decode/memory_map.h"
#include "arch/x86/decode/topology_print.h"
#include "arch/x86/firmware.h"
#include "arch/x86/fpu.h"
#include "arch/x86/gdt.h"
#include "arch/x86/idt.h"
#include "arch/x86/io.h"
#include "arch/x86/ioapic.h"
#include "arch/x86/lapic.h"
#include "arch/x86/paging.h"
#include "arch/x86/pic.h"
#include "arch/x86/smp.h"
#include "kernel/arch.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"
#include "kernel/memory.h"
#include "kernel/sched.h"

#define LOW_MEMORY_END 0x100000u /* below, only the trampoline page is used */
#define FAULT_STACK_BYTES 4096
#define FW_CFG_SELECTOR 0x510 /* QEMU's configuration device: item 0 reads "QEMU" */
#define FW_CFG_DATA 0x511

static uint8_t boot_fault_stack[FAULT_STACK_BYTES] __attribute__((aligned(16)));
static uint32_t trampoline_page;
static enum cpu_platform platform;

extern const char kernel_start[], kernel_end[];

/* ---- Before anything can be printed ---- */

/* The screen is text unless the loader says otherwise. */
static bool has_text_screen(void)
{
    enum framebuffer_type type = firmware.boot.framebuffer.type;

    return type == FRAMEBUFFER_EGA_TEXT || type == FRAMEBUFFER_UNKNOWN;
}

void machine_entry(uint32_t magic, uint32_t boot_information)
{
    gdt_init(0, &cpus[0], boot_fault_stack + sizeof boot_fault_stack);
    idt_init();
    pic_init();
    cpu_count = 1;
    cpus[0].state = CPU_ONLINE;
    firmware_read_boot(magic, boot_information);
    sched_adopt_boot_code(&cpus[0]);
    options_parse(firmware.boot.cmdline, &main_options);
    console_init(&main_options, has_text_screen());
    kernel_main();
}

/* ---- The boot CPU ---- */

static __attribute__((noreturn)) void cannot_run(const char *missing)
{
    log_error("cpu", "this CPU lacks %s, which Tandem needs: the machine stops here", missing);
    log_print("end: status=failed code=1\n");
    arch_end(&main_options, false);
}

static void require_features(void)
{
    if (!cpu_has_cpuid())
        cannot_run("the CPUID instruction");
    cpu_identify(cpu_live_cpuid, NULL, &boot_cpu_ident);
    if (!boot_cpu_ident.pae)
        cannot_run("PAE");
    if (!boot_cpu_ident.tsc)
        cannot_run("a time stamp counter");
    if (!boot_cpu_ident.msr)
        cannot_run("model-specific registers");
}

/* Bochs does not show in CPUID. It uses the same BIOS tables as QEMU, but has no fw_cfg. */
static void find_platform(void)
{
    static const char signature[] = {'Q', 'E', 'M', 'U'};
    bool is_qemu = true;

    platform = boot_cpu_ident.platform;
    if (platform != PLATFORM_BARE || !firmware.emulator_firmware)
        return;
    io_out16(FW_CFG_SELECTOR, 0);
    for (unsigned i = 0; i < sizeof signature; i++)
        is_qemu = io_in8(FW_CFG_DATA) == (uint8_t)signature[i] && is_qemu;
    platform = is_qemu ? PLATFORM_QEMU : PLATFORM_BOCHS;
}

/* The command line goes into the record quoted, so quotes in it become apostrophes. */
static void print_boot_record(void)
{
    static char cmdline[sizeof firmware.boot.cmdline];
    size_t length = strnlen(firmware.boot.cmdline, sizeof cmdline - 1);

    for (size_t i = 0; i < length; i++) {
        char c = firmware.boot.cmdline[i];
        cmdline[i] = c == '"' ? '\'' : c < ' ' || c > '~' ? '?' : c;
    }
    log_print("boot: protocol=%s loader=\"%s\" platform=%s cmdline=\"%.768s\"\n",
              !firmware.boot_known                        ? "unknown"
              : firmware.boot.protocol == BOOT_MULTIBOOT2 ? "multiboot2"
                                                          : "multiboot1",
              firmware.boot.loader, arch_platform(), cmdline);
    if (!firmware.boot_known)
        log_warning("boot", "not started by a Multiboot loader: no memory map, no command line");
    log_warnings(&firmware.boot.warnings);
}

/* Finds free memory, gives it to the allocator and turns paging on. */
static void start_memory(void)
{
    static struct memory_map map;
    struct bootinfo *boot = &firmware.boot;
    uint32_t ram_end = (uint32_t)kernel_end;

    if (boot->reserved_count < BOOTINFO_MAX_RESERVED)
        boot->reserved[boot->reserved_count++] =
            (struct memory_range){(uint32_t)kernel_start, (uint32_t)(kernel_end - kernel_start), 2};
    memory_map_build(boot->memory, boot->memory_count, boot->reserved, boot->reserved_count,
                     MEMORY_LIMIT, &map);
    trampoline_page = memory_map_low_page(&map, firmware.ebda_segment, firmware.base_kib);
    for (unsigned i = 0; i < map.count; i++) {
        uint32_t start = (uint32_t)map.free[i].base;
        uint32_t end = start + (uint32_t)map.free[i].length_bytes;

        if (start < LOW_MEMORY_END)
            start = LOW_MEMORY_END;
        if (start >= end)
            continue;
        memory_add(start, end);
        ram_end = end;
    }
    log_print("memory: free_kib=%u unused_kib=%llu trampoline=0x%x nx=%d\n",
              memory_counts().free_pages * 4, (unsigned long long)(map.unused_bytes >> 10),
              trampoline_page, boot_cpu_ident.nx);
    paging_init(ram_end, boot_cpu_ident.nx, boot_cpu_ident.pge);
    paging_enable();
    /* Once more, for the double fault TSS to know the page tables. */
    gdt_init(0, &cpus[0], boot_fault_stack + sizeof boot_fault_stack);
}

static bool start_lapic(void)
{
    struct apic_plan plan = apic_switch_boot_cpu();

    if (!lapic_init(plan.mode, plan.base))
        return false;
    lapic_enable();
    lapic_enable_nmi();
    if (plan.mode == APIC_MODE_X2APIC)
        madt_accept_x2apic_ids(&firmware.madt);
    for (unsigned i = 0; i < firmware.madt.ioapic_count; i++)
        ioapic_mask_all(firmware.madt.ioapics[i].phys);
    return true;
}

/* Fills cpus[] from the MADT, the boot CPU first. */
static void list_cpus(bool has_lapic)
{
    struct madt *madt = &firmware.madt;
    unsigned count = 0;

    madt->warnings.count = 0; /* those of before are printed */

    if (!has_lapic) {
        pic_enable_timer();
        log_warning("lapic", "no usable local APIC: one CPU, time slices by the PIT");
    } else {
        cpus[0].apic_id = lapic_id();
        if (firmware.has_madt && madt_order_boot_cpu_first(madt, cpus[0].apic_id) != OK)
            log_warning("madt", "the boot CPU's APIC ID 0x%x cannot be one", cpus[0].apic_id);
    }
    log_warnings(&madt->warnings);
    for (unsigned i = 0; firmware.has_madt && i < madt->cpu_count; i++) {
        const struct madt_cpu *listed = &madt->cpus[i];
        struct cpu *cpu = &cpus[count];

        if (listed->state == MADT_CPU_DISABLED)
            continue;
        cpu->cpu = count++;
        cpu->apic_id = listed->apic_id;
        cpu->acpi_uid = listed->acpi_uid;
        cpu->reason = listed->reason;
        if (cpu->cpu == 0)
            continue;
        cpu->state = listed->state == MADT_CPU_USABLE && has_lapic ? CPU_LISTED : CPU_SKIPPED;
        if (!has_lapic)
            cpu->reason = "no local APIC";
    }
    cpu_count = count == 0 ? 1 : count;
    cpus[0].reason = "";
}

void arch_start_boot_cpu(const struct options *options)
{
    require_features();
    firmware_read_acpi();
    find_platform();
    print_boot_record();
    start_memory();
    list_cpus(start_lapic());
    fpu_init(&boot_cpu_ident);
    cpu_features_enable();
    clock_init(firmware.has_fadt ? &firmware.fadt : NULL, firmware.has_hpet ? &firmware.hpet : NULL,
               boot_cpu_ident.tsc_invariant, options->slice_us);
}

/* ---- The other CPUs, and where they all are ---- */

static void skip_beyond(uint32_t limit)
{
    unsigned started = 1;

    for (unsigned i = 1; i < cpu_count; i++) {
        if (cpu_state(&cpus[i]) != CPU_LISTED || started++ < limit)
            continue;
        cpus[i].state = CPU_SKIPPED;
        cpus[i].reason = "more than cpus= allows";
    }
}

/* The decoders want the online CPUs only, without gaps: numbers[i] is the CPU of entry i. */
static void place_online_cpus(const struct options *options)
{
    static struct topology_scan scans[MAX_CPUS];
    static struct cpu_place places[MAX_CPUS];
    static struct topology topology;
    unsigned numbers[MAX_CPUS], count = 0;

    topology_scan(cpu_live_cpuid, NULL, cpus[0].apic_id, &ap_scans[0]);
    for (unsigned i = 0; i < cpu_count; i++) {
        if (!cpu_is_online(&cpus[i]))
            continue;
        scans[count] = ap_scans[i];
        numbers[count++] = i;
    }
    topology_build(scans, count, places, &topology);
    if (strcmp(options->topology, "auto") != 0)
        topology_override(options->topology, count, places, &topology); /* warns in any case */
    for (unsigned i = 0; i < count; i++) {
        places[i].cpu = (uint16_t)numbers[i];
        cpus[numbers[i]].place = places[i];
    }
    log_warnings(&topology.warnings);
    for (unsigned i = 0; i < cpu_count; i++) {
        static const char *const states[] = {"listed", "starting", "online", "failed", "skipped"};
        const struct cpu *cpu = &cpus[i];

        topology_print_cpu(log_sink, NULL, i, cpu->apic_id, cpu_is_online(cpu) ? &cpu->place : NULL,
                           states[cpu_state(cpu)], cpu->reason);
    }
    topology_print_cores(log_sink, NULL, &topology, places);
    topology_print_caches(log_sink, NULL, &topology, scans, places);
    topology_print_summary(log_sink, NULL, &topology, &boot_cpu_ident);
}

void arch_start_other_cpus(const struct options *options)
{
    skip_beyond(options->cpus);
    smp_start(trampoline_page);
    place_online_cpus(options);
}

bool arch_clock_is_invariant(void)
{
    return boot_cpu_ident.tsc_invariant;
}

uint32_t arch_cache_kib(unsigned cpu, unsigned level)
{
    const struct topology_scan *scan = &ap_scans[cpu];
    unsigned best_level = 0;
    uint32_t kib = 0;

    for (unsigned i = 0; i < scan->cache_count; i++) {
        const struct topology_cache *cache = &scan->caches[i];

        if (cache->type == CACHE_INSTRUCTION || cache->level < best_level ||
            (level != 0 && cache->level != level))
            continue;
        best_level = cache->level;
        kib = cache->kib;
    }
    return kib;
}

bool machine_is_bochs(void)
{
    return platform == PLATFORM_BOCHS;
}

const char *arch_platform(void)
{
    return cpu_platform_name(platform);
}
