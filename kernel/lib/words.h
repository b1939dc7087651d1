/*
 * Cuts a line of text into words, and words into numbers and names. What the words mean is the
 * caller's business (kernel/lib/options for the command line). Pure.
 *
 * Words are separated by white space. Quotes, double or single, keep white space in a word
 * ("a=b c" and a="b c" are the same word), and a backslash takes a following quote or backslash
 * literally, because GRUB quotes and escapes what it passes on that way.
 */
#ifndef KERNEL_LIB_WORDS_H
#define KERNEL_LIB_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORD_BYTES 528     /* fits a key and a list of 16 names */
#define WORD_NAME_BYTES 32 /* the longest name, its terminator included */

/* One word, without its quotes, terminated. */
struct word {
    char text[WORD_BYTES];
    bool cut;     /* it was longer than that */
    bool unended; /* the line ended inside quotes */
};

/* Reads the next word of a terminated line and moves *cursor behind it; false if there is none. */
bool words_next(const char **cursor, struct word *word);

/*
 * Reads an unsigned number, decimal or 0x..., and moves *cursor behind its last digit. False if
 * there is no digit or the number exceeds 32 bits.
 */
bool words_read_number(const char **cursor, uint32_t *number);

/*
 * Reads one name (letters, digits and _-:.) of a list and moves *cursor behind it and the comma
 * that may follow. False if it is empty or too long, is followed by anything but a comma or the
 * end, or by a comma and nothing.
 */
bool words_read_name(const char **cursor, char name[WORD_NAME_BYTES]);

#endif
