/* SPDX-License-Identifier: MIT */
#include "store/journal.h"

#include <sodium.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	PLACE_ARGS = 6,		/* of JOURNAL_PLACE */
	NEWS_ROWS = 64,
	DETACH_ROWS = 16,
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
	entry = turns = arena_alloc(&a, n * JOURNAL_ENTRY_BYTES + 1);
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
		/* Its place in the journal, with the key, is stored with the turn once. */
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
	w.row[3] = DB_B(((struct str){ turns, n * JOURNAL_ENTRY_BYTES }));
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

int store_turn_events_insert(struct db *tx, const struct turn_events *rows, size_t n,
			     int64_t now_us, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct db_val *events, *v;
	int rc;

	if (!n)
		return 0;
	v = events = arena_zalloc(&a, n * 5, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		*v++ = DB_U(&rows[i].turn_id);
		*v++ = DB_I(rows[i].seq);
		*v++ = DB_I(rows[i].n);
		*v++ = DB_I(now_us);
		*v++ = DB_B(rows[i].data);
	}
	rc = db_exec_rows(tx, STMT_TURN_EVENT_INSERT, events, n, NULL, e);
	arena_release(&a);
	return rc;
}

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
	for (size_t i = 0; i + JOURNAL_ENTRY_BYTES <= turns.n; i += JOURNAL_ENTRY_BYTES) {
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
