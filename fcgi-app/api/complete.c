/*
 * One model call without a conversation (A1, A4): the deployment's instruction
 * by name, the caller's input, and, with a JSON Schema, a typed answer that is
 * checked before it is passed on.
 */
#include "api/api.h"

#include "api/scope.h"
#include "app.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "fields.h"
#include "llm/llm.h"
#include "net/http.h"
#include "store/usage.h"
#include "tool/tool.h"
#include "turn/live.h"
#include "turn/turn.h"

#include "base/banned.h"

#define TRIES 2		/* the answer, and one repair of it */

struct complete_body {
	struct str input, prompt;
	json_t *schema;
};

/* What one model call gave. */
struct answer {
	struct buf text;
	enum llm_stop stop;
	struct str model;	/* arena */
	struct llm_usage usage;
	struct arena *arena;
	int64_t started_ms, ttft_ms;
};

/* The whole completion; lives in the arena until the usage is recorded. */
struct complete {
	const struct conf_workspace *ws;
	const struct conf_llm *service;
	const struct conf_prompt *prompt;	/* NULL = none */
	struct complete_body body;
	struct answer a;
	struct llm_usage spent;		/* of all calls */
	struct usage usage;
	struct turn_live *live;
	struct turn_live_entry entry;	/* so that a shutdown stops it */
	struct http_abort *abort;
};

static int on_event(void *ctx, const struct llm_event *ev)
{
	struct answer *a = ctx;

	switch (ev->type) {
	case LLM_EV_TEXT:
		if (a->ttft_ms < 0)
			a->ttft_ms = clock_mono_ms() - a->started_ms;
		buf_addstr(&a->text, ev->text);
		break;
	case LLM_EV_USAGE:	/* of what fails too */
		a->usage = ev->usage;
		break;
	case LLM_EV_DONE:
		a->stop = ev->stop;
		a->model = arena_str(a->arena, ev->model);
		break;
	default:
		break;
	}
	return 0;
}

/* One call; the text, stop reason and usage are in c->a. */
static int call(struct request *rq, struct complete *c, struct str input,
		struct err *e)
{
	const struct llm_message message = { .role = LLM_USER, .text = input };
	struct llm_request r = {
		.service = c->service, .messages = &message, .n_messages = 1,
		.output_schema = c->body.schema,
	};
	struct llm_io io = { .http = rq->app->http, .abort = c->abort,
			     .watch_fd = -1 };
	int rc;

	if (c->prompt)
		r.system[r.n_system++] = str_of(c->prompt->text);
	if (c->body.schema)
		r.system[r.n_system++] = str_of(arena_printf(rq->arena,
			"Answer with one JSON value that fits this JSON "
			"Schema, and with nothing else:\n%s",
			jx_text(rq->arena, c->body.schema)));
	buf_reset(&c->a.text);
	c->a.usage = (struct llm_usage)LLM_USAGE_UNKNOWN;
	rc = llm_stream(&r, &io, rq->arena, on_event, &c->a, e);
	c->usage.iterations++;
	llm_usage_add(&c->spent, &c->a.usage);
	if (rc == 0 && !buf_ok(&c->a.text))
		return err_set(e, ERR_UPSTREAM_PROTOCOL, "endless answer");
	return rc;
}

/* The text between ``` fences, which models add in spite of everything. */
static struct str unfence(struct str s)
{
	s = str_trim(s);
	if (!str_starts(s, STR("```")) || s.n < 6 ||
	    memcmp(s.p + s.n - 3, "```", 3) != 0)
		return s;
	s.n -= 3;
	str_cut(&s, '\n');
	return str_trim(s);
}

/* The answer as a value that fits the schema; NULL with e saying what not. */
static json_t *typed(struct request *rq, const struct complete *c,
		     struct err *e)
{
	json_t *v = jx_keep(rq->arena, jx_load(unfence(buf_str(&c->a.text)),
					       e));

	if (v && schema_check(c->body.schema, v, e) < 0)
		return NULL;
	return v;
}

/*
 * Calls the model until the answer fits; once more at most. The second time
 * the same input says what was wrong with the first answer.
 */
static json_t *run(struct request *rq, struct complete *c, struct err *e)
{
	struct str input = c->body.input;
	struct err wrong = ERR_INIT;

	for (int try = 0; try < TRIES; try++) {
		json_t *v;

		if (call(rq, c, input, e) < 0)
			return NULL;
		if (c->a.stop == LLM_STOP_REFUSAL ||
		    c->a.stop == LLM_STOP_FILTER) {
			err_set(e, ERR_UPSTREAM_FILTER, "%s",
				llm_stop_name(c->a.stop));
			return NULL;
		}
		if (!c->body.schema)
			return jx_keep(rq->arena,
				       jx_string(buf_str(&c->a.text)));
		err_clear(&wrong);
		v = typed(rq, c, &wrong);
		if (v)
			return v;
		input = str_of(arena_printf(rq->arena,
			"%.*s\n\nYour answer before was:\n%s\n\nIt does not fit "
			"the schema: %s Answer with the corrected JSON value "
			"only.", STR_ARG(c->body.input), c->a.text.p,
			err_message(&wrong)));
	}
	err_public(e, ERR_UPSTREAM_PROTOCOL,
		   "The model's answer does not fit the schema: %.180s",
		   err_message(&wrong));
	return NULL;
}

