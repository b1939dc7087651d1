/*
 * The run queues: first in, first out, one per core or per CPU as the policy likes, filed by
 * length (loads.h) so that the shortest and the longest are found without looking at all. What it
 * costs to take something grows only with entities at the front that may not run here. Pure.
 */
#ifndef KERNEL_SCHED_QUEUE_H
#define KERNEL_SCHED_QUEUE_H

#include "kernel/sched/policy.h"

/* Says which queue each CPU serves, by the policy, and files all of them. The queues are empty. */
void queue_assign(struct sched *sched);

/* Files a queue anew after one of its CPUs went on or off. */
void queue_note_width(struct sched *sched, uint32_t queue);

/* Files the queue that has changed last. For the end of every call. */
void queue_file(struct sched *sched);

/* Puts an entity that is nowhere at the end. */
void queue_insert(struct sched *sched, struct sched_entity *entity, uint32_t queue);

/* Takes a queued entity out. */
void queue_remove(struct sched *sched, struct sched_entity *entity);

/* The entity that has waited longest, still queued, or NULL. */
struct sched_entity *queue_first(const struct sched *sched, uint32_t queue);

/* Takes the first entity that may run on `cpu` now; NULL if there is none. */
struct sched_entity *queue_take(struct sched *sched, uint32_t queue, uint32_t cpu);

/* Takes what should run next on `cpu`, which serves a queue of its core, so that all make equal
 * progress; NULL if there is nothing. If the queues are about equally long that is the first of its
 * own, or, once a round, of a longer one, which so becomes the shorter; else who has waited longest
 * in any of several. */
struct sched_entity *queue_take_in_turn(struct sched *sched, uint32_t cpu);

/* Whether it is the turn of a queue to take over one from a longer one: all in it had a slice since
 * it did so last. With the lock of its core, or more. */
bool queue_takes_over(struct sched *sched, uint32_t queue);

/* How long a queue is for the number of its CPUs: rounds of slices until all had a turn, times
 * sched->widest. */
uint32_t queue_load(const struct sched *sched, uint32_t queue);

/* Takes an entity that may run on `cpu` off the longest queue, of equal ones the nearest; NULL if
 * there is none. */
struct sched_entity *queue_steal(struct sched *sched, uint32_t cpu);

/* Those of the candidates, which are usable, that serve the shortest queues. */
struct bitmap queue_shortest(struct sched *sched, const struct bitmap *candidates);

#endif
