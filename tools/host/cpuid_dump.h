/*
 * Reads CPUID dumps, for the host tool and the host tests. Two formats, told apart line by line:
 *
 *     cpu 0
 *     00000001 00000000 000106C2 00020800 0040E31D BFE9FBFF
 *
 * (leaf, sub-leaf, EAX to EDX), and what `cpuid -r` prints:
 *
 *     CPU 0:
 *        0x00000001 0x00: eax=0x000106c2 ebx=0x00020800 ecx=0x0040e31d edx=0xbfe9fbff
 *
 * The first may also have `# lapic-ids: N N ...`, the IDs of the local APICs where they differ from
 * CPUID's, and `expect` lines for tests (`# truth:` where CPUID cannot tell). A dump is foreign
 * text: any length, any bytes, CR LF; lines that are not understood are counted.
 */
#ifndef TOOLS_HOST_CPUID_DUMP_H
#define TOOLS_HOST_CPUID_DUMP_H

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/decode/topology.h"

#define CPUID_DUMP_CPUS_MAX 4096
#define CPUID_DUMP_BYTES_MAX (256u << 20)

struct cpuid_dump_line {
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
};

/* Expectations read -1 where the dump has none. */
struct cpuid_dump_cpu {
    struct cpuid_dump_line *lines;
    size_t count;
    bool has_lapic_id; /* apic_id is from the `# lapic-ids:` line */
    uint32_t apic_id;  /* of the local APIC, as far as the dump tells */
    int package, core, thread, module;
};

struct cpuid_dump {
    struct cpuid_dump_cpu *cpus;
    size_t count;
    size_t ignored_lines; /* neither comment nor data: a damaged dump */
    int packages, cores, threads, modules, smt_shift, package_shift;
    char vendor[16], name[64]; /* `# vendor:` and `# name:`, or empty */
    int family, model;         /* `# family: 0x.. model: 0x..`, or -1 */
};

/* Room for one more in an array that doubles; NULL when memory is short. */
static inline void *cpuid_dump_grow(void *array, size_t count, size_t item_bytes)
{
    if ((count & (count - 1)) != 0)
        return array;
    return realloc(array, (count == 0 ? 1 : 2 * count) * item_bytes);
}

static inline const char *cpuid_dump_add_cpu(struct cpuid_dump *dump)
{
    struct cpuid_dump_cpu *cpus = dump->cpus;

    if (dump->count == CPUID_DUMP_CPUS_MAX)
        return "too many CPUs";
    cpus = cpuid_dump_grow(cpus, dump->count, sizeof(*cpus));
    if (!cpus)
        return "out of memory";
    dump->cpus = cpus;
    cpus[dump->count++] =
        (struct cpuid_dump_cpu){.package = -1, .core = -1, .thread = -1, .module = -1};
    return NULL;
}

static inline const char *cpuid_dump_add_line(struct cpuid_dump *dump,
                                              const struct cpuid_dump_line *line)
{
    struct cpuid_dump_cpu *cpu = &dump->cpus[dump->count - 1];
    struct cpuid_dump_line *lines = cpuid_dump_grow(cpu->lines, cpu->count, sizeof(*lines));

    if (!lines)
        return "out of memory";
    cpu->lines = lines;
    lines[cpu->count++] = *line;
    return NULL;
}

/* The value behind `key=` in text, or -1. */
static inline int cpuid_dump_value(const char *text, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = text; (at = strstr(at, key)) != NULL; at += length) {
        if (at > text && at[-1] == ' ' && at[length] == '=')
            return (int)strtol(at + length + 1, NULL, 10);
    }
    return -1;
}

static inline void cpuid_dump_expect(struct cpuid_dump *dump, const char *text)
{
    unsigned index;

    if (sscanf(text, "expect cpu %u", &index) == 1) {
        if (index >= dump->count)
            return;
        dump->cpus[index].package = cpuid_dump_value(text, "package");
        dump->cpus[index].core = cpuid_dump_value(text, "core");
        dump->cpus[index].thread = cpuid_dump_value(text, "thread");
        dump->cpus[index].module = cpuid_dump_value(text, "module");
    } else if (strstr(text, " smt_shift=")) {
        dump->smt_shift = cpuid_dump_value(text, "smt_shift");
        dump->package_shift = cpuid_dump_value(text, "package_shift");
    } else {
        dump->packages = cpuid_dump_value(text, "packages");
        dump->cores = cpuid_dump_value(text, "cores");
        dump->threads = cpuid_dump_value(text, "threads");
        dump->modules = cpuid_dump_value(text, "modules");
    }
}

