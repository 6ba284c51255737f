/* SPDX-License-Identifier: MIT */
/*
 * Resources and prompts of the MCP server: what can be mentioned in a message, by its
 * reference, and the prompts of the catalogue with their blanks as arguments; and what
 * may be put in for these.
 */
#include "api/mcp.h"

#include <string.h>
#include <strings.h>

#include "app.h"
#include "base/blank.h"
#include "base/limits.h"
#include "resource/call.h"
#include "tool/mention/mention.h"

#include "base/banned.h"

#define SCHEME "lamplighter:"

/* -- resources -------------------------------------------------------------------------- */

static struct mention_ask mentions_of(const struct rpc_ask *a)
{
	return (struct mention_ask){ .ctx = &a->ctx, .db = a->rq->app->db };
}

static void write_uri(struct rpc_ask *a, struct jw *w, struct str ref)
{
	jw_kstr(w, "uri", str_of(arena_printf(a->rq->arena, SCHEME "%.*s", STR_ARG(ref))));
}

/* A token that names its agents has their tools, and nothing beside them. */
static bool is_whole(const struct rpc_ask *a)
{
	return !a->rq->by.who->n_agents;
}

int rpc_resources_list(struct rpc_ask *a, struct jw *w, struct err *e)
{
	struct mention_ask ask = mentions_of(a);
	struct mention_list found = { .n = 0 };

	(void)e;
	if (is_whole(a))
		mention_find(&ask, LIM_MENTION_FOUND, &found);
	jw_key(w, "resources");
	jw_arr(w);
	for (size_t i = 0; i < found.n; i++) {
		const struct mention_item *m = &found.v[i];

		jw_obj(w);
		write_uri(a, w, m->ref);
		jw_kstr(w, "name", m->label);
		if (m->description.n)
			jw_kstr(w, "description", m->description);
		jw_kstrz(w, "mimeType", "text/plain");
		jw_end_obj(w);
	}
	jw_end_arr(w);
	rpc_write_cache(a, w);
	return 0;
}

/* name: the type of the mention, too. argument: its last one. */
static const struct {
	const char *uri, *name, *what, *argument;
} templates[] = {
	{ SCHEME "record:{dataset}/{key}", "record", "A row of a dataset, by its key",
	  "key" },
	{ SCHEME "person:{login}", "person", "A person, by their login", "login" },
	{ SCHEME "dataset:{name}", "dataset", "What a dataset has", "name" },
};

int rpc_resources_templates(struct rpc_ask *a, struct jw *w, struct err *e)
{
	(void)e;
	jw_key(w, "resourceTemplates");
	jw_arr(w);
	for (size_t i = 0; i < ARRAY_LEN(templates); i++) {
		jw_obj(w);
		jw_kstrz(w, "uriTemplate", templates[i].uri);
		jw_kstrz(w, "name", templates[i].name);
		jw_kstrz(w, "description", templates[i].what);
		jw_kstrz(w, "mimeType", "text/plain");
		jw_end_obj(w);
	}
	jw_end_arr(w);
	rpc_write_cache(a, w);
	return 0;
}

int rpc_resources_read(struct rpc_ask *a, struct jw *w, struct err *e)
{
	struct mention_ask ask = mentions_of(a);
	struct str uri = jx_str(a->params, "uri"), ref = uri, text;
	const struct str scheme = STR(SCHEME);
	struct mention_item m;
	struct err why = ERR_INIT;

	if (str_starts(uri, scheme))
		ref = (struct str){ uri.p + scheme.n, uri.n - scheme.n };
	if (!is_whole(a) || !str_starts(uri, scheme) || !mention_is_ref(ref))
		why.code = ERR_NOT_FOUND;
	else
		(void)!mention_look(&ask, ref, &m, &why);
	if (why.code == ERR_NOT_FOUND) {
		a->data = jx_keep(a->rq->arena, json_pack("{s:o}", "uri", jx_string(uri)));
		return rpc_fail(a, a->modern ? MCP_INVALID_PARAMS : MCP_NO_RESOURCE, e,
				"There is no such resource.");
	}
	if (why.code) {
		*e = why;
		return -1;
	}
	text = m.text.n ? m.text : m.label;
	jw_key(w, "contents");
	jw_arr(w);
	jw_obj(w);
	jw_kstr(w, "uri", uri);
	jw_kstrz(w, "mimeType", "text/plain");
	jw_kstr(w, "text", text);
	jw_end_obj(w);
	jw_end_arr(w);
	rpc_write_cache(a, w);
	return 0;
}

/* -- prompts ---------------------------------------------------------------------------- */

static const struct resource *const prompts = &resources[RESOURCE_PROMPT];

static int list_prompts(struct rpc_ask *a, struct resource_query q, struct resource_answer **out,
			struct err *e)
{
	struct resource_call c = { .r = prompts, .verb = VERB_LIST, .query = q };

