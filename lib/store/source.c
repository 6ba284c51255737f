/* SPDX-License-Identifier: MIT */
#include "store/source.h"

#include <sodium.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	FORGET_ROWS = 1000,	/* per statement */
	ROW_BYTES = 8192,	/* of a source as JSON, without its text */
};

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct source, m, t)
	TURN_SOURCE_FIELDS(F, COMMA)
#undef F
};

/* In hexadecimal, for UNHEX. */
static void write_id(struct jw *w, const char *key, const struct uuid *id)
{
	char text[2 * sizeof(id->b) + 1];

	if (uuid_is_nil(id))
		jw_kstr(w, key, (struct str){ NULL, 0 });
	else
		jw_kstrz(w, key, sodium_bin2hex(text, sizeof(text), id->b,
						sizeof(id->b)));
}

/*
 * With every member, and the text last: JSON_TABLE searches the row from its beginning
 * for each of them, and all of the text for one that is not there.
 */
static void write_row(struct jw *w, const struct source *s)
{
	jw_obj(w);
	jw_kint(w, "no", s->no);
	write_id(w, "base", &s->base_id);
	write_id(w, "document", &s->document_id);
	write_id(w, "attachment", &s->attachment_id);
	jw_kint(w, "chunk", s->chunk);
	jw_kint(w, "page", s->page);
	jw_key(w, "score");
	jw_rounded(w, s->score);
	jw_kstr(w, "external", s->external_id);
	jw_kstr(w, "title", utf8_head(s->title, LIM_TITLE_CHARS));
	jw_kstr(w, "url", s->url);
	jw_kstr(w, "text", utf8_head(s->text, LIM_SOURCE_TEXT_CHARS));
	jw_end_obj(w);
}

int store_source_put(struct db *db, const struct owner *o,
		     const struct uuid *conversation_id,
		     const struct uuid *turn_id, const struct source *v, size_t n,
		     struct err *e)
{
	/* Four bytes for a character, six for a byte that JSON escapes. */
	struct buf b = BUF_INIT(n * (ROW_BYTES + 6 * 4 * LIM_SOURCE_TEXT_CHARS) + 8);
	struct jw w = jw_on(&b);
	int rc;

	jw_arr(&w);
	for (size_t i = 0; i < n; i++)
		write_row(&w, &v[i]);
	jw_end_arr(&w);
	rc = !buf_ok(&b) ? err_set(e, ERR_INTERNAL, "sources that are too long")
		: db_exec(db, STMT_TURN_SOURCE_PUT,
			  DB_ARGS(DB_U(turn_id), DB_S(buf_str(&b)),
				  DB_U(conversation_id), DB_S(o->tenant_id),
				  DB_U(&o->user_id)), NULL, e);
	buf_release(&b);
	return rc;
}

int store_source_list(struct db *db, const struct owner *o,
		      const struct uuid *turn_id, struct arena *a,
		      struct source **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_TURN_SOURCE_LIST,
		       DB_ARGS(DB_U(turn_id), DB_S(o->tenant_id),
			       DB_U(&o->user_id)),
		       a, fields, sizeof(**out), 0, out, n, e);
}

int store_source_list_of(struct db *db, const struct owner *o,
			 const struct uuid *conversation_id, int64_t seq,
			 struct arena *a, struct source **out, size_t *n,
			 struct err *e)
{
	return db_list(db, STMT_MESSAGE_SOURCE_LIST,
		       DB_ARGS(DB_U(conversation_id), DB_I(seq),
			       DB_S(o->tenant_id), DB_U(&o->user_id)),
		       a, fields, sizeof(**out), 0, out, n, e);
}

int store_source_list_shared(struct db *db, const struct shared_reader *by,
			     const struct shared *s, int64_t seq, struct arena *a,
			     struct source **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_SHARED_SOURCE_LIST,
		       DB_ARGS(DB_I(seq), DB_U(&s->conversation_id), DB_S(by->tenant_id),
			       DB_U(&s->user_id), DB_U(&s->id), DB_I(clock_now_us()),
			       DB_S(by->readers_json)),
		       a, fields, sizeof(**out), 0, out, n, e);
}

int store_source_forget(struct db *db, const struct uuid *base,
			const struct uuid *document, struct err *e)
{
	struct db_result r = { .affected = 0 };

	do {
		if (db_exec(db, STMT_TURN_SOURCE_FORGET,
			    DB_ARGS(DB_U(base), DB_U(document),
				    DB_I(FORGET_ROWS)), &r, e))
			return -1;
	} while (r.affected == FORGET_ROWS);
	return 0;
}
