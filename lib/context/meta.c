/* SPDX-License-Identifier: MIT */
#include "context/meta.h"

#include "base/json.h"
#include "llm/llm.h"
#include "store/message.h"

#include "base/banned.h"

static bool same_origin(const json_t *meta, const struct llm_service *s)
{
	const json_t *origin = jx_obj(meta, "origin");

	return str_is(jx_str(origin, "provider"), s->provider) &&
	       str_is(jx_str(origin, "model"), s->model);
}

static void read_calls(struct arena *a, const json_t *meta, bool ours,
		       struct meta_row *out)
{
	const json_t *list = jx_arr(meta, "toolCalls"), *c;
	size_t i;

	out->calls = arena_zalloc(a, json_array_size(list) + 1,
				  sizeof(*out->calls));
	json_array_foreach((json_t *)list, i, c) {
		const json_t *args = json_object_get(c, "args");
		struct llm_tool_call *call = &out->calls[out->n_calls];

		call->id = jx_str(c, "callId");
		call->name = jx_str(c, "toolName");
		if (call->id.n == 0 || call->name.n == 0)
			continue;
		/* Providers refuse arguments that are not a JSON object. */
		call->args = json_is_object(args) ? str_of(jx_text(a, args))
						  : STR("{}");
		call->opaque = ours ? json_object_get(c, "opaque") : NULL;
		out->n_calls++;
	}
}

/*
 * An answer that succeeded needs nothing of its metadata but its origins, which
 * whose_write puts first: skip parsing. Origins of a message are those of the prompt
 * that it was made from, or come first, too: somebody else's words (api/shared.c).
 */
static bool is_plain(const struct message *m)
{
	if (m->meta.n == 0 || m->role == ROLE_SYSTEM)
		return true;
	if (str_starts(m->meta, STR("{\"origins\":")))
		return false;
	if (m->role == ROLE_USER)
		return !m->options.prompt_id.p;
	return m->kind == KIND_ANSWER && !str_is(m->finish_reason, "error");
}

/* Rows of versions without the column have their kind in the metadata. */
static void read_kind(const struct message *m, const json_t *meta,
		      struct meta_row *out)
{
	struct str how = m->kind ? m->finish_reason
				 : jx_str(meta, "finish_reason");

	out->step = m->kind ? m->kind == KIND_STEP
			    : m->role == ROLE_ASSISTANT &&
			      jx_bool(meta, "step", false);
	out->failed = str_is(how, "error");
}

void history_meta(struct arena *a, const struct llm_service *service,
	       const struct message *m, struct meta_row *out)
{
	struct err ignored = ERR_INIT;
	json_t *meta;
	bool ours;

	*out = (struct meta_row){ .step = false };
	if (is_plain(m))
		return;
	meta = jx_keep(a, jx_load_lenient(m->meta, &ignored));
	if (!meta)
		return;
	out->call_id = jx_str(meta, "callId");
	out->tool_name = jx_str(meta, "toolName");
	out->is_error = jx_bool(meta, "isError", false);
	out->untrusted = jx_bool(meta, "untrusted", false);
	out->origins = jx_arr(meta, "origins");
	if (jx_obj(meta, "editedArgs"))
		out->edited = str_of(jx_text(a, jx_obj(meta, "editedArgs")));
	read_kind(m, meta, out);
	out->error_message = jx_str(jx_obj(meta, "error"), "message");
	if (!out->step)
		return;
	ours = same_origin(meta, service);
	read_calls(a, meta, ours, out);
	if (ours)
		out->replay = json_object_get(meta, "replay");
}
