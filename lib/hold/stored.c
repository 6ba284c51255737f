/* SPDX-License-Identifier: MIT */
#include "hold/stored.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/recent.h"
#include "resource/resource.h"
#include "store/stmt.h"

#include "base/banned.h"

#define MIB INT64_C(1048576)

enum {
	FRESH_MS = 30000,
	PAUSES = 60,		/* so many times what a sum took, until the next one */
	SLOW_MS = 10000,	/* what one is believed to take while it runs */
};

const struct hold_row hold_rows[STORED__MAX] = {
#define STORED(id, key_, words_, what_) \
	[STORED_##id] = { .key = key_, .words = words_, .what = what_ },
#include "hold/stored.def"
};

int64_t hold_total(const struct stored *s)
{
	int64_t n = 0;

	for (int i = 0; i < STORED__MAX; i++)
		n += s->v[i];
	return n;
}

/* -- the last sums of this process ------------------------------------------------- */

static struct recent sums = RECENT_INIT;
/* When hold_refresh summed, and how many ms that took. */
static struct recent refreshed = RECENT_INIT;
static bool alone;		/* set before there are threads */

void hold_alone(void)
{
	alone = true;
}

/* -- sums ----------------------------------------------------------------------------- */

static int take_sums(void *ctx, const struct db_val *row, struct err *e)
{
	struct stored *s = ctx;

	(void)e;
	for (int i = 0; i < STORED_VERSIONS; i++)
		s->v[i] = row[i].null ? 0 : MAX(row[i].i, 0);
	return 0;
}

#define OWNER(o) DB_S((o)->tenant_id), DB_U(&(o)->user_id)

int hold_sum(struct db *db, const struct owner *o, struct stored *out,
	       struct err *e)
{
	int rc;

	*out = (struct stored){ { 0 } };
	rc = db_each(db, STMT_STORED_SUMS,
		     DB_ARGS(OWNER(o), OWNER(o), OWNER(o), OWNER(o), OWNER(o), OWNER(o),
			     OWNER(o), OWNER(o), OWNER(o), OWNER(o), OWNER(o), OWNER(o),
			     OWNER(o), OWNER(o), OWNER(o), DB_U(&o->user_id), OWNER(o),
			     OWNER(o), OWNER(o), OWNER(o)), NULL, take_sums, out, e);
	if (rc == 0)
		rc = resource_version_bytes(db, o, &out->v[STORED_VERSIONS], e);
	if (rc == 0)
		recent_note(&sums, &o->user_id, hold_total(out));
	return rc;
}

/* -- the limit ------------------------------------------------------------------------- */

static int64_t most_of(const struct conf *conf)
{
	return conf->limits.stored_mb * MIB;
}

/* Names what takes the room, the most first. */
static int is_full(const struct stored *s, const struct conf *conf, struct err *e)
{
	struct buf b = BUF_INIT(400);
	bool listed[STORED__MAX] = { false };
	int rc;

	for (int round = 0; round < STORED__MAX; round++) {
		int most = -1;

		for (int i = 0; i < STORED__MAX; i++)
			if (!listed[i] && (most < 0 || s->v[i] > s->v[most]))
				most = i;
		listed[most] = true;
		if (s->v[most] >= MIB / 10)
			buf_addf(&b, "%s%s %lld.%lld MiB", b.n ? ", " : "",
				 hold_rows[most].words, (long long)(s->v[most] / MIB),
				 (long long)(s->v[most] % MIB * 10 / MIB));
	}
	rc = err_public(e, ERR_TOO_BIG, "You may store %d MiB. You have: %s. Delete "
			"some of it first.", conf->limits.stored_mb,
			b.n ? buf_str(&b).p : "almost nothing, and this is too "
			"large");
	buf_release(&b);
	return rc;
}

int hold_take(struct db *db, const struct conf *conf, const struct owner *o,
		int64_t more, struct share_part *part, struct err *e)
{
	struct stored s;

	if (!conf->limits.stored_mb)
		return 0;
	/* First, so that requests that run at the same time see each other's. */
	if (share_take(share_process(), &o->user_id, SHARE_STORING, MAX(more, 1),
		       (struct share_limit){ 0 }, part, e) < 0)
		return -1;
	if (hold_sum(db, o, &s, e) == 0 &&
	    hold_total(&s) + share_count(share_process(), &o->user_id,
					   SHARE_STORING) <= most_of(conf))
		return 0;
	share_give(part);
	return e->code ? -1 : is_full(&s, conf, e);
}

int hold_take_fork(struct db *db, const struct conf *conf, const struct owner *o,
		   const struct uuid *conversation, int64_t seq,
		   struct share_part *part, struct err *e)
{
	int64_t bytes = 0;

	if (db_int(db, STMT_STORED_THREAD,
		   DB_ARGS(DB_U(conversation), DB_I(seq), OWNER(o)), &bytes, e) < 0)
		return -1;
	return hold_take(db, conf, o, bytes, part, e);
}

int hold_check(struct db *db, const struct conf *conf, const struct owner *o,
	       struct err *e)
{
	int64_t bytes, age_ms = recent_age_ms(&sums, &o->user_id, &bytes);
	struct stored now;

	if (!conf->limits.stored_mb ||
	    (age_ms >= 0 ? bytes < most_of(conf) : !alone))
		return 0;
	if (hold_sum(db, o, &now, e) < 0)
		return -1;
	return hold_total(&now) < most_of(conf) ? 0 : is_full(&now, conf, e);
}

/* Whether it is time for another sum, for one of the threads that ask. */
static bool is_due(const struct uuid *user)
{
	int64_t took_ms = 0, age_ms = recent_age_ms(&sums, user, NULL);

	if (age_ms >= 0 && age_ms < FRESH_MS)
		return false;
	(void)recent_age_ms(&refreshed, user, &took_ms);
	if (!recent_claim(&refreshed, user, MAX(FRESH_MS, took_ms * PAUSES)))
		return false;
	recent_note(&refreshed, user, MAX(took_ms, SLOW_MS));
	return true;
}

void hold_refresh(struct db *db, const struct conf *conf, const struct owner *o)
{
	const int64_t began_ms = clock_mono_ms();
	struct err e = ERR_INIT;
	struct stored now;

	if (!conf->limits.stored_mb || alone || !is_due(&o->user_id))
		return;
	if (hold_sum(db, o, &now, &e) < 0)
		log_err("what a user stores", &e);
	recent_note(&refreshed, &o->user_id, clock_mono_ms() - began_ms);
}