static inline bool cpuid_dump_parse_line(const char *text, struct cpuid_dump_line *out)
{
    struct cpuid_regs *regs = &out->regs;

    return sscanf(text, "%8x %8x %8x %8x %8x %8x", &out->leaf, &out->subleaf, &regs->eax,
                  &regs->ebx, &regs->ecx, &regs->edx) == 6 ||
           sscanf(text, "0x%8x 0x%8x: eax=0x%8x ebx=0x%8x ecx=0x%8x edx=0x%8x", &out->leaf,
                  &out->subleaf, &regs->eax, &regs->ebx, &regs->ecx, &regs->edx) == 6;
}

/* Comments of which tests may want to know. */
static inline void cpuid_dump_read_comment(struct cpuid_dump *dump, const char *text)
{
    if (strncmp(text, "# truth:", 8) == 0)
        cpuid_dump_expect(dump, text);
    sscanf(text, "# vendor: %15[^\r]", dump->vendor);
    sscanf(text, "# name: %63[^\r]", dump->name);
    sscanf(text, "# family: %i model: %i", &dump->family, &dump->model);
}

/* One line without its end; returns what is wrong, or NULL. */
static inline const char *cpuid_dump_read_line(struct cpuid_dump *dump, const char *text)
{
    struct cpuid_dump_line line;

    while (isspace((unsigned char)*text))
        text++;
    if (*text == '\0' || *text == '#') {
        cpuid_dump_read_comment(dump, text);
        return NULL;
    }
    if (strncmp(text, "cpu ", 4) == 0 || strncmp(text, "CPU ", 4) == 0 ||
        strncmp(text, "CPU:", 4) == 0)
        return cpuid_dump_add_cpu(dump);
    if (strncmp(text, "expect ", 7) == 0) {
        cpuid_dump_expect(dump, text);
        return NULL;
    }
    if (dump->count > 0 && cpuid_dump_parse_line(text, &line))
        return cpuid_dump_add_line(dump, &line);
    dump->ignored_lines++;
    return NULL;
}

/* `# lapic-ids: 16 17 ...`, one for each CPU in order; anywhere in the dump, so read at the end. */
static inline void cpuid_dump_read_lapic_ids(struct cpuid_dump *dump, const char *text)
{
    for (size_t i = 0; i < dump->count; i++) {
        char *end;
        unsigned long id = strtoul(text, &end, 10);

        if (end == text)
            return;
        dump->cpus[i].apic_id = (uint32_t)id;
        dump->cpus[i].has_lapic_id = true;
        text = end;
    }
}

static inline const struct cpuid_dump_line *cpuid_dump_find(const struct cpuid_dump_cpu *cpu,
                                                            uint32_t leaf, uint32_t subleaf)
{
    for (size_t i = 0; i < cpu->count; i++) {
        if (cpu->lines[i].leaf == leaf && cpu->lines[i].subleaf == subleaf)
            return &cpu->lines[i];
    }
    return NULL;
}

/*
 * A cpuid_reader; ctx is a struct cpuid_dump_cpu. Leaves not in the dump read as zero, and those
 * above the highest basic leaf as that leaf, as on Intel CPUs.
 */
static inline struct cpuid_regs cpuid_dump_reader(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    const struct cpuid_dump_cpu *cpu = ctx;
    const struct cpuid_dump_line *line = cpuid_dump_find(cpu, leaf, subleaf);
    const struct cpuid_dump_line *first = cpuid_dump_find(cpu, 0, 0);

    if (!line && first && leaf > first->regs.eax && leaf < 0x80000000)
        line = cpuid_dump_find(cpu, first->regs.eax, subleaf);
    return line ? line->regs : (struct cpuid_regs){0};
}

