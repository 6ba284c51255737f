/* SPDX-License-Identifier: MIT */
#include "memory/fact.h"

#include <ctype.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "base/util.h"
#include "memory/state.h"
#include "resource/change.h"

#include "base/banned.h"

enum {
	TEXT_CHARS = 300, SHORT_CHARS = 60,
	LINE_CHARS = 400,	/* of a fact that is sent */
	DEPTH = 4,		/* where entities are looked for */
};

struct memory_row *memory_rows(const struct message *m, size_t n, struct arena *a)
{
	struct memory_row *rows = arena_zalloc(a, n + 1, sizeof(*rows));

	for (size_t i = 0; i < n; i++) {
		rows[i].m = &m[i];
		if (m[i].meta.n)
			rows[i].meta = jx_keep(a, jx_try(m[i].meta));
	}
	return rows;
}

/* -- shortening ------------------------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || (c & 0x80) || strchr("-_.,:%+/", c);
}

/* Appends the words of s that have a digit. */
static void add_numbers(struct buf *out, struct str s)
{
	size_t at = 0, end;

	for (; at < s.n; at = end + 1) {
		bool digit = false;

		for (end = at; end < s.n && s.p[end] && is_word(s.p[end]); end++)
			digit |= isdigit((unsigned char)s.p[end]) != 0;
		if (digit) {
			buf_addc(out, ' ');
			buf_add(out, s.p + at, end - at);
		}
	}
}

static json_t *short_text(const json_t *v, size_t chars)
{
	struct str s = { json_string_value(v), json_string_length(v) }, head, tail;
	struct buf b = BUF_INIT(2 * s.n + 64);
	json_t *out;

	head = utf8_head(s, chars);
	if (head.n == s.n)
		return jx_string(s);
	/* A word is not cut in two. */
	while (head.n && is_word(s.p[head.n]) && is_word(s.p[head.n - 1]))
		head.n--;
	tail = (struct str){ s.p + head.n, s.n - head.n };
	buf_addstr(&b, head);
	buf_adds(&b, " …");
	add_numbers(&b, tail);
	out = jx_string(buf_str(&b));
	buf_release(&b);
	return out;
}

json_t *fact_shorten(const json_t *v, size_t chars)
{
	json_t *out, *child;
	const char *key;
	size_t i;

	switch (json_typeof(v)) {
	case JSON_STRING:
		return short_text(v, chars);
	case JSON_OBJECT:
		out = json_object();
		json_object_foreach((json_t *)v, key, child)
			json_object_set_new(out, key, fact_shorten(child, chars));
		return out;
	case JSON_ARRAY:
		out = json_array();
		json_array_foreach((json_t *)v, i, child)
			json_array_append_new(out, fact_shorten(child, chars));
		return out;
	default:
		return json_deep_copy(v);
	}
}

/* -- from rows -------------------------------------------------------------------- */

/* The call that a result answers: in the nearest step before it. */
static const json_t *call_of(const struct memory_row *rows, size_t at, struct str id)
{
	const json_t *call;
	size_t i;

	while (at-- > 0 && rows[at].m->role != ROLE_USER)
		json_array_foreach(jx_arr(rows[at].meta, "toolCalls"), i, call)
			if (str_eq(jx_str(call, "callId"), id))
				return call;
	return NULL;
}

static bool was_refused(const struct memory_row *r)
{
	json_t *v = jx_bool(r->meta, "isError", false) ? jx_try(r->m->content) : NULL;
	bool refused = str_is(jx_str(jx_obj(v, "error"), "code"), "tool_not_approved");

	json_decref(v);
	return refused;
}

/* What the row is; 0: no fact. */
static int64_t kind_of(const struct memory_row *r)
{
	struct str effect = jx_str(r->meta, "effect");

	if (r->m->role != ROLE_TOOL)
		return 0;
	if (r->m->kind == KIND_REPLY)
		return FACT_CHOICE;
	if (was_refused(r))
		return FACT_REFUSED;
	/* A failed change may have happened in part: what the tool says of it stays. */
	return effect.n || jx_str(r->meta, "approvalId").n ? FACT_CHANGE : 0;
}

static json_t *value_of(struct str text)
{
	json_t *v = jx_try(text);

	return v ? v : jx_string(text);
}

/* Whether a result has a record of what was changed. */
static bool has_record(const json_t *v, struct str id, int depth)
{
	const json_t *child;
	const char *key;
	size_t i;

	if (str_eq(jx_str(v, "id"), id))
		return true;
	if (depth == 0)
		return false;
	json_object_foreach((json_t *)v, key, child)
		if (has_record(child, id, depth - 1))
			return true;
	json_array_foreach((json_t *)v, i, child)
		if (has_record(child, id, depth - 1))
			return true;
	return false;
}

/* What the call has changed that its result does not show, as that of a plan. NULL: nothing. */
static json_t *unnamed(const struct memory_row *r, const json_t *result)
{
	static const char *const keys[] = { "action", "entityType", "entityId", "title" };
	const json_t *change;
	json_t *out = NULL, *one;
	size_t i;

	json_array_foreach((json_t *)jx_arr(r->meta, "changes"), i, change) {
		const struct str id = jx_str(change, "entityId");

		if (!id.n || has_record(result, id, DEPTH))
			continue;
		one = json_object();
		for (size_t k = 0; k < ARRAY_LEN(keys); k++)
			json_object_set(one, keys[k], json_object_get(change, keys[k]));
		out = out ? out : json_array();
		json_array_append_new(out, one);
	}
	return out;
}

static struct str fact_text(const struct memory_row *r, const json_t *call,
			    struct arena *a)
{
	const json_t *edited = jx_obj(r->meta, "editedArgs");
	const json_t *args = edited ? edited : json_object_get(call, "args");
	json_t *result = value_of(r->m->content), *o = json_object();
	json_t *changes = unnamed(r, result);
	char *text;


