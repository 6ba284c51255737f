/* SPDX-License-Identifier: MIT */
/*
 * A turn begins: the conversation is taken and its user message stored in one
 * statement, which brings the settings of the caller and what the message follows.
 */
#include "store/turn.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "store/attempt.h"
#include "store/message_row.h"

#include "base/banned.h"

#define TRIES 10	/* to take a conversation that others take as well */

struct beginning {
	const struct owner *o;
	struct turn_begin *b;
	struct uuid holders[STORE_SETTINGS];
	bool taken;		/* it has begun */
};

/* An earlier try was committed: what it did. 1 when it was, 0 when not. */
static int begun_before(struct db *tx, void *ctx, struct arena *a,
			struct err *e)
{
	struct beginning *k = ctx;
	struct turn_begin *b = k->b;
	struct locked l;
	struct turn t;
	int rc = store_turn_begun(tx, k->o, &b->turn_id, b->user.created_us, a,
				   &t, e);

	if (rc <= 0)
		return rc;
	if (conversation_lock(tx, k->o, &b->conversation_id, a, &l, e))
		return -1;
	b->user.seq = t.user_seq;
	b->turn_number = l.turns;
	b->titled = b->title.p && t.user_seq == 1;
	k->taken = true;
	b->n_settings = 0;
	b->settings_known = false;
	return 1;
}

/*
 * The result of TURN_BEGIN: settings, the message itself, then the messages before
 * it.
 */
struct begun {
	int64_t got;		/* title set << 62 | turns << 32 | seq; of a
				   setting negative */
	struct message m;
};

static const struct db_field begun_fields[] = {
	FIELD_OF(struct begun, got, i),
#define F(mem, t, sql) { .column = #mem, .type = T_##t, \
		.offset = offsetof(struct begun, m) + offsetof(struct message, mem) },
	MESSAGE_FIELDS(F, )
#undef F
};

/* As SETTING_AS_MESSAGE has them. */
static void take_setting(struct turn_begin *b, const struct begun *r)
{
	if (b->n_settings < STORE_SETTINGS)
		b->settings[b->n_settings++] = (struct store_setting){
			.holder_id = r->m.turn_id, .level = r->m.role,
			.version = r->m.seq, .values = r->m.content,
			.author = r->m.meta,
		};
}

static int take_begun(void *ctx, const struct db_val *row, struct err *e)
{
	struct beginning *k = ctx;
	struct turn_begin *b = k->b;
	struct message_page *p = &b->history;
	struct begun r = { .m = { .seq = 0 } };

	(void)e;
	db_map(begun_fields, ARRAY_LEN(begun_fields), row, &r);
	if (r.got < 0) {
		take_setting(b, &r);
	} else if (!k->taken) {
		k->taken = true;
		b->user.seq = r.got & UINT32_MAX;
		b->turn_number = r.got >> 32 & 0x1fffffff;
		b->titled = r.got >> 62 & 1;
		if (b->arena)
			/*
			 * With the place that the conversation had, where the message names
			 * none.
			 */
			b->user.options = r.m.options;
	} else if (p->n == b->n_history) {
		p->more = true;
	} else {	/* newest first: filled from the end */
		p->n++;
		*--p->items = r.m;
		p->next_seq = r.m.seq;
	}
	return 0;
}

/* The holders as parameters, the last one repeated; nobody is nil. */
static struct uuid holder_at(const struct turn_begin *b, size_t i)
{
	return b->n_holders ? b->holders[MIN(i, b->n_holders - 1)]
		: (struct uuid){ { 0 } };
}
#define HOLDER_ARGS(h) \
	DB_U(&(h)[0]), DB_U(&(h)[1]), DB_U(&(h)[2]), DB_U(&(h)[3]), \
	DB_U(&(h)[4]), DB_U(&(h)[5]), DB_U(&(h)[6]), DB_U(&(h)[7]), \
	DB_U(&(h)[8]), DB_U(&(h)[9]), DB_U(&(h)[10]), DB_U(&(h)[11]), \
	DB_U(&(h)[12]), DB_U(&(h)[13]), DB_U(&(h)[14]), DB_U(&(h)[15])

