/* SPDX-License-Identifier: MIT */
#include "store/journal.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	ENTRY_BYTES = 32,	/* per turn in turn_journal.turns */
	PLACE_ARGS = 6,		/* of JOURNAL_PLACE */
	NEWS_ROWS = 64,
	DETACH_ROWS = 16,
	PRUNE_PROCESSES = 64,	/* per call */
	PRUNE_ROWS = 256,	/* examined, and deleted, at a time */
};

_Static_assert(JOURNAL_KEY_BYTES == crypto_stream_chacha20_ietf_KEYBYTES,
	       "turn.journal_key");

/* -- parts ------------------------------------------------------------------- */

/*
 * A key belongs to one turn in one journal, and a row's number is used only
 * once with it: a row that is written again begins with the same events.
 */
static void cipher(char *out, struct str in, const void *key, int64_t number)
{
	unsigned char nonce[crypto_stream_chacha20_ietf_NONCEBYTES] = { 0 };

	for (size_t i = 0; i < sizeof(number); i++)
		nonce[i] = (unsigned char)((uint64_t)number >> 8 * i);
	crypto_stream_chacha20_ietf_xor((unsigned char *)out,
					(const unsigned char *)in.p, in.n,
					nonce, key);
}

void journal_open(struct arena *a, struct turn_events *r)
{
	char *out;

	if (r->number == 0 || r->key.n != JOURNAL_KEY_BYTES)
		return;
	out = arena_alloc(a, r->data.n + 1);
	cipher(out, r->data, r->key.p, r->number);
	out[r->data.n] = '\0';
	r->data.p = out;
	r->key = (struct str){ NULL, 0 };
}

static char *put_number(char *at, int64_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		*at++ = (char)((uint64_t)v >> shift);
	return at;
}

static int64_t get_number(const char *at)
{
	uint64_t v = 0;

	for (int i = 0; i < 4; i++)
		v = v << 8 | (unsigned char)at[i];
	return (int64_t)v;
}

/* -- writing ----------------------------------------------------------------- */

struct journal_write {
	struct db_val *places, *row;	/* the row follows the last place */
	size_t n_places;
};

static int write_tx(struct db *tx, void *ctx, struct err *e)
{
	struct journal_write *w = ctx;

	if (w->n_places == 1)
		return db_exec(tx, STMT_JOURNAL_BEGIN, w->places, NULL, e);
	return db_exec_rows(tx, STMT_JOURNAL_PLACE, w->places, w->n_places,
			    NULL, e) ? -1
		: db_exec(tx, STMT_JOURNAL_INSERT, w->row, NULL, e);
}

int journal_write(struct db *db, struct journal *j,
		  const struct journal_part *parts, size_t n, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct journal_write w = { .n_places = 0 };
	/* Never reuse a number: the failed row may be stored, or will be. */
	int64_t number = ++j->number;
	struct db_val *place;
	char *turns, *data, *entry;
	size_t bytes = 0;
	int rc;

	for (size_t i = 0; i < n; i++)
		bytes += parts[i].data.n;
	entry = turns = arena_alloc(&a, n * ENTRY_BYTES + 1);
	data = arena_alloc(&a, bytes + 1);
	place = w.places = arena_zalloc(&a, n * PLACE_ARGS + 5, sizeof(*place));
	bytes = 0;
	for (size_t i = 0; i < n; i++) {
		const struct journal_part *p = &parts[i];

		memcpy(entry, p->turn_id.b, sizeof(p->turn_id.b));
		entry = put_number(entry + sizeof(p->turn_id.b), p->seq);
		entry = put_number(entry, p->last);
		entry = put_number(entry, (int64_t)bytes);
		entry = put_number(entry, (int64_t)p->data.n);
		cipher(data + bytes, p->data, p->key, number);
		bytes += p->data.n;
		if (!p->first)
			continue;
		*place++ = DB_U(&j->process);
		*place++ = DB_I(number);
		*place++ = DB_I(p->seq);
		*place++ = DB_B(((struct str){ (const char *)p->key,
					       JOURNAL_KEY_BYTES }));
		*place++ = DB_U(&p->turn_id);
		*place++ = DB_I(p->resumes);
		w.n_places++;
	}
	w.row = place;
	w.row[0] = DB_U(&j->process);
	w.row[1] = DB_I(number);
	w.row[2] = DB_I(clock_now_us());
	w.row[3] = DB_B(((struct str){ turns, n * ENTRY_BYTES }));
	w.row[4] = DB_B(((struct str){ data, bytes }));
	/* A single statement is its own transaction, in one round trip. */
	rc = w.n_places ? db_tx(db, write_tx, &w, e)
		: db_exec(db, STMT_JOURNAL_INSERT, w.row, NULL, e);
	arena_release(&a);
	return rc;
}

