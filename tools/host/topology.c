/*
 * topology [--summary] FILE...   decodes CPUID dumps as the kernel does, see cpuid_dump.h
 * topology [--summary] --self    decodes the machine it runs on, without root
 *
 * Prints `cpu:`, `core:`, `cache:` and `topology:` records and every `warning:`, or with --summary
 * one line per file. Exit status 1, with one `error:` line each, if a file cannot be read; 2 if
 * called wrongly.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif

#include "arch/x86/decode/topology_print.h"
#include "tools/host/cpuid_dump.h"

#define SELF_CPUS_MAX 4096

struct machine {
    struct topology_scan *scans;
    struct cpu_place *places;
    struct cpu_ident ident; /* of the first CPU */
    unsigned count;
};

static void to_stdout(void *unused, const char *text, size_t length)
{
    (void)unused;
    fwrite(text, 1, length, stdout);
}

static void print_name(const char *key, const char *name)
{
    printf("%s=\"", key);
    for (; *name != '\0'; name++)
        putchar(*name < ' ' || *name > '~' || *name == '"' ? '?' : *name);
    putchar('"');
}

static int fail(const char *name, const char *what)
{
    printf("error: where=topology what=\"%s\"", what);
    print_name(" file", name);
    putchar('\n');
    return EXIT_FAILURE;
}

static bool machine_open(struct machine *out, size_t cpus)
{
    memset(out, 0, sizeof(*out));
    out->scans = calloc(cpus, sizeof(*out->scans));
    out->places = calloc(cpus, sizeof(*out->places));
    return out->scans && out->places;
}

static void machine_close(struct machine *machine)
{
    free(machine->scans);
    free(machine->places);
}

static void print_machine(const struct machine *machine, const struct topology *topology)
{
    const struct warning_list *warnings = &topology->warnings;

    for (unsigned i = 0; i < machine->count; i++)
        topology_print_cpu(to_stdout, NULL, i, machine->places[i].apic_id, &machine->places[i],
                           "online", "");
    topology_print_cores(to_stdout, NULL, topology, machine->places);
    topology_print_caches(to_stdout, NULL, topology, machine->scans, machine->places);
    for (unsigned i = 0; i < warnings->count; i++)
        printf("warning: where=%s what=\"%s\" value=0x%x\n", warnings->entries[i].where,
               warnings->entries[i].what, warnings->entries[i].value);
    topology_print_summary(to_stdout, NULL, topology, &machine->ident);
}

static void report(const char *name, struct machine *machine, bool summary)
{
    struct topology topology;

    for (unsigned i = 0; i < machine->count; i++)
        machine->places[i].cpu = (uint16_t)i;
    topology_build(machine->scans, machine->count, machine->places, &topology);
    if (summary) {
        printf("%s packages=%u cores=%u cpus=%u method=%s\n", name, topology.packages,
               topology.cores, topology.cpus, topology_method_name(topology.method));
        return;
    }
    print_name("dump: file", name);
    putchar('\n');
    print_machine(machine, &topology);
}

static int decode_dump(const char *name, bool summary)
{
    struct cpuid_dump dump;
    struct machine machine;
    const char *wrong = cpuid_dump_open(name, &dump);
    int status = EXIT_SUCCESS;

    if (wrong)
        return fail(name, wrong);
    if (machine_open(&machine, dump.count)) {
        cpu_identify(cpuid_dump_reader, &dump.cpus[0], &machine.ident);
        machine.count = (unsigned)dump.count;
        for (unsigned i = 0; i < machine.count; i++)
            topology_scan(cpuid_dump_reader, &dump.cpus[i], dump.cpus[i].apic_id,
                          &machine.scans[i]);
        report(name, &machine, summary);
        if (dump.ignored_lines > 0 && !summary)
            printf("warning: where=dump.line what=\"lines not understood; ignored\" value=0x%zx\n",
                   dump.ignored_lines);
    } else {
        status = fail(name, "out of memory");
    }
    machine_close(&machine);
    cpuid_dump_free(&dump);
    return status;
}

#if defined(__i386__) || defined(__x86_64__)
/* A cpuid_reader of the CPU it runs on. */
static struct cpuid_regs read_cpuid(void *unused, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs regs;

    (void)unused;
    __cpuid_count(leaf, subleaf, regs.eax, regs.ebx, regs.ecx, regs.edx);
    return regs;
}

/* Moves to each CPU this process may use in turn, and scans it there. */
static void scan_self(struct machine *machine, cpu_set_t *allowed, size_t set_bytes, cpu_set_t *one)
{
    for (unsigned i = 0; i < SELF_CPUS_MAX; i++) {
        if (!CPU_ISSET_S(i, set_bytes, allowed))
            continue;
        CPU_ZERO_S(set_bytes, one);
        CPU_SET_S(i, set_bytes, one);
        if (sched_setaffinity(0, set_bytes, one) != 0)
            continue; /* gone offline since */
        if (machine->count == 0)
            cpu_identify(read_cpuid, NULL, &machine->ident);
        topology_scan(read_cpuid, NULL, topology_cpuid_apic_id(read_cpuid, NULL),
                      &machine->scans[machine->count++]);
    }
    sched_setaffinity(0, set_bytes, allowed);
}

static int decode_self(bool summary)
{
    size_t set_bytes = CPU_ALLOC_SIZE(SELF_CPUS_MAX);
    cpu_set_t *allowed = CPU_ALLOC(SELF_CPUS_MAX);
    cpu_set_t *one = CPU_ALLOC(SELF_CPUS_MAX);
    struct machine machine;
    int status = EXIT_FAILURE;

    if (machine_open(&machine, SELF_CPUS_MAX) && allowed && one &&
        sched_getaffinity(0, set_bytes, allowed) == 0)
        scan_self(&machine, allowed, set_bytes, one);
    if (machine.count > 0) {
        report("self", &machine, summary);
        status = EXIT_SUCCESS;
    } else {
        fail("self", "no CPU can be scanned");
    }
    machine_close(&machine);
    CPU_FREE(allowed);
    CPU_FREE(one);
    return status;
}
#else
static int decode_self(bool summary)
{
    (void)summary;
    return fail("self", "this machine has no CPUID instruction");
}
#endif

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [--summary] [--self] [FILE...]\n", program);
    return 2;
}

int main(int argc, char **argv)
{
    bool summary = false;
    bool self = false;
    int status = EXIT_SUCCESS;
    int i;

    for (i = 1; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--summary") == 0)
            summary = true;
        else if (strcmp(argv[i], "--self") == 0)
            self = true;
        else
            return usage(argv[0]);
    }
    if (!self && i == argc)
        return usage(argv[0]);
    if (self)
        status = decode_self(summary);
    for (; i < argc; i++) {
        if (decode_dump(argv[i], summary) != EXIT_SUCCESS)
            status = EXIT_FAILURE;
    }
    return status;
}