	for (size_t chars = TEXT_CHARS; chars; chars = chars > SHORT_CHARS
	     ? SHORT_CHARS : 0) {
		if (args)
			json_object_set_new(o, "args", fact_shorten(args, chars));
		json_object_set_new(o, "result", fact_shorten(result, chars));
		if (changes)
			json_object_set(o, "changes", changes);
		if (jx_str(r->meta, "approvalId").n)
			json_object_set(o, "approvalId",
					json_object_get(r->meta, "approvalId"));
		if (edited)
			json_object_set_new(o, "edited", json_true());
		if (jx_bool(r->meta, "isError", false))
			json_object_set_new(o, "failed", json_true());
		text = jx_text(a, o);
		if (strlen(text) <= LIM_FACT_BYTES)
			break;
	}
	json_decref(result);
	json_decref(changes);
	json_decref(o);
	return str_of(text);
}

static struct str origins_of(const struct memory_row *r, struct arena *a)
{
	const json_t *list = jx_arr(r->meta, "origins");

	if (json_array_size(list))
		return str_of(jx_text(a, list));
	/* Stored by a version without origins. */
	return jx_bool(r->meta, "untrusted", false) ? STR("[{\"kind\":\"tool\",\"name\":\"\"}]")
		: (struct str){ NULL, 0 };
}

size_t facts_of(const struct memory_row *rows, size_t n, struct arena *a,
		struct fact **out)
{
	struct fact *v = arena_zalloc(a, n + 1, sizeof(*v));
	size_t n_facts = 0;

	for (size_t i = 0; i < n; i++) {
		const struct memory_row *r = &rows[i];
		const int64_t kind = kind_of(r);

		if (!kind)
			continue;
		v[n_facts++] = (struct fact){
			.seq = r->m->seq, .kind = kind,
			.tool = utf8_head(jx_str(r->meta, "toolName"), 64),
			.fact = fact_text(r, call_of(rows, i,
						     jx_str(r->meta, "callId")), a),
			.origins = origins_of(r, a),
			.created_us = r->m->created_us,
		};
	}
	*out = v;
	return n_facts;
}

/* -- entities --------------------------------------------------------------------- */

/* "task" of create_onto_task or update_task. */
static struct str noun_of(struct str tool)
{
	for (size_t i = tool.n; i-- > 0;)
		if (tool.p[i] == '_')
			return (struct str){ tool.p + i + 1, tool.n - i - 1 };
	return STR("entity");
}

static void find_entities(const json_t *v, struct str noun, int depth, json_t *state)
{
	struct str id = jx_str(v, "id"), name = jx_str(v, "title"), kind;
	json_t *child;
	const char *key;
	size_t i;

	if (!name.n)
		name = jx_str(v, "name");
	kind = jx_str(v, "kind").n ? jx_str(v, "kind") : noun;
	if (id.n && name.n)
		state_entity(state, id, kind, name);
	if (depth == 0)
		return;
	json_object_foreach((json_t *)v, key, child)
		if (!json_is_string(child))
			find_entities(child, json_is_object(child) ? str_of(key) : noun,
				      depth - 1, state);
	json_array_foreach((json_t *)v, i, child)
		find_entities(child, noun, depth - 1, state);
}

/* What has an id in the result of a plan is its steps. */
static bool names_entities(struct str tool)
{
	return !str_is(tool, "plan");
}

void fact_entities(const struct fact *f, json_t *state, struct arena *a)
{
	const json_t *v = jx_keep(a, jx_try(f->fact)), *change;
	size_t i;

	if (f->kind != FACT_CHANGE)
		return;
	if (!jx_bool(v, "failed", false) && names_entities(f->tool))
		find_entities(json_object_get(v, "result"), noun_of(f->tool), DEPTH, state);
	json_array_foreach((json_t *)jx_arr(v, "changes"), i, change)
		if (!str_is(jx_str(change, "action"), "delete"))
			state_entity(state, jx_str(change, "entityId"),
				     jx_str(change, "entityType"), jx_str(change, "title"));
}

struct str fact_delta(struct str tool, struct str result,
		      const struct resource_changes *changes, struct arena *a)
{
	json_t *state = state_read(a, STR("")), *v = jx_try(result), *o;
	char id[UUID_TEXT_BYTES];
	const json_t *found;
	struct str text = { NULL, 0 };

	if (names_entities(tool))
		find_entities(v, noun_of(tool), DEPTH, state);
	json_decref(v);
	for (const struct resource_changed *c = changes->first; c; c = c->next)
		if (!str_is(c->verb, "delete"))
			state_entity(state, str_of(uuid_format(&c->row_id, id)),
				     str_of(c->kind), c->title);
	found = jx_arr(jx_obj(state, "current_understanding"), "entities");
	if (!json_array_size(found))
		return text;
	o = json_pack("{s:{s:O}}", "current_understanding", "entities", found);
	text = str_of(jx_text(a, o));
	json_decref(o);
	return text;
}

/* -- shown ------------------------------------------------------------------------ */

const char *fact_kind_name(int64_t kind)
{
	return kind == FACT_CHANGE ? "change" : kind == FACT_REFUSED ? "refused" : "choice";
}

void fact_line(const struct fact *f, struct buf *out)
{
	struct str head = utf8_head(f->fact, LINE_CHARS);

	buf_addf(out, "- [message %lld] %s %.*s: %.*s%s\n", (long long)f->seq,
		 fact_kind_name(f->kind), STR_ARG(f->tool), STR_ARG(head),
		 head.n < f->fact.n ? "…" : "");
}
