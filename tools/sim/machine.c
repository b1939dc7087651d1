#include "tools/sim/machine.h"

#include <string.h>

struct shape {
    uint32_t packages, cores, threads, small_cores, small_threads;
    bool far;
};

static bool take(const char **text, char c)
{
    if (**text != c)
        return false;
    (*text)++;
    return true;
}

/* A number of up to MAX_CPUS at *text, which is moved behind it. */
static bool take_count(const char **text, uint32_t *count)
{
    const char *begin = *text;

    *count = 0;
    for (; **text >= '0' && **text <= '9' && *count <= MAX_CPUS; (*text)++)
        *count = 10 * *count + (uint32_t)(**text - '0');
    return *text != begin && *count <= MAX_CPUS;
}

static bool parse_shape(const char *text, struct shape *shape)
{
    *shape = (struct shape){.small_threads = 1};
    if (!take_count(&text, &shape->packages) || !take(&text, 'x') ||
        !take_count(&text, &shape->cores) || !take(&text, 'x') ||
        !take_count(&text, &shape->threads))
        return false;
    if (take(&text, '+') && (!take_count(&text, &shape->small_cores) || !take(&text, 'x') ||
                             !take_count(&text, &shape->small_threads)))
        return false;
    shape->far = strcmp(text, ":far") == 0;
    return shape->far || *text == '\0';
}

static bool fits(const struct shape *shape)
{
    uint64_t cpus = (uint64_t)shape->cores * shape->threads +
                    (uint64_t)shape->small_cores * shape->small_threads;

    if (shape->packages == 0 || shape->threads == 0 || shape->small_threads == 0)
        return false;
    return cpus > 0 && cpus * shape->packages <= MAX_CPUS;
}

static void add_cpu(struct machine *machine, const struct shape *shape, uint32_t package,
                    uint32_t core, uint32_t thread)
{
    uint32_t cpu = machine->cpu_count++;
    uint32_t unique = package * (shape->cores + shape->small_cores) + core;
    enum cpu_type type = core < shape->cores ? CPU_PERFORMANCE : CPU_EFFICIENCY;

    machine->places[cpu] = (struct cpu_place){.apic_id = cpu,
                                              .cpu = (uint16_t)cpu,
                                              .package = (uint16_t)package,
                                              .core = (uint16_t)unique,
                                              .thread = (uint16_t)thread,
                                              .module = (uint16_t)unique,
                                              .cache = (uint16_t)package,
                                              .type = shape->small_cores == 0 ? CPU_UNIFORM : type};
}

/* All threads of rank first..last of all cores, core by core. */
static void add_threads(struct machine *machine, const struct shape *shape, uint32_t first,
                        uint32_t last)
{
    for (uint32_t package = 0; package < shape->packages; package++)
        for (uint32_t core = 0; core < shape->cores + shape->small_cores; core++) {
            uint32_t threads = core < shape->cores ? shape->threads : shape->small_threads;

            for (uint32_t thread = first; thread <= last && thread < threads; thread++)
                add_cpu(machine, shape, package, core, thread);
        }
}

bool machine_parse(const char *text, struct machine *machine)
{
    struct shape shape;

    machine->cpu_count = 0;
    if (!parse_shape(text, &shape) || !fits(&shape))
        return false;
    machine->core_count = shape.packages * (shape.cores + shape.small_cores);
    if (!shape.far) {
        add_threads(machine, &shape, 0, MAX_CPUS);
        return true;
    }
    for (uint32_t thread = 0; thread < shape.threads || thread < shape.small_threads; thread++)
        add_threads(machine, &shape, thread, thread);
    return true;
}