static int take_conversation(struct db *tx, struct beginning *k, struct err *e)
{
	struct turn_begin *b = k->b;
	const struct message *m = &b->user;
	struct arena own = ARENA_INIT, *a = b->arena ? b->arena : &own;
	int64_t n = (int64_t)b->n_history + 2;
	int rc;

	/* Room for all that may be there; kept is what is. */
	b->history = (struct message_page){ .n = 0 };
	if (b->n_history)
		b->history.items = b->n_history + (struct message *)
			arena_zalloc(&own, b->n_history, sizeof(*m));
	rc = db_each_within(tx, STMT_TURN_BEGIN,
			    DB_ARGS(DB_S_IF(b->title), DB_U(&b->turn_id),
				    DB_I(m->created_us) BEGUN_VALUES(&m->options),
				    DB_S_IF(b->title),
				    DB_S_IF(b->title), DB_U(&b->conversation_id),
				    DB_S(k->o->tenant_id), DB_U(&k->o->user_id),
				    DB_S_IF(b->workspace_id), DB_S_IF(b->workspace_id),
				    DB_S_IF(b->agent_id), DB_S_IF(b->agent_id),

				    DB_U(&b->conversation_id), DB_U(&b->turn_id),
				    DB_I(m->created_us), DB_S(content_of(m)),
				    DB_S_IF(m->meta), DB_S_IF(m->client_id)
				    MESSAGE_OPTION_VALUES(&m->options),

				    DB_U(&b->turn_id), DB_U(&b->conversation_id),
				    DB_I(m->created_us + store_turn_lease_us()),
				    DB_I(m->created_us), DB_S_IF(b->client),
				    DB_S_IF(b->provider), DB_S_IF(b->model), PAYER(b->payer),

				    DB_U(&k->holders[0]), DB_U(&k->holders[1]),
				    DB_S(k->o->tenant_id),
				    HOLDER_ARGS(k->holders),

				    DB_U(&b->conversation_id), DB_I(n),
				    DB_U(&b->conversation_id),
				    DB_U(&b->conversation_id), DB_I(n)),
			    LIM_HISTORY_BYTES, a, take_begun, k,
			    &b->history.cut, e);
	b->history.more |= b->history.cut;
	if (!b->history.more)
		b->history.next_seq = 0;
	/* There is a gap in front of it: it is to be read on its own. */
	if (!b->history.more && b->history.n && b->history.items[0].seq > 1)
		b->history.n = 0;
	b->history.items = !b->history.n ? NULL : (struct message *)(void *)
		arena_memdup(a, (const char *)b->history.items,
			     b->history.n * sizeof(*m));
	arena_release(&own);
	return rc;
}

static int take_created(void *ctx, const struct db_val *row, struct err *e)
{
	static const struct db_field fields_of[] = {
#define F(m, t, sql) FIELD_OF(struct store_setting, m, t)
		SETTING_FIELDS(F, COMMA)
#undef F
	};
	struct beginning *k = ctx;
	struct turn_begin *b = k->b;

	(void)e;
	if (row[1].i < 0)
		k->taken = true;
	else if (b->n_settings < STORE_SETTINGS)
		db_map(fields_of, ARRAY_LEN(fields_of), row,
		       &b->settings[b->n_settings++]);
	return 0;
}

