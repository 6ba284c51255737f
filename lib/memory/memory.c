/* SPDX-License-Identifier: MIT */
#include "memory/memory.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/util.h"
#include "memory/state.h"
#include "store/message.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field memory_fields[] = {
#define F(m, t, sql) FIELD_OF(struct memory, m, t)
	MEMORY_FIELDS(F, COMMA)
#undef F
};

static const struct db_field fact_fields[] = {
#define F(m, t, sql) FIELD_OF(struct fact, m, t)
	FACT_FIELDS(F, COMMA)
#undef F
};

/* "turns", "characters", "budget", "results", "edited", "removed", "cleared". */
static const char *memory_why_name(int64_t why)
{
	static const char *const names[] = {
		[MEMORY_TURNS] = "turns", [MEMORY_CHARACTERS] = "characters",
		[MEMORY_BUDGET] = "budget", [MEMORY_RESULTS] = "results",
		[MEMORY_EDITED] = "edited", [MEMORY_REMOVED] = "removed",
		[MEMORY_CLEARED] = "cleared",
	};

	return name_at(names, ARRAY_LEN(names), why, "results");
}

int memory_get(struct db *db, const struct owner *o, const struct uuid *conversation,
	       int64_t before_seq, struct arena *a, struct memory *out, struct err *e)
{
	*out = (struct memory){ .number = 0 };
	return db_get(db, STMT_MEMORY_GET,
		      DB_ARGS(DB_U(conversation), DB_I(before_seq),
			      DB_S(o->tenant_id), DB_U(&o->user_id)), a, memory_fields,
		      out, e) < 0 ? -1 : 0;
}

int memory_list(struct db *db, const struct owner *o, const struct uuid *conversation,
		struct arena *a, struct memory **out, size_t *n, struct err *e)
{
	return db_list(db, STMT_MEMORY_LIST,
		       DB_ARGS(DB_U(conversation), DB_S(o->tenant_id),
			       DB_U(&o->user_id), DB_I(LIM_MEMORY_VERSIONS)), a,
		       memory_fields, sizeof(**out), 0, out, n, e);
}

int memory_last(struct db *db, const struct owner *o, const struct uuid *conversation,
		int64_t *number, struct err *e)
{
	*number = 0;
	return db_int(db, STMT_MEMORY_LAST,
		      DB_ARGS(DB_U(conversation), DB_S(o->tenant_id),
			      DB_U(&o->user_id)), number, e) < 0 ? -1 : 0;
}

struct memory_put {
	const struct owner *o;
	const struct uuid *id;
	int64_t last;
	const struct memory *m;
	const struct fact *facts;
	size_t n_facts;
};

static int put_facts(struct db *tx, const struct memory_put *k, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < k->n_facts; i++) {
		const struct fact *f = &k->facts[i];

		rc = db_exec(tx, STMT_FACT_PUT,
			     DB_ARGS(DB_U(k->id), DB_I(f->seq), DB_I(f->kind),
				     DB_S(f->tool), DB_S(f->fact), DB_S_IF(f->origins),
				     DB_I(f->created_us)), NULL, e);
	}
	return rc;
}

static int put_tx(struct db *tx, void *ctx, struct err *e)
{
	const struct memory_put *k = ctx;
	const struct memory *m = k->m;
	const bool forget = m->why == MEMORY_REMOVED;
	struct db_result r = { .affected = 0 };

	if (db_exec(tx, STMT_MEMORY_PUT,
		    DB_ARGS(DB_I(k->last + 1), DB_I(m->seen_seq), DB_I(m->upto_seq),
			    DB_I_IF(m->replaces, m->replaces), DB_I(m->why),
			    DB_S(m->summary), DB_S_IF(m->state), DB_S_IF(m->kept),
			    DB_S_IF(m->origins), DB_S_IF(m->service),
			    DB_I(m->created_us), DB_U(k->id), DB_S(k->o->tenant_id),
			    DB_U(&k->o->user_id), DB_I(k->last)), &r, e))
		return -1;
	if (r.affected == 0)
		return err_set(e, ERR_CONFLICT, "another version of the memory");
	if (forget && db_exec(tx, STMT_FACT_FORGET, DB_ARGS(DB_U(k->id)), NULL, e))
		return -1;
	if (m->why == MEMORY_CLEARED &&
	    db_exec(tx, STMT_MEMORY_CLEAR, DB_ARGS(DB_S_IF(m->state), DB_U(k->id)), NULL, e))
		return -1;
	if (put_facts(tx, k, e))
		return -1;
	return db_exec(tx, STMT_MEMORY_TRIM,
		       DB_ARGS(DB_U(k->id), DB_I(forget ? k->last + 1
				: k->last + 2 - LIM_MEMORY_VERSIONS)), NULL, e);
}

int memory_put(struct db *db, const struct owner *o, const struct uuid *conversation,
	       int64_t last, const struct memory *m, const struct fact *facts,
	       size_t n_facts, struct err *e)
{
	struct memory_put k = { o, conversation, last, m, facts, n_facts };
	int rc = db_tx(db, put_tx, &k, e);

	if (rc && e->code == ERR_DB_DUPLICATE) {
		err_clear(e);
		return err_set(e, ERR_CONFLICT, "another version of the memory");
	}
	return rc;
}

static int clear_once(struct db *db, const struct owner *o, const struct uuid *conversation,
		      struct arena *a, int64_t *number, struct err *e)
{
	struct message_page p;
	struct memory m;
	int64_t last;

