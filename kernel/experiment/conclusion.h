/*
 * The beginning and the end of the story for people: what is about to be measured, and what the
 * results of all experiments together say. Every sentence is chosen by the values measured.
 */
#ifndef KERNEL_EXPERIMENT_CONCLUSION_H
#define KERNEL_EXPERIMENT_CONCLUSION_H

/* Before the first experiment. */
void conclusion_print_question(void);

/* After the table: conclusions, and the `capacity:` record. */
void conclusion_print(void);

#endif