static int create(struct db *tx, struct beginning *k, struct err *e)
{
	struct turn_begin *b = k->b;
	const struct message *m = &b->user;
	struct arena own = ARENA_INIT;
	int rc;

	rc = db_each(tx, STMT_TURN_CREATE,
		    DB_ARGS(DB_U(&b->conversation_id), DB_S(k->o->tenant_id),
			    DB_U(&k->o->user_id), DB_S(b->workspace_id),
			    DB_S(b->agent_id), DB_S_IF(b->title),
			    DB_I(b->title.p ? TITLE_FIRST_MESSAGE : TITLE_NONE),
			    DB_I(1), DB_I(1), DB_U_IF(&b->turn_id),
			    DB_I(m->created_us), DB_I(m->created_us),
			    DB_S_IF(b->program) PLACE_VALUES(&m->options),

			    DB_U(&b->conversation_id), DB_I(1), DB_I(m->role),
			    DB_U(&b->turn_id), DB_I(m->created_us),
			    DB_S(content_of(m)), DB_S_IF(m->meta),
			    DB_I_IF(false, 0), DB_I_IF(false, 0), COLUMN_ARGS(m),

			    DB_U(&b->turn_id), DB_U(&b->conversation_id),
			    DB_I(m->created_us + store_turn_lease_us()), DB_I(1),
			    DB_I(m->created_us), DB_S_IF(b->client),
			    DB_S_IF(b->provider), DB_S_IF(b->model), PAYER(b->payer),

			    DB_U(&k->holders[0]), DB_U(&k->holders[1]),
			    DB_S(k->o->tenant_id), HOLDER_ARGS(k->holders)),
		     b->arena ? b->arena : &own, take_created, k, e);
	arena_release(&own);
	if (rc) {
		/* The other ids are new. */
		if (e->code == ERR_DB_DUPLICATE) {
			err_clear(e);
			err_set(e, ERR_CONFLICT, "the conversation id is taken");
		}
		return -1;
	}
	b->user.seq = 1;
	b->turn_number = 1;
	b->titled = b->title.p != NULL;
	return 0;
}

static int begin_run(struct db *tx, void *ctx, struct arena *a, struct err *e)
{
	struct beginning *k = ctx;

	(void)a;
	k->taken = false;
	k->b->n_settings = 0;
	k->b->settings_known = true;
	return k->b->create ? create(tx, k, e) : take_conversation(tx, k, e);
}

/* It was not free: reports why, or closes the dead turn that holds it. */
static int make_free_tx(struct db *tx, void *ctx, struct err *e)
{
	struct beginning *k = ctx;
	struct turn_begin *b = k->b;
	struct arena a = ARENA_INIT;
	struct locked l;
	int rc = conversation_lock(tx, k->o, &b->conversation_id, &a, &l, e);

	if (!rc && ((b->workspace_id.p &&
		     !str_eq(b->workspace_id, l.workspace_id)) ||
		    (b->agent_id.p && !str_eq(b->agent_id, l.agent_id))))
		rc = err_set(e, ERR_NOT_FOUND,
			     "the conversation is not of that agent");
	if (!rc)
		rc = store_turn_evict(tx, k->o, &b->conversation_id, &l,
				      b->text_of_events, &b->evicted, e);
	arena_release(&a);
	return rc;
}

int store_turn_begin(struct db *db, const struct owner *o, struct turn_begin *b,
		     struct err *e)
{
	static const struct attempt_fns begin = { begun_before, begin_run };
	struct beginning k = { .o = o, .b = b };

	if (b->commit)
		b->commit->enough = &k.taken;
	b->evicted = (struct turn_evicted){ .status = TURN_INTERRUPTED };
	b->user = (struct message){
		.role = ROLE_USER,
		.turn_id = b->turn_id,
		.content = b->content,
		.meta = b->meta,
		.kind = KIND_MESSAGE,
		.client_id = b->client_id,
		.options = b->options,
	};
	if (b->title.p)
		b->title = utf8_head(b->title, LIM_TITLE_CHARS);
	for (size_t i = 0; i < STORE_SETTINGS; i++)
		k.holders[i] = holder_at(b, i);
	for (int tries = 0; ; tries++) {
		b->user.created_us = 0;
		if (attempt_tx(db, &begin, &b->user.created_us, &k,
			       b->commit, e)) {
			/*
			 * The id is derived from a key: a deleted conversation may still
			 * hold it.
			 */
			if (tries || !b->create || e->code != ERR_CONFLICT ||
			    !conversation_make_room(db, &b->conversation_id))
				return -1;
			err_clear(e);
			continue;
		}
		if (k.taken)
			return 0;
		if (tries == TRIES)	/* others come and go all the time */
			return err_set(e, ERR_DB_RETRY, "a conversation that "
				       "is free, but never when asked for");
		if (db_tx(db, make_free_tx, &k, e))
			return -1;
	}
}

