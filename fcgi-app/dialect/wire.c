#include "dialect/wire.h"

#include <sodium.h>

#include "tool/core/tool.h"

#include "base/banned.h"

void wire_foreign(struct jw *w, struct str text)
{
	json_t *j = jx_try(text);
	size_t start = w->b->n;

	if (!j) {
		j = jx_string(text);
		jw_json(w, j);
		json_decref(j);
		return;
	}
	json_decref(j);
	jw_raw(w, text);
	for (size_t i = start; i < w->b->n; i++)
		if (w->b->p[i] == '\n' || w->b->p[i] == '\r')
			w->b->p[i] = ' ';
}

void wire_object(struct jw *w, struct str text)
{
	json_t *j = jx_try(text);

	if (json_is_object(j))
		jw_json(w, j);
	else
		jw_raw(w, STR("{}"));
	json_decref(j);
}

void wire_result(struct jw *w, const struct turn_event *ev)
{
	if (ev->result_json && ev->result.n)
		wire_foreign(w, ev->result);
	else
		jw_str(w, ev->result.p ? ev->result : STR(""));
}

void wire_tool_progress(struct jw *w, const struct turn_event *ev)
{
	jw_kstr(w, "callId", ev->call_id);
	jw_kstr(w, "toolName", ev->tool_name);
	jw_kstr(w, "status", ev->code);
	if (ev->text.n)
		jw_kstr(w, "text", ev->text);
}

/* -- what a turn waits for -------------------------------------------------- */

const char *wire_digest(const struct turn_wait *wait,
			char out[WIRE_DIGEST_CHARS + 1])
{
	return sodium_bin2hex(out, WIRE_DIGEST_CHARS + 1,
			      (const unsigned char *)wait->digest.p,
			      MIN(wait->digest.n, WAIT_DIGEST_BYTES));
}

/* Options get the letters A, B, C, …, which is what the user answers with. */
static void question_members(struct jw *w, const struct turn_wait *wait)
{
	struct err ignored = ERR_INIT;
	json_t *j = jx_load_lenient(wait->args, &ignored);
	const json_t *options = jx_arr(j, "options"), *o;
	struct str question = jx_str(j, "question");
	size_t i;

	jw_kstr(w, "question", question.p ? question : STR(""));
	jw_key(w, "options");
	jw_arr(w);
	json_array_foreach((json_t *)options, i, o) {
		const char id[2] = { (char)('A' + i), '\0' };

		jw_obj(w);
		jw_kstrz(w, "id", id);
		jw_kstr(w, "label", (struct str){ json_string_value(o),
						  json_string_length(o) });
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_kbool(w, "allowOther", jx_bool(j, "allow_other", true));
	json_decref(j);
}

void wire_origins(struct jw *w, struct str stored)
{
	struct origins o = { .n = 0 };

	origins_parse(&o, stored);
	origins_write(w, &o);
}

static void approval_members(struct jw *w, const struct turn_wait *wait)
{
	char digest[WIRE_DIGEST_CHARS + 1];

	jw_kstrz(w, "effect", tool_effect_name(wait->effect));
	jw_key(w, "arguments");
	wire_foreign(w, wait->args);
	jw_kbool(w, "editable", wait->flags & WAIT_EDITABLE);
	jw_kbool(w, "rememberable", wait->flags & WAIT_REMEMBER);
	jw_kstr(w, "reason", wait->reason);
	jw_key(w, "origins");
	wire_origins(w, wait->origins);
	jw_kstrz(w, "digest", wire_digest(wait, digest));
}

void wire_wait_members(struct jw *w, const struct turn_wait *wait)
{
	jw_kstrz(w, "type", wait_kind_name((enum wait_kind)wait->kind));
	if (wait->kind == WAIT_APPROVAL)
		jw_kuuid(w, "approvalId", &wait->id);
	jw_kuuid(w, "turnId", &wait->turn_id);
	jw_kuuid(w, "conversationId", &wait->conversation_id);
	jw_kstr(w, "toolCallId", wait->call_id);
	jw_kstr(w, "tool", wait->tool);
	if (wait->kind == WAIT_APPROVAL)
		approval_members(w, wait);
	else if (wait->kind == WAIT_QUESTION)
		question_members(w, wait);
	else {
		jw_key(w, "arguments");
		wire_foreign(w, wait->args);
	}
	jw_ktime(w, "expiresAt", wait->expires_us);
}

void wire_wait(struct jw *w, const struct turn_wait *wait)
{
	jw_obj(w);
	wire_wait_members(w, wait);
	jw_end_obj(w);
}

void wire_message(struct jw *w, const struct turn_event *ev,
		  const struct dialect_state *st)
{
	struct message_scope scope = {
		.workspace_id = str_of(ev->run->in.workspace->id),
		.agent_id = str_of(ev->run->in.agent->id),
		.conversation_id = ev->run->conversation_id,
		.style = st->style,
	};

	message_write(w, &scope, ev->message);
}

void wire_answer_read(struct wire_answer *a, const struct message *m)
{
	struct err ignored = ERR_INIT;
	const json_t *error;

	*a = (struct wire_answer){ .finish_reason = STR("stop") };
	if (m->meta.n)
		a->meta = jx_load_lenient(m->meta, &ignored);
	if (!a->meta)
		return;
	if (jx_str(a->meta, "finish_reason").n)
		a->finish_reason = jx_str(a->meta, "finish_reason");
	a->model = jx_str(a->meta, "model");
	a->usage = jx_obj(a->meta, "usage");
	error = jx_obj(a->meta, "error");
	a->error_code = jx_str(error, "code");
	a->error_message = jx_str(error, "message");
	a->retryable = jx_bool(error, "retryable", false);
}

bool wire_cut_short(const struct wire_answer *a)
{
	return str_is(a->finish_reason, "cancelled") ||
		str_is(a->finish_reason, "interrupted");
}

void wire_answer_release(struct wire_answer *a)
{
	json_decref(a->meta);
	a->meta = NULL;
}

struct str wire_unsaid(const struct turn_event *ev,
		       const struct dialect_state *st)
{
	return st->said ? STR("") : ev->message->content;
}