/* -- rows of a turn ------------------------------------------------------------ */

static const struct db_field events_fields[] = {
#define F(m, t, sql) FIELD_OF(struct turn_events, m, t)
	TURN_EVENTS_FIELDS(F, COMMA)
#undef F
};

int journal_detach(struct db *tx, const struct uuid *turn_id, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct turn_events *rows;
	int64_t now_us = clock_now_us(), number = 0;
	size_t n = 0;
	bool cut;
	int rc;

	do {
		arena_reset(&a);
		rc = db_list_within(tx, STMT_JOURNAL_PARTS,
				    DB_ARGS(DB_U(turn_id), DB_I(number),
					    DB_I(DETACH_ROWS)),
				    LIM_PAGE_BYTES, &a, events_fields,
				    sizeof(*rows), &rows, &n, &cut, e);
		for (size_t i = 0; !rc && i < n; i++) {
			journal_open(&a, &rows[i]);
			number = rows[i].number;
		}
		if (!rc)
			rc = store_turn_events_insert(tx, rows, n, now_us, e);
	} while (!rc && (cut || n == DETACH_ROWS));
	arena_release(&a);
	return rc || number == 0 ? rc
		: db_exec(tx, STMT_JOURNAL_LEAVE, DB_ARGS(DB_U(turn_id)), NULL,
			  e);
}

/* -- news ------------------------------------------------------------------------ */

struct news_reading {
	int64_t *number;
	journal_news_fn *fn;
	void *ctx;
	size_t n;
};

static int take_news(void *ctx, const struct db_val *row, struct err *e)
{
	struct news_reading *r = ctx;
	struct str turns = row[1].s;

	(void)e;
	*r->number = row[0].i;
	r->n++;
	for (size_t i = 0; i + ENTRY_BYTES <= turns.n; i += ENTRY_BYTES) {
		struct uuid turn;

		memcpy(turn.b, turns.p + i, sizeof(turn.b));
		r->fn(r->ctx, &turn, get_number(turns.p + i + 20));
	}
	return 0;
}

int journal_news(struct db *db, const struct uuid *process, int64_t *number,
		 journal_news_fn *fn, void *ctx, struct err *e)
{
	struct news_reading r = { .number = number, .fn = fn, .ctx = ctx };
	struct arena a = ARENA_INIT;
	int rc;

	if (*number < 0)
		return db_int(db, STMT_JOURNAL_NEWEST, DB_ARGS(DB_U(process)),
			      number, e) < 0 ? -1 : 0;
	do {
		r.n = 0;
		rc = db_each(db, STMT_JOURNAL_NEWS,
			     DB_ARGS(DB_U(process), DB_I(*number),
				     DB_I(NEWS_ROWS)), &a, take_news, &r, e);
		arena_reset(&a);
	} while (!rc && r.n == NEWS_ROWS);
	arena_release(&a);
	return rc;
}

/* -- pruning ---------------------------------------------------------------------- */

struct found {
	struct uuid v[PRUNE_PROCESSES];
	size_t n;
};

static int take_process(void *ctx, const struct db_val *row, struct err *e)
{
	struct found *found = ctx;

	(void)e;
	memcpy(found->v[found->n++].b, row[0].s.p, 16);
	return 0;
}

struct prune {
	struct db *db;
	turn_text_fn *fn;
	struct uuid process;
	struct arena rows, *a;
	struct uuid *turns;	/* in the rows */
	size_t n_turns, turns_size;
	size_t n_rows;
	int64_t before;		/* rows below this number are deleted */
	int64_t until_ms;
};

static int take_turns(void *ctx, const struct db_val *row, struct err *e)
{
	struct prune *p = ctx;
	struct str turns = row[1].s;

	(void)e;
	p->before = row[0].i + 1;
	p->n_rows++;
	p->turns = arena_room(p->a, p->turns, p->n_turns,
			      turns.n / ENTRY_BYTES + 1, &p->turns_size,
			      sizeof(*p->turns));
	for (size_t i = 0; i + ENTRY_BYTES <= turns.n; i += ENTRY_BYTES)
		memcpy(p->turns[p->n_turns++].b, turns.p + i, 16);
	arena_reset(&p->rows);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct uuid));
}

