/*
 * The MD5 message digest (RFC 1321), fed piece by piece. Only the digest: the `md5` command around
 * it is user/md5/command. Here MD5 is a measure of CPU work that checks itself, not security. For
 * little-endian machines only. Pure.
 */
#ifndef USER_MD5_MD5_H
#define USER_MD5_MD5_H

#include <stddef.h>
#include <stdint.h>

#define MD5_BLOCK_BYTES 64
#define MD5_DIGEST_BYTES 16

struct md5 {
    uint32_t state[4];                /* A, B, C, D of the RFC */
    uint64_t length_bytes;            /* fed so far; modulo 2^61, as the RFC counts bits mod 2^64 */
    uint8_t pending[MD5_BLOCK_BYTES]; /* the last length_bytes % 64 bytes: no whole block yet */
};

/* Starts a message. */
void md5_init(struct md5 *md5);

/* Appends bytes to the message, at any address; calls may cut the message anywhere. */
void md5_update(struct md5 *md5, const void *bytes, size_t length_bytes);

/* Ends the message and writes its digest; *md5 then needs md5_init. */
void md5_final(struct md5 *md5, uint8_t digest[MD5_DIGEST_BYTES]);

#endif
