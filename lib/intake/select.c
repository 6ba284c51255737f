/* SPDX-License-Identifier: MIT */
/*
 * Rows of a SELECT. Keys are read in pages, each with the value that shows
 * whether the row has changed; only new and changed rows are read in full. A
 * change of the groups is noticed even if the application does not update the
 * time.
 */
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "file/upload.h"
#include "intake/item.h"

#include "base/banned.h"

enum {
	TIMEOUT_MS = 60000,	/* per query */
	ANSWER_BYTES = 32 * 1024 * 1024,
	SQL_BYTES = 32768,
};

enum column { ID, TITLE, TEXT, HTML, URL, CHANGED, GROUPS, N_COLUMNS };

static const char *const columns[N_COLUMNS] = {
	"id", "title", "text", "html", "url", "changed", "groups",
};

struct rows {
	struct intake_run *k;
	struct db *db;		/* the application's */
	bool has[N_COLUMNS];
};

/* -- queries -------------------------------------------------------------------- */

/*
 * Appends "SELECT " with the columns, NULL for those that the query does not
 * have.
 */
static void add_select(const struct rows *r, const enum column *v, size_t n,
		       struct buf *sql)
{
	buf_adds(sql, "SELECT ");
	for (size_t i = 0; i < n; i++)
		buf_addf(sql, r->has[v[i]] ? "%s`%s`" : "%sNULL AS `%s`",
			 i ? ", " : "", columns[v[i]]);
	buf_addf(sql, " FROM (%s\n) s WHERE `id` ", r->k->s->select);
}

/* Returns the rows as JSON, owned by a. *cut: not all of them fit. */
static const json_t *ask(struct rows *r, const struct buf *sql,
			 const struct db_val *v, size_t n, size_t most,
			 struct arena *a, bool *cut, struct err *e)
{
	const struct db_query_limits l = {
		.timeout_ms = TIMEOUT_MS, .max_rows = most,
		.max_bytes = ANSWER_BYTES,
		.max_cell_bytes = LIM_DOCUMENT_BYTES + 16,
	};
	struct buf out = BUF_INIT(ANSWER_BYTES + 65536);
	struct jw w = jw_on(&out);
	struct db_query_result res;
	json_t *j = NULL;

	if (db_query_json(r->db, buf_str(sql), v, n, &l, a, &w, &res,
			  e) == 0)
		j = jx_load_lenient(buf_str(&out), e);
	buf_release(&out);
	*cut = j && res.truncated;
	return j ? jx_keep(a, j) : NULL;
}

/* A cell as text; p == NULL: NULL. */
static struct str cell(const json_t *row, size_t i, struct arena *a)
{
	const json_t *j = json_array_get(row, i);

	if (!j || json_is_null(j))
		return (struct str){ NULL, 0 };
	if (json_is_string(j))
		return (struct str){ json_string_value(j),
				     json_string_length(j) };
	return str_of(jx_text(a, j));
}

static int find_columns(struct rows *r, struct err *e)
{
	const struct db_query_limits l = {
		.timeout_ms = TIMEOUT_MS, .max_rows = 1, .max_bytes = 65536,
	};
	struct buf sql = BUF_INIT(SQL_BYTES), out = BUF_INIT(131072);
	struct jw w = jw_on(&out);
	struct db_query_result res;
	int rc;

	buf_addf(&sql, "SELECT * FROM (%s\n) s LIMIT 0", r->k->s->select);
	rc = db_query_json(r->db, buf_str(&sql), NULL, 0, &l, r->k->a, &w, &res, e);
	for (size_t i = 0; !rc && i < res.n_columns; i++)
		for (size_t c = 0; c < N_COLUMNS; c++)
			if (!strcmp(res.columns[i].name, columns[c]))
				r->has[c] = true;
	buf_release(&sql);
	buf_release(&out);
	if (!rc && (!r->has[ID] || !r->has[TITLE] ||
		    r->has[TEXT] == r->has[HTML]))
		return err_public(e, ERR_CONFIG, "The select of the source %s must "
				  "give the columns id, title, and either text "
				  "or html.", r->k->s->name);
	return rc;
}

/* -- a row ---------------------------------------------------------------------- */

/* Who may find the row; false if its groups are invalid. */
static bool groups_of(const struct rows *r, const json_t *row, struct arena *a,
		      struct str *out)
{
	const json_t *cell_j = json_array_get(row, GROUPS);
	struct str s = str_trim(cell(row, GROUPS, a));
	json_t *list;
	const char *text;

