/* SPDX-License-Identifier: MIT */
/*
 * Metadata of message rows. Clients read it (docs/turn.md
 * lists the members), so the names are the wire's. The kind of a row is in its
 * columns: metadata contains untrusted text, which may imitate anything.
 */
#include "turn/meta.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "context/cite.h"
#include "turn/loop.h"
#include "turn/operation.h"
#include "context/whose.h"

#include "base/banned.h"

enum { REASONING_BYTES = 65536 };	/* stored of a step's reasoning */

enum { META_BYTES = 4 * 1048576 + LIM_UNSTORED_BYTES };

static struct str take_text(struct turn_loop *l, struct buf *b)
{
	struct str s = arena_str(l->arena, buf_str(b));

	buf_release(b);
	return s;
}

static void write_reasoning(struct turn_loop *l, struct jw *w)
{
	struct str s = buf_str(&l->step.reasoning);

	if (s.n == 0)
		return;
	if (s.n > REASONING_BYTES) {
		s.n = REASONING_BYTES;
		s.n = utf8_complete(s);
	}
	jw_kstr(w, "reasoning", s);
}

/*
 * Writes args as JSON if they are; otherwise as a string, so that they can be
 * shown and sent back as the model wrote them.
 */
static void write_call(const struct turn_loop *l, struct jw *w,
		       const struct turn_call *c)
{
	struct str title = tool_set_title(&l->context.tools, c->name);

	jw_obj(w);
	jw_kstr(w, "callId", c->id);
	jw_kstr(w, "toolName", c->name);
	if (title.n)
		jw_kstr(w, "title", title);
	jw_key(w, "args");
	if (c->bad_args)
		jw_str(w, c->args);
	else
		jw_raw(w, c->args);
	if (c->opaque) {
		jw_key(w, "opaque");
		jw_json(w, c->opaque);
	}
	jw_end_obj(w);
}

static bool has_opaque(const struct turn_step *s)
{
	for (size_t i = 0; i < s->n_calls; i++)
		if (s->calls[i].opaque)
			return true;
	return s->replay != NULL;
}

struct str meta_step(struct turn_loop *l)
{
	struct buf b = BUF_INIT(META_BYTES);
	struct jw w = jw_on(&b);

	jw_obj(&w);
	whose_write(&l->context, &w);
	jw_kbool(&w, "step", true);
	jw_key(&w, "toolCalls");
	jw_arr(&w);
	for (size_t i = 0; i < l->step.n_calls; i++)
		write_call(l, &w, &l->step.calls[i]);
	jw_end_arr(&w);
	write_reasoning(l, &w);
	if (has_opaque(&l->step)) {
		jw_key(&w, "origin");
		jw_obj(&w);
		jw_kstrz(&w, "provider", l->run->in.target.service->provider);
		jw_kstrz(&w, "model", l->run->in.target.service->model);
		jw_end_obj(&w);
	}
	if (l->step.replay) {
		jw_key(&w, "replay");
		jw_json(&w, l->step.replay);
	}
	jw_end_obj(&w);
	return take_text(l, &b);
}

/* Writes the final state of the call's `tool-progress` events. */
static void write_lines(struct jw *w, const struct turn_line *line)
{
	jw_key(w, "steps");
	jw_arr(w);
	for (; line; line = line->next) {
		jw_obj(w);
		jw_kstrz(w, "toolName", line->tool);
		jw_kstrz(w, "text", line->text);
		jw_kbool(w, "isError", line->is_error);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

/* Writes [{changeId, action, entityType, …}] of a call, for its row. */
static void operation_write_changes(struct jw *w, const struct turn_call *c)
{
	jw_arr(w);
	for (const struct resource_changed *m = c->changes.first; m; m = m->next) {
		jw_obj(w);
		jw_kuuid(w, "changeId", &m->id);
		jw_kstr(w, "action", m->verb);
		jw_kstrz(w, "entityType", m->kind);
		jw_kuuid(w, "entityId", &m->row_id);
		jw_kuuid(w, "projectId", &m->top_id);
		jw_kstr(w, "title", m->title);
		jw_kint(w, "version", m->number);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

struct str meta_tool(struct turn_loop *l, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(&l->context.tools, c->name);
	struct buf b = BUF_INIT(META_BYTES);
	struct jw w = jw_on(&b);

	jw_obj(&w);
	jw_kstr(&w, "callId", c->id);
	jw_kstr(&w, "toolName", c->name);
	jw_kbool(&w, "isError", c->result.is_error);
	jw_kint(&w, "durationMs", c->result.duration_ms);
	if (o && o->tool->effect != TOOL_READ)
		jw_kstrz(&w, "effect", tool_effect_name(o->tool->effect));
	if (c->result.truncated)
		jw_kbool(&w, "truncated", true);
	if (c->untrusted)
		jw_kbool(&w, "untrusted", true);
	if (c->from.n) {
		jw_key(&w, "origins");
		origins_write(&w, &c->from);
	}
	if (c->row && c->row->kind == WAIT_APPROVAL)
		jw_kuuid(&w, "approvalId", &c->row->id);
	if (c->edited.n) {
		jw_key(&w, "editedArgs");
		jw_raw(&w, c->edited);
	}
	if (c->lines)
		write_lines(&w, c->lines);
	if (c->changes.first) {
		jw_key(&w, "changes");
		operation_write_changes(&w, c);
	}
	jw_end_obj(&w);
	return take_text(l, &b);
}

static void write_usage(struct jw *w, const struct llm_usage *u)
{
	jw_key(w, "usage");
	jw_obj(w);
	llm_usage_members(w, u);
	if (u->estimated)
		jw_kbool(w, "estimated", true);
	jw_end_obj(w);
}

struct str meta_answer(struct turn_loop *l, const char *finish_reason,
		       const struct err *why, struct str unstored)
{
	const struct llm_service *s = l->run->in.target.service;
	struct buf b = BUF_INIT(META_BYTES);
	struct jw w = jw_on(&b);

	jw_obj(&w);
	whose_write(&l->context, &w);
	jw_kstr(&w, "model", l->served.model.n ? l->served.model : str_of(s->model));
	jw_kstrz(&w, "provider", s->provider);
	if (l->run->in.options.answer_agent.p) {
		jw_kstrz(&w, "agentId", l->run->in.target.agent->id);
		jw_kstrz(&w, "agentName", l->run->in.target.agent->name);
	}
	jw_kstrz(&w, "finish_reason", finish_reason);
	cite_write_meta(&l->context, &w);
	if (l->served.model_calls)
		write_usage(&w, &l->served.usage);
	if (l->served.capped)
		jw_kbool(&w, "capped", true);
	if (l->log.mode)
		jw_kstrz(&w, "mode", tool_mode_name(l->log.mode));
	if (why) {
		jw_key(&w, "error");
		jw_obj(&w);
		jw_kstrz(&w, "code", err_row(why)->code);
		jw_kstrz(&w, "message", err_message(why));
		jw_kbool(&w, "retryable", err_row(why)->retryable);
		jw_end_obj(&w);
	}
	if (unstored.p)
		jw_kbool(&w, "stored", false);
	if (unstored.n)
		jw_kstr(&w, "unstored", unstored);
	write_reasoning(l, &w);
	jw_end_obj(&w);
	return take_text(l, &b);
}
