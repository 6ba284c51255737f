/* SPDX-License-Identifier: MIT */
/*
 * The transactions that change which messages a thread has. All of them lock
 * the conversation first, so the thread does not change in between.
 */
#include "store/thread.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "base/util.h"
#include "store/attempt.h"
#include "store/stmt.h"

#include "base/banned.h"

/* -- gaps ------------------------------------------------------------------ */

static int put_gap(struct db *tx, const struct uuid *id, int64_t head_seq,
		   int64_t from, int64_t to, struct err *e)
{
	if (from > to)
		return 0;
	return db_exec(tx, STMT_GAP_PUT, DB_ARGS(DB_U(id), DB_I(head_seq),
						 DB_I(from), DB_I(to)),
		       NULL, e);
}

static int move(struct db *tx, const struct uuid *id, int64_t head_seq,
		int64_t to_head_seq, int64_t behind_seq, struct err *e)
{
	return db_exec(tx, STMT_GAP_MOVE,
		       DB_ARGS(DB_I(to_head_seq), DB_U(id), DB_I(head_seq),
			       DB_I(behind_seq)), NULL, e);
}

static int cut_gap(struct db *tx, const struct uuid *id, int64_t behind_seq,
		   struct err *e)
{
	return db_exec(tx, STMT_GAP_CUT, DB_ARGS(DB_U(id), DB_I(0),
						 DB_I(behind_seq)), NULL, e);
}

/* Makes the gap that ends with `from` end with `to`. */
static int move_end(struct db *tx, const struct uuid *id, int64_t head_seq,
		    int64_t from, int64_t to, struct db_result *r,
		    struct err *e)
{
	return db_exec(tx, STMT_GAP_END, DB_ARGS(DB_I(to), DB_U(id),
						 DB_I(head_seq), DB_I(from)),
		       r, e);
}

/*
 * Makes the messages after after_seq (a message of the thread or 0), which
 * begin with head_seq, a superseded variant. last_seq: the conversation's.
 * Within db_tx; the conversation is locked.
 */
static int gap_supersede(struct db *tx, const struct uuid *conversation_id,
			 int64_t after_seq, int64_t head_seq, int64_t last_seq,
			 struct err *e)
{
	const struct uuid *id = conversation_id;
	struct db_result r;

	/* A turn that stored nothing left a gap at the end. */
	if (move(tx, id, 0, head_seq, head_seq, e) ||
	    move_end(tx, id, head_seq, last_seq, UINT32_MAX, &r, e) ||
	    (!r.affected &&
	     put_gap(tx, id, head_seq, last_seq + 1, UINT32_MAX, e)) ||
	    cut_gap(tx, id, after_seq, e))
		return -1;
	return put_gap(tx, id, 0, after_seq + 1, last_seq, e);
}

/* Reverses gap_supersede; no message of the thread may follow after_seq. */
static int gap_restore(struct db *tx, const struct uuid *conversation_id,
		       int64_t after_seq, int64_t head_seq, int64_t last_seq,
		       struct err *e)
{
	const struct uuid *id = conversation_id;

	if (cut_gap(tx, id, after_seq, e) ||
	    put_gap(tx, id, 0, after_seq + 1, head_seq - 1, e) ||
	    move(tx, id, head_seq, 0, 0, e) ||
	    cut_gap(tx, id, last_seq, e))
		return -1;
	return move_end(tx, id, 0, UINT32_MAX, last_seq, NULL, e);
}

static const struct db_field variant_fields[] = {
#define F(m, t, sql) FIELD_OF(struct variant, m, t)
	VARIANT_FIELDS(F, COMMA)
#undef F
};

static const struct db_field number_fields[] = {
#define F(m, t, sql) FIELD_OF(struct number, m, t)
	NUMBER_FIELDS(F, COMMA)
#undef F
};

static int count_variants(struct db *db, const struct uuid *id,
			  int64_t after_seq, int64_t head_seq,
			  struct number *out, struct err *e)
{
	return MIN(db_get(db, STMT_VARIANT_COUNT,
			  DB_ARGS(DB_I(head_seq), DB_U(id), DB_I(after_seq)),
			  NULL, number_fields, out, e), 0);
}

