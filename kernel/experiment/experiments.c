#include "kernel/experiment/experiment.h"

#include <stddef.h>

const struct experiment *const experiments[] = {
    &exp_solo,  &exp_pair,       &exp_siblings, &exp_same_cpu, &exp_peg,
    &exp_fill,  &exp_slice,      &exp_oversub,  &exp_memory,   &exp_migrate,
    &exp_pause, &exp_interleave, &exp_module,   NULL,
};

const char *const experiment_choices[] = {
    "demo", "all",   "none",    "bench",  "solo",    "pair",  "siblings",   "same_cpu", "peg",
    "fill", "slice", "oversub", "memory", "migrate", "pause", "interleave", "module",   NULL,
};
