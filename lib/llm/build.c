/* SPDX-License-Identifier: MIT */
/*
 * A request from neutral messages: everything before the dialect writes its
 * body, and the address and headers after it.
 */
#include "llm/build.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "llm/toolname.h"

#include "base/banned.h"

#define AZURE_VERSION "2024-10-21"
#define ANTHROPIC_VERSION "2023-06-01"

/* -- messages ------------------------------------------------------------- */

static struct build_item *push(struct build *b, enum llm_role role,
			       const struct llm_message *m, struct str text)
{
	struct build_item *it = &b->items[b->n_items++];

	*it = (struct build_item){ .role = role, .msg = m, .text = text };
	return it;
}

/* A message of an assistant that said only this, to keep the roles in turn. */
static void push_text(struct build *b, struct str text)
{
	static const struct llm_message nobody = { .role = LLM_ASSISTANT };

	push(b, LLM_ASSISTANT, &nobody, text);
}

static struct str joined(struct build *b, struct str x, struct str y)
{
	if (!x.n || !y.n)
		return x.n ? x : y;
	return str_of(arena_printf(b->a, "%.*s\n\n%.*s", STR_ARG(x),
				   STR_ARG(y)));
}

/*
 * A user's words. Neighbours become one message: the templates of many models
 * want the roles in turn, and a turn that failed or was stopped leaves a message
 * without an answer. For the same reason a user does not follow a tool.
 */
static void push_user(struct build *b, struct str text,
		      const struct llm_image *images, size_t n)
{
	struct build_item *last = b->n_items ? &b->items[b->n_items - 1] : NULL;
	struct llm_image *all;

	if (last && last->role == LLM_TOOL && !build_merges(b)) {
		push_text(b, STR("(The answer was interrupted.)"));
		last = NULL;
	}
	if (!last || last->role != LLM_USER)
		last = push(b, LLM_USER, NULL, STR(""));
	last->text = joined(b, last->text, text);
	if (last->n_images && n) {
		all = arena_alloc(b->a, (last->n_images + n) * sizeof(*all));
		memcpy(all, last->images, last->n_images * sizeof(*all));
		memcpy(all + last->n_images, images, n * sizeof(*all));
		images = all;
	}
	if (n) {
		last->images = images;
		last->n_images += n;
	}
}

/* The result of call among the tool messages from m on, or NULL. */
static const struct llm_message *result_of(const struct llm_message *m,
					   const struct llm_message *end,
					   const struct llm_tool_call *call)
{
	while (m < end && m->role == LLM_TOOL && !str_eq(m->call_id, call->id))
		m++;
	return m < end && m->role == LLM_TOOL ? m : NULL;
}

/*
 * The result of call right behind its assistant message; one is made up where
 * the history has none (P-B15).
 */
static void push_result(struct build *b, const struct llm_message *m,
			const struct llm_tool_call *call)
{
	struct build_item *it = push(b, LLM_TOOL, m, m ? m->text :
		STR("{\"error\":\"This tool call was not run.\"}"));

	it->is_error = !m || m->is_error;
	it->call_id = call->id;
	it->tool_name = call->name;
}

/* Whether the service takes tools, and so calls in the history. */
static bool takes_tools(const struct build *b)
{
	unsigned can = b->r->service->capabilities;

	return b->q.supports_tools && (!can || can & LLM_CAN_TOOLS) &&
		!(b->repair & REPAIR_TOOLS);
}

/* Blanks are no text: Anthropic refuses such a block (P-C5). */
static bool has_words(const struct llm_message *m)
{
	return str_trim(m->text).n > 0;
}

/* An assistant's step and its results. */
static void push_assistant(struct build *b, const struct llm_message *m,
			   const struct llm_message *end)
{
	struct build_item *last = b->n_items ? &b->items[b->n_items - 1] : NULL;
	bool calls = m->n_calls && takes_tools(b) &&
		build_may(b, REPAIR_ROLES);
	bool replays = m->replay && build_same_origin(b, m->replay);
	struct str text = has_words(m) ? m->text : STR("");

	if (!last && (has_words(m) || m->n_calls))
		push_user(b, STR("(Earlier messages are left out.)"), NULL, 0);
	if (last && last->role == LLM_ASSISTANT && !build_merges(b)) {
		last->text = joined(b, last->text, text);
		last->msg = m;
	} else if (text.n || calls || replays) {
		last = push(b, LLM_ASSISTANT, m, text);
	} else {
		last = NULL;
	}
	if (last && calls)
		last->n_calls = m->n_calls;
	if (calls)
		b->helps |= REPAIR_TOOLS;
	for (size_t i = 0; i < m->n_calls; i++) {
		const struct llm_tool_call *c = &m->calls[i];
		const struct llm_message *result = result_of(m + 1, end, c);

		if (calls)
			push_result(b, result, c);
		else if (result)
			push_user(b, str_of(arena_printf(b->a,
				"[Result of the tool %.*s]\n%.*s",
				STR_ARG(c->name), STR_ARG(result->text))),
				NULL, 0);
	}
}

