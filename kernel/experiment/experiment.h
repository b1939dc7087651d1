/*
 * The experiments: what each asks, what it runs, and what its numbers mean. One table in
 * experiments.c, one file exp_*.c for each family; run from kernel_main.
 */
#ifndef KERNEL_EXPERIMENT_EXPERIMENT_H
#define KERNEL_EXPERIMENT_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

struct run;

struct experiment {
    const char *name;     /* as on the command line */
    const char *question; /* one sentence */
    const char *article;  /* the article's figure, for the closing table */
    bool in_demo;
    /* Adds the variants and says how many tasks run at once; 0: this machine cannot do it, *why
     * says why. */
    uint32_t (*prepare)(struct run *run, const char **why);
    void (*round)(struct run *run);
    void (*finish)(struct run *run);     /* NULL: nothing to undo */
    void (*show)(const struct run *run); /* prints more of the numbers, for people; or NULL */
    /* Prints what the numbers mean: a sentence chosen by them, without its full stop. */
    void (*say)(const struct run *run);
};

/* The experiments, by family. */
extern const struct experiment exp_solo, exp_pair, exp_siblings, exp_same_cpu;
extern const struct experiment exp_peg, exp_fill;
extern const struct experiment exp_slice, exp_oversub, exp_pause;
extern const struct experiment exp_memory, exp_migrate, exp_interleave, exp_module;

/* All of them, in the order in which they are run, the solo time first; ended by NULL. */
extern const struct experiment *const experiments[];

/* Runs what the command line asks for under every policy it names, and the closing table. */
void experiments_run(void);

/* Names for options_check_names, ended by NULL. */
extern const char *const experiment_choices[];

#endif
