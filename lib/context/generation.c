/* SPDX-License-Identifier: MIT */
#include "context/generation.h"

#include "llm/repair.h"
#include "schema/schema.h"

#include "base/banned.h"

enum { STOP_BYTES = 1024 };

enum form { INT, REAL, BOOL, EFFORT, STOP, CHOICE, SCHEMA };

struct generation_row {
	const char *key, *theirs;
	enum form form;
	double min, max;
	const char *must;	/* "KEY must be …" */
};

enum {
	MAX_TOKENS, TEMPERATURE, TOP_P, PRESENCE, FREQUENCY, SEED, EFFORT_,
	STOP_, CHOICE_, PARALLEL, SCHEMA_, N_ROWS
};

static const struct generation_row rows[N_ROWS] = {
	[MAX_TOKENS] = { "maxTokens", "max_completion_tokens", INT, 1, 1e9,
		"an integer from 1 on" },
	[TEMPERATURE] = { "temperature", "temperature", REAL, 0, 2,
		"a number from 0 to 2" },
	[TOP_P] = { "topP", "top_p", REAL, 0, 1, "a number from 0 to 1" },
	[PRESENCE] = { "presencePenalty", "presence_penalty", REAL, -2, 2,
		"a number from -2 to 2" },
	[FREQUENCY] = { "frequencyPenalty", "frequency_penalty", REAL, -2, 2,
		"a number from -2 to 2" },
	/* 9e18 is the last round number that fits both an int64 and a double. */
	[SEED] = { "seed", "seed", INT, -9e18, 9e18, "an integer" },
	[EFFORT_] = { "reasoningEffort", "reasoning_effort", EFFORT, 0, 0,
		"none, minimal, low, medium, high, xhigh or max" },
	[STOP_] = { "stop", "stop", STOP, 0, 0,
		"a list of at most 4 texts of 1 to 1024 bytes" },
	[CHOICE_] = { "toolChoice", "tool_choice", CHOICE, 0, 0,
		"auto, none, required or one of the tools by name" },
	[PARALLEL] = { "parallelToolCalls", "parallel_tool_calls", BOOL, 0, 0,
		"true or false" },
	[SCHEMA_] = { "schema", "response_format", SCHEMA, 0, 0,
		"an object" },
};

static bool is_effort(struct str s)
{
	static const char *const known[] = {
		"none", "minimal", "low", "medium", "high", "xhigh", "max",
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(s, known[i]))
			return true;
	return false;
}

static struct str text_of(const json_t *v)
{
	return (struct str){ json_string_value(v), json_string_length(v) };
}

static bool read_stop(const json_t *v, struct llm_params *w)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)v, i, one) {
		struct str s = text_of(one);

		if (!s.n || s.n > STOP_BYTES || w->n_stop == LLM_STOPS)
			return false;
		w->stop[w->n_stop++] = s;
	}
	return json_is_array(v);
}

static bool read_choice(const json_t *v, struct generation *g)
{
	struct str how = text_of(v), name = jx_str(v, "name");

	g->no_tools = str_is(how, "none");
	if (str_is(how, "required"))
		g->params.tool_choice = LLM_CHOICE_ANY;
	if (name.n) {
		g->params.tool_choice = LLM_CHOICE_NAMED;
		g->params.tool = name;
	}
	return name.n || g->no_tools || g->params.tool_choice ||
		str_is(how, "auto");
}

static bool in_range(const struct generation_row *r, const json_t *v)
{
	double x = json_number_value(v);

	return (r->form == INT ? json_is_integer(v) : json_is_number(v)) &&
		x >= r->min && x <= r->max;
}

static bool fits(const struct generation_row *r, const json_t *v, struct generation *g)
{
	switch (r->form) {
	case INT:
	case REAL:
		return in_range(r, v);
	case BOOL:
		g->params.parallel_tools = json_is_true(v) ? 1 : -1;
		return json_is_boolean(v);
	case EFFORT:
		g->params.reasoning_effort = text_of(v);
		return is_effort(text_of(v));
	case STOP:
		return read_stop(v, &g->params);
	case CHOICE:
		return read_choice(v, g);
	case SCHEMA:
		g->schema = v;
		return json_is_object(v);
	}
	return false;
}

static int refuse(const struct generation_row *r, bool theirs, const char *must,
		  struct err *e)
{
	return theirs ? err_field(e, ERR_INVALID_FIELD, r->theirs, "%s must be "
				  "%s.", r->theirs, must)
		: err_field(e, ERR_INVALID_FIELD, "generation", "generation.%s "
			    "must be %s.", r->key, must);
}

static const struct generation_row *row_of(const char *key)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (str_is(str_of(key), rows[i].key))
			return &rows[i];
	return NULL;
}

int generation_read(const json_t *o, bool theirs, struct generation *out,
		    struct err *e)
{
	struct err wrong = ERR_INIT;
	const char *key;
	const json_t *v;

	*out = (struct generation){ .max_tokens = 0 };
	json_object_foreach((json_t *)o, key, v) {
		const struct generation_row *r = row_of(key);

		if (!r)
			return err_field(e, ERR_INVALID_FIELD, "generation",
					 "There is no generation.%.64s.", key);
		if (!json_is_null(v) && !fits(r, v, out))
			return refuse(r, theirs, r->must, e);
	}
	if (out->schema && schema_supported(out->schema, &wrong) < 0)
		return err_field(e, ERR_INVALID_FIELD,
				 theirs ? rows[SCHEMA_].theirs : "generation",
				 "The schema cannot be checked: %.180s",
				 err_message(&wrong));
	out->max_tokens = (int)jx_int(o, "maxTokens", 0);
#define REAL_OF(row_, member) \
	v = json_object_get(o, rows[row_].key); \
	out->params.set.member = json_is_number(v); \
	out->params.member = json_number_value(v)
	REAL_OF(TEMPERATURE, temperature);
	REAL_OF(TOP_P, top_p);
	REAL_OF(PRESENCE, presence_penalty);
	REAL_OF(FREQUENCY, frequency_penalty);
#undef REAL_OF
	v = json_object_get(o, "seed");
	out->params.set.seed = json_is_integer(v);
	out->params.seed = json_integer_value(v);
	return 0;
}

void generation_set(struct generation *g, const struct turn_run *t,
		    struct llm_request *r)
{
	const int own = t->in.target.service->max_output_tokens;
	struct err ignored = ERR_INIT;

	if (generation_read(t->in.options.generation, false, g, &ignored) < 0)
		return;		/* it was checked at the start */
	/* What was forced was so for the request that began the turn. */
	if (t->resumed && !t->in.options_anew)
		g->params.tool_choice = LLM_CHOICE_AUTO;
	r->params = &g->params;
	r->no_tool_calls = g->no_tools;
	r->output_schema = g->schema;
	/* A request can lower the service's limit only: an admin set it for its price. */
	if (g->max_tokens && (own <= 0 || g->max_tokens < own))
		r->max_output_tokens = g->max_tokens;
}

int generation_check(const struct generation *g, struct arena *a,
		     struct str *text, struct err *wrong)
{
	struct str value = str_trim(repair_unfenced(*text));
	json_t *v = jx_keep(a, jx_load(value, wrong));

	if (!v || schema_check(g->schema, v, wrong) < 0)
		return -1;
	*text = value;
	return 0;
}