/*
 * Orders messages as every server wants them: a user first and last (a tool
 * result may be last), roles in turn, each call answered exactly once and at once,
 * no result without its call (the start of the history may have been cut there),
 * no empty message (P-C5), no system message in the middle.
 */
static void collect(struct build *b)
{
	const struct llm_message *m = b->r->messages;
	const struct llm_message *end = m + b->r->n_messages;
	/* A message may need one that keeps the roles in turn before it. */
	size_t n_max = 2 * b->r->n_messages + 3, last_user = 0;

	for (const struct llm_message *i = m; i < end; i++)
		n_max += i->n_calls;
	b->items = arena_zalloc(b->a, n_max, sizeof(*b->items));
	for (; m < end; m++) {
		if (m->role == LLM_ASSISTANT)
			push_assistant(b, m, end);
		else if (m->role != LLM_TOOL && (has_words(m) || m->n_images))
			push_user(b, m->text, m->images, m->n_images);
	}
	if (b->n_items && b->items[b->n_items - 1].role == LLM_ASSISTANT)
		push_user(b, STR("(Continue.)"), NULL, 0);
	if (!b->n_items && b->r->n_messages)
		push_user(b, STR("(An empty message.)"), NULL, 0);
	for (size_t i = 0; i < b->n_items; i++)
		if (b->items[i].role == LLM_USER)
			last_user = i;
	for (size_t i = last_user; i < b->n_items; i++)
		b->items[i].in_loop = true;
}

static void schema_hint(struct build *b, struct buf *t)
{
	if (!b->r->output_schema || b->q.output_format == OUTPUT_SCHEMA)
		return;
	buf_adds(t, "\n\nAnswer with one JSON value and nothing else. It must "
		 "match this JSON Schema:\n");
	jx_dump(t, b->r->output_schema);
}

static void system_text(struct build *b)
{
	struct buf t = BUF_INIT(LIM_LLM_BODY_BYTES);

	for (size_t i = 0; i < b->r->n_system; i++) {
		if (!b->r->system[i].n)
			continue;
		if (t.n)
			buf_adds(&t, "\n\n");
		buf_addstr(&t, b->r->system[i]);
	}
	schema_hint(b, &t);
	b->system = arena_str(b->a, str_trim(buf_str(&t)));
	buf_release(&t);
}

/* P-E6: a model without a system role gets the text before the first message. */
static void fold_system(struct build *b)
{
	struct build_item *it = NULL;

	if (!b->system.n || (b->q.system_role != SYSROLE_USER &&
			     build_may(b, REPAIR_SYSTEM_ROLE)))
		return;
	for (size_t i = 0; i < b->n_items && !it; i++)
		if (b->items[i].role == LLM_USER)
			it = &b->items[i];
	if (!it)
		it = push(b, LLM_USER, NULL, STR(""));
	it->text = str_of(arena_printf(b->a, "%.*s\n\n%.*s",
				       STR_ARG(b->system), STR_ARG(it->text)));
	b->system = STR("");
}

/* -- tools ---------------------------------------------------------------- */

static int by_name(const void *x, const void *y)
{
	const struct build_tool *a = x, *b = y;

	return strcmp(a->wire_name.p, b->wire_name.p);
}

/* Some servers accept no more tools, and no longer descriptions. */
enum { SHORT_TOOLS = 128, SHORT_DESCRIPTION_CHARS = 1024 };

static struct build_tool make_tool(const struct llm_tool *t,
				   const struct quirks *q, struct arena *a)
{
	char name[TOOLNAME_BYTES];

	return (struct build_tool){
		.of = t, .wire_name = arena_str(a, toolname_wire(str_of(t->name), name)),
		.description = t->description ? t->description : "",
		.schema = llm_schema_form(t->schema, q->tool_schema_filter, a),
	};
}