	c.query.uncounted = true;
	*out = arena_new(a->rq->arena, struct resource_answer);
	if (!is_whole(a))
		return 0;
	return resource_call(&a->rq->by, &c, *out, e);
}

static struct str name_of(const struct resource_row *row)
{
	return resource_text(row, COLUMN(PROMPT, name));
}

static int blanks_of(struct rpc_ask *a, const struct resource_row *row,
		     struct blank **v, size_t *n, struct err *e)
{
	return blank_parse(resource_text(row, COLUMN(PROMPT, body)), a->rq->arena,
			   v, n, e);
}

/* What a blank takes, for people. */
static struct str words_of(struct rpc_ask *a, const struct blank *b)
{
	struct buf text = BUF_INIT(4096);
	struct str s;

	if (b->type == BLANK_DATE)
		buf_adds(&text, "A day, as YYYY-MM-DD");
	else if (b->type == BLANK_RECORD)
		buf_addf(&text, "A record of %.*s", STR_ARG(b->dataset));
	else if (b->type == BLANK_CHOICE)
		buf_adds(&text, "One of: ");
	for (size_t i = 0; i < b->n_choices; i++)
		buf_addf(&text, "%s%.*s", i ? ", " : "", STR_ARG(b->choices[i]));
	s = arena_str(a->rq->arena, buf_str(&text));
	buf_release(&text);
	return s;
}

