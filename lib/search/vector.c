/* SPDX-License-Identifier: MIT */
#include "search/vector.h"

#include <math.h>
#include <string.h>

#include "base/banned.h"

/* The amd64 baseline has no instruction that counts bits, but all processors of the
   last fifteen years do. */
#if defined(__x86_64__) && defined(__GNUC__)
#define COUNTS_BITS __attribute__((target("popcnt")))
#define CAN_COUNT() __builtin_cpu_supports("popcnt")
#else
#define COUNTS_BITS
#define CAN_COUNT() 0
#endif

size_t vector_bits_bytes(int dimension)
{
	return ((size_t)dimension + 63) / 64 * 8;
}

int vector_normalise(float *v, int dimension, struct err *e)
{
	double sum = 0;

	for (int i = 0; i < dimension; i++)
		sum += (double)v[i] * (double)v[i];
	if (!isfinite(sum) || sum <= 0)
		return err_set(e, ERR_INVALID_FIELD, "a vector without a length");
	for (int i = 0; i < dimension; i++)
		v[i] = (float)((double)v[i] / sqrt(sum));
	return 0;
}

void vector_signs(const float *v, int dimension, uint64_t *bits)
{
	memset(bits, 0, vector_bits_bytes(dimension));
	for (int i = 0; i < dimension; i++)
		if (v[i] > 0)
			bits[i / 64] |= UINT64_C(1) << i % 64;
}

/* Eight partial sums, which compilers turn into vector instructions. */
float vector_dot(const float *v, const void *x, int dimension)
{
	float sums[8] = { 0 }, y[8], sum = 0;
	const char *p = x;
	int i = 0;

	for (; i + 8 <= dimension; i += 8) {
		memcpy(y, p + (size_t)i * sizeof(float), sizeof(y));
		for (int k = 0; k < 8; k++)
			sums[k] += v[i + k] * y[k];
	}
	for (; i < dimension; i++) {
		memcpy(y, p + (size_t)i * sizeof(float), sizeof(float));
		sum += v[i] * y[0];
	}
	for (int k = 0; k < 8; k++)
		sum += sums[k];
	return sum;
}

#define SCAN_BODY \
	size_t words = s->words; \
	for (size_t i = 0; i < n; i++) { \
		const uint64_t *v = bits + i * words; \
		int differ = 0; \
		for (size_t k = 0; k < words; k++) \
			differ += __builtin_popcountll(s->question[k] ^ v[k]); \
		if ((*s->n_best == s->max && \
		     -(float)differ <= s->best[0].score) || \
		    !s->keep(s->ctx, chunks[i])) \
			continue; \
		rank_offer(s->best, s->n_best, s->max, \
			   (struct rank_hit){ .chunk = chunks[i], \
					   .score = -(float)differ }); \
	}

COUNTS_BITS
static void scan_fast(const struct vector_scan *s, const uint64_t *bits,
		      const uint32_t *chunks, size_t n)
{
	SCAN_BODY
}

static void scan_plain(const struct vector_scan *s, const uint64_t *bits,
		       const uint32_t *chunks, size_t n)
{
	SCAN_BODY
}

void vector_scan(const struct vector_scan *s, const uint64_t *bits,
		 const uint32_t *chunks, size_t n)
{
	if (CAN_COUNT())
		scan_fast(s, bits, chunks, n);
	else
		scan_plain(s, bits, chunks, n);
}