static int64_t tool_tokens(const struct build_tool *t)
{
	return ((int64_t)(utf8_chars(t->wire_name) +
			  utf8_chars(str_of(t->description)) +
			  t->schema->chars) + 3) / 4;
}

const struct llm_tool_form *llm_tool_forms(const struct llm_service *s,
					   const struct llm_tool *tools,
					   size_t n, struct arena *a)
{
	struct llm_tool_form *out = arena_zalloc(a, n + 1, sizeof(*out));
	const struct provider *p = provider_find(s->provider);
	struct err ignored = ERR_INIT;
	struct quirks q;

	if (!p || provider_quirks(p, s->quirks, &q, &ignored) < 0)
		return out;
	for (size_t i = 0; i < n; i++) {
		const struct build_tool t = make_tool(&tools[i], &q, a);

		out[i].schema = t.schema->normal;
		out[i].text = t.schema->text;
		out[i].tokens = q.supports_tools ? tool_tokens(&t) : 0;
	}
	return out;
}

/* The tools as they are, or as servers with limits accept them. */
static void shorten_tools(struct build *b)
{
	const size_t most = b->repair / REPAIR_MOST_TOOLS;

	for (size_t i = 0; i < b->n_tools; i++) {
		struct str s = str_of(b->tools[i].description);
		struct str head = utf8_head(s, SHORT_DESCRIPTION_CHARS);

		if (head.n < s.n && !build_may(b, REPAIR_SHORT_TOOLS))
			b->tools[i].description =
				arena_memdup(b->a, head.p, head.n);
	}
	if (b->n_tools > SHORT_TOOLS && !build_may(b, REPAIR_SHORT_TOOLS))
		b->n_tools = SHORT_TOOLS;
	if (most && b->n_tools > most)
		b->n_tools = most;
}

static void collect_tools(struct build *b)
{
	const struct llm_request *r = b->r;

	if (!r->n_tools || !takes_tools(b))
		return;
	b->helps |= REPAIR_TOOLS;
	if (r->no_tool_calls && (!b->q.supports_tool_choice ||
				 !build_may(b, REPAIR_TOOL_CHOICE)))
		return;
	b->tools = arena_zalloc(b->a, r->n_tools, sizeof(*b->tools));
	for (size_t i = 0; i < r->n_tools; i++)
		b->tools[b->n_tools++] = make_tool(&r->tools[i], &b->q, b->a);
	shorten_tools(b);
	qsort(b->tools, b->n_tools, sizeof(*b->tools), by_name);
}

struct str build_tool_name(struct build *b, struct str name)
{
	char out[TOOLNAME_BYTES];

	return arena_str(b->a, toolname_wire(name, out));
}

void build_function_tool(struct build *b, const struct build_tool *t)
{
	struct jw *w = &b->w;

	jw_obj(w);
	jw_kstrz(w, "type", "function");
	jw_key(w, "function");
	jw_obj(w);
	jw_kstr(w, "name", t->wire_name);
	jw_kstrz(w, "description", t->description);
	jw_key(w, "parameters");
	jw_raw(w, t->schema->text);
	jw_end_obj(w);
	jw_end_obj(w);
}

/* -- ids and arguments ---------------------------------------------------- */

static bool id_fits(struct str id, int style)
{
	if (!id.n || id.n > 40 || (style == TOOLID_ALNUM9 && id.n != 9))
		return false;
	if (style == TOOLID_ANY)
		return true;
	for (size_t i = 0; i < id.n; i++) {
		unsigned char c = (unsigned char)id.p[i];

		if (!isalnum(c) && !(style == TOOLID_SAFE &&
				     (c == '_' || c == '-')))
			return false;
	}
	return true;
}

/* An id that does not fit becomes a hash of it: the same for call and result. */
struct str build_call_id(struct build *b, struct str id)
{
	static const char alnum[] = "0123456789abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	uint64_t h = UINT64_C(14695981039346656037);
	char out[10];

	if (id_fits(id, b->q.tool_id_style))
		return id;
	for (size_t i = 0; i < id.n; i++)
		h = (h ^ (unsigned char)id.p[i]) * UINT64_C(1099511628211);
	for (int i = 0; i < 9; i++, h /= 62)
		out[i] = alnum[h % 62];
	out[9] = '\0';
	if (b->q.tool_id_style == TOOLID_ALNUM9)
		return arena_str(b->a, (struct str){ out, 9 });
	return str_of(arena_printf(b->a, "call_%s", out));
}