/* Locks a conversation whose turn has ended or is dead. */
static int lock_free(struct db *tx, const struct owner *o,
		     const struct uuid *id, turn_text_fn *fn, struct arena *a,
		     struct locked *l, struct turn_evicted *out, struct err *e)
{
	if (conversation_lock(tx, o, id, a, l, e))
		return -1;
	if (uuid_is_nil(&l->turn_id))
		return 0;
	if (store_turn_evict(tx, o, id, l, fn, out, e))
		return -1;
	return conversation_lock(tx, o, id, a, l, e);
}

/* -- superseding -------------------------------------------------------------- */

/* Makes the tail after after_seq, which begins with head, a variant. */
static int supersede(struct db *tx, const struct uuid *id, int64_t after_seq,
		     const struct spot *head, int64_t last_seq, struct err *e)
{
	if (gap_supersede(tx, id, after_seq, head->seq, last_seq, e))
		return -1;
	return db_exec(tx, STMT_VARIANT_PUT,
		       DB_ARGS(DB_U(id), DB_I(after_seq), DB_I(head->seq),
			       DB_I_IF(true, last_seq), DB_I(head->created_us)),
		       NULL, e);
}

struct replacing {
	const struct owner *o;
	struct turn_replace *r;
	/* set during the transaction */
	struct locked l;
	int64_t after_seq;	/* end of the part that stays */
	struct number number;	/* of the new variant; 0: it is the only one */
};

/* Finds the message to edit or answer again, and where to cut the thread. */
static int find_place(struct db *tx, struct replacing *k, struct err *e)
{
	const struct uuid *id = &k->r->conversation_id;
	struct spot s = { .seq = GAP_TOP };
	int n;

	if (k->r->seq && thread_spot(tx, id, k->r->seq, &s, e))
		return -1;
	if (k->r->edit) {
		if (s.role != ROLE_USER)
			return err_field(e, ERR_INVALID_FIELD, "messageId",
					 "Only a user's message can be "
					 "edited.");
		n = thread_find(tx, STMT_MESSAGE_SPOT_BEFORE, id, s.seq, &s, e);
	} else {
		n = thread_find(tx, STMT_MESSAGE_SPOT_USER, id, s.seq + 1, &s, e);
		k->r->user.seq = s.seq;
		if (n == 0)
			return err_public(e, ERR_CONFLICT, "There is no "
					  "message to answer.");
	}
	k->after_seq = s.seq;
	return MIN(n, 0);
}

/*
 * Supersedes the tail after after_seq, and numbers it and what comes instead, from now on,
 * as variants. *number: of the new one; 0 if there was no tail.
 */
static int cut(struct db *tx, const struct uuid *id, int64_t after_seq,
	       int64_t now_us, struct locked *l, struct number *number,
	       struct err *e)
{
	int64_t next_seq = l->last_seq + 1;
	struct spot head;
	int n = thread_find(tx, STMT_MESSAGE_SPOT_AFTER, id, after_seq, &head, e);

	*number = (struct number){ .index = 0 };
	if (n <= 0)
		return n;
	if (supersede(tx, id, after_seq, &head, l->last_seq, e) ||
	    db_exec(tx, STMT_VARIANT_PUT,
		    DB_ARGS(DB_U(id), DB_I(after_seq), DB_I(next_seq),
			    DB_I_IF(false, 0), DB_I(now_us)), NULL, e) ||
	    count_variants(tx, id, after_seq, next_seq, number, e) ||
	    gap_sum(tx, id, &l->superseded, e))
		return -1;
	if (number->count > LIM_VARIANTS)
		return err_public(e, ERR_CONFLICT, "There are already %d "
				  "variants of this.", LIM_VARIANTS);
	return 0;
}

/* Inserts the edited message, if any, and the turn. */
static int insert_turn(struct db *tx, struct replacing *k, struct err *e)
{
	struct turn_replace *r = k->r;
	bool answer = !r->edit && k->number.count > 0;

	if (r->edit) {
		r->user = (struct message){
			.seq = k->l.last_seq + 1, .role = ROLE_USER,
			.turn_id = r->turn_id, .created_us = r->attempt_us,
			.content = r->content, .meta = r->meta,
			.kind = KIND_MESSAGE, .client_id = r->client_id,
			.options = r->options,
			.variant_index = k->number.index,
			.variant_count = k->number.count,
		};
		if (message_insert(tx, &r->conversation_id, &r->user, e))
			return -1;
	}
	r->variant_index = answer ? k->number.index : 0;
	r->variant_count = answer ? k->number.count : 0;
	return db_exec(tx, STMT_TURN_INSERT,
		       DB_ARGS(DB_U(&r->turn_id), DB_U(&r->conversation_id),
			       DB_I(r->attempt_us + store_turn_lease_us()),
			       DB_I(r->user.seq), DB_I(r->attempt_us),
			       DB_I_IF(answer, r->variant_index),
			       DB_I_IF(answer, r->variant_count),
			       DB_S_IF(r->client), DB_S_IF(r->provider),
			       DB_S_IF(r->model), PAYER(r->payer)), NULL, e);
}

