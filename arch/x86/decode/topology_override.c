/*
 * The topology the user gives on the command line, for firmware and emulators that get it wrong.
 */
#include "arch/x86/decode/topology.h"

#include <stddef.h>

#include "kernel/lib/string.h"

#define FACTOR_MAX 65535u

/* Reads a decimal number of 1 to FACTOR_MAX; returns what follows it, or NULL. */
static const char *parse_factor(const char *text, unsigned *out)
{
    *out = 0;
    while (*text >= '0' && *text <= '9') {
        *out = *out * 10 + (unsigned)(*text++ - '0');
        if (*out > FACTOR_MAX)
            return NULL;
    }
    return *out > 0 ? text : NULL;
}

/* Reads PxCxT with an optional ":far". */
static bool parse_override(const char *text, unsigned factors[3], bool *far)
{
    for (unsigned i = 0; i < 3; i++) {
        if (i > 0 && *text++ != 'x')
            return false;
        text = parse_factor(text, &factors[i]);
        if (!text)
            return false;
    }
    *far = strcmp(text, ":far") == 0;
    return *far || *text == '\0';
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

bool topology_override(const char *text, unsigned count, struct cpu_place *places,
                       struct topology *out)
{
    unsigned factors[3];
    unsigned cores;
    bool far;

    if (!parse_override(text, factors, &far)) {
        warnings_add(&out->warnings, "cmdline.topology", "not PACKAGESxCORESxTHREADS; ignored", 0);
        return false;
    }
    /* Compared by division: the product of three factors may not fit. */
    cores = factors[0] > FACTOR_MAX / factors[1] ? FACTOR_MAX : factors[0] * factors[1];
    if (count > 0 && (count - 1) / factors[2] >= cores) {
        warnings_add(&out->warnings, "cmdline.topology", "fewer places than CPUs; ignored", count);
        return false;
    }
    warnings_add(&out->warnings, "cmdline.topology", "given by the user; CPUID is not believed",
                 count);
    out->method = TOPOLOGY_OVERRIDE;
    out->cpus = count;
    out->packages = out->cores = out->threads_per_core = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned core = far ? i % cores : i / factors[2];
        unsigned thread = far ? i / cores : i % factors[2];

        places[i].package = (uint16_t)(core / factors[1]);
        places[i].core = places[i].module = places[i].cache = (uint16_t)core;
        places[i].thread = (uint16_t)thread;
        if (thread >= out->threads_per_core)
            out->threads_per_core = thread + 1;
    }
    if (count > 0) {
        out->cores = smaller(cores, far ? count : (count - 1) / factors[2] + 1);
        out->packages = (out->cores - 1) / factors[1] + 1;
    }
    out->modules = out->cores;
    out->shares = out->threads_per_core > 1 ? SHARES_SMT : SHARES_NONE;
    return true;
}
