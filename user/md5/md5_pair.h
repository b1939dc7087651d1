/*
 * Two MD5 messages at once, their steps interleaved in one stream of instructions: the overlap that
 * two threads of a core get from the hardware, made by hand. Pure.
 */
#ifndef USER_MD5_MD5_PAIR_H
#define USER_MD5_MD5_PAIR_H

#include "user/md5/md5.h"

/*
 * Appends `length_bytes` from bytes[i] to message i. Both messages must have the same length so
 * far; they are begun by md5_init and ended by md5_final, each for itself.
 */
void md5_pair_update(struct md5 pair[2], const void *const bytes[2], size_t length_bytes);

#endif