static int replaced_before(struct db *tx, void *ctx, struct arena *a,
			   struct err *e)
{
	struct replacing *k = ctx;
	struct turn t;

	return store_turn_begun(tx, k->o, &k->r->turn_id, k->r->attempt_us, a,
				 &t, e);
}

static int replace_run(struct db *tx, void *ctx, struct arena *a,
		       struct err *e)
{
	struct replacing *k = ctx;
	struct turn_replace *r = k->r;
	struct str title = { NULL, 0 };

	if (lock_free(tx, k->o, &r->conversation_id, r->text_of_events, a, &k->l,
		      &r->evicted, e) || find_place(tx, k, e) ||
	    cut(tx, &r->conversation_id, k->after_seq, r->attempt_us, &k->l,
		&k->number, e))
		return -1;
	/* The first message gave the conversation its title. */
	if (r->edit && k->after_seq == 0 && k->l.title_by != TITLE_USER)
		title = r->title;
	r->titled = title.p != NULL;
	r->turn_number = k->l.turns + r->edit;
	if (r->edit && message_has_place(&r->options) &&
	    db_exec(tx, STMT_CONVERSATION_CONTEXT,
		    DB_ARGS(DB_I(r->attempt_us) PLACE_VALUES(&r->options),
			    DB_U(&r->conversation_id), DB_S(k->o->tenant_id),
			    DB_U(&k->o->user_id), DB_I(-1), DB_I(-1)), NULL, e))
		return -1;
	if (r->edit && !message_has_place(&r->options))
		message_place_take(&r->options, &k->l.context);
	if (db_exec(tx, STMT_CONVERSATION_REPLACE,
		    DB_ARGS(DB_I(r->edit), DB_I(r->edit), DB_U(&r->turn_id),
			    DB_I(r->attempt_us), DB_I(k->l.superseded),
			    DB_S_IF(title), DB_S_IF(title),
			    DB_U(&r->conversation_id), DB_S(k->o->tenant_id),
			    DB_U(&k->o->user_id)), NULL, e))
		return -1;
	return insert_turn(tx, k, e);
}

int thread_replace(struct db *db, const struct owner *o, struct turn_replace *r,
		   struct err *e)
{
	static const struct attempt_fns instead = {
		replaced_before, replace_run,
	};
	struct replacing k = { .o = o, .r = r };

	r->evicted = (struct turn_evicted){ .status = TURN_INTERRUPTED };
	if (r->title.p)
		r->title = utf8_head(r->title, LIM_TITLE_CHARS);
	if (thread_whole(db, o, &r->conversation_id, e))
		return -1;
	return attempt_tx(db, &instead, &r->attempt_us, &k, NULL, e);
}

/* -- correcting ---------------------------------------------------------------- */

struct correcting {
	const struct owner *o;
	struct thread_correction *c;
};

/* An earlier try, or another request with the same client_id: 1, 0, -1. */
static int corrected_before(struct db *tx, void *ctx, struct arena *a,
			    struct err *e)
{
	struct correcting *k = ctx;
	struct thread_correction *c = k->c;
	struct message m;
	int64_t seq;
	int rc = db_int(tx, STMT_VARIANT_CORRECTED,
			DB_ARGS(DB_U(&c->conversation_id),
				DB_S(k->o->tenant_id), DB_U(&k->o->user_id),
				DB_I(c->seq), DB_S(c->answer.client_id)), &seq, e);

	if (rc <= 0)
		return rc;
	if (message_get(tx, k->o, &c->conversation_id, seq, a, &m, e))
		return -1;
	if (!str_eq(m.content, c->answer.content))
		return err_key_differs(e);
	c->answer.seq = seq;
	return 1;
}

