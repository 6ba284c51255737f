/* SPDX-License-Identifier: MIT */
#include "llm/models.h"

#include <string.h>

#include "base/json.h"
#include "base/limits.h"

#include "base/banned.h"

static const char *const context_keys[] = {
	"context_length", "max_context_length", "context_window",
	"max_model_len", "max_input_tokens",
};

static int64_t context_tokens(const json_t *m)
{
	for (size_t i = 0; i < ARRAY_LEN(context_keys); i++) {
		const json_t *v = json_object_get(m, context_keys[i]);

		if (json_is_integer(v) && json_integer_value(v) > 0)
			return json_integer_value(v);
	}
	return 0;
}

/* list may be NULL: then nothing is known. */
static enum llm_can listed(const json_t *list, const char *word)
{
	json_t *v;
	size_t i;

	if (!json_is_array(list))
		return LLM_CAN_UNKNOWN;
	json_array_foreach(list, i, v)
		if (json_is_string(v) && !strcmp(json_string_value(v), word))
			return LLM_CAN_SURELY;
	return LLM_CAN_NOT;
}

static enum llm_can declared(const json_t *flag)
{
	return !json_is_boolean(flag) ? LLM_CAN_UNKNOWN
		: json_is_true(flag) ? LLM_CAN_SURELY : LLM_CAN_NOT;
}

static void read_abilities(struct llm_model *to, const json_t *m)
{
	const json_t *caps = json_object_get(m, "capabilities");
	const json_t *form = jx_obj(m, "architecture");

	if (json_is_object(caps)) {
		to->tools = declared(json_object_get(caps, "function_calling"));
		to->vision = declared(json_object_get(caps, "vision"));
		return;
	}
	to->tools = listed(json_is_array(caps) ? caps
			   : jx_arr(m, "supported_parameters"), "tools");
	to->vision = json_is_array(caps) ? listed(caps, "vision")
		: listed(jx_arr(form, "input_modalities"), "image");
}

static struct str model_id(const json_t *m)
{
	struct str id = jx_str(m, "id");

	if (!id.n)
		id = jx_str(m, "name");
	/* Gemini's list has "models/NAME"; its chat takes either. */
	if (str_starts(id, STR("models/"))) {
		id.p += 7;
		id.n -= 7;
	}
	return id;
}

/* False: an entry that cannot be chosen. */
static bool read_model(struct llm_model *to, const json_t *m, struct arena *a)
{
	struct str id = model_id(m), name = jx_str(m, "display_name");

	if (!id.n || id.n > LIM_MODEL_BYTES)
		return false;
	if (!name.n)
		name = jx_str(m, "name");
	if (!name.n || name.n > LIM_MODEL_BYTES ||
	    str_starts(name, STR("models/")))
		name = id;
	*to = (struct llm_model){
		.id = arena_str(a, id).p, .name = arena_str(a, name).p,
		.context_tokens = context_tokens(m),
	};
	read_abilities(to, m);
	return true;
}

bool llm_models_read(struct str body, struct arena *a, struct llm_models *out)
{
	struct err ignored = ERR_INIT;
	json_auto_t *j = jx_load_lenient(body, &ignored);
	const json_t *list = jx_arr(j, "data") ? jx_arr(j, "data")
		: jx_arr(j, "models");
	size_t n = MIN(json_array_size(list), LIM_MODELS);
	struct llm_model *rows;

	*out = (struct llm_models){ .n = 0 };
	if (!list)
		return false;
	rows = arena_zalloc(a, n + 1, sizeof(*rows));
	for (size_t i = 0; i < n; i++)
		if (read_model(&rows[out->n], json_array_get(list, i), a))
			out->n++;
	out->rows = rows;
	out->cut = json_array_size(list) > n;
	return true;
}

const struct llm_model *llm_models_find(const struct llm_models *m,
					const char *model)
{
	size_t n = strlen(model);

	for (size_t i = 0; i < m->n; i++) {
		const char *id = m->rows[i].id;

		if (!strncmp(id, model, n) &&
		    (!id[n] || !strcmp(id + n, ":latest")))
			return &m->rows[i];
	}
	return NULL;
}