/* -- again ----------------------------------------------------------------- */

/*
 * A turn that continues where an earlier one was cut short is a turn of its own, with its
 * own events and usage, because a turn ends only once. It answers the same user message,
 * after the rows of the earlier turn.
 */
struct continuing {
	const struct owner *o;
	struct turn_continue *r;
};

static bool was_cut_short(const struct turn *t)
{
	return t->status == TURN_INTERRUPTED || t->status == TURN_CANCELLED ||
		t->status == TURN_ERROR;
}

static int continued_before(struct db *tx, void *ctx, struct arena *a,
			    struct err *e)
{
	struct continuing *k = ctx;
	struct turn t;

	return store_turn_begun(tx, k->o, &k->r->turn_id, k->r->attempt_us, a,
				 &t, e);
}

static int check_continued(const struct turn *t, const struct locked *l,
			   int64_t last_seq, struct err *e)
{
	if (!uuid_is_nil(&l->turn_id)) {
		uuid_format(&l->turn_id, e->id);
		return err_set(e, ERR_BUSY, "a turn is running");
	}
	if (!was_cut_short(t))
		return err_public(e, ERR_CONFLICT,
				  "This turn was not cut short.");
	if (t->answer_seq != last_seq)
		return err_public(e, ERR_CONFLICT,
				  "The conversation has continued since then.");
	return 0;
}

static int continue_run(struct db *tx, void *ctx, struct arena *a,
			struct err *e)
{
	struct continuing *k = ctx;
	struct turn_continue *r = k->r;
	struct locked l;
	struct turn t;

	/* Lock in the common order: conversation, then turn. */
	if (store_turn_get(tx, k->o, &r->of, a, &t, e) ||
	    conversation_lock(tx, k->o, &t.conversation_id, a, &l, e) ||
	    store_turn_get(tx, k->o, &r->of, a, &t, e) ||
	    thread_last(tx, &t.conversation_id, &r->last_seq, e))
		return -1;
	r->conversation_id = t.conversation_id;
	r->user_seq = t.user_seq;
	r->turn_number = l.turns;
	if (check_continued(&t, &l, r->last_seq, e) ||
	    db_exec(tx, STMT_CONVERSATION_RETAKE,
		    DB_ARGS(DB_U(&r->turn_id), DB_I(r->attempt_us),
			    DB_U(&t.conversation_id), DB_S(k->o->tenant_id),
			    DB_U(&k->o->user_id)), NULL, e))
		return -1;
	return db_exec(tx, STMT_TURN_INSERT,
		       DB_ARGS(DB_U(&r->turn_id), DB_U(&t.conversation_id),
			       DB_I(r->attempt_us + store_turn_lease_us()),
			       DB_I(t.user_seq), DB_I(r->attempt_us),
			       DB_I_IF(false, 0), DB_I_IF(false, 0),
			       DB_S_IF(r->client), DB_S_IF(r->provider),
			       DB_S_IF(r->model), PAYER(r->payer)), NULL, e);
}

int store_turn_continue(struct db *db, const struct owner *o, struct turn_continue *r,
			struct err *e)
{
	static const struct attempt_fns again = {
		continued_before, continue_run,
	};
	struct continuing k = { .o = o, .r = r };

	return attempt_tx(db, &again, &r->attempt_us, &k, NULL, e);
}