/* Removes duplicates: a turn is in many rows. */
static void each_once(struct prune *p)
{
	size_t n = 0;

	if (p->n_turns)
		qsort(p->turns, p->n_turns, sizeof(*p->turns), compare);
	for (size_t i = 0; i < p->n_turns; i++)
		if (n == 0 || !uuid_eq(&p->turns[n - 1], &p->turns[i]))
			p->turns[n++] = p->turns[i];
	p->n_turns = n;
}

struct open_turn {
	struct str tenant_id;
	struct uuid id, user_id;
	int64_t from;
};

static const struct db_field running_fields[] = {
	FIELD_OF(struct open_turn, id, u),
	FIELD_OF(struct open_turn, tenant_id, s),
	FIELD_OF(struct open_turn, user_id, u),
	FIELD_OF(struct open_turn, from, i),
};

/*
 * Closes the dead turns while there is time; keeps the rows that the others
 * need.
 */
static int look_at_running(struct prune *p, const struct uuid *ids, size_t n,
			   struct err *e)
{
	struct db_val v[1 + IDS_MAX];
	struct open_turn *rows;
	bool closed;
	size_t n_rows;

	v[0] = DB_U(&p->process);
	for (size_t i = 0; i < IDS_MAX; i++)
		v[1 + i] = DB_U(&ids[MIN(i, n - 1)]);
	if (db_list(p->db, STMT_JOURNAL_RUNNING, v, p->a, running_fields,
		    sizeof(*rows), 0, &rows, &n_rows, e))
		return -1;
	for (size_t i = 0; i < n_rows; i++) {
		struct owner o = { rows[i].tenant_id, rows[i].user_id };

		closed = false;
		if (clock_mono_ms() < p->until_ms &&
		    store_turn_recover(p->db, &o, &rows[i].id, p->fn, &closed, e)) {
			if (e->code != ERR_NOT_FOUND)
				return -1;
			err_clear(e);	/* its conversation is being deleted */
			continue;
		}
		if (!closed)
			p->before = MIN(p->before, rows[i].from);
	}
	return 0;
}

/* Prunes the oldest rows of a process. *more: there may be others after them. */
static int prune_some(struct prune *p, bool *more, struct err *e)
{
	struct db_result r = { .affected = 0 };

	p->turns = NULL;
	p->n_turns = p->turns_size = p->n_rows = 0;
	p->before = 0;
	if (db_each(p->db, STMT_JOURNAL_TURNS,
		    DB_ARGS(DB_U(&p->process),
			    DB_I(clock_now_us() - JOURNAL_KEEP_US),
			    DB_I(PRUNE_ROWS)), &p->rows, take_turns, p, e))
		return -1;
	each_once(p);
	for (size_t i = 0; i < p->n_turns; i += IDS_MAX)
		if (look_at_running(p, p->turns + i,
				    MIN(p->n_turns - i, IDS_MAX), e))
			return -1;
	if (p->before && db_exec(p->db, STMT_JOURNAL_DELETE,
				 DB_ARGS(DB_U(&p->process), DB_I(p->before),
					 DB_I(PRUNE_ROWS)), &r, e))
		return -1;
	*more = r.affected == PRUNE_ROWS;
	return 0;
}

int journal_prune(struct db *db, turn_text_fn *text_of_events,
		  int64_t until_ms, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct found found = { .n = 0 };
	struct prune p = { .db = db, .fn = text_of_events, .a = &a,
			   .rows = ARENA_INIT, .until_ms = until_ms };
	int rc;

	rc = db_each(db, STMT_JOURNAL_OLD,
		     DB_ARGS(DB_I(clock_now_us() - JOURNAL_KEEP_US),
			     DB_I(PRUNE_PROCESSES)), &a, take_process, &found,
		     e);
	for (size_t i = 0; !rc && i < found.n; i++) {
		bool more = true;

		p.process = found.v[i];
		while (!rc && more && clock_mono_ms() < until_ms) {
			arena_reset(&a);
			rc = prune_some(&p, &more, e);
		}
	}
	arena_release(&p.rows);
	arena_release(&a);
	return rc;
}
