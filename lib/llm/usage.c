/* SPDX-License-Identifier: MIT */
/* Counters of tokens: four disjoint ones and a part (P-D1), each known or not. */
#include <math.h>

#include "llm/llm.h"
#include "store/usage.h"

#include "base/banned.h"

static void add_known(int64_t *sum, int64_t n)
{
	if (n >= 0)
		*sum = MAX(*sum, 0) + n;
}

void llm_usage_add(struct llm_usage *sum, const struct llm_usage *u)
{
	add_known(&sum->input, u->input);
	add_known(&sum->cache_read, u->cache_read);
	add_known(&sum->cache_write, u->cache_write);
	add_known(&sum->output, u->output);
	add_known(&sum->reasoning, u->reasoning);
	if (!isnan(u->cost))
		sum->cost = (isnan(sum->cost) ? 0 : sum->cost) + u->cost;
	sum->estimated |= u->estimated;
}

void llm_usage_members(struct jw *w, const struct llm_usage *u)
{
	jw_kint_if(w, "inputTokens", u->input >= 0, u->input);
	jw_kint_if(w, "cachedTokens", u->cache_read >= 0, u->cache_read);
	jw_kint_if(w, "cacheWriteTokens", u->cache_write >= 0, u->cache_write);
	jw_kint_if(w, "outputTokens", u->output >= 0, u->output);
	jw_kint_if(w, "reasoningTokens", u->reasoning >= 0, u->reasoning);
}

int64_t llm_usage_tokens(const struct llm_usage *u)
{
	return MAX(u->input, 0) + MAX(u->output, 0) + MAX(u->cache_read, 0) +
	       MAX(u->cache_write, 0);
}

double llm_usage_cost(const struct llm_service *s, const struct llm_usage *u)
{
	double in = (double)(MAX(u->input, 0) + MAX(u->cache_read, 0) +
			     MAX(u->cache_write, 0));

	if (!s->set.price || (u->input < 0 && u->output < 0))
		return u->cost;
	return (in * s->input_price +
		(double)MAX(u->output, 0) * s->output_price) / 1e6;
}

void llm_usage_record(struct usage *out, const struct llm_service *s,
		      const struct llm_usage *u)
{
	out->service = str_of(s->id);
	out->provider = str_of(s->provider);
	if (!out->model.n)
		out->model = str_of(s->model);
	out->payer = s->payer;
	out->input_tokens = u->input;
	out->cache_read_tokens = u->cache_read;
	out->cache_write_tokens = u->cache_write;
	out->output_tokens = u->output;
	out->reasoning_tokens = u->reasoning;
	out->cost = llm_usage_cost(s, u);
	out->estimated = u->estimated;
}
