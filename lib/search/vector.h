/*
 * Vectors: float32 of length 1, the order of the machine (all that Debian builds for
 * are little-endian), and their sign bits. Two vectors that are near have most signs
 * in common, so a scan over bits, 32 times smaller, finds the candidates whose exact
 * product decides.
 */
#ifndef SEARCH_VECTOR_H
#define SEARCH_VECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "search/rank.h"

enum {
	VECTOR_BLOCK = 1024,	/* vectors whose bits are in one row */
};

/* Bytes of the bits of one: a multiple of 8. */
size_t vector_bits_bytes(int dimension);

/*
 * Makes v's length 1. ERR_INVALID_FIELD when it is zero or has a value that is no
 * finite number.
 */
int vector_normalise(float *v, int dimension, struct err *e) MUST_CHECK;

/* The signs of v, vector_bits_bytes of them. */
void vector_signs(const float *v, int dimension, uint64_t *bits);

/* The product of two: their cosine. x need not be aligned. */
float vector_dot(const float *v, const void *x, int dimension);

/*
 * Offers n vectors to best (rank_offer) by the signs that they share with the
 * question: score is minus the number that differ. words: of 64 bits, per vector.
 * keep is asked about those that would be among the best; false: it is left out.
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
