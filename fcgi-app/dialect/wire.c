#include "dialect/wire.h"

#include "base/banned.h"

void wire_foreign(struct jw *w, struct str text)
{
	json_t *j = json_loadb(text.p, text.n, JSON_DECODE_ANY, NULL);
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

void wire_result(struct jw *w, const struct turn_event *ev)
{
	if (ev->result_json && ev->result.n)
		wire_foreign(w, ev->result);
	else
		jw_str(w, ev->result.p ? ev->result : STR(""));
}

void wire_operation(struct jw *w, const struct turn_event *ev)
{
	jw_kstr(w, "callId", ev->call_id);
	jw_kstr(w, "toolName", ev->tool_name);
	jw_kstr(w, "status", ev->code);
	if (ev->text.n)
		jw_kstr(w, "text", ev->text);
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
