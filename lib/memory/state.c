/* SPDX-License-Identifier: MIT */
#include "memory/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "base/util.h"

#include "base/banned.h"

enum {
	ID_CHARS = 64, NAME_CHARS = 200, TEXT_CHARS = 500, DETAIL_CHARS = 1000,
};

/* The lists of a state: where they are, how many rows they hold, and what is in a row. */
static const struct list {
	const char *key;
	const char *within;	/* the member that has it; NULL: the state itself */
	const char *must;	/* the member that each row has */
	char prefix;		/* of ids that are made here; 0: rows have none, or theirs */
	const char *by;		/* rows with the same text here are one */
	int most;
	bool drops;		/* the oldest gives way to a new one */
	const char *texts[4];	/* further members that are texts */
} lists[] = {
	{ "entities", "current_understanding", "id", 0, "id", 40, true, { "kind", "name" } },
	{ "dependencies", "current_understanding", "from", 0, NULL, 40, true, { "to", "rel" } },
	{ "assumptions", NULL, "hypothesis", 'a', "id", 40, false, { NULL } },
	{ "expectations", NULL, "action", 0, "action", 20, true,
	  { "expected_outcome", "invariant" } },
	{ "tentative_hypotheses", NULL, "hypothesis", 'h', "id", 20, true, { "reason" } },
};

static const char *const kinds[] = { "task", "doc", "note", "idea", "question" };
static const char *const statuses[] = { "active", "resolved", "discarded" };

enum { ITEMS = 40, RELATED = 10, EVIDENCE = 5 };

static bool is_one_of(struct str s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(s, words[i]))
			return true;
	return false;
}

static void put_text(json_t *o, const char *key, struct str s, size_t chars)
{
	struct str head = utf8_head(s, chars);

	json_object_set_new(o, key, json_stringn(head.p ? head.p : "", head.n));
}

/* The list of this name, made if it is missing. */
static json_t *list_of(json_t *state, const char *key, const char *within)
{
	json_t *o = state, *v;

	if (within && !jx_obj(state, within))
		json_object_set_new(state, within, json_object());
	if (within)
		o = jx_obj(state, within);
	v = jx_arr(o, key);
	if (!v) {
		json_object_set_new(o, key, json_array());
		v = jx_arr(o, key);
	}
	return v;
}

json_t *state_read(struct arena *a, struct str text)
{
	json_t *j = text.n ? jx_try(text) : NULL;

	if (!json_is_object(j)) {
		json_decref(j);
		j = json_object();
	}
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		list_of(j, lists[i].key, lists[i].within);
	list_of(j, "items", NULL);
	return jx_keep(a, j);
}

static const char cleared_key[] = "clearedSeq";

struct str state_cleared(struct arena *a, int64_t seq)
{
	return str_of(arena_printf(a, "{\"%s\":%lld}", cleared_key, (long long)seq));
}

int64_t state_cleared_seq(const json_t *state)
{
	return jx_int(state, cleared_key, 0);
}

/* The next free id of a list: i1, i2, … */
static void new_id(const json_t *list, json_t *row, char prefix)
{
	char id[24];
	long most = 0;
	json_t *r;
	size_t i;

	json_array_foreach((json_t *)list, i, r) {
		struct str s = jx_str(r, "id");

		if (s.n > 1 && s.p[0] == prefix)
			most = MAX(most, strtol(s.p + 1, NULL, 10));
	}
	snprintf(id, sizeof(id), "%c%ld", prefix, most + 1);
	json_object_set_new(row, "id", json_string(id));
}

static bool is_given(struct str id, struct str given, enum state_by by)
{
	return by == STATE_BY_USER ||
		(id.n && given.n && memmem(given.p, given.n, id.p, id.n));
}

/* -- items (D36) ----------------------------------------------------------------- */

static void set_related(json_t *item, const json_t *ids, enum state_by by,
			struct str given)
{
	json_t *out = json_array(), *id;
	size_t i;

