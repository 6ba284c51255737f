/* SPDX-License-Identifier: MIT */
#include "dialect/wire.h"

#include <sodium.h>
#include <string.h>

#include "prompt/part.h"
#include "tool/core/tool.h"
#include "context/place.h"

#include "base/banned.h"

struct str wire_line(struct str frame, const char *name)
{
	size_t n = strlen(name);

	while (frame.n) {
		struct str line = str_cut(&frame, '\n');

		if (line.n > n + 1 && memcmp(line.p, name, n) == 0)
			return (struct str){ line.p + n + 2, line.n - n - 2 };
	}
	return (struct str){ NULL, 0 };
}

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

void wire_session(struct jw *w, const struct turn_run *run)
{
	jw_obj(w);
	jw_kuuid(w, "conversationId", &run->conversation_id);
	jw_kuuid(w, "turnId", &run->id);
	jw_kstrz(w, "workspaceId", run->in.target.workspace->id);
	jw_kstrz(w, "agentId", run->in.target.agent->id);
	jw_end_obj(w);
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

/* -- what a turn waits for -------------------------------------------------- */

const char *wire_digest(const struct turn_wait *wait,
			char out[WIRE_DIGEST_CHARS + 1])
{
	return sodium_bin2hex(out, WIRE_DIGEST_CHARS + 1,
			      (const unsigned char *)wait->digest.p,
			      MIN(wait->digest.n, WAIT_DIGEST_BYTES));
}

/* The ids of options are the letters A, B, C, …, with which the user answers. */
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
		.workspace_id = str_of(ev->run->in.target.workspace->id),
		.agent_id = str_of(ev->run->in.target.agent->id),
		.conversation_id = ev->run->conversation_id,
		.style = st->style,
	};

	message_write(w, &scope, ev->message);
}

/* -- an event from its fields ------------------------------------------------ */

/* The value of a field, written according to its kind. */
static void put_id(struct jw *w, enum turn_field_kind kind,
		   const struct turn_run *run)
{
	if (kind == TURN_FIELD_CONVERSATION)
		jw_uuid(w, &run->conversation_id);
	else if (kind == TURN_FIELD_TURN)
		jw_uuid(w, &run->id);
	else if (kind == TURN_FIELD_WORKSPACE)
		jw_str(w, str_of(run->in.target.workspace->id));
	else
		jw_str(w, str_of(run->in.target.agent->id));
}

static void put_waits(struct jw *w, const struct turn_event *ev)
{
	jw_arr(w);
	for (size_t i = 0; i < ev->n_waits; i++)
		wire_wait(w, &ev->waits[i]);
	jw_end_arr(w);
}