struct str build_args_text(struct build *b, struct str args)
{
	struct err ignored = ERR_INIT;
	json_t *j = jx_load_lenient(args, &ignored);
	struct str s = STR("{}");

	if (json_is_object(j))
		s = str_of(jx_text(b->a, j));
	json_decref(j);
	return s;
}

/* -- replay (P-B11 to P-B13) ----------------------------------------------------- */

bool build_same_origin(const struct build *b, const json_t *o)
{
	const struct llm_service *s = b->r->service;

	return str_is(jx_str(o, "provider"), b->p->name) &&
		str_is(jx_str(o, "model"), s->model ? s->model : "") &&
		str_eq(jx_str(o, "url"), str_of(s->url));
}

const json_t *build_replay(struct build *b, const struct build_item *it)
{
	const json_t *o = it->msg ? it->msg->replay : NULL;
	const json_t *members = jx_obj(o, "members");

	if (!members || !build_same_origin(b, o) || !build_may(b, REPAIR_STRIP))
		return NULL;
	if (!it->in_loop && b->q.reasoning_replay == REPLAY_TOOL_LOOP &&
	    build_may(b, REPAIR_REASONING)) {
		/* Reasoning of turns that are over is left out. */
		json_t *rest = json_copy((json_t *)members);

		for (int i = 0; i < QUIRK_FIELDS && b->q.reasoning_in[i]; i++)
			json_object_del(rest, b->q.reasoning_in[i]);
		json_object_del(rest, "thinking");
		return jx_keep(b->a, rest);
	}
	return members;
}

void build_members(struct build *b, const json_t *o)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)o, key, v) {
		jw_str(&b->w, str_of(key));
		buf_addc(&b->body, ':');
		b->w.comma = false;
		jw_json(&b->w, v);
	}
}

/* -- small things --------------------------------------------------------- */

bool build_key(struct build *b, const char *key)
{
	if (json_object_get(b->r->service->extra_body, key))
		return false;
	jw_key(&b->w, key);
	return true;
}

void build_extra(struct build *b, const char *skip)
{
	json_t *rest = json_copy(b->r->service->extra_body);

	if (rest && skip)
		json_object_del(rest, skip);
	build_members(b, rest);
	json_decref(rest);
}

int build_max_tokens(struct build *b)
{
	int n = b->r->max_output_tokens ? b->r->max_output_tokens
		: b->r->service->max_output_tokens;

	if (n <= 0 || b->q.max_tokens_field == MAXTOK_NONE ||
	    !build_may(b, REPAIR_OUTPUT))
		return 0;
	return n;
}

bool build_may(struct build *b, unsigned repair)
{
	b->helps |= repair;
	return !(b->repair & repair);
}

const struct llm_params *build_params(const struct build *b)
{
	static const struct llm_params none = { .n_stop = 0 };

	return b->r->params ? b->r->params : &none;
}

void build_sampling(struct build *b)
{
	const struct llm_service *s = b->r->service;
	const struct llm_params *v = build_params(b);
	const unsigned takes = b->p->dialect->takes;
	struct jw *w = &b->w;

	if ((v->set.temperature || s->set.temperature) &&
	    build_may(b, REPAIR_SAMPLING))
		jw_kreal(w, "temperature", v->set.temperature ? v->temperature
			 : s->temperature);
	if ((v->set.top_p || s->set.top_p) && build_may(b, REPAIR_SAMPLING) &&
	    build_may(b, REPAIR_TOP_P))
		jw_kreal(w, "top_p", v->set.top_p ? v->top_p : s->top_p);
	if (v->set.seed && takes & LLM_TAKES_SEED && build_may(b, REPAIR_WISHES))
		jw_kint(w, "seed", v->seed);
	if (!(takes & LLM_TAKES_PENALTIES))
		return;
	if (v->set.presence_penalty && build_may(b, REPAIR_WISHES))
		jw_kreal(w, "presence_penalty", v->presence_penalty);
	if (v->set.frequency_penalty && build_may(b, REPAIR_WISHES))
		jw_kreal(w, "frequency_penalty", v->frequency_penalty);
}

void build_stop(struct build *b, const char *key)
{
	const struct llm_params *v = build_params(b);

	if (!v->n_stop)
		return;
	jw_key(&b->w, key);
	jw_arr(&b->w);
	for (size_t i = 0; i < v->n_stop; i++)
		jw_str(&b->w, v->stop[i]);
	jw_end_arr(&b->w);
}