	json_array_foreach((json_t *)ids, i, id) {
		struct str s = { json_string_value(id), json_string_length(id) };

		if (json_is_string(id) && json_array_size(out) < RELATED &&
		    is_given(s, given, by))
			json_array_append_new(out, jx_string(utf8_head(s, ID_CHARS)));
	}
	json_object_set_new(item, "relatedEntityIds", out);
}

/* Members of from into an item; those of another form are left out. */
static void set_item(json_t *item, const json_t *from, enum state_by by,
		     struct str given, int64_t now_us)
{
	char time[40];
	struct buf b = BUF_INIT(64);
	struct jw w = jw_on(&b);
	struct str kind = jx_str(from, "kind"), status = jx_str(from, "status");

	if (jx_str(from, "title").n)
		put_text(item, "title", jx_str(from, "title"), NAME_CHARS);
	if (jx_str(from, "details").p)
		put_text(item, "details", jx_str(from, "details"), DETAIL_CHARS);
	if (is_one_of(kind, kinds, ARRAY_LEN(kinds)))
		put_text(item, "kind", kind, ID_CHARS);
	if (is_one_of(status, statuses, ARRAY_LEN(statuses)))
		put_text(item, "status", status, ID_CHARS);
	if (jx_arr(from, "relatedEntityIds"))
		set_related(item, jx_arr(from, "relatedEntityIds"), by, given);
	jw_time(&w, now_us);
	snprintf(time, sizeof(time), "%.*s", MAX((int)b.n - 2, 0), buf_str(&b).p + 1);
	buf_release(&b);
	json_object_set_new(item, "updatedAt", json_string(time));
	if (!json_object_get(item, "createdAt"))
		json_object_set_new(item, "createdAt", json_string(time));
}

/* Room for one more: the oldest that is not active goes. */
static bool make_room(json_t *items)
{
	json_t *row;
	size_t i;

	if (json_array_size(items) < ITEMS)
		return true;
	json_array_foreach(items, i, row)
		if (!str_is(jx_str(row, "status"), "active"))
			return json_array_remove(items, i) == 0;
	return false;
}

static bool add_item(json_t *items, const json_t *from, enum state_by by,
		     struct str given, int64_t now_us)
{
	json_t *item;

	if (!jx_str(from, "title").n || !make_room(items))
		return false;
	if (jx_find(items, "title", utf8_head(jx_str(from, "title"), NAME_CHARS)))
		return true;	/* it is there: models repeat themselves */
	item = json_object();
	new_id(items, item, 'i');
	put_text(item, "kind", STR("note"), ID_CHARS);
	put_text(item, "status", STR("active"), ID_CHARS);
	set_item(item, from, by, given, now_us);
	json_array_append_new(items, item);
	return true;
}

static bool change_item(json_t *items, const json_t *op, enum state_by by,
			struct str given, int64_t now_us)
{
	struct str word = jx_str(op, "op"), id = jx_str(op, "id");
	json_t *item = jx_find(items, "id", id), *row;
	size_t i;

	if (str_is(word, "add"))
		return add_item(items, jx_obj(op, "item"), by, given, now_us);
	if (!item)
		return false;
	if (str_is(word, "update")) {
		set_item(item, jx_obj(op, "patch"), by, given, now_us);
		return true;
	}
	if (!str_is(word, "remove") || by != STATE_BY_USER)
		return false;	/* D20: never deletes */
	json_array_foreach(items, i, row)
		if (row == item)
			return json_array_remove(items, i) == 0;
	return false;
}

/* -- the rest (D37) -------------------------------------------------------------- */

static void set_assumption(json_t *row, const json_t *from)
{
	const json_t *c = json_object_get(from, "confidence");
	const json_t *evidence = jx_arr(from, "evidence"), *v;
	double sure = json_is_number(c) ? json_number_value(c) : 0.5;
	json_t *out;
	size_t i;

	if (json_is_number(c) || !json_object_get(row, "confidence"))
		json_object_set_new(row, "confidence",
				    json_real(MIN(MAX(sure, 0), 1)));
	if (!evidence)
		return;
	out = json_array();
	json_array_foreach((json_t *)evidence, i, v)
		if (json_is_string(v) && i < EVIDENCE)
			json_array_append_new(out, jx_string(utf8_head((struct str){
				json_string_value(v), json_string_length(v) },
				NAME_CHARS)));
	json_object_set_new(row, "evidence", out);
}