/* The tokens of each part of the context that is present. */
static void put_parts(struct jw *w, const struct part_share *parts)
{
	jw_arr(w);
	for (int i = 0; parts && i < PART__MAX; i++) {
		if (!parts[i].tokens && !parts[i].cut)
			continue;
		jw_obj(w);
		jw_kstrz(w, "part", part_rows[i].layer);
		jw_kint(w, "tokens", parts[i].tokens);
		jw_kbool(w, "cut", parts[i].cut);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void put_value(struct jw *w, const struct turn_event *ev,
		      const struct turn_event_field *f,
		      const struct dialect_state *st)
{
	const char *at = (const char *)ev + f->offset;
	const struct turn_options *o = &ev->run->in.options;
	struct str text = { NULL, 0 };

	if (f->kind <= TURN_FIELD_TEXT_IF_ANY || f->kind == TURN_FIELD_JSON ||
	    f->kind == TURN_FIELD_OBJECT)
		text = *(const struct str *)(const void *)at;
	switch (f->kind) {
	case TURN_FIELD_TEXT:
	case TURN_FIELD_TEXT_OR_NONE:
	case TURN_FIELD_TEXT_IF_ANY:
		if (text.p)
			jw_str(w, text);
		else
			jw_null(w);
		break;
	case TURN_FIELD_INT:
		jw_int(w, *(const int64_t *)(const void *)at);
		break;
	case TURN_FIELD_BOOL:
		jw_bool(w, *(const bool *)at);
		break;
	case TURN_FIELD_JSON:
		wire_foreign(w, text.n ? text : STR("{}"));
		break;
	case TURN_FIELD_OBJECT:
		wire_object(w, text);
		break;
	case TURN_FIELD_RESULT:
		wire_result(w, ev);
		break;
	case TURN_FIELD_CONVERSATION:
	case TURN_FIELD_TURN:
	case TURN_FIELD_WORKSPACE:
	case TURN_FIELD_AGENT:
		put_id(w, f->kind, ev->run);
		break;
	case TURN_FIELD_CONTEXT_TYPE:
	case TURN_FIELD_SCOPE:
		jw_str(w, str_of(f->kind == TURN_FIELD_SCOPE ? place_scope_name(o)
				 : place_type_name(o)));
		break;
	case TURN_FIELD_PROJECT:
	case TURN_FIELD_FOCUS:
		text = f->kind == TURN_FIELD_FOCUS ? o->focus_id : o->project_id;
		if (text.n)
			jw_str(w, text);
		else
			jw_null(w);
		break;
	case TURN_FIELD_CREATED:
		jw_bool(w, ev->run->created_conversation);
		break;
	case TURN_FIELD_MESSAGE:
		wire_message(w, ev, st);
		break;
	case TURN_FIELD_WAIT:
		wire_wait(w, &ev->waits[0]);
		break;
	case TURN_FIELD_WAITS:
		put_waits(w, ev);
		break;
	case TURN_FIELD_PARTS:
		put_parts(w, ev->parts);
		break;
	}
}

static bool is_absent(const struct turn_event *ev,
		      const struct turn_event_field *f)
{
	const void *at = (const char *)ev + f->offset;

	return (f->kind == TURN_FIELD_TEXT_IF_ANY || f->kind == TURN_FIELD_TEXT_OR_NONE) &&
		((const struct str *)at)->n == 0;
}

static const struct turn_event_field *fields_of(const struct turn_event *ev)
{
	return event_table[ev->type].fields;
}

static void write_members(struct jw *w, const struct turn_event *ev,
			  const struct dialect_state *st)
{
	for (const struct turn_event_field *f = fields_of(ev); f->key; f++)
		if (!is_absent(ev, f)) {
			jw_key(w, f->key);
			put_value(w, ev, f, st);
		}
}

/* Not in a dialect whose events have a fixed form. */
static bool is_optional(const struct turn_event_field *f)
{
	return f->kind == TURN_FIELD_TEXT_IF_ANY || f->kind == TURN_FIELD_PARTS;
}

/* callId as call_id; a conversation is a session (D21). */
static void snake_key(struct jw *w, const struct turn_event_field *f)
{
	char key[40];
	size_t n = 0;

	for (const char *p = f->key; *p && n + 2 < sizeof(key); p++) {
		if (*p >= 'A' && *p <= 'Z')
			key[n++] = '_';
		key[n++] = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
	}
	key[n] = '\0';
	jw_key(w, f->kind == TURN_FIELD_CONVERSATION ? "session_id" : key);
}

void wire_snake_members(struct jw *w, const struct turn_event *ev,
			const struct dialect_state *st)
{
	for (const struct turn_event_field *f = fields_of(ev); f->key; f++)
		if (!is_optional(f) && !is_absent(ev, f)) {
			snake_key(w, f);
			put_value(w, ev, f, st);
		}
}

void wire_elements(struct jw *w, const struct turn_event *ev,
		   const struct dialect_state *st)
{
	for (const struct turn_event_field *f = fields_of(ev); f->key; f++)
		if (!is_optional(f))
			put_value(w, ev, f, st);
}

void wire_value(struct jw *w, const struct turn_event *ev,
		const struct dialect_state *st)
{
	if (event_table[ev->type].bare) {
		put_value(w, ev, fields_of(ev), st);
		return;
	}
	jw_obj(w);
	write_members(w, ev, st);
	jw_end_obj(w);
}

/* -- how a turn ended --------------------------------------------------------- */

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

struct str wire_unsent(const struct turn_event *ev,
		       const struct dialect_state *st)
{
	return st->has_text ? STR("") : ev->message->content;
}
