/* SPDX-License-Identifier: MIT */
/*
 * The origin of a text: the user, a tool, or the model. A text that the model
 * made up may come back in a result, from a service that echoes its input or an
 * error that quotes it; it is still the model's.
 */
#include "context/text_origin.h"

#include "context/context.h"

#include "base/banned.h"

static bool holds(struct str s, struct str text)
{
	return s.n >= text.n && memmem(s.p, s.n, text.p, text.n);
}

/* Searches keys and strings in their decoded form, without JSON escapes. */
static bool json_holds(const json_t *j, struct str text)
{
	const char *key;
	json_t *sub;
	size_t i;

	if (json_is_string(j))
		return str_holds_any_case((struct str){ json_string_value(j),
				      json_string_length(j) }, text);
	json_object_foreach((json_t *)j, key, sub)
		if (str_holds_any_case(str_of(key), text) || json_holds(sub, text))
			return true;
	json_array_foreach((json_t *)j, i, sub)
		if (json_holds(sub, text))
			return true;
	return false;
}

static bool call_holds(const struct llm_tool_call *c, struct str text)
{
	struct err ignored = ERR_INIT;
	json_auto_t *j = jx_load_lenient(c->args, &ignored);

	return str_holds_any_case(c->name, text) ||
	       str_holds_any_case(c->args, text) || json_holds(j, text);
}

static bool model_says(const struct llm_message *m, struct str text)
{
	for (size_t i = 0; i < m->n_calls; i++)
		if (call_holds(&m->calls[i], text))
			return true;
	return str_holds_any_case(m->text, text);
}

struct finding {
	bool by_user;
	bool by_model;		/* ever */
	bool by_tool;		/* before the model did */
};

/* The task of a nested agent comes from the model that calls it. */
static struct finding find_text(const struct context *cx, struct str text)
{
	struct finding f = { .by_user = false };

	for (size_t i = 0; i < cx->n_messages; i++) {
		const struct llm_message *m = &cx->messages[i];

		if (m->role == LLM_TOOL)
			f.by_tool |= !f.by_model && holds(m->text, text);
		else if (m->role == LLM_USER && !cx->outer)
			f.by_user |= holds(m->text, text);
		else
			f.by_model |= model_says(m, text);
	}
	return f;
}

bool context_from_others(const struct context *cx, struct str text)
{
	bool by_tool = false, by_user = false;

	/* Innermost first: the outer messages are older. */
	for (; cx; cx = cx->outer) {
		struct finding f = find_text(cx, text);

		by_tool = f.by_tool || (by_tool && !f.by_model);
		by_user |= f.by_user;
	}
	return by_user || by_tool;
}
