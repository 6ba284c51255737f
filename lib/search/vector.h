/* SPDX-License-Identifier: MIT */
/*
 * Vectors: float32 of length 1 in the machine's byte order (all supported machines are
 * little-endian), and their sign bits. Vectors that are close have most signs in common,
 * so a scan of the bits, which are 32 times smaller, finds candidates that are then
 * ranked by the exact dot product.
 */
#ifndef SEARCH_VECTOR_H
#define SEARCH_VECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "search/rank.h"

/* Bytes of the sign bits of one vector, a multiple of 8. */
size_t vector_bits_bytes(int dimension);

/*
 * Scales v to length 1. ERR_INVALID_FIELD if its length is 0 or a value is not a finite
 * number.
 */
int vector_normalise(float *v, int dimension, struct err *e) MUST_CHECK;

/* Writes the sign bits of v to bits, vector_bits_bytes(dimension) bytes. */
void vector_signs(const float *v, int dimension, uint64_t *bits);

/* The dot product, which is the cosine of two vectors. x need not be aligned. */
float vector_dot(const float *v, const void *x, int dimension);

/*
 * Adds n vectors to best (rank_offer) by their signs: the score is minus the number of
 * signs that differ from the query's. words: 64-bit words per vector. keep is called for
 * vectors that would be among the best; a vector is skipped if it returns false.
 */
struct vector_scan {
	const uint64_t *question;
	size_t words;
	struct rank_hit *best;
	size_t *n_best, max;
	bool (*keep)(const void *ctx, uint32_t chunk);
	const void *ctx;
};
void vector_scan(const struct vector_scan *s, const uint64_t *bits,
		 const uint32_t *chunks, size_t n);

#endif