/* The end of the part that stays: what the answer is of. */
static int find_question(struct db *tx, const struct thread_correction *c,
			 int64_t *after_seq, struct err *e)
{
	const struct uuid *id = &c->conversation_id;
	struct spot s;

	if (thread_spot(tx, id, c->seq, &s, e))
		return -1;
	if (s.role != ROLE_ASSISTANT || s.step)
		return err_field(e, ERR_INVALID_FIELD, "messageId",
				 "Only an answer can be corrected.");
	if (thread_find(tx, STMT_MESSAGE_SPOT_USER, id, s.seq, &s, e) < 0)
		return -1;
	*after_seq = s.seq;
	return 0;
}

static int correct_run(struct db *tx, void *ctx, struct arena *a,
		       struct err *e)
{
	struct correcting *k = ctx;
	struct thread_correction *c = k->c;
	const struct uuid *id = &c->conversation_id;
	struct message *m = &c->answer;
	struct number number;
	struct db_result r;
	struct locked l;
	int64_t after_seq = 0;
	int rc;

	/* Locked first, so that one of two requests with one client_id finds the other. */
	if (conversation_lock(tx, k->o, id, a, &l, e))
		return -1;
	rc = corrected_before(tx, k, a, e);
	if (rc)
		return MIN(rc, 0);
	if (lock_free(tx, k->o, id, c->text_of_events, a, &l, &c->evicted, e) ||
	    find_question(tx, c, &after_seq, e) ||
	    cut(tx, id, after_seq, m->created_us, &l, &number, e))
		return -1;
	m->seq = l.last_seq + 1;
	m->variant_index = number.index;
	m->variant_count = number.count;
	if (message_insert(tx, id, m, e) ||
	    db_exec(tx, STMT_TURN_SOURCE_CORRECT,
		    DB_ARGS(DB_U(id), DB_I(m->seq), DB_U(id), DB_I(c->seq)),
		    NULL, e) ||
	    db_exec(tx, STMT_CONVERSATION_CORRECT,
		    DB_ARGS(DB_I(m->created_us), DB_I(l.superseded), DB_U(id),
			    DB_S(k->o->tenant_id), DB_U(&k->o->user_id),
			    DB_I(c->version), DB_I(c->version)), &r, e))
		return -1;
	return r.affected ? 0 : err_set(e, ERR_PRECONDITION,
					"the conversation has another version");
}

int thread_correct(struct db *db, const struct owner *o,
		   struct thread_correction *c, struct err *e)
{
	static const struct attempt_fns correct = {
		corrected_before, correct_run,
	};
	struct correcting k = { .o = o, .c = c };

	c->evicted = (struct turn_evicted){ .status = TURN_INTERRUPTED };
	c->answer.role = ROLE_ASSISTANT;
	c->answer.kind = KIND_ANSWER;
	c->answer.created_us = 0;
	if (thread_whole(db, o, &c->conversation_id, e))
		return -1;
	return attempt_tx(db, &correct, &c->answer.created_us, &k, NULL, e);
}

/* -- choosing ------------------------------------------------------------------- */

struct switching {
	const struct owner *o;
	const struct uuid *id;
	int64_t head_seq, now_us;
	turn_text_fn *fn;
	struct turn_evicted *evicted;
};

static int get_variant(struct db *db, const struct uuid *id, int64_t head_seq,
		       struct variant *out, struct err *e)
{
	int n = db_get(db, STMT_VARIANT_OF, DB_ARGS(DB_U(id), DB_I(head_seq)),
		       NULL, variant_fields, out, e);

	return n > 0 ? 0 : n < 0 ? -1
		: err_set(e, ERR_NOT_FOUND, "no such variant");
}

/* Makes the rows of v the thread again, with the present number of v. */
static int restore(struct db *tx, const struct uuid *id,
		   const struct variant *v, int64_t last_seq, struct err *e)
{
	struct number number;

	if (gap_restore(tx, id, v->after_seq, v->head_seq, last_seq, e) ||
	    db_exec(tx, STMT_VARIANT_PUT,
		    DB_ARGS(DB_U(id), DB_I(v->after_seq), DB_I(v->head_seq),
			    DB_I_IF(false, 0), DB_I(v->created_us)), NULL, e) ||
	    count_variants(tx, id, v->after_seq, v->head_seq, &number, e))
		return -1;
	return thread_number(tx, id, v->after_seq, number.index, number.count,
			     e);
}