struct str build_effort(struct build *b)
{
	const struct llm_service *s = b->r->service;
	struct str effort = build_params(b)->reasoning_effort;

	if (!effort.n && s->set.reasoning_effort)
		effort = str_of(s->reasoning_effort);
	return effort.n && build_may(b, REPAIR_EFFORT) ? effort : STR("");
}

unsigned llm_takes(const struct llm_service *s)
{
	const struct provider *p = provider_find(s->provider);
	struct err ignored = ERR_INIT;
	struct quirks q;

	if (!p || provider_quirks(p, s->quirks, &q, &ignored) < 0)
		return 0;
	return p->dialect->takes & ~(q.supports_tool_choice ? 0u
				     : (unsigned)LLM_TAKES_CHOICE);
}

/* -- address and headers -------------------------------------------------- */

/* Whether url ends with the n bytes at p. */
static bool ends_with(struct str url, const char *p, size_t n)
{
	return n && url.n >= n && memcmp(url.p + url.n - n, p, n) == 0;
}

/*
 * The base URL without the part that the template adds: people paste the whole
 * URL of an endpoint, or one with /v1 where none is expected.
 */
static struct str base_url(const struct build *b)
{
	const struct llm_service *service = b->r->service;
	const char *path = b->q.url_template;
	struct str s = str_of(service->set.url ? service->url : b->p->url);
	const char *slash;

	if (strncmp(path, "{url}", 5) == 0)
		path += 5;
	while (s.n && s.p[s.n - 1] == '/')
		s.n--;
	if (ends_with(s, path, strlen(path)))
		s.n -= strlen(path);
	slash = path[0] ? strchr(path + 1, '/') : NULL;
	if (slash && ends_with(s, path, (size_t)(slash - path)))
		s.n -= (size_t)(slash - path);
	return s;
}

static void make_url(struct build *b, struct llm_wire *out)
{
	const struct llm_service *s = b->r->service;
	struct buf t = BUF_INIT(8192);
	const char *p = b->q.url_template, *model = s->model ? s->model : "";

	while (*p) {
		if (strncmp(p, "{url}", 5) == 0) {
			buf_addstr(&t, base_url(b));
			p += 5;
		} else if (strncmp(p, "{deployment}", 12) == 0) {
			buf_url(&t, str_of(s->set.deployment ? s->deployment
					   : model));
			p += 12;
		} else if (strncmp(p, "{model}", 7) == 0) {
			buf_url(&t, str_of(model));
			p += 7;
		} else if (strncmp(p, "{api_version}", 13) == 0) {
			buf_url(&t, str_of(s->set.api_version
					   ? s->api_version : AZURE_VERSION));
			p += 13;
		} else {
			buf_addc(&t, *p++);
		}
	}
	out->url = arena_memdup(b->a, t.p, t.n);
	buf_release(&t);
}

/* Whether the admin's own headers already authenticate us (P-E13). */
static bool has_own_auth(const struct llm_service *s)
{
	static const char *const names[] = {
		"Authorization:", "x-api-key:", "api-key:",
	};

	for (size_t i = 0; i < s->extra_headers.n; i++)
		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			if (strncasecmp(s->extra_headers.v[i], names[k],
					strlen(names[k])) == 0)
				return true;
	return false;
}

static const char *auth_header(struct build *b)
{
	const struct llm_service *s = b->r->service;
	const char *form = b->q.auth_header;
	const char *at = form ? strstr(form, "{key}") : NULL;

	if (!at || !s->set.api_key || has_own_auth(s))
		return NULL;
	if (s->source == SOURCE_API)
		arena_secret(b->a);
	return arena_printf(b->a, "%.*s%s%s", (int)(at - form), form,
			    s->api_key, at + 5);
}

static int make_headers(struct build *b, struct llm_wire *out, struct err *e)
{
	const struct llm_service *s = b->r->service;
	const char *auth = auth_header(b);
	size_t n = 0;

	out->headers = arena_zalloc(b->a, 5 + s->extra_headers.n,
				    sizeof(*out->headers));
	out->headers[n++] = "Content-Type: application/json";
	out->headers[n++] = b->r->stream
		? "Accept: text/event-stream, application/x-ndjson, "
		  "application/json" : "Accept: application/json";
	if (auth)
		out->headers[n++] = auth;
	if (b->p->dialect == &llm_dialect_anthropic)
		out->headers[n++] = arena_printf(b->a, "anthropic-version: %s",
			s->set.api_version ? s->api_version : ANTHROPIC_VERSION);
	for (size_t i = 0; i < s->extra_headers.n; i++)
		out->headers[n++] = s->extra_headers.v[i];
	for (size_t i = 0; i < n; i++)
		if (strpbrk(out->headers[i], "\r\n"))
			return err_set(e, ERR_CONFIG, "LLM service %s: a "
				       "header or key has a line break", s->id);
	out->n_headers = n;
	return 0;
}

