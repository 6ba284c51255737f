/* SPDX-License-Identifier: MIT */
/*
 * Resources and prompts of the MCP server: what can be mentioned in a message, by its
 * reference, and the prompts of the catalogue with their blanks as arguments.
 */
#include "api/mcp.h"

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

int rpc_resources_templates(struct rpc_ask *a, struct jw *w, struct err *e)
{
	static const struct {
		const char *uri, *name, *what;
	} all[] = {
		{ SCHEME "record:{dataset}/{key}", "record",
		  "A row of a dataset, by its key" },
		{ SCHEME "person:{login}", "person", "A person, by their login" },
		{ SCHEME "dataset:{name}", "dataset", "What a dataset has" },
	};

	(void)e;
	jw_key(w, "resourceTemplates");
	jw_arr(w);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		jw_obj(w);
		jw_kstrz(w, "uriTemplate", all[i].uri);
		jw_kstrz(w, "name", all[i].name);
		jw_kstrz(w, "description", all[i].what);
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
	if (why.code == ERR_NOT_FOUND)
		return rpc_fail(a, a->modern ? MCP_INVALID_PARAMS : MCP_NO_RESOURCE, e,
				"There is no such resource.");
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

static int list(struct rpc_ask *a, struct resource_query q, struct resource_answer **out,
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
	return blank_parse(resource_text(row, COLUMN(PROMPT, body)), "body", a->rq->arena,
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

	if (list(a, q, &found, e) < 0)
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
static int find(struct rpc_ask *a, struct str name, struct resource_row *row,
		struct err *e)
{
	struct resource_query q = { .q = name, .size = LIM_PAGE_MAX };
	struct resource_answer *found;
	struct uuid id;

	if (is_whole(a) && uuid_parse(name, &id))
		return resource_visible(&a->rq->by, prompts, &id, row, e);
	if (!name.n || list(a, q, &found, e) < 0)
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

	if (find(a, name, &row, e) < 0)
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