static int switch_to(struct db *tx, struct switching *k, struct arena *a,
		     struct err *e)
{
	int64_t superseded;
	struct spot place, head;
	struct variant v;
	struct locked l;
	int n;

	if (lock_free(tx, k->o, k->id, k->fn, a, &l, k->evicted, e) ||
	    get_variant(tx, k->id, k->head_seq, &v, e) ||
	    (v.after_seq && thread_spot(tx, k->id, v.after_seq, &place, e)))
		return -1;
	if (v.last_seq == 0)	/* it is in the thread */
		return 0;
	n = thread_find(tx, STMT_MESSAGE_SPOT_AFTER, k->id, v.after_seq, &head, e);
	if (n < 0 ||
	    (n > 0 && supersede(tx, k->id, v.after_seq, &head, l.last_seq,
				e)) ||
	    restore(tx, k->id, &v, l.last_seq, e) ||
	    gap_sum(tx, k->id, &superseded, e))
		return -1;
	return db_exec(tx, STMT_CONVERSATION_SWITCH,
		       DB_ARGS(DB_I(k->now_us), DB_I(superseded), DB_U(k->id),
			       DB_S(k->o->tenant_id), DB_U(&k->o->user_id)),
		       NULL, e);
}

/* If an earlier attempt was committed, the variant is in the thread already. */
static int switch_tx(struct db *tx, void *ctx, struct err *e)
{
	struct arena a = ARENA_INIT;
	int rc = switch_to(tx, ctx, &a, e);

	arena_release(&a);
	return rc;
}

int thread_switch(struct db *db, const struct owner *o,
		  const struct uuid *conversation_id, int64_t head_seq,
		  turn_text_fn *text_of_events, struct turn_evicted *evicted,
		  struct err *e)
{
	struct switching k = { .o = o, .id = conversation_id,
			      .head_seq = head_seq, .now_us = clock_now_us(),
			      .fn = text_of_events, .evicted = evicted };

	*evicted = (struct turn_evicted){ .status = TURN_INTERRUPTED };
	if (thread_whole(db, o, conversation_id, e))
		return -1;
	return db_tx(db, switch_tx, &k, e);
}

/* -- listing -------------------------------------------------------------------- */

/* The place of a message, and the message itself if it has no variants. */
static int place_of(struct db *db, const struct uuid *id, int64_t seq,
		    struct variant *out, struct err *e)
{
	struct spot s, before = { .seq = 0 }, head;
	int n;

	if (thread_spot(db, id, seq, &s, e))
		return -1;
	n = thread_find(db, s.role == ROLE_USER ? STMT_MESSAGE_SPOT_BEFORE
					      : STMT_MESSAGE_SPOT_USER,
		      id, seq, &before, e);
	if (n >= 0)
		n = thread_find(db, STMT_MESSAGE_SPOT_AFTER, id, before.seq,
			      &head, e);
	*out = (struct variant){ .after_seq = before.seq, .head_seq = head.seq,
				 .created_us = head.created_us };
	return MIN(n, 0);
}

/* Sets the number that thread_number would give it in the thread. */
static void number_item(struct variant_item *item, int64_t index, int64_t count)
{
	size_t at = 0;

	for (size_t i = 0; i < item->n; i++) {
		const struct message *m = &item->messages[i];

		if (m->role == ROLE_USER)
			break;
		if (m->role == ROLE_ASSISTANT && m->kind != KIND_STEP) {
			at = i;
			break;
		}
	}
	if (item->n) {
		item->messages[at].variant_index = index;
		item->messages[at].variant_count = count;
	}
}

/*
 * Reads the first messages of a variant, with at most *left bytes of text (but
 * at least one message), and reduces *left. Returns 1 if there are more, with
 * *left 0; 0; -1.
 */
static int read_messages(struct db *db, const struct owner *o,
			 const struct uuid *id, struct variant_item *item,
			 size_t *left, struct arena *a, struct err *e)
{
	struct message_page p;
	size_t n_bytes = 0;

	if (message_list_variant(db, o, id, item->v.head_seq,
				 item->v.last_seq == 0, LIM_VARIANT_MESSAGES,
				 *left, a, &p, e))
		return -1;
	item->messages = p.items;
	item->n = p.n;
	for (size_t i = 0; i < p.n; i++)
		n_bytes += p.items[i].content.n + p.items[i].meta.n;
	p.cut |= n_bytes > *left;
	*left = p.cut ? 0 : *left - n_bytes;
	return p.cut;
}

