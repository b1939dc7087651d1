/*
 * The picture of a stretch of the trace as text of 80 columns: a line for each CPU, the CPUs of a
 * core one below the other, a column for each sixtieth of the time. docs/serial-log.md has the
 * rules. Pure.
 *
 * It is given every event there is, in the order of time, since it has to know what runs when a
 * picture begins; between timeline_begin and timeline_end it draws.
 */
#ifndef KERNEL_LIB_TIMELINE_H
#define KERNEL_LIB_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/format.h"
#include "kernel/lib/trace_ring.h"
#include "kernel/machine_info.h"

#define TIMELINE_CELLS 60u
#define TIMELINE_ROWS 32u    /* CPUs shown, whole cores; the number of others is said */
#define TIMELINE_LETTERS 26u /* tasks with a letter; the others share an asterisk */
#define TIMELINE_TASKS 128u  /* whose names are remembered until they end */
#define TIMELINE_NAME_BYTES 32

/* What a cell holds; from TIMELINE_CELL_SLOT on, the slot of the task that ran longest. */
#define TIMELINE_CELL_IDLE 0
#define TIMELINE_CELL_MOSTLY_IDLE 1
#define TIMELINE_CELL_UNKNOWN 2
#define TIMELINE_CELL_SLOT 3

struct timeline_task {
    uint32_t pid; /* 0: this entry is free */
    bool ended;
    char name[TIMELINE_NAME_BYTES];
};

struct timeline_cpu {
    uint16_t cpu, core;
    uint32_t pid; /* of what runs there; 0: nothing, UINT32_MAX: not known */
};

struct timeline_row {
    uint32_t index;                        /* in cpus[] */
    uint64_t since_ns;                     /* drawn up to here */
    uint32_t cell;                         /* that since_ns is in */
    uint64_t ran_ns[TIMELINE_LETTERS + 1]; /* in that cell, by slot; last: all without letter */
    bool unknown;                          /* of a part of that cell it is not known what ran */
    uint8_t cells[TIMELINE_CELLS];         /* finished ones */
};

struct timeline {
    uint64_t begin_ns, end_ns;
    bool drawing, opened; /* opened: the begin of the picture has passed */
    bool others;          /* there are tasks without a letter in the picture */
    uint32_t cpu_count, row_count, slot_count;
    uint32_t slot_pids[TIMELINE_LETTERS];    /* in the order in which they came into the picture */
    struct timeline_cpu cpus[MAX_CPUS];      /* by core, then by number */
    struct timeline_row rows[TIMELINE_ROWS]; /* in the order of cpus[] */
    struct timeline_task tasks[TIMELINE_TASKS];
};

/* Without CPUs, with nothing running. */
void timeline_init(struct timeline *timeline);

/* A CPU and the core it belongs to; before the first event, in any order, at most MAX_CPUS. */
void timeline_add_cpu(struct timeline *timeline, uint32_t cpu, uint32_t core);

/* Begins a picture of the time from begin_ns to end_ns. Events of before may still come. */
void timeline_begin(struct timeline *timeline, uint64_t begin_ns, uint64_t end_ns);

/* The next event, of CPU `cpu`, with its text. */
void timeline_event(struct timeline *timeline, uint32_t cpu, const struct trace_event *event,
                    const char *text);

/* Events of that CPU have been lost since the last one: what it did is not known until the next. */
void timeline_lost(struct timeline *timeline, uint32_t cpu);

/* Ends the picture; it can be printed until the next one begins. */
void timeline_end(struct timeline *timeline);

/* Prints the picture, in whole lines. */
void timeline_print(const struct timeline *timeline, text_sink *sink, void *ctx);

#endif