/* Two of one name have their ids, which prompts/get takes for any. */
static void write_prompt(struct rpc_ask *a, struct jw *w, const struct resource_row *row,
			 bool again)
{
	struct err ignored = ERR_INIT;
	struct blank *v;
	size_t n = 0;

	jw_obj(w);
	if (again)
		jw_kuuid(w, "name", &row->id);
	else
		jw_kstr(w, "name", name_of(row));
	jw_kstr(w, "title", name_of(row));
	if (resource_text(row, COLUMN(PROMPT, description)).n)
		jw_kstr(w, "description", resource_text(row, COLUMN(PROMPT, description)));
	jw_key(w, "arguments");
	jw_arr(w);
	if (blanks_of(a, row, &v, &n, &ignored) < 0)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct str words = words_of(a, &v[i]);

		jw_obj(w);
		jw_kstr(w, "name", v[i].name);
		if (words.n)
			jw_kstr(w, "description", words);
		jw_kbool(w, "required", true);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

int rpc_prompts_list(struct rpc_ask *a, struct jw *w, struct err *e)
{
	struct resource_query q = { .cursor = jx_str(a->params, "cursor"),
				    .size = LIM_PAGE_MAX };
	struct resource_answer *found;
	struct str last = STR("");

	if (list_prompts(a, q, &found, e) < 0)
		return -1;
	jw_key(w, "prompts");
	jw_arr(w);
	for (size_t i = 0; i < found->n; i++) {
		const struct resource_row *row = found->items[i].row;

		write_prompt(a, w, row, i && str_eq(name_of(row), last));
		last = name_of(row);
	}
	jw_end_arr(w);
	if (found->next.p)
		jw_kstr(w, "nextCursor", found->next);
	rpc_write_cache(a, w);
	return 0;
}

/* The prompt of this id, or of exactly this name. ERR_NOT_FOUND. */
static int find_prompt(struct rpc_ask *a, struct str name, struct resource_row *row,
		       struct err *e)
{
	struct resource_query q = { .q = name, .size = LIM_PAGE_MAX };
	struct resource_answer *found;
	struct uuid id;

	if (is_whole(a) && uuid_parse(name, &id))
		return resource_visible(&a->rq->by, prompts, &id, row, e);
	if (!name.n || list_prompts(a, q, &found, e) < 0)
		return e->code ? -1 : err_set(e, ERR_NOT_FOUND, "no name");
	for (size_t i = 0; i < found->n; i++)
		if (str_eq(name_of(found->items[i].row), name)) {
			*row = *found->items[i].row;
			return 0;
		}
	return err_set(e, ERR_NOT_FOUND, "no prompt of this name");
}

int rpc_prompts_get(struct rpc_ask *a, struct jw *w, struct err *e)
{
	const json_t *args = jx_obj(a->params, "arguments");
	struct str values[LIM_BLANKS], name = jx_str(a->params, "name");
	struct buf text = BUF_INIT(LIM_ANSWER_BYTES);
	struct resource_row row;
	struct blank *v;
	size_t n;

	if (find_prompt(a, name, &row, e) < 0)
		return e->code != ERR_NOT_FOUND ? -1
			: rpc_fail(a, MCP_INVALID_PARAMS, e, "There is no such prompt.");
	if (blanks_of(a, &row, &v, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n && i < ARRAY_LEN(values); i++) {
		values[i] = jx_str(args, arena_str(a->rq->arena, v[i].name).p);
		if (!values[i].n)
			return rpc_fail(a, MCP_INVALID_PARAMS, e, "The argument \"%.*s\" "
					"is missing.", (int)MIN(v[i].name.n, 100),
					v[i].name.p);
	}
	blank_fill(resource_text(&row, COLUMN(PROMPT, body)), v, values, n, &text);
	if (!buf_ok(&text)) {
		buf_release(&text);
		return rpc_fail(a, MCP_INVALID_PARAMS, e, "The arguments are too long.");
	}
	if (resource_text(&row, COLUMN(PROMPT, description)).n)
		jw_kstr(w, "description", resource_text(&row, COLUMN(PROMPT, description)));
	jw_key(w, "messages");
	jw_arr(w);
	jw_obj(w);
	jw_kstrz(w, "role", "user");
	jw_key(w, "content");
	rpc_write_text(w, buf_str(&text));
	jw_end_obj(w);
	jw_end_arr(w);
	buf_release(&text);
	return 0;
}

/* -- what may be put in for an argument ---------------------------------------------- */

struct offering {
	struct rpc_ask *a;
	struct jw *w;
	struct str typed;
	size_t n;
	bool more;
};

static void offer(struct offering *o, struct str value)
{
	enum { MOST = 100 };	/* of the protocol */

	o->more |= o->n == MOST;
	if (o->n == MOST)
		return;
	jw_str(o->w, value);
	o->n++;
}

/* Mentions of a type, by what was typed: their labels, or the end of their references. */
static void offer_mentions(struct offering *o, const char *type, struct str dataset,
			   bool labels)
{
	struct mention_ask ask = mentions_of(o->a);
	struct mention_list found = { .n = 0 };

	ask.q = o->typed;
	ask.dataset = dataset;
	mention_find(&ask, LIM_MENTION_FOUND, &found);
	o->more |= found.more;
	for (size_t i = 0; i < found.n; i++) {
		const struct mention_item *m = &found.v[i];
		struct str end = mention_handle(m->ref);

		if (strcmp(m->type, type) != 0)
			continue;
		if (!strcmp(type, "record"))
			(void)str_cut(&end, '/');
		offer(o, labels ? m->label : end);
	}
}

static void offer_blank(struct offering *o, const struct blank *b)
{
	if (b->type == BLANK_RECORD)
		offer_mentions(o, "record", b->dataset, true);
	for (size_t i = 0; i < b->n_choices; i++)
		if (b->choices[i].n >= o->typed.n &&
		    !strncasecmp(b->choices[i].p, o->typed.p, o->typed.n))
			offer(o, b->choices[i]);
}

static void offer_template(struct offering *o, struct str uri, struct str argument)
{
	const json_t *given = jx_obj(jx_obj(o->a->params, "context"), "arguments");

	for (size_t i = 0; i < ARRAY_LEN(templates); i++) {
		if (!str_is(uri, templates[i].uri))
			continue;
		if (str_is(argument, templates[i].argument))
			offer_mentions(o, templates[i].name,
				       jx_str(given, "dataset"), false);
		else if (str_is(argument, "dataset"))
			offer_mentions(o, "dataset", (struct str){ NULL, 0 }, false);
	}
}

int rpc_complete(struct rpc_ask *a, struct jw *w, struct err *e)
{
	const json_t *ref = jx_obj(a->params, "ref");
	const json_t *argument = jx_obj(a->params, "argument");
	struct str type = jx_str(ref, "type"), name = jx_str(argument, "name");
	struct offering o = { .a = a, .w = w, .typed = jx_str(argument, "value") };
	struct blank *v = NULL;
	size_t n = 0;

	if ((!str_is(type, "ref/prompt") && !str_is(type, "ref/resource")) || !name.n)
		return rpc_fail(a, MCP_INVALID_PARAMS, e, "ref must be {type: ref/prompt, "
				"name} or {type: ref/resource, uri}, and argument {name, "
				"value}.");
	if (str_is(type, "ref/prompt")) {
		struct resource_row row;

		if (find_prompt(a, jx_str(ref, "name"), &row, e) < 0)
			return e->code != ERR_NOT_FOUND ? -1
				: rpc_fail(a, MCP_INVALID_PARAMS, e,
					   "There is no such prompt.");
		if (blanks_of(a, &row, &v, &n, e) < 0)
			return -1;
	}
	jw_key(w, "completion");
	jw_obj(w);
	jw_key(w, "values");
	jw_arr(w);
	for (size_t i = 0; i < n; i++)
		if (str_eq(v[i].name, name))
			offer_blank(&o, &v[i]);
	if (str_is(type, "ref/resource") && is_whole(a))
		offer_template(&o, jx_str(ref, "uri"), name);
	jw_end_arr(w);
	jw_kbool(w, "hasMore", o.more);
	jw_end_obj(w);
	return 0;
}
