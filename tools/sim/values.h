/*
 * The values on schedsim's command line. What is wrong with one is printed and ends the program
 * with status 2. Those that are taken are at *text, which is moved behind them; the others are all
 * of the text.
 */
#ifndef TOOLS_SIM_VALUES_H
#define TOOLS_SIM_VALUES_H

#include "tools/sim/sim.h"

void value_fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Decimal digits and nothing else, of a number of up to `limit`. */
uint64_t value_take_number(const char **text, uint64_t limit);
uint64_t value_number(const char *text, uint64_t limit);

/* Moves *text behind the character, which must be there. */
void value_expect(const char **text, char c);

/* Numbers below `count`, and ranges of them: 0,2-3. */
struct bitmap value_cpus(const char *text, uint32_t count);

/* 1.5, with up to four decimals, or 3/2; above 0, and up to SIM_MAX_RATIO. In lowest terms. */
struct sim_ratio value_take_ratio(const char **text);
struct sim_ratio value_ratio(const char *text);

#endif
