/* SPDX-License-Identifier: MIT */
/*
 * One model call without a conversation (A1, A4): an instruction of the deployment
 * by name, the caller's input and, with a JSON Schema, a typed answer that is
 * validated before it is passed on.
 */
#include "api/api.h"

#include "domain/auto.h"
#include "setting/setting.h"
#include "api/scope.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/fields.h"
#include "base/limits.h"
#include "places.h"
#include "schema/schema.h"
#include "turn/ask.h"

#include "base/banned.h"

struct complete_body {
	struct str input, prompt;
	json_t *schema;
};

/* The whole completion; lives in the arena until the usage is recorded. */
struct complete {
	struct complete_body body;
	bool has_prompt;
	struct prompt_text prompt;
	struct prompt_reply reply;
};

/* After the answer: records the usage, also after a failure. */
static void record_usage(struct request *rq)
{
	const struct complete *c = rq->after_ctx;

	prompt_ask_record(rq->app->db, &rq->by.owner, &c->reply);
}

static int read_body(struct request *rq, struct complete *c, struct err *e)
{
	const struct field fields[] = {
		{ .key = "input", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED | FIELD_FILLED,
		  .max_chars = (size_t)rq->conf->limits.message_chars,
		  .offset = offsetof(struct complete_body, input) },
		{ .key = "prompt", .type = FIELD_TEXT, .flags = FIELD_NULLABLE,
		  .max_chars = LIM_SLUG_BYTES,
		  .offset = offsetof(struct complete_body, prompt) },
		{ .key = "schema", .type = FIELD_OBJECT,
		  .flags = FIELD_NULLABLE,
		  .offset = offsetof(struct complete_body, schema) },
	};
	const struct prompt *p;
	struct err inner = ERR_INIT;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &c->body,
			sizeof(c->body), e) < 0)
		return -1;
	if (c->body.schema && schema_supported(c->body.schema, &inner) < 0)
		return err_field(e, ERR_INVALID_FIELD, "schema", "%s",
				 inner.text);
	if (!c->body.prompt.p)
		return 0;
	p = catalog_prompt(rq->conf, c->body.prompt);
	if (!p)
		return err_field(e, ERR_INVALID_FIELD, "prompt",
				 "There is no prompt of that name.");
	c->has_prompt = true;
	c->prompt = (struct prompt_text){ p->name, p->version, p->text };
	return 0;
}

/* A service that can chat; NULL: e is set. */
static const struct llm_service *service_for(struct request *rq,
					     const struct workspace *ws,
					     const struct complete *c,
					     struct err *e)
{
	struct target t = target_of(rq->conf, ws, NULL);
	struct auto_facts f = {
		.task = AUTO_COMPLETE, .who = rq->by.who,
		.tokens = llm_estimate_tokens(c->body.input),
		.now_us = clock_now_us(),
	};

	if (target_settle(&rq->by, &t, rq->arena, e) < 0)
		return NULL;
	f.zone = str_of(setting_get(SETTING_TIME_ZONE, &(struct setting_scope){
		.conf = rq->conf, .values = rq->by.settings }).text);
	if (t.automatic)
		t.service = auto_select(rq->conf, ws, &f, rq->arena).service;
	return target_can_chat(&t, e) == 0 ? t.service : NULL;
}

/*
 * POST /chat/{w}/complete {input, prompt?, schema?}: 200 {output, model,
 * finishReason, usage}. prompt names an instruction of prompts.d; output is text
 * or, with schema, a value that matches it. 422 for an unknown prompt or a schema
 * with keywords that cannot be checked; 502 upstream_protocol if the model's answer
 * does not match even after one repair; 503 overloaded if this process ends before
 * the answer is complete. Only a usage record is stored.
 */
int api_chat_complete(struct request *rq, struct response *rs, struct err *e)
{
	struct complete *c = arena_new(rq->arena, struct complete);
	struct prompt_reply *r = &c->reply;
	const struct workspace *ws;
	struct prompt_ask q = {
		.kind = USAGE_COMPLETE,
		.layer = "complete", .max_bytes = LIM_ANSWER_BYTES,
	};
	struct jw w;
	int rc;

	ws = scope_workspace(rq, route_arg(rq, "workspace"), e);
	if (!ws || read_body(rq, c, e) < 0)
		return -1;
	if (!policy_may_ask(rq->by.who, str_of(ws->id), STR("")))
		return err_public(e, ERR_FORBIDDEN, "This token can only talk with its "
				  "agents.");
	q.service = service_for(rq, ws, c, e);
	if (!q.service)
		return -1;
	if (rq->brief)
		return places_refuse(e);
	q.prompt = c->has_prompt ? &c->prompt : NULL;
	q.input = c->body.input;
	q.schema = c->body.schema;
	rc = turn_ask(&rq->app->deps, NULL, &q, rq->arena, r, e);
	r->usage.workspace_id = str_of(ws->id);
	rq->after = record_usage;
	rq->after_ctx = c;
	if (r->interrupted) {
		err_clear(e);
		e->retry_after_s = 2;
		return err_public(e, ERR_OVERLOADED, "The server is being "
				  "restarted; try again in a moment.");
	}
	if (rc < 0)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_key(&w, "output");
	if (r->value)
		jw_json(&w, r->value);
	else
		jw_str(&w, r->text);
	jw_kstr(&w, "model", r->usage.model);
	jw_kstrz(&w, "finishReason", llm_stop_name(r->stop));
	jw_key(&w, "usage");
	jw_obj(&w);
	llm_usage_members(&w, &r->spent);
	jw_end_obj(&w);
	jw_end_obj(&w);
	return 0;
}