static inline bool cpuid_dump_ids_repeat(const struct cpuid_dump *dump)
{
    for (size_t i = 1; i < dump->count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (dump->cpus[i].apic_id == dump->cpus[k].apic_id)
                return true;
        }
    }
    return false;
}

/*
 * Takes the IDs of the local APICs from CPUID where the dump does not give them: the best leaf that
 * has one, or the 8 bits of leaf 1 if that leaf shows the same on two CPUs.
 */
static inline void cpuid_dump_find_apic_ids(struct cpuid_dump *dump)
{
    for (size_t i = 0; i < dump->count; i++) {
        if (!dump->cpus[i].has_lapic_id)
            dump->cpus[i].apic_id = topology_cpuid_apic_id(cpuid_dump_reader, &dump->cpus[i]);
    }
    if (!cpuid_dump_ids_repeat(dump))
        return;
    for (size_t i = 0; i < dump->count; i++) {
        if (!dump->cpus[i].has_lapic_id)
            dump->cpus[i].apic_id = cpuid_dump_reader(&dump->cpus[i], 1, 0).ebx >> 24;
    }
}

/* Cuts text (modified, length + 1 bytes) into lines and reads them. */
static inline const char *cpuid_dump_read_text(struct cpuid_dump *dump, char *text, size_t length)
{
    static const char lapic_ids[] = "# lapic-ids:";
    const char *ids = NULL;
    const char *wrong = NULL;

    text[length] = '\0';
    for (char *line = text; line < text + length && !wrong;) {
        char *end = memchr(line, '\n', (size_t)(text + length - line));

        if (!end)
            end = text + length;
        *end = '\0';
        if (strncmp(line, lapic_ids, sizeof(lapic_ids) - 1) == 0)
            ids = line + sizeof(lapic_ids) - 1;
        wrong = cpuid_dump_read_line(dump, line);
        line = end + 1;
    }
    if (ids)
        cpuid_dump_read_lapic_ids(dump, ids);
    if (wrong)
        return wrong;
    for (size_t i = 0; i < dump->count; i++) {
        if (dump->cpus[i].count == 0)
            return "a CPU without registers";
    }
    cpuid_dump_find_apic_ids(dump);
    return dump->count == 0 ? "no CPUID dump" : NULL;
}

static inline void cpuid_dump_free(struct cpuid_dump *dump)
{
    for (size_t i = 0; i < dump->count; i++)
        free(dump->cpus[i].lines);
    free(dump->cpus);
    memset(dump, 0, sizeof(*dump));
}

/* The bytes of a file and one to spare; NULL, with the reason in *wrong, if that fails. */
static inline char *cpuid_dump_load(const char *name, size_t *length, const char **wrong)
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    size_t room = 0;

    *length = 0;
    *wrong = file ? NULL : "cannot be opened";
    while (file && !*wrong) {
        if (*length + 1 >= room) {
            char *more =
                room < CPUID_DUMP_BYTES_MAX ? realloc(text, room = 2 * room + 65536) : NULL;
            *wrong = more ? NULL : "too long";
            text = more ? more : text;
            continue;
        }
        size_t got = fread(text + *length, 1, room - *length - 1, file);
        *length += got;
        if (got == 0)
            break;
    }
    if (file && !*wrong && ferror(file))
        *wrong = "cannot be read";
    if (file)
        fclose(file);
    if (!*wrong)
        return text;
    free(text);
    return NULL;
}

/* Reads a dump; returns what is wrong with it (nothing to free then), or NULL. */
static inline const char *cpuid_dump_open(const char *name, struct cpuid_dump *out)
{
    const char *wrong;
    size_t length;
    char *text = cpuid_dump_load(name, &length, &wrong);

    *out = (struct cpuid_dump){.packages = -1,
                               .cores = -1,
                               .threads = -1,
                               .modules = -1,
                               .smt_shift = -1,
                               .package_shift = -1,
                               .family = -1,
                               .model = -1};
    if (!text)
        return wrong;
    wrong = cpuid_dump_read_text(out, text, length);
    free(text);
    if (wrong)
        cpuid_dump_free(out);
    return wrong;
}

#endif