	*out = r->k->groups;
	if (!s.n)
		return true;
	if (json_is_array(cell_j) || *s.p == '[') {
		list = jx_keep(a, jx_try(s));
	} else {
		list = jx_keep(a, json_array());
		while (s.n) {
			struct str name = str_trim(str_cut(&s, ','));

			if (name.n)
				json_array_append_new(list, jx_string(name));
		}
	}
	text = list && json_array_size(list) ? intake_groups(a, list, NULL)
		: NULL;
	if (text)
		*out = str_of(text);
	return text != NULL;
}

/* Adds the tags that make an HTML fragment a document. */
static struct str as_page(struct str html, struct arena *a)
{
	return str_of(arena_printf(
		a, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"></head>"
		"<body>\n%.*s\n</body></html>\n", STR_ARG(html)));
}

static struct str url_of(struct str s)
{
	bool web = str_starts(s, STR("http://")) || str_starts(s, STR("https://"));

	for (size_t i = 0; web && i < s.n; i++)
		web = (unsigned char)s.p[i] > ' ';
	return web && utf8_chars(s) <= LIM_DOCUMENT_URL_CHARS ? s
		: (struct str){ NULL, 0 };
}

/*
 * Reads a row into an item. Returns an error sentence, "" if the row is empty,
 * or NULL.
 */
static const char *read_row(const struct rows *r, const json_t *row,
			    struct arena *a, struct intake_item *it)
{
	struct str content = cell(row, r->has[TEXT] ? TEXT : HTML, a);
	struct str parts[5];

	it->title = file_line(cell(row, TITLE, a), LIM_TITLE_CHARS, a);
	if (!it->title.n)
		it->title = file_name(it->key, a);
	it->url = url_of(cell(row, URL, a));
	if (!groups_of(r, row, a, &it->groups))
		return "Its groups are neither names separated by commas nor a "
		       "JSON list of names; it is skipped.";
	if (content.n > LIM_DOCUMENT_BYTES)
		return "Its text is too large; it is skipped.";
	if (!str_trim(content).n)
		return "";
	it->text = content;
	if (r->has[HTML]) {
		it->text = (struct str){ NULL, 0 };
		it->file_name = str_of(arena_printf(a, "%.*s.html",
						    STR_ARG(file_name(it->title, a))));
		it->body = as_page(content, a);
		it->read = intake_read_body;
	}
	parts[0] = it->title;
	parts[1] = it->url;
	parts[2] = it->groups;
	parts[3] = content;
	parts[4] = str_of(r->has[HTML] ? "html" : "text");
	intake_hash(it->content, parts, ARRAY_LEN(parts));
	return NULL;
}

static int take_row(struct rows *r, const json_t *row, struct intake_item *it,
		    struct err *e)
{
	struct arena a = ARENA_INIT;
	const char *why = read_row(r, row, &a, it);
	int rc = 0;

	if (!why)
		rc = intake_write(r->k, it, &a, e);
	else if (*why)
		intake_fault(r->k, it->key, why);
	arena_release(&a);
	return rc;
}

/* -- rows ----------------------------------------------------------------------- */

/* Reads n rows by their ids. Those that do not fit together are read one by one. */
static int read_rows(struct rows *r, struct intake_item *v, size_t n, struct err *e)
{
	static const enum column all[] = { ID, TITLE, TEXT, HTML, URL, CHANGED,
					   GROUPS };
	struct db_val ids[LIM_INTAKE_READ];
	struct buf sql = BUF_INIT(SQL_BYTES);
	struct arena a = ARENA_INIT;
	const json_t *rows;
	bool cut;
	int rc = 0;

	add_select(r, all, ARRAY_LEN(all), &sql);
	buf_adds(&sql, "IN (");
	for (size_t i = 0; i < n; i++) {
		ids[i] = DB_S(v[i].key);
		buf_adds(&sql, i ? ",?" : "?");
	}
	buf_adds(&sql, ")");
	rows = ask(r, &sql, ids, n, 2 * LIM_INTAKE_READ, &a, &cut, e);
	buf_release(&sql);
	if (!rows)
		rc = -1;
	for (size_t i = 0; !rc && i < n; i++) {
		const json_t *row = NULL;

		for (size_t j = 0; !row && j < json_array_size(rows); j++)
			if (str_eq(cell(json_array_get(rows, j), 0, &a),
				   v[i].key))
				row = json_array_get(rows, j);
		if (row)
			rc = take_row(r, row, &v[i], e);
		else if (cut && n > 1)
			rc = read_rows(r, &v[i], 1, e);
		else if (cut)
			intake_fault(r->k, v[i].key, "It is too large.");
		/* otherwise it was deleted meanwhile */
	}
	arena_release(&a);
	return rc;
}