/*
 * Reads the texts of the page, which ends before a variant that is too large.
 * The first variant is always included, with the messages that fit.
 */
static int read_texts(struct db *db, const struct owner *o,
		      const struct uuid *id, struct variant_page *p,
		      struct arena *a, struct err *e)
{
	size_t left = LIM_PAGE_BYTES;

	for (size_t i = 0; i < p->n; i++) {
		struct arena_mark m = arena_mark(a);
		int cut = left ? read_messages(db, o, id, &p->items[i], &left,
					       a, e) : 1;

		if (cut < 0)
			return -1;
		if (!cut || i == 0)
			continue;
		arena_rewind(a, m);
		p->n = i;
		p->more = true;
	}
	return 0;
}

static int read_variants(struct db *db, const struct owner *o,
			 const struct uuid *id, const struct variant *place,
			 int64_t after_seq, size_t size, struct arena *a,
			 struct variant_page *p, struct err *e)
{
	struct number before;
	struct variant *v;
	size_t n;

	if (count_variants(db, id, place->after_seq, after_seq, &before, e) ||
	    db_list(db, STMT_VARIANT_LIST,
		    DB_ARGS(DB_U(id), DB_I(place->after_seq), DB_I(after_seq),
			    DB_I((int64_t)size + 1)), a, variant_fields,
		    sizeof(*v), 0, &v, &n, e))
		return -1;
	p->total = MAX(before.count, 1);
	p->more = n > size;
	p->n = before.count ? MIN(n, size) : 1;
	p->items = arena_zalloc(a, p->n + 1, sizeof(*p->items));
	for (size_t i = 0; i < p->n; i++)
		p->items[i].v = before.count ? v[i] : *place;
	if (read_texts(db, o, id, p, a, e))
		return -1;
	for (size_t i = 0; before.count && i < p->n; i++)
		number_item(&p->items[i], before.index + 1 + (int64_t)i,
			    before.count);
	p->next_seq = p->more ? p->items[p->n - 1].v.head_seq : 0;
	return 0;
}

int thread_variants(struct db *db, const struct owner *o,
		    const struct uuid *conversation_id, int64_t seq,
		    int64_t after_seq, size_t size, struct arena *a,
		    struct variant_page *out, struct err *e)
{
	struct conversation c;
	struct variant place;

	if (!size || size > LIM_PAGE_MAX)
		BUG("a page of no or of too many variants");
	*out = (struct variant_page){ .n = 0 };
	if (conversation_get(db, o, conversation_id, a, &c, e) ||
	    thread_whole(db, o, conversation_id, e) ||
	    place_of(db, conversation_id, seq, &place, e))
		return -1;
	out->workspace_id = c.workspace_id;
	out->agent_id = c.agent_id;
	return read_variants(db, o, conversation_id, &place, after_seq, size, a,
			     out, e);
}

int thread_variant_at(struct db *db, const struct owner *o,
		      const struct uuid *conversation_id, int64_t seq,
		      int64_t index, int64_t *head_seq, struct err *e)
{
	struct arena a = ARENA_INIT;
	struct conversation c;
	struct variant place, *v;
	size_t n = 0;
	int rc = -1;

	if (conversation_get(db, o, conversation_id, &a, &c, e) ||
	    thread_whole(db, o, conversation_id, e) ||
	    place_of(db, conversation_id, seq, &place, e) ||
	    db_list(db, STMT_VARIANT_LIST,
		    DB_ARGS(DB_U(conversation_id), DB_I(place.after_seq),
			    DB_I(0), DB_I(LIM_VARIANTS)), &a, variant_fields,
		    sizeof(*v), 0, &v, &n, e))
		goto out;
	if (n == 0 && index == 1)
		*head_seq = place.head_seq;
	else if (index >= 1 && (size_t)index <= n)
		*head_seq = v[index - 1].head_seq;
	else
		err_set(e, ERR_NOT_FOUND, "no variant of that number");
	rc = e->code == ERR_NONE ? 0 : -1;
out:
	arena_release(&a);
	return rc;
}
