/*
 * Trace events and the rings they wait in: one ring for each CPU, written by that CPU alone and
 * read by one reader, without a lock. What is traced, and when the rings are read, is in
 * kernel/trace.c and kernel/trace_dump.c. Pure.
 *
 * A ring is made of slots of 16 bytes. An event takes one, and its text, if it has one, those that
 * follow. A ring that is full drops new events and counts them; nothing is ever overwritten.
 *
 * Letters: [I] fixed after trace_ring_init, [w] only touched by the writer, [r] only touched by
 * the reader, [a] atomic, written by one of the two (named) and read by the other.
 */
#ifndef KERNEL_LIB_TRACE_RING_H
#define KERNEL_LIB_TRACE_RING_H

#include <stdbool.h>
#include <stdint.h>

#define TRACE_TEXT_BYTES 48      /* with the terminator; longer texts are cut */
#define TRACE_ABSENT UINT16_MAX  /* of trace_event.other */
#define TRACE_NO_RING UINT32_MAX /* trace_merge_next: nothing left */
#define TRACE_CACHE_LINE 64

enum trace_kind {
    TRACE_START,    /* first wake-up of a task; the text is its name */
    TRACE_WAKE,     /* other: the CPU it is placed on, or whose queue it joins */
    TRACE_DISPATCH, /* begins to run; other: the CPU it ran on before */
    TRACE_PREEMPT,  /* taken off the CPU while runnable */
    TRACE_BLOCK,    /* taken off since it sleeps or is paused */
    TRACE_END,      /* taken off since it has ended */
    TRACE_MIGRATE,  /* before a dispatch on another core; other: the CPU it ran on before */
    TRACE_IDLE,     /* nothing to run from now on */
    TRACE_IPI,      /* interrupts CPU `other` */
    TRACE_FAULT,    /* other: the vector */
    TRACE_MARK,     /* said by the conductor; the text says what */
    TRACE_KINDS,
};

struct trace_event {
    uint64_t ns;    /* never goes back within a ring */
    uint32_t pid;   /* 0: of no task */
    uint16_t other; /* or TRACE_ABSENT */
    uint8_t kind;   /* enum trace_kind */
    uint8_t text_slots;
};

union trace_slot {
    struct trace_event event;
    char text[sizeof(struct trace_event)];
};

struct trace_ring {
    union trace_slot *slots; /* [I] */
    uint32_t capacity;       /* [I] slots; a power of two */
    uint64_t last_ns;        /* [w] of the last event, dropped or not */

    /* Each side's own line of the cache, so that neither slows down the other. */
    __attribute__((aligned(TRACE_CACHE_LINE))) uint32_t head; /* [a] slots ever filled, by writer */
    uint32_t dropped;                                         /* [a] events ever, by writer */
    __attribute__((aligned(TRACE_CACHE_LINE))) uint32_t tail; /* [a] slots ever freed, by reader */
    uint32_t drops_told;                                      /* [r] */
};

/* Begins an empty ring over `capacity` slots: a power of two, at least 16. */
void trace_ring_init(struct trace_ring *ring, union trace_slot *slots, uint32_t capacity);

/* Appends an event with its text (NULL: none); text_slots is set here. False: there was no room,
 * and it was counted as dropped. A mark finds room where others no longer do, so that a ring which
 * fills up within a round still holds the round's end. By the writer, which nothing interrupts. */
bool trace_ring_push(struct trace_ring *ring, const struct trace_event *event, const char *text);

/* The time of the last event of a kind that is not later than until_ns; 0 if there is none. By the
 * reader; takes nothing out. */
uint64_t trace_ring_last_ns(const struct trace_ring *ring, enum trace_kind kind, uint64_t until_ns);

/* Events dropped since this was last asked. By the reader. */
uint32_t trace_ring_drops(struct trace_ring *ring);

/*
 * Takes the earliest event not later than until_ns out of `count` rings and returns the index of
 * its ring, or TRACE_NO_RING. Of events at the same time, what takes a task off its CPU goes first
 * and what puts one on a CPU goes last, as far as the order within a ring lets them; then the lower
 * index. By the reader. *event is a copy; `text` is terminated, empty if it has none.
 */
uint32_t trace_merge_next(struct trace_ring *rings, uint32_t count, uint64_t until_ns,
                          struct trace_event *event, char text[TRACE_TEXT_BYTES]);

#endif