/* After the answer: what it cost, whether it worked or not. */
static void record(struct request *rq)
{
	struct complete *c = rq->after_ctx;
	struct owner owner = scope_owner(rq);
	struct usage *u = &c->usage;
	struct err e = ERR_INIT;
	struct buf b = BUF_INIT(1024);
	struct jw w = jw_on(&b);

	jw_arr(&w);
	if (c->prompt) {
		jw_obj(&w);
		jw_kstrz(&w, "layer", "complete");
		jw_kstrz(&w, "name", c->prompt->name);
		jw_kint(&w, "version", c->prompt->version);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	u->prompts = arena_str(rq->arena, buf_str(&b));
	if (usage_insert(rq->app->db, &owner, u, &e) < 0)
		log_err("usage not recorded", &e);
	buf_release(&b);
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
	struct err inner = ERR_INIT;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &c->body,
			sizeof(c->body), e) < 0)
		return -1;
	if (c->body.schema && schema_supported(c->body.schema, &inner) < 0)
		return err_field(e, ERR_INVALID_FIELD, "schema", "%s",
				 inner.text);
	if (!c->body.prompt.p)
		return 0;
	c->prompt = conf_prompt(rq->conf, c->body.prompt);
	if (!c->prompt)
		return err_field(e, ERR_INVALID_FIELD, "prompt",
				 "There is no prompt of that name.");
	return 0;
}

static void release(void *p)
{
	struct complete *c = p;

	turn_live_remove(c->live, &c->entry);
	http_abort_free(c->abort);
	buf_release(&c->a.text);
}

/* From here on c is released with the arena, and a shutdown can stop it. */
static int register_call(struct request *rq, struct complete *c, struct err *e)
{
	struct uuid id = uuid_new();

	c->a = (struct answer){
		.text = BUF_INIT(LIM_ANSWER_BYTES), .arena = rq->arena,
		.started_ms = clock_mono_ms(), .ttft_ms = -1,
	};
	c->live = rq->app->live;
	c->abort = http_abort_new(e);
	if (!c->abort)
		return -1;
	turn_live_add(c->live, &c->entry, &id, c->abort, true);
	arena_defer(rq->arena, release, c);
	return 0;
}

/*
 * POST /chat/{w}/complete {input, prompt?, schema?}: 200 {output, model,
 * finishReason, usage}. prompt names an instruction of prompts.d; output is
 * text, or with schema a value that fits it. 422 for an unknown prompt or a
 * schema with keywords that cannot be checked; 502 upstream_protocol when the
 * model's answer does not fit even after one repair; 503 overloaded when this
 * process ends before the answer is there. Nothing is stored but a usage record.
 */
int api_chat_complete(struct request *rq, struct response *rs, struct err *e)
{
	struct complete *c = arena_new(rq->arena, struct complete);
	struct usage *u = &c->usage;
	json_t *output;
	struct jw w;

	c->ws = scope_workspace(rq, route_arg(rq, "workspace"), e);
	if (!c->ws || read_body(rq, c, e) < 0)
		return -1;
	c->service = scope_service(rq->conf, c->ws, NULL);
	if (!c->service)
		return err_set(e, ERR_CHAT_DISABLED, "no service");
	if (llm_check_service(c->service, e) < 0)
		return -1;
	if (register_call(rq, c, e) < 0)
		return -1;
	*u = usage_init(USAGE_COMPLETE);
	c->spent = (struct llm_usage)LLM_USAGE_UNKNOWN;
	u->workspace_id = str_of(c->ws->id);
	u->provider = str_of(c->service->provider);
	output = run(rq, c, e);

	usage_count(u, &c->spent);
	u->model = c->a.model.n ? c->a.model : str_of(c->service->model);
	u->ttft_ms = c->a.ttft_ms;
	u->duration_ms = clock_mono_ms() - c->a.started_ms;
	u->finish_reason = str_of(output ? llm_stop_name(c->a.stop) : "error");
	rq->after = record;
	rq->after_ctx = c;
	if (!output && c->entry.interrupted) {
		err_clear(e);
		e->retry_after_s = 2;
		return err_public(e, ERR_OVERLOADED, "The server is being "
				  "restarted; try again in a moment.");
	}
	if (!output)
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_key(&w, "output");
	jw_json(&w, output);
	jw_kstr(&w, "model", u->model);
	jw_kstrz(&w, "finishReason", llm_stop_name(c->a.stop));
	jw_key(&w, "usage");
	jw_obj(&w);
	llm_usage_members(&w, &c->spent);
	jw_end_obj(&w);
	jw_end_obj(&w);
	return 0;
}
