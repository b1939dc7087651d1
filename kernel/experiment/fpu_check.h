/*
 * Whether each task's FPU registers stay its own, tried out: `inject=fpu`. By the conductor.
 */
#ifndef KERNEL_EXPERIMENT_FPU_CHECK_H
#define KERNEL_EXPERIMENT_FPU_CHECK_H

/*
 * Runs the programs simd, x87 and fpu alone, then, under each policy and with slices of 1 ms,
 * several of each on every CPU at once, where each must return what it returned alone. Prints one
 * `selftest:` record for each policy; what is wrong counts as failed.
 */
void fpu_check(void);

#endif