static int take_page(struct rows *r, const json_t *page, struct arena *a,
		     struct err *e)
{
	struct intake_item v[LIM_INTAKE_READ];
	size_t n = 0, all = json_array_size(page);
	struct str last = { NULL, 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < all; i++) {
		const json_t *row = json_array_get(page, i);
		struct intake_item it = { .key = cell(row, 0, a) };
		struct str parts[] = { cell(row, 1, a), cell(row, 2, a),
				       r->k->groups };
		int same = 0;

		if (!it.key.n) {
			intake_fault(r->k, STR("A row"), "It has no id.");
			continue;
		}
		if (last.p && str_eq(last, it.key)) {
			intake_fault(r->k, it.key, "There are several rows "
				     "with this id; the first is used.");
			continue;
		}
		last = it.key;
		intake_hash(it.hash, &it.key, 1);
		intake_hash(it.stamp, parts, ARRAY_LEN(parts));
		if (r->has[CHANGED])
			same = intake_same(r->k, &it, e);
		if (same < 0)
			return -1;
		if (!same)
			v[n++] = it;
		if (n == LIM_INTAKE_READ) {
			rc = read_rows(r, v, n, e);
			n = 0;
		}
	}
	return !rc && n ? read_rows(r, v, n, e) : rc;
}

/* Reads the page after the place. Returns 1 if it was the last one; 0; -1. */
static int next_page(struct rows *r, struct err *e)
{
	static const enum column keys[] = { ID, CHANGED, GROUPS };
	struct intake_run *k = r->k;
	struct buf sql = BUF_INIT(SQL_BYTES);
	struct arena a = ARENA_INIT;
	struct db_val args[1] = { DB_S(k->st.place) };
	const json_t *page;
	struct str last;
	size_t n;
	bool cut;
	int rc = -1;

	add_select(r, keys, ARRAY_LEN(keys), &sql);
	buf_addf(&sql, "%s ORDER BY `id` LIMIT %d",
		 k->st.place.n ? "> ?" : "IS NOT NULL", LIM_INTAKE_ROWS);
	page = ask(r, &sql, args, k->st.place.n > 0, LIM_INTAKE_ROWS, &a, &cut, e);
	buf_release(&sql);
	n = json_array_size(page);
	if (page && take_page(r, page, &a, e) == 0) {
		last = n ? cell(json_array_get(page, n - 1), 0, &a) : STR("");
		rc = n < LIM_INTAKE_ROWS && !cut;
		if (!rc && str_eq(last, k->st.place))
			rc = err_public(e, ERR_CONFIG, "The ids of the source "
					"%s are not unique.", k->s->name);
		k->st.place = arena_str(k->a, last);
	}
	arena_release(&a);
	return rc;
}

/* Counts the rows without an id, which no page includes. */
static int count_nameless(struct rows *r, struct err *e)
{
	struct buf sql = BUF_INIT(SQL_BYTES);
	struct arena a = ARENA_INIT;
	const json_t *rows;
	char text[96];
	int64_t n = 0;
	bool cut;

	buf_addf(&sql, "SELECT COUNT(*) FROM (%s\n) s WHERE `id` IS NULL",
		 r->k->s->select);
	rows = ask(r, &sql, NULL, 0, 1, &a, &cut, e);
	buf_release(&sql);
	if (rows)
		str_int(cell(json_array_get(rows, 0), 0, &a), &n);
	if (n) {
		snprintf(text, sizeof(text), "%lld %s no id.", (long long)n,
			 n == 1 ? "row has" : "rows have");
		intake_fault(r->k, str_of(r->k->s->name), text);
		r->k->st.failed += n - 1;
	}
	arena_release(&a);
	return rows ? 0 : -1;
}

int intake_select(struct intake_run *k, struct err *e)
{
	const struct conf_db *c = conf_database(k->io->conf,
						str_of(k->s->database));
	struct rows r = { .k = k };
	int rc;

	if (!c)
		return err_set(e, ERR_CONFIG, "the database of the source %s",
			       k->s->name);
	r.db = db_open(&(struct db_options){ .conf = c, .foreign = true }, e);
	if (!r.db)
		return -1;
	rc = find_columns(&r, e);
	if (!rc && !k->st.place.n)
		rc = count_nameless(&r, e);
	if (!rc)
		do
			rc = next_page(&r, e);
		while (!rc && !intake_is_late(k));
	db_close(r.db);
	if (rc)
		k->st.place = STR("");
	return rc;
}
