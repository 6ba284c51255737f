/* SPDX-License-Identifier: MIT */
/*
 * app.c - routes of the demo model.
 *
 * POST .../chat/completions, .../messages (Anthropic), .../api/chat (Ollama);
 * GET .../models, /api/tags, /api/version; and for tests GET /demo/stats and
 * GET|DELETE /demo/requests. Paths match by their end, so that any base URL
 * a provider's client is used with (/openai/v1, /api/v1, ...) works.
 */
#include "demo-llm/app.h"

#include "base/clock.h"
#include "demo-llm/converse.h"

#include <inttypes.h>
#include <string.h>

#include "base/banned.h"

#define QUOTE_BYTES 300		/* of a tool result in the default answer */

void demo_app_init(struct app *app)
{
	*app = (struct app){.recorded = json_array(), .failed = json_object()};
}

void demo_app_release(struct app *app)
{
	json_decref(app->recorded);
	json_decref(app->failed);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

static void record(struct app *app, const char *path, json_t *body)
{
	if (!app->record)
		return;
	while (json_array_size(app->recorded) >= app->record)
		json_array_remove(app->recorded, 0);
	json_array_append_new(app->recorded,
			      json_pack("{s:s,s:O}", "path", path, "body",
					body));
}

/*
 * The last script of a user's message, or NULL. Messages in a row may come as one, with
 * a blank line between; a script has none, because line ends in JSON are escaped.
 */
static const char *last_script(const char *text)
{
	static const char sign[] = "!script ", next[] = "\n\n!script ";
	const char *found = strncmp(text, sign, sizeof(sign) - 1) ? NULL
		: text + sizeof(sign) - 1;

	for (text = strstr(text, next); text; text = strstr(text + 1, next))
		found = text + sizeof(next) - 1;
	return found;
}

/*
 * The script that applies to the request, or NULL. *bad is set when there is
 * one but it cannot be read.
 */
static json_t *find_script(const struct http_req *req, struct ask *a,
			   bool *bad, struct refusal *w)
{
	long user = ask_last_user(a);
	const char *text = NULL;
	json_t *v;

	if (req->script)
		text = req->script;
	else if (converse_wants_title(a))
		return NULL;
	else if (user >= 0)
		text = last_script(a->msgs[user].text);
	if (!text && !strncmp(a->model, "script:", 7))
		text = a->model + 7;
	if (!text)
		return NULL;
	v = script_json(text, NULL, w);
	*bad = !v;
	return v ? jx_keep(a->a, v) : NULL;
}

/* Text for tool results that no script was written for. */
static void quote_results(struct plan *p, const struct ask *a)
{
	struct out o = {0};
	size_t i;

	for (i = (size_t)(ask_last_user(a) + 1); i < a->n; i++) {
		const struct msg *m = &a->msgs[i];

		if (m->role != ROLE_TOOL)
			continue;
		if (out_size(&o))
			out_puts(&o, "\n");
		out_printf(&o, "%s %s: %.*s",
			   m->tool_name ? m->tool_name : "The tool",
			   m->is_error ? "failed with" : "answered",
			   (int)strnlen(m->text, QUOTE_BYTES), m->text);
	}
	plan_text(p, PIECE_TEXT, arena_strdup(a->a, out_str(&o)));
	out_release(&o);
}

/* Does the script's fault happen this time? Counts its id. */
static bool fault_is_due(struct app *app, const struct script *s)
{
	json_int_t n;

	if (!s->fail_times)
		return s->fault.on;
	n = json_integer_value(json_object_get(app->failed, s->id));
	if (n >= s->fail_times)
		return false;
	if (json_object_size(app->failed) > APP_FAIL_IDS_MAX)
		json_object_clear(app->failed);
	json_object_set_new(app->failed, s->id, json_integer(n + 1));
	return true;
}

static int plan_scripted(struct app *app, struct reply *r, json_t *v,
			 struct refusal *w)
{
	size_t round, rounds = ask_rounds(&r->ask);
	struct script s;

	if (script_read(&s, v, w))
		return -1;
	for (round = 0; round < rounds; round++) {
		if (!s.then) {
			r->plan.rate = s.rate;
			quote_results(&r->plan, &r->ask);
			return 0;
		}
		if (script_read(&s, s.then, w))
			return -1;
	}
	s.fault.on = fault_is_due(app, &s);
	if (!s.fault.status)
		s.fault.status = 500;
	plan_script(&r->plan, &s);
	return 0;
}

static int answer_model(struct app *app, const struct http_req *req,
			struct str body, struct reply *r, struct refusal *w)
{
	struct ask *a = &r->ask;
	struct err e = ERR_INIT;
	bool bad = false;
	json_t *script;

	a->a = &r->arena;
	a->model = DEMO_MODEL;
	a->root = jx_load(body, &e);
	if (!a->root)
		return refuse(w, 400, NULL, "%s", err_message(&e));
	jx_keep(&r->arena, a->root);
	if (!json_is_object(a->root))
		return refuse(w, 400, NULL, "the body must be a JSON object");
	record(app, req->path, a->root);
	if (jx_str(a->root, "model").n)
		a->model = jx_str(a->root, "model").p;
	if (r->wire->read(a, w))
		return -1;
	script = find_script(req, a, &bad, w);
	if (bad)
		return -1;
	if (script)
		return plan_scripted(app, r, script, w);
	r->plan.rate = app->talk_rate;
	r->plan.first_byte_ms = app->talk_first_ms;
	converse(a, &r->plan);
	if (!plan_has_calls(&r->plan))
		plan_limit(&r->plan, (uint64_t)a->max_tokens);
	return 0;
}

static void plain_json(struct reply *r, struct out *o)
{
	reply_plain(r, 200, "application/json", out_str(o), out_size(o));
	out_release(o);
}

/* The routes that are not model calls. */
static int answer_other(struct app *app, const struct http_req *req,
			struct reply *r, struct refusal *w)
{
	bool get = !strcmp(req->method, "GET") || !strcmp(req->method, "HEAD");
	const char *path = req->path;
	struct out o = {0};

	if (!get && (strcmp(path, "/demo/requests") ||
		     strcmp(req->method, "DELETE")))
		return refuse(w, 405, NULL, "%s is not possible here",
			      req->method);
	if (ends_with(path, "/models")) {
		demo_wire_openai.models(&o);
	} else if (ends_with(path, "/api/tags")) {
		demo_wire_ollama.models(&o);
	} else if (ends_with(path, "/api/version")) {
		out_puts(&o, "{\"version\":\"0.0.0-demo\"}");
	} else if (!strcmp(path, "/demo/stats")) {
		out_printf(&o, "{\"requests\":%" PRIu64 ",\"open\":%" PRIu64
			   ",\"aborted\":%" PRIu64 "}", app->requests,
			   app->open, app->aborted);
	} else if (!strcmp(path, "/demo/requests")) {
		out_dump(&o, app->recorded);
		if (!get)	/* DELETE: none is lost between two requests */
			json_array_clear(app->recorded);
	} else if (!strcmp(path, "/")) {
		out_puts(&o, "{\"service\":\"lamplighter-demo-llm\",\"note\":"
			 "\"a stand-in without a language model\"}");
	} else {
		return refuse(w, 404, NULL, "Unknown request URL: %s %s",
			      req->method, path);
	}
	plain_json(r, &o);
	return 0;
}

static const struct wire *wire_of(const char *path)
{
	return ends_with(path, "/chat/completions") ? &demo_wire_openai
	     : ends_with(path, "/messages") ? &demo_wire_anthropic
	     : ends_with(path, "/api/chat") ? &demo_wire_ollama : NULL;
}

struct reply *demo_app_answer(struct app *app, const struct http_req *req,
			      struct str body, bool close, int64_t now_ns)
{
	struct reply *r = reply_new();
	struct refusal w = {0};

	r->chunked = !req->http10;
	r->close = close;
	plan_init(&r->plan, &r->arena);
	r->wire = wire_of(req->path);
	if (!r->wire) {
		if (answer_other(app, req, r, &w))
			reply_refuse(r, &w);
		return r;
	}
	app->requests++;
	r->id = mint_id(&r->arena, "", 24);
	r->created_s = clock_now_us() / 1000000;
	if (strcmp(req->method, "POST"))
		refuse(&w, 405, NULL, "use POST");
	else if (!answer_model(app, req, body, r, &w)) {
		reply_start(r, now_ns);
		return r;
	}
	reply_refuse(r, &w);
	return r;
}

struct reply *demo_app_refuse(const struct refusal *w)
{
	struct reply *r = reply_new();

	r->close = true;
	reply_refuse(r, w);
	return r;
}
