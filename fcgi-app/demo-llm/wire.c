/* SPDX-License-Identifier: MIT */
/*
 * wire.c - what the wire formats share: ids, token counts, texts of faults.
 */
#include "demo-llm/reply.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/banned.h"

/* splitmix64; ids need only look random. One thread. */
static uint64_t state;

void mint_seed(uint64_t seed)
{
	state = seed;
	while (!state)
		if (getrandom(&state, sizeof(state), 0) < 0)
			state = (uint64_t)clock_now_us();
}

static uint64_t next_random(void)
{
	uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

const char *mint_id(struct arena *a, const char *prefix, size_t n)
{
	static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz0123456789";
	size_t i, k = strlen(prefix);
	char *s = arena_alloc(a, k + n + 1);

	memcpy(s, prefix, k);
	for (i = 0; i < n; i++)
		s[k + i] = set[next_random() % (sizeof(set) - 1)];
	s[k + n] = '\0';
	return s;
}

struct counts counts_of(const struct reply *r)
{
	static const char *const neutral[] = {"input", "cached", "cache_write",
					      "output", "reasoning"};
	struct counts c = {
		.input = 3 + r->ask.n * 4 + r->ask.chars / 4,
		.output = r->plan.tokens + 1,
		.reasoning = r->plan.reasoning_tokens,
	};
	uint64_t *const at[] = {&c.input, &c.cached, &c.cache_write, &c.output,
				&c.reasoning};
	const json_t *u = r->plan.usage;
	bool known = false;
	size_t i;

	c.none = json_is_false(u);
	for (i = 0; i < ARRAY_LEN(neutral); i++) {
		json_t *v = json_object_get(u, neutral[i]);

		if (!json_is_integer(v))
			continue;
		*at[i] = (uint64_t)json_integer_value(v);
		known = true;
	}
	if (json_is_object(u) && !known)
		c.verbatim = u;
	return c;
}

bool plan_has_calls(const struct plan *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->piece[i].kind == PIECE_CALL)
			return true;
	return false;
}

const char *demo_fault_text(const struct fault *f)
{
	if (json_is_string(f->body))
		return json_string_value(f->body);
	return f->status == 429 ? "Rate limit reached for this model"
	     : f->status == 401 ? "Incorrect API key provided"
	     : f->status == 404 ? "The model does not exist"
	     : f->status == 503 || f->status == 529
			? "The server is overloaded, please try again"
			: "The server had an error processing your request";
}
