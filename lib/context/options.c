/* SPDX-License-Identifier: MIT */
#include "context/options.h"

#include <string.h>

#include "base/limits.h"
#include "tool/core/tool.h"
#include "context/generation.h"

#include "base/banned.h"

const struct turn_option options_rows[N_TURN_OPTIONS] = {
#define ROW(F, SEP, member_, key_, type_, max_chars, kept_, form_) \
	{ .key = key_, .type = TURN_OPTION_##type_, \
	  .offset = offsetof(struct turn_options, member_), \
	  .kept = TURN_OPTION_##kept_, .form = form_ },
	TURN_OPTIONS(ROW, , )
#undef ROW
};

/* Adds the value of option d, if set: false only where it has a meaning. */
static void put_option(json_t *o, const struct turn_option *d,
		       const struct turn_options *v, bool no_counts)
{
	const void *p = (const char *)v + d->offset;
	int flag = d->type == TURN_OPTION_BOOL ? *(const int *)p : 0;

	if (flag > 0 || (flag && no_counts))
		json_object_set_new(o, d->key, json_boolean(flag > 0));
	else if (d->type == TURN_OPTION_TEXT && ((const struct str *)p)->p)
		json_object_set_new(o, d->key,
				    jx_string(*(const struct str *)p));
	else if (d->type == TURN_OPTION_TEXTS ||
		 (d->type == TURN_OPTION_OBJECT && d->kept != TURN_OPTION_PAGE))
		json_object_set(o, d->key, *(json_t *const *)p);
	else if (d->type == TURN_OPTION_LIST &&
		 json_array_size(*(json_t *const *)p))
		json_object_set(o, d->key, *(json_t *const *)p);
}

/* Sets option d from o if v does not have it. */
static void fill_option(const json_t *o, const struct turn_option *d,
			struct turn_options *v)
{
	const json_t *value = json_object_get(o, d->key);
	void *p = (char *)v + d->offset;

	if (d->type == TURN_OPTION_BOOL && !*(int *)p)
		*(int *)p = json_is_true(value) - json_is_false(value);
	else if (d->type == TURN_OPTION_TEXT && !((struct str *)p)->p)
		*(struct str *)p = jx_str(o, d->key);
	else if ((d->type == TURN_OPTION_TEXTS || (d->type == TURN_OPTION_LIST &&
		  d->kept == TURN_OPTION_META)) && !*(json_t **)p)
		*(json_t **)p = jx_arr(o, d->key);
	else if (d->type == TURN_OPTION_OBJECT && !*(json_t **)p)
		*(json_t **)p = jx_obj(o, d->key);
}

struct str options_meta(struct arena *a, struct str meta,
			const struct turn_options *v)
{
	json_t *o = jx_keep(a, json_object());
	const char *text;

	for (size_t i = 0; i < N_TURN_OPTIONS; i++)
		if (options_rows[i].kept <= TURN_OPTION_PLACE ||
		    options_rows[i].kept == TURN_OPTION_META)
			put_option(o, &options_rows[i], v, false);
	/* The metadata may be long; it is not parsed here. */
	text = jx_text(a, o);
	if (!json_object_size(o))
		return meta;
	return str_of(meta.n > 2 ? arena_printf(a, "%.*s,%s", (int)meta.n - 1,
						meta.p, text + 1) : text);
}

/* A list as text; p == NULL if it is empty. */
static struct str list_text(struct arena *a, const json_t *list)
{
	return json_array_size(list) ? str_of(jx_text(a, list))
		: (struct str){ NULL, 0 };
}

static json_t *load_object(struct str text, struct arena *a)
{
	struct err ignored = ERR_INIT;

	return text.p ? jx_keep(a, jx_load_lenient(text, &ignored)) : NULL;
}

/* An item as requested, of the stored one that has this member. */
static json_t *requested(json_t *item, const char *member)
{
	json_t *id_of = json_is_object(item) ? json_object_get(item, member) : item;
	char canonical[UUID_TEXT_BYTES];
	struct uuid id;

	if (json_is_string(id_of) &&
	    uuid_parse((struct str){ json_string_value(id_of),
				     json_string_length(id_of) }, &id))
		return json_string(uuid_format(&id, canonical));
	return json_incref(id_of);
}

/* The metadata as requested; NULL if there is none. In a. */
static json_t *as_requested(struct arena *a, struct str meta)
{
	static const struct {
		const char *key, *member;
	} detailed[] = { { "mentions", "ref" }, { "attachments", "id" } };
	json_t *o = meta.n ? load_object(meta, a) : NULL, *item, *list;
	size_t k;

	for (size_t i = 0; o && i < ARRAY_LEN(detailed); i++) {
		list = json_array();
		json_array_foreach(jx_arr(o, detailed[i].key), k, item)
			json_array_append_new(list, requested(item,
							      detailed[i].member));
		json_object_set_new(o, detailed[i].key, list);
	}
	if (o)
		json_object_del(o, "origins");	/* whose.c */
	return o;
}

bool options_same(struct arena *a, struct str one, struct str other)
{
	return str_eq(one, other) || json_equal(as_requested(a, one),
						as_requested(a, other));
}

struct message_options options_kept(struct arena *a,
				    const struct turn_options *v)
{
#define KEPT_BOOL(x) ((x) > 0)
#define KEPT_TEXT(x) (x)
#define KEPT_LIST(x) list_text(a, x)
#define F(SEP, member_, type) .member_ = KEPT_##type(v->member_),
	return (struct message_options){ TURN_OPTIONS(MESSAGE_OPTION, F, ) };
#undef F
}

void options_recall(struct arena *a, struct turn_options *v,
		    const struct message_options *m)
{
#define RECALL_BOOL(to, from) do { if (!(to)) (to) = (from) > 0; } while (0)
#define RECALL_TEXT(to, from) do { if (!(to).p) (to) = (from); } while (0)
#define RECALL_LIST(to, from) do { if (!(to)) (to) = load_object(from, a); } while (0)
#define F(SEP, member, type) RECALL_##type(v->member, m->member);
	TURN_OPTIONS(MESSAGE_OPTION, F, )
#undef F
}

void options_recall_meta(struct arena *a, struct turn_options *v,
			 struct str meta)
{
	const json_t *o = meta.n ? load_object(meta, a) : NULL;

	for (size_t i = 0; i < N_TURN_OPTIONS; i++)
		if (options_rows[i].kept == TURN_OPTION_META)
			fill_option(o, &options_rows[i], v);
}

int options_text(const struct turn_options *v, bool whole, struct arena *a,
		 struct str *out, struct err *e)
{
	json_t *o = jx_keep(a, json_object()), *tools;
	struct generation unused;

	*out = (struct str){ NULL, 0 };
	if (tool_page_read(v->client, &tools, e) < 0 ||
	    generation_read(v->generation, false, &unused, e) < 0)
		return -1;
	if (tools)
		json_object_set(o, "tools", tools);
	if (tools && tool_page_is_program(v->client))
		json_object_set_new(o, "program", json_true());
	for (size_t i = 0; i < N_TURN_OPTIONS; i++)
		if (options_rows[i].kept == TURN_OPTION_TURN || !whole)
			put_option(o, &options_rows[i], v, true);
	if (!json_object_size(o))
		return 0;
	*out = str_of(jx_text(a, o));
	if (tools && tool_page_is_program(v->client)
	    ? out->n > LIM_PROGRAM_TOOLS_BYTES : tools && out->n > LIM_PAGE_TOOLS_BYTES)
		return err_field(e, ERR_TOO_BIG, "client", "The tools of the client "
				 "have too many bytes.");
	return 0;
}

void options_fill(struct str text, struct arena *a,
		  struct turn_options *v)
{
	const json_t *o = load_object(text, a);

	for (size_t i = 0; i < N_TURN_OPTIONS; i++)
		fill_option(o, &options_rows[i], v);
}

void options_tools(struct str text, struct arena *a, struct tool_ctx *ctx)
{
	tool_page_load(load_object(text, a), a, ctx);
}
