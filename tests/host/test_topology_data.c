/*
 * The topology decoder against registers read on real machines: a collection of CPUID dumps with
 * expectations, kept outside the repository. $TANDEM_DATA names its folder, else ../shared/data;
 * where there is none the tests are skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/decode/cpu_ident.h"
#include "arch/x86/decode/topology.h"
#include "tools/host/cpuid_dump.h"

#define PATH_BYTES 4096

struct machine {
    struct cpuid_dump dump;
    struct topology_scan *scans;
    struct cpu_place *places;
    struct topology topology;
    bool reversed; /* CPUs handed to the decoder last first */
};

/* What is wrong with a decoded machine, or NULL. */
typedef const char *check(const struct machine *machine);

/* The dump's CPU at a position in the order the decoder was given. */
static const struct cpuid_dump_cpu *expected(const struct machine *machine, size_t i)
{
    return &machine->dump.cpus[machine->reversed ? machine->dump.count - 1 - i : i];
}

static void decode(struct machine *machine)
{
    size_t count = machine->dump.count;

    for (size_t i = 0; i < count; i++) {
        struct cpuid_dump_cpu *cpu = (struct cpuid_dump_cpu *)(uintptr_t)expected(machine, i);
        topology_scan(cpuid_dump_reader, cpu, cpu->apic_id, &machine->scans[i]);
    }
    topology_build(machine->scans, (unsigned)count, machine->places, &machine->topology);
}

/* Two partitions are equal if the same pairs of CPUs fall together. */
static const char *check_partition(const struct machine *machine)
{
    bool modules = machine->dump.modules >= 0;

    for (size_t i = 0; i < machine->dump.count; i++) {
        const struct cpuid_dump_cpu *a = expected(machine, i);
        const struct cpu_place *place_a = &machine->places[i];

        if (place_a->thread != a->thread)
            return "thread";
        for (size_t k = 0; k < i; k++) {
            const struct cpuid_dump_cpu *b = expected(machine, k);
            const struct cpu_place *place_b = &machine->places[k];

            if ((place_a->package == place_b->package) != (a->package == b->package))
                return "package";
            if ((place_a->core == place_b->core) != (a->core == b->core))
                return "core";
            if (modules && (place_a->module == place_b->module) != (a->module == b->module))
                return "module";
            if (!modules && (place_a->module == place_b->module) != (a->core == b->core))
                return "module beside the core";
        }
    }
    return NULL;
}

/* What the collection says in comments about vendor, family, model and name. */
static const char *check_ident(const struct machine *machine)
{
    const struct cpuid_dump *dump = &machine->dump;
    /* "-" is no name; some dumps have bytes there that no CPU answered. */
    bool named = dump->name[0] > ' ' && strcmp(dump->name, "-") != 0;
    struct cpu_ident ident;

    cpu_identify(cpuid_dump_reader, &dump->cpus[0], &ident);
    if (strcmp(ident.vendor_name, dump->vendor) != 0)
        return "vendor";
    if (ident.family != dump->family || ident.model != dump->model)
        return "family or model";
    if (strcmp(ident.model_name, named ? dump->name : "") != 0)
        return "name";
    return NULL;
}

static const char *check_whole(const struct machine *machine)
{
    const struct cpuid_dump *dump = &machine->dump;
    const struct topology *topology = &machine->topology;
    enum core_shares shares = dump->modules >= 0            ? SHARES_MODULE
                              : dump->threads > dump->cores ? SHARES_SMT
                                                            : SHARES_NONE;

    if ((int)topology->packages != dump->packages || (int)topology->cores != dump->cores ||
        (int)topology->cpus != dump->threads)
        return "counts";
    if (dump->modules >= 0 && (int)topology->modules != dump->modules)
        return "count of modules";
    if (topology->shares != shares)
        return "shares";
    return check_ident(machine) ? check_ident(machine) : check_partition(machine);
}

static const char *check_shifts(const struct machine *machine)
{
    const struct topology *topology = &machine->topology;

    if ((int)topology->smt_shift != machine->dump.smt_shift ||
        (int)topology->package_shift != machine->dump.package_shift)
        return "shifts";
    return topology->warnings.count > 0 ? "a warning for one CPU" : NULL;
}

/* A broken dump: nothing untrue may be said to be shared, and something must be said. */
static const char *check_odd(const struct machine *machine)
{
    unsigned cores = machine->topology.cores;

    if (cores != machine->dump.count && (int)cores != machine->dump.cores)
        return "invented sharing";
    return machine->topology.warnings.count == 0 ? "no warning" : NULL;
}

/* Decodes one dump, in both orders; returns the number of failures, 0 or 1. */
static unsigned try_dump(const char *path, check *is_wrong)
{
    struct machine machine = {.reversed = false};
    const char *wrong = cpuid_dump_open(path, &machine.dump);

    if (!wrong) {
        machine.scans = calloc(machine.dump.count, sizeof(*machine.scans));
        machine.places = calloc(machine.dump.count, sizeof(*machine.places));
        assert_true(machine.scans && machine.places);
        decode(&machine);
        wrong = is_wrong(&machine);
        machine.reversed = true;
        if (!wrong) {
            decode(&machine);
            wrong = is_wrong(&machine);
        }
    }
    if (wrong)
        print_error("%s: %s (packages=%u cores=%u cpus=%u method=%s)\n", path, wrong,
                    machine.topology.packages, machine.topology.cores, machine.topology.cpus,
                    topology_method_name(machine.topology.method));
    free(machine.scans);
    free(machine.places);
    cpuid_dump_free(&machine.dump);
    return wrong != NULL;
}

/* Tries every dump of one folder of the collection. */
static void try_folder(const char *folder, check *is_wrong)
{
    const char *root = getenv("TANDEM_DATA");
    char path[PATH_BYTES];
    unsigned failed = 0;
    unsigned tried = 0;
    DIR *directory;

    snprintf(path, sizeof(path), "%s/%s", root ? root : "../shared/data", folder);
    directory = opendir(path);
    if (!directory) {
        print_message("%s: not there\n", path);
        skip();
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s/%s", root ? root : "../shared/data", folder,
                 entry->d_name);
        failed += try_dump(path, is_wrong);
        tried++;
    }
    closedir(directory);
    print_message("%s: %u dumps, %u failed\n", folder, tried, failed);
    assert_int_equal(failed, 0);
    assert_true(tried > 0);
}

static void test_whole_machines(void **state)
{
    (void)state;
    try_folder("cpuid", check_whole);
}

static void test_single_cpus(void **state)
{
    (void)state;
    try_folder("cpuid-single", check_shifts);
}

static void test_odd_dumps(void **state)
{
    (void)state;
    try_folder("cpuid-odd", check_odd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_machines),
        cmocka_unit_test(test_single_cpus),
        cmocka_unit_test(test_odd_dumps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