static void set_row(json_t *row, const struct list *l, const json_t *from)
{
	const size_t chars = str_is(jx_str(from, l->must), "") ? 0
		: strcmp(l->must, "id") && strcmp(l->must, "from") ? TEXT_CHARS : ID_CHARS;

	if (jx_str(from, l->must).n)
		put_text(row, l->must, jx_str(from, l->must), chars);
	for (size_t i = 0; i < ARRAY_LEN(l->texts) && l->texts[i]; i++)
		if (jx_str(from, l->texts[i]).p)
			put_text(row, l->texts[i], jx_str(from, l->texts[i]), TEXT_CHARS);
	if (!strcmp(l->key, "assumptions"))
		set_assumption(row, from);
}

static bool same_dependency(const json_t *a, const json_t *b)
{
	return str_eq(jx_str(a, "from"), jx_str(b, "from")) &&
		str_eq(jx_str(a, "to"), jx_str(b, "to")) &&
		str_eq(jx_str(a, "rel"), jx_str(b, "rel"));
}

static bool is_known(const json_t *list, const json_t *from)
{
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)list, i, row)
		if (same_dependency(row, from))
			return true;
	return false;
}

/* Whether the ids of entities in from are known. */
static bool ids_given(const struct list *l, const json_t *from, enum state_by by,
		      struct str given)
{
	if (!l->within)
		return true;
	return is_given(jx_str(from, l->must), given, by) &&
		(!strcmp(l->must, "id") || is_given(jx_str(from, "to"), given, by));
}

static bool merge_row(json_t *list, const struct list *l, const json_t *from,
		      enum state_by by, struct str given)
{
	json_t *row = l->by ? jx_find(list, l->by, jx_str(from, l->by)) : NULL;

	if (!ids_given(l, from, by, given))
		return false;
	if (!l->by && is_known(list, from))
		return true;
	if (!row && l->prefix)	/* the same words under another id */
		row = jx_find(list, l->must, utf8_head(jx_str(from, l->must), TEXT_CHARS));
	if (row) {
		set_row(row, l, from);
		return true;
	}
	if (!jx_str(from, l->must).n)
		return false;
	if (json_array_size(list) >= (size_t)l->most &&
	    (!l->drops || json_array_remove(list, 0)))
		return false;
	row = json_object();
	if (l->prefix)
		new_id(list, row, l->prefix);
	set_row(row, l, from);
	json_array_append_new(list, row);
	return true;
}

static size_t apply_patch(json_t *state, const json_t *patch, enum state_by by,
			  struct str given)
{
	size_t refused = 0, i;
	json_t *row;

	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		const struct list *l = &lists[k];
		const json_t *rows = jx_arr(l->within ? jx_obj(patch, l->within)
					    : patch, l->key);

		json_array_foreach((json_t *)rows, i, row)
			refused += !merge_row(list_of(state, l->key, l->within), l,
					      row, by, given);
	}
	return refused;
}

size_t state_apply(json_t *state, const json_t *items, const json_t *patches,
		   enum state_by by, struct str given, int64_t now_us)
{
	json_t *have = list_of(state, "items", NULL), *row;
	size_t refused = 0, i;

	json_array_foreach((json_t *)items, i, row)
		refused += !change_item(have, row, by, given, now_us);
	if (json_is_object(patches))
		return refused + apply_patch(state, patches, by, given);
	json_array_foreach((json_t *)patches, i, row)
		refused += json_is_object(row) ? apply_patch(state, row, by, given) : 1;
	return refused;
}

