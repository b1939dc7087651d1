/*
 * The topology decoder on CPUID dumps: text up to the first zero byte, then noise that is XORed
 * into the registers, since a mutation of hexadecimal text rarely stays a number. Beyond not
 * crashing: every CPU is in exactly one core and package, the order of the CPUs makes no
 * difference, and nothing is shared that no leaf claims.
 */
#include "arch/x86/decode/topology_print.h"
#include "tests/fuzz/fuzz_memory.h"
#include "tools/host/cpuid_dump.h"

#define CPUS_MAX 64u
#define THREADS_MAX 4u

struct noise {
    uint8_t cpu, line, reg, value[4];
};

struct machine {
    unsigned count;
    struct topology_scan scans[CPUS_MAX];
    struct cpu_place places[CPUS_MAX];
    struct topology topology;
};

static struct cpuid_dump dump;

static void add_noise(const uint8_t *bytes, size_t size)
{
    for (; size >= sizeof(struct noise);
         bytes += sizeof(struct noise), size -= sizeof(struct noise)) {
        const struct noise *noise = (const void *)bytes;
        struct cpuid_dump_cpu *cpu = &dump.cpus[noise->cpu % dump.count];
        struct cpuid_regs *regs = &cpu->lines[noise->line % cpu->count].regs;
        uint32_t *const all[] = {&regs->eax, &regs->ebx, &regs->ecx, &regs->edx};
        uint32_t value;

        memcpy(&value, noise->value, sizeof(value));
        *all[noise->reg % 4] ^= value;
    }
}

/* Decodes the first CPUs of the dump, beginning with number `first` and going round. */
static void decode(struct machine *machine, unsigned first)
{
    memset(machine, 0, sizeof(*machine));
    machine->count = dump.count < CPUS_MAX ? (unsigned)dump.count : CPUS_MAX;
    for (unsigned i = 0; i < machine->count; i++) {
        struct cpuid_dump_cpu *cpu = &dump.cpus[(first + i) % machine->count];

        topology_scan(cpuid_dump_reader, cpu, cpu->apic_id, &machine->scans[i]);
        machine->places[i].cpu = (uint16_t)i;
    }
    topology_build(machine->scans, machine->count, machine->places, &machine->topology);
}

static void check_place(const struct machine *machine, unsigned cpu)
{
    const struct topology *topology = &machine->topology;
    const struct cpu_place *place = &machine->places[cpu];

    CHECK(place->cpu == cpu && place->apic_id == machine->scans[cpu].apic_id);
    CHECK(place->package < topology->packages && place->module < topology->modules);
    CHECK(place->core < topology->cores && place->thread < topology->threads_per_core);
    CHECK(place->cache < topology->cpus);
}

static void check_counts(const struct topology *topology, unsigned cpus)
{
    CHECK(topology->cpus == cpus);
    CHECK(topology->packages >= 1 && topology->packages <= topology->modules);
    CHECK(topology->modules <= topology->cores && topology->cores <= cpus);
    CHECK(topology->threads_per_core >= 1 && topology->threads_per_core <= THREADS_MAX);
}

/* Read from the registers alone, generously: may this CPU be a thread among others? */
static bool claims_threads(unsigned cpu)
{
    static const uint32_t levels[] = {0xb, 0x1f, 0x80000026};
    struct cpuid_dump_cpu *from = &dump.cpus[cpu];
    struct cpuid_regs leaf1 = cpuid_dump_reader(from, 1, 0);

    if ((leaf1.edx >> 28 & 1) != 0 && (leaf1.ebx >> 16 & 0xff) > 1)
        return true;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned subleaf = 0; subleaf < 8; subleaf++)
            if ((cpuid_dump_reader(from, levels[i], subleaf).eax & 0x1f) != 0)
                return true;
    return (cpuid_dump_reader(from, 0x8000001e, 0).ebx & 0xff00) != 0;
}

/* May it be in a package with others? */
static bool claims_company(unsigned cpu)
{
    struct cpuid_dump_cpu *from = &dump.cpus[cpu];

    return claims_threads(cpu) || cpuid_dump_reader(from, 4, 0).eax >> 26 != 0 ||
           (cpuid_dump_reader(from, 0x80000008, 0).ecx & 0xf0ff) != 0;
}

static void check_pair(const struct machine *machine, unsigned a, unsigned b)
{
    const struct cpu_place *x = &machine->places[a], *y = &machine->places[b];

    CHECK(topology_distance(x, y) == topology_distance(y, x) && topology_distance(x, y) >= 1);
    if (x->core == y->core) {
        CHECK(x->thread != y->thread && x->module == y->module);
        CHECK(claims_threads(a) && claims_threads(b));
    }
    if (x->module == y->module)
        CHECK(x->package == y->package);
    if (x->cache == y->cache)
        CHECK(x->package == y->package);
    if (x->package == y->package)
        CHECK(claims_company(a) && claims_company(b) && x->apic_id != y->apic_id);
}

static void check_machine(const struct machine *machine)
{
    check_counts(&machine->topology, machine->count);
    for (unsigned a = 0; a < machine->count; a++) {
        check_place(machine, a);
        for (unsigned b = 0; b < a; b++)
            check_pair(machine, a, b);
    }
}

/* CPU i of `turned` is CPU i + first of `machine`. With repeated IDs all stand alone. */
static void check_order(const struct machine *machine, const struct machine *turned, unsigned first)
{
    bool alone = machine->topology.packages == machine->count;

    CHECK(machine->topology.packages == turned->topology.packages);
    CHECK(machine->topology.cores == turned->topology.cores);
    CHECK(machine->topology.method == turned->topology.method);
    for (unsigned i = 0; i < machine->count && !alone; i++) {
        struct cpu_place place = machine->places[(first + i) % machine->count];

        place.cpu = (uint16_t)i;
        CHECK(memcmp(&place, &turned->places[i], sizeof(place)) == 0);
    }
}

static void to_nowhere(void *unused, const char *text, size_t length)
{
    (void)unused;
    for (size_t i = 0; i < length; i++)
        CHECK(text[i] == '\n' || (text[i] >= ' ' && text[i] <= '~'));
}

static void check_all(unsigned first)
{
    static struct machine machine, turned;
    struct cpu_ident ident;

    decode(&machine, 0);
    check_machine(&machine);
    decode(&turned, first);
    check_order(&machine, &turned, first % machine.count);
    cpu_identify(cpuid_dump_reader, &dump.cpus[0], &ident);
    topology_print_cores(to_nowhere, NULL, &machine.topology, machine.places);
    topology_print_caches(to_nowhere, NULL, &machine.topology, machine.scans, machine.places);
    topology_print_summary(to_nowhere, NULL, &machine.topology, &ident);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size == 0 ? NULL : memchr(data, '\0', size);
    size_t text_bytes = end == NULL ? size : (size_t)(end - data);
    char *text = malloc(text_bytes + 1);

    CHECK(text != NULL);
    if (text_bytes != 0)
        memcpy(text, data, text_bytes);
    memset(&dump, 0, sizeof(dump));
    if (cpuid_dump_read_text(&dump, text, text_bytes) == NULL) {
        if (text_bytes < size)
            add_noise(data + text_bytes + 1, size - text_bytes - 1);
        check_all(data[size - 1]);
    }
    cpuid_dump_free(&dump);
    free(text);
    return 0;
}
