/* SPDX-License-Identifier: MIT */
/*
 * Turns whose process died. A reader of such a turn closes it (turn_now); this
 * job closes the others, so that lists and usage are right.
 */
#include "job/work.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/notice.h"
#include "event/texts.h"

#include "base/banned.h"

enum { DEAD_MAX = 100 };	/* per run */

int job_dead_turns_due(struct db *db, const struct conf *conf, struct arena *a,
		       struct err *e)
{
	struct turn_dead *rows;
	size_t n;

	(void)conf;
	if (store_turn_dead_list(db, 1, a, &rows, &n, e) < 0)
		return -1;
	return n > 0;
}

/* Notifies the user's pages, which may show a list. */
static int announce_end(struct db *db, const struct owner *o, const struct turn_dead *t,
			struct err *e)
{
	const struct notice_row row = {
		.owner = *o,
		.notice = {
			.kind = NOTICE_TURN_STATUS, .subject_id = t->id,
			.conversation_id = t->conversation_id,
			.word = str_of(store_turn_status_name(TURN_INTERRUPTED)),
			.done = -1, .total = -1,
			.created_us = clock_now_us(),
		},
	};

	return notice_store(db, &row, 1, e);
}

static int close_one(struct db *db, const struct turn_dead *t, struct err *e)
{
	const struct owner o = { .tenant_id = t->tenant_id,
				 .user_id = t->user_id };
	struct err failure = ERR_INIT;
	bool closed, open;

	if (store_turn_recover(db, &o, &t->id, event_texts, &closed, e) < 0)
		return -1;
	/* Nobody has looked at it, so its plan goes on at once. */
	if (!closed)
		return store_turn_cut(db, &o, &t->id, 0, &open, e);
	/* A failed notice does not matter here: the turn is closed. */
	if (announce_end(db, &o, t, &failure) < 0)
		log_err("notice of a dead turn", &failure);
	return 0;
}

/*
 * Running twice is harmless: store_turn_recover closes a turn only once. A turn that
 * cannot be closed does not stop the others.
 */
int job_dead_turns(const struct job_run *r, struct err *e)
{
	struct turn_dead *rows;
	size_t n, closed = 0;

	if (store_turn_dead_list(r->db, DEAD_MAX, r->arena, &rows, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct err why = ERR_INIT;

		if (clock_mono_ms() >= r->until_ms)
			return 0;
		if (close_one(r->db, &rows[i], &why) == 0) {
			closed++;
			continue;
		}
		log_err("a dead turn that cannot be closed", &why);
		*e = why;
	}
	if (n && !closed)
		return -1;
	err_clear(e);
	return n < DEAD_MAX;
}