void state_entity(json_t *state, struct str id, struct str kind, struct str name)
{
	json_t *from = json_object();

	put_text(from, "id", id, ID_CHARS);
	put_text(from, "kind", kind, ID_CHARS);
	if (name.n)
		put_text(from, "name", name, NAME_CHARS);
	merge_row(list_of(state, lists[0].key, lists[0].within), &lists[0], from,
		  STATE_BY_USER, (struct str){ NULL, 0 });
	json_decref(from);
}

/* -- shown ----------------------------------------------------------------------- */

static bool is_live(const json_t *row)
{
	const json_t *c = json_object_get(row, "confidence");
	struct str status = jx_str(row, "status");

	return (!json_is_number(c) || json_number_value(c) > 0) &&
		(!status.n || str_is(status, "active"));
}

/* One line: the row's texts, the first of them with its id. */
static void line(struct buf *out, const json_t *row, const char *const *keys, size_t n)
{
	struct str id = jx_str(row, "id");
	bool any = false;

	buf_adds(out, "- ");
	if (id.n)
		buf_addf(out, "[%.*s] ", STR_ARG(id));
	for (size_t i = 0; i < n; i++) {
		struct str s = jx_str(row, keys[i]);

		if (!s.n || !strcmp(keys[i], "id"))
			continue;
		buf_addf(out, "%s%.*s", any ? ": " : "", STR_ARG(s));
		any = true;
	}
	if (json_is_number(json_object_get(row, "confidence")))
		buf_addf(out, " (confidence %.2g)",
			 json_number_value(json_object_get(row, "confidence")));
	buf_addc(out, '\n');
}

static void section(struct buf *out, const json_t *rows, const char *title,
		    const char *const *keys, size_t n)
{
	bool any = false;
	json_t *row;
	size_t i;

	json_array_foreach((json_t *)rows, i, row) {
		if (!is_live(row))
			continue;
		if (!any)
			buf_addf(out, "%s:\n", title);
		any = true;
		line(out, row, keys, n);
	}
}

void state_text(const json_t *state, struct buf *out)
{
	static const char *const item[] = { "kind", "title", "details" };
	static const char *const assumption[] = { "hypothesis" };
	static const char *const expectation[] = { "action", "expected_outcome", "invariant" };
	static const char *const tentative[] = { "hypothesis", "reason" };
	static const char *const entity[] = { "kind", "name" };
	static const char *const dependency[] = { "from", "rel", "to" };
	const json_t *u = jx_obj(state, "current_understanding");

	section(out, jx_arr(state, "items"), "Open items", item, ARRAY_LEN(item));
	section(out, jx_arr(state, "assumptions"), "Assumptions", assumption,
		ARRAY_LEN(assumption));
	section(out, jx_arr(state, "expectations"), "Expectations", expectation,
		ARRAY_LEN(expectation));
	section(out, jx_arr(state, "tentative_hypotheses"), "Tentative", tentative,
		ARRAY_LEN(tentative));
	section(out, jx_arr(u, "entities"), "Known entities", entity, ARRAY_LEN(entity));
	section(out, jx_arr(u, "dependencies"), "Dependencies", dependency,
		ARRAY_LEN(dependency));
}

static void write_list(struct jw *w, const json_t *from, const char *key)
{
	const json_t *v = jx_arr(from, key);

	jw_key(w, key);
	if (v)
		jw_json(w, v);
	else
		jw_raw(w, STR("[]"));
}

void state_write(struct jw *w, const json_t *state, const struct uuid *session)
{
	const json_t *u = jx_obj(state, "current_understanding");

	jw_obj(w);
	if (session)
		jw_kuuid(w, "sessionId", session);
	jw_key(w, "current_understanding");
	jw_obj(w);
	write_list(w, u, "entities");
	write_list(w, u, "dependencies");
	jw_end_obj(w);
	write_list(w, state, "assumptions");
	write_list(w, state, "expectations");
	write_list(w, state, "tentative_hypotheses");
	write_list(w, state, "items");
	if (jx_str(state, "lastSummarizedAt").n)
		jw_kstr(w, "lastSummarizedAt", jx_str(state, "lastSummarizedAt"));
	jw_end_obj(w);
}
