/*
 * `run=bench`: what the kernel's own paths cost, as `bench:` records. The unit is ticks of the
 * time stamp counter. Under QEMU's -icount shift=0 one tick is one instruction and every run gives
 * the same numbers, which is how `make bench` runs it; anywhere else they are just short times.
 */
#ifndef KERNEL_EXPERIMENT_BENCH_H
#define KERNEL_EXPERIMENT_BENCH_H

/* Measures everything that can be measured with the CPUs there are. By the conductor. */
void bench_run(void);

/* What one decision costs on machines larger than this one; a part of bench_run. */
void bench_scale(void);

#endif
