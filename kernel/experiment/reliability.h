/*
 * What times are worth: under which conditions they were taken, and whether they mean anything.
 */
#ifndef KERNEL_EXPERIMENT_RELIABILITY_H
#define KERNEL_EXPERIMENT_RELIABILITY_H

#include <stdint.h>

#include "kernel/experiment/run.h"

/* The keys of a record that say under which conditions times are taken. */
void reliability_print_conditions(uint32_t slice_us);

/* Why a variant's times can not be relied on, once its figures are there; NULL if they can. */
const char *reliability_problem(const struct run *run, const struct variant *variant);

#endif