	*number = 0;
	if (memory_last(db, o, conversation, &last, e) < 0 ||
	    memory_get(db, o, conversation, INT64_MAX, a, &m, e) < 0 ||
	    message_history(db, o, conversation, 0, 1, a, &p, e) < 0)
		return -1;
	if (!last || !p.n || str_eq(m.state, state_cleared(a, p.items[0].seq)))
		return 0;
	if (!m.number)		/* of this variant; others have one */
		m.seen_seq = p.items[0].seq;
	m.replaces = m.number;
	m.why = MEMORY_CLEARED;
	m.summary = m.summary.p ? m.summary : STR("");
	m.state = state_cleared(a, p.items[0].seq);
	m.created_us = clock_now_us();
	*number = last + 1;
	return memory_put(db, o, conversation, last, &m, NULL, 0, e);
}

int memory_clear(struct db *db, const struct owner *o, const struct uuid *conversation,
		 struct arena *a, int64_t *number, struct err *e)
{
	enum { TRIES = 3 };
	int rc;

	for (int i = 1; (rc = clear_once(db, o, conversation, a, number, e)) < 0 &&
	     e->code == ERR_CONFLICT && i < TRIES; i++)
		err_clear(e);
	return rc;
}

/* Keeps those of n facts that have the words. */
static size_t with_words(struct fact *v, size_t n, struct str words)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		if (!words.n || str_holds_any_case(v[i].tool, words) ||
		    str_holds_any_case(v[i].fact, words))
			v[found++] = v[i];
	return found;
}

int memory_facts(struct db *db, const struct owner *o, const struct uuid *conversation,
		 int64_t before_seq, struct str words, size_t size, struct arena *a,
		 struct fact **out, size_t *n, struct err *e)
{
	const size_t read = words.n ? LIM_PAGE_MAX : size;
	struct fact *v = arena_zalloc(a, size + 1, sizeof(*v)), *rows;
	size_t n_rows, looked = 0;

	*out = v;
	*n = 0;
	do {
		if (db_list(db, STMT_FACT_LIST,
			    DB_ARGS(DB_U(conversation), DB_I(before_seq),
				    DB_S(o->tenant_id), DB_U(&o->user_id),
				    DB_I((int64_t)read)), a, fact_fields,
			    sizeof(*rows), 0, &rows, &n_rows, e) < 0)
			return -1;
		looked += n_rows;
		if (n_rows)
			before_seq = rows[n_rows - 1].seq;
		for (size_t i = 0, found = with_words(rows, n_rows, words);
		     i < found && *n < size; i++)
			v[(*n)++] = rows[i];
	} while (n_rows == read && *n < size && looked < LIM_LOOKED_AT);
	return 0;
}

/* -- showing ----------------------------------------------------------------------- */

size_t memory_kept(const struct memory *m, int64_t out[MEMORY_KEPT])
{
	json_t *list = m->kept.n ? jx_try(m->kept) : NULL, *v;
	size_t i, found = 0;

	json_array_foreach(list, i, v)
		if (json_is_integer(v) && found < MEMORY_KEPT)
			out[found++] = json_integer_value(v);
	json_decref(list);
	return found;
}

static void write_message_id(struct jw *w, const char *key, const struct uuid *id,
			     int64_t seq)
{
	char text[MESSAGE_ID_BYTES];

	if (seq)
		jw_kstrz(w, key, message_id(id, seq, text));
	else
		jw_kstr(w, key, (struct str){ NULL, 0 });
}

static void write_origins(struct jw *w, struct str origins)
{
	jw_kbool(w, "untrusted", origins.n > 0);
	jw_key(w, "origins");
	jw_raw(w, origins.n ? origins : STR("[]"));
}

void memory_write(struct jw *w, const struct uuid *conversation, const struct memory *m,
		  bool state, struct arena *a)
{
	int64_t kept[MEMORY_KEPT];
	size_t n = memory_kept(m, kept);
	char text[MESSAGE_ID_BYTES];

	jw_obj(w);
	jw_kuuid(w, "conversationId", conversation);
	jw_kint(w, "version", m->number);
	jw_kint_if(w, "replaces", m->replaces != 0, m->replaces);
	jw_kstr(w, "why", m->number ? str_of(memory_why_name(m->why))
		: (struct str){ NULL, 0 });
	jw_kstr(w, "summary", m->summary.p ? m->summary : STR(""));
	write_message_id(w, "uptoMessageId", conversation, m->upto_seq);
	jw_key(w, "keptMessageIds");
	jw_arr(w);
	for (size_t i = 0; i < n; i++)
		jw_str(w, str_of(message_id(conversation, kept[i], text)));
	jw_end_arr(w);
	write_origins(w, m->origins);
	jw_kstr(w, "llmServiceId", m->service);
	jw_key(w, "createdAt");
	if (m->number)
		jw_time(w, m->created_us);
	else
		jw_null(w);
	if (state) {
		jw_key(w, "agentState");
		state_write(w, state_read(a, m->state), conversation);
	} else {
		jw_kbool(w, "current", m->here);
	}
	jw_end_obj(w);
}

void memory_fact_write(struct jw *w, const struct uuid *conversation,
		       const struct fact *f)
{
	char text[MESSAGE_ID_BYTES];

	jw_obj(w);
	jw_kstrz(w, "messageId", message_id(conversation, f->seq, text));
	jw_kstrz(w, "kind", fact_kind_name(f->kind));
	jw_kstr(w, "toolName", f->tool);
	jw_key(w, "fact");
	jw_raw(w, f->fact);
	write_origins(w, f->origins);
	jw_ktime(w, "createdAt", f->created_us);
	jw_end_obj(w);
}