/* Images are sent only to services with the capability vision. */
static int check_images(const struct llm_request *r, struct err *e)
{
	for (size_t i = 0; i < r->n_messages; i++)
		if (r->messages[i].n_images)
			return llm_check_can(r->service, LLM_CAN_VISION, e);
	return 0;
}

int64_t llm_message_tokens(const struct llm_message *m)
{
	size_t chars = utf8_chars(m->text);

	for (size_t i = 0; i < m->n_calls; i++)
		chars += utf8_chars(m->calls[i].name) +
			utf8_chars(m->calls[i].args);
	return ((int64_t)chars + 3) / 4 +
		(int64_t)m->n_images * LLM_IMAGE_TOKENS;
}

/* P-D5: an estimate of the request's tokens, in case the provider reports none. */
static int64_t estimate(const struct build *b)
{
	const struct llm_request *r = b->r;
	int64_t n = 0;

	for (size_t i = 0; i < r->n_system; i++)
		n += llm_estimate_tokens(r->system[i]);
	for (size_t i = 0; i < r->n_messages; i++)
		n += llm_message_tokens(&r->messages[i]);
	for (size_t i = 0; i < b->n_tools; i++)
		n += tool_tokens(&b->tools[i]);
	return n;
}

/*
 * How typed output is asked for. "Any object" is no schema that all servers take. With
 * a format, some models cannot call tools.
 */
static void output_format(struct build *b)
{
	const json_t *schema = b->r->output_schema;
	const unsigned takes = b->p->dialect->takes;

	if (!schema)
		return;
	if (json_object_size(schema) == 1 && b->q.output_format == OUTPUT_SCHEMA)
		b->q.output_format = takes & LLM_TAKES_OBJECT ? OUTPUT_OBJECT
			: OUTPUT_PROMPT;
	if (b->r->n_tools && !(takes & LLM_TAKES_TYPED_TOOLS))
		b->q.output_format = OUTPUT_PROMPT;
	if (b->q.output_format != OUTPUT_PROMPT && !build_may(b, REPAIR_FORMAT))
		b->q.output_format = OUTPUT_PROMPT;
}

int build_request(const struct llm_request *r, unsigned repair,
		  struct arena *a, struct llm_wire *out, struct err *e)
{
	struct build b = {
		.r = r, .a = a, .repair = repair,
		.body = BUF_INIT(LIM_LLM_BODY_BYTES),
	};
	int rc;

	*out = (struct llm_wire){ .url = NULL };
	if (llm_check_service(r->service, e) < 0 || check_images(r, e) < 0)
		return -1;
	b.p = provider_find(r->service->provider);
	if (provider_quirks(b.p, r->service->quirks, &b.q, e) < 0)
		return -1;
	b.w = jw_on(&b.body);
	output_format(&b);
	collect(&b);
	system_text(&b);
	fold_system(&b);
	collect_tools(&b);
	rc = b.p->dialect->build(&b, e);
	if (rc == 0 && !buf_ok(&b.body))
		rc = err_set(e, ERR_TOO_BIG, "request to %s is over %d bytes",
			     b.p->name, LIM_LLM_BODY_BYTES);
	if (rc == 0) {
		out->tokens = estimate(&b);
		make_url(&b, out);
		rc = make_headers(&b, out, e);
	}
	out->repairs = b.helps;
	out->n_tools = b.n_tools;
	out->tools = arena_alloc(a, (b.n_tools + 1) * sizeof(struct llm_tool *));
	for (size_t i = 0; i < b.n_tools; i++)
		out->tools[i] = b.tools[i].of;
	if (rc == 0)
		out->body = b.body;
	else
		buf_release(&b.body);
	return rc;
}

int llm_build(const struct llm_request *r, struct arena *a,
	      struct llm_wire *out, struct err *e)
{
	return build_request(r, 0, a, out, e);
}
