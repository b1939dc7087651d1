/*
 * The experiments: what each asks, what it runs, and what its numbers mean. One table in
 * experiments.c; run from kernel_main.
 */
#ifndef KERNEL_EXPERIMENT_EXPERIMENT_H
#define KERNEL_EXPERIMENT_EXPERIMENT_H

#include <stdbool.h>
#include <stdint.h>

struct run;

struct experiment {
    const char *name;            /* as on the command line */
    const char *question;        /* one sentence */
    const char *article;         /* the article's figure, for the closing table */
    const char *article_batches; /* the same for the comparison in batches, or NULL */
    bool in_demo;
    /* Prepares and says how many tasks run at once; 0: this machine cannot do it, *why says why. */
    uint32_t (*prepare)(struct run *run, const char **why);
    void (*round)(struct run *run);
    void (*finish)(struct run *run); /* NULL: nothing to undo */
};

/* All of them, in the order of the demonstration; ends with a NULL name. */
extern const struct experiment experiments[];

/* Runs what the command line asks for under every policy it names, and the closing table. */
void experiments_run(void);

/* Names for options_check_names, ended by NULL. */
extern const char *const experiment_choices[];

#endif
