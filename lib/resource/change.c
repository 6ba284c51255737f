/* SPDX-License-Identifier: MIT */
#include "resource/change.h"

#include "base/clock.h"
#include "base/limits.h"
#include "resource/rows.h"

#include "base/banned.h"

static const struct tracked {
	const char *kind;		/* NULL: it is not TRACKED */
	size_t title;			/* its field with the title */
	unsigned add, add_last, before, bytes, undone;	/* statements */
} tracked[RESOURCE__MAX] = {
#define TRACKED(id, change, kind_, column) [RESOURCE_##id] = { \
		kind_, COLUMN(id, column), RSTMT_##change##_ADD, \
		RSTMT_##change##_ADDLAST, \
		RSTMT_##change##_BEFORE, RSTMT_##change##_BYTES, \
		RSTMT_##change##_UNDONE },
#include "resource/resource.def"
};

/* ANNOUNCED: what those who read a row of it read again; NULL: nothing. */
static const char *const announced[RESOURCE__MAX] = {
#define ANNOUNCED(id, what) [RESOURCE_##id] = what,
#include "resource/resource.def"
};

static const struct tracked *tracked_of(const struct resource *r)
{
	return &tracked[r - resources];
}

const char *resource_kind(const struct resource *r)
{
	return tracked_of(r)->kind;
}

const struct resource *resource_of_kind(struct str kind)
{
	for (size_t i = 0; i < RESOURCE__MAX; i++)
		if (tracked[i].kind && str_is(kind, tracked[i].kind))
			return &resources[i];
	return NULL;
}

struct str resource_title(const struct resource *r, const struct resource_row *row)
{
	return resource_text(row, tracked_of(r)->title);
}

/* -- writing ----------------------------------------------------------------------- */

static const struct uuid *top_of(const struct resource_change_row *c)
{
	return c->r->owner == OWNER_BELOW ? &c->row->holder : &c->row->id;
}

static struct db_val or_null(const struct uuid *id)
{
	return DB_U_IF(uuid_is_nil(id) ? NULL : id);
}

static int add_change(const struct caller *by, const struct resource_change_row *c,
		      bool last, struct err *e)
{
	static const struct resource_changes nobody;
	const struct resource_changes *why = by->changes ? by->changes : &nobody;
	const struct tracked *t = tracked_of(c->r);
	const int64_t now_us = clock_now_us();

	if (why->others &&
	    db_exec(by->db, RSTMT_PROJECT_OTHERS,
		    DB_ARGS(DB_U(top_of(c)), DB_S(by->owner.tenant_id)), NULL, e) < 0)
		return -1;
	if (!uuid_is_nil(&why->undoes) &&
	    db_exec(by->db, t->undone,
		    DB_ARGS(DB_U(&why->undoes), DB_S(by->owner.tenant_id)), NULL, e) < 0)
		return -1;
	return db_exec(by->db, last ? t->add_last : t->add, DB_ARGS(
		DB_U(&c->id), DB_S(by->owner.tenant_id), DB_U(&by->owner.user_id),
		DB_I(now_us), DB_I(now_us), DB_U(top_of(c)), DB_U(top_of(c)),
		DB_S(str_of(t->kind)),
		DB_U(&c->row->id), DB_S(resource_title(c->r, c->row)), DB_S(c->verb),
		DB_I(c->row->version + 1), DB_S(c->fields),
		or_null(&why->turn_id), or_null(&why->conversation_id), or_null(&why->undoes),
		DB_I(c->before.p || str_is(c->verb, "create")),
		DB_S_IF(c->before)), NULL, e);
}

int resource_change_add(const struct caller *by, const struct resource_change_row *c,
			struct err *e)
{
	return add_change(by, c, false, e);
}

/* -- announcing --------------------------------------------------------------------- */

/* Who is told: all who read the row `of` of a SHARED resource; of none, this one. */
struct audience {
	const struct resource *shared;	/* NULL: only `other` */
	struct uuid of, other;
};

static struct audience audience_of(const struct resource *r, const struct resource_at *at,
				   const struct resource_row *row)
{
	struct audience to = { .other = at->by.user_id };

	switch (r->owner) {
	case OWNER_USER:
		break;
	case OWNER_TENANT:
		to.other = resource_of_tenant(at->by.tenant_id);
		break;
	case OWNER_SHARED:
		to = (struct audience){ r, row->id, row->holder };
		break;
	case OWNER_PARENT:
		to.shared = resource_of_root(r->of);
		to.of = at->holder;
		break;
	case OWNER_BELOW:
		to.shared = resource_of_table(r->top);
		to.of = at->holder;
		break;
	case OWNER_MIXED:	/* of a user, or of all who see what it is in */
		if (uuid_eq(&row->holder, &at->by.user_id))
			break;
		to.shared = resource_of_root(r->of);
		to.of = at->parent;
		to.other = resource_of_tenant(at->by.tenant_id);
		break;
	}
	if (to.shared && to.shared->owner != OWNER_SHARED)
		BUG("an ANNOUNCED resource below one without readers");
	return to;
}

int resource_announce(struct db *tx, const struct resource *r, const struct resource_at *at,
		      const struct resource_row *row, struct str verb,
		      const struct resource_changes *why, bool last, struct err *e)
{
	static const struct resource_changes nobody;
	const struct resource_changes *w = why ? why : &nobody;
	const char *what = announced[r - resources];
	const struct uuid id = uuid_new();
	const int64_t now_us = clock_now_us();
	const bool ends = last && db_tx_ends(tx);
	struct audience to;
	struct db_val v[15] = {
		DB_U(&id), DB_S(at->by.tenant_id), DB_U(&at->by.user_id), DB_I(now_us),
		DB_I(now_us), DB_I(now_us), DB_S(what ? str_of(what) : STR("")), DB_U(&row->id), DB_S(verb),
		DB_S(STR("[]")), DB_I(row->version + 1), or_null(&w->turn_id),
		or_null(&w->conversation_id),
	};

	if (!what)
		return 0;
	to = audience_of(r, at, row);
	if (!to.shared) {
		v[13] = DB_U(&to.other);
		return db_exec(tx, ends ? RSTMT_ANNOUNCE_LAST : RSTMT_ANNOUNCE, v, NULL, e);
	}
	v[13] = DB_U(&to.of);
	v[14] = DB_U(&to.other);
	return db_exec(tx, ends ? to.shared->announce_last : to.shared->announce, v, NULL, e);
}

/* -- collecting -------------------------------------------------------------------- */

static void append(struct resource_changes *to, struct resource_changed *one)
{
	if (to->last)
		to->last->next = one;
	else
		to->first = one;
	to->last = one;
}

void resource_changes_copy(struct resource_changes *to,
			   const struct resource_changes *from, struct arena *a)
{
	for (const struct resource_changed *c = from->first; c; c = c->next) {
		struct resource_changed *one = arena_new(a, struct resource_changed);

		*one = *c;
		one->title = arena_str(a, c->title);
		one->patch = arena_str(a, c->patch);
		one->next = NULL;
		append(to, one);
	}
}

void resource_change_tell(const struct caller *by, const struct resource_change_row *c)
{
	struct resource_changed *one;

	if (!by->changes)
		return;
	one = arena_new(by->arena, struct resource_changed);
	*one = (struct resource_changed){
		.id = c->id, .row_id = c->row->id, .top_id = *top_of(c),
		.kind = resource_kind(c->r), .verb = c->verb,
		.title = arena_str(by->arena, resource_title(c->r, c->row)),
		.number = c->row->version + 1,
		.patch = arena_str(by->arena, c->patch),
	};
	append(by->changes, one);
}

/* -- changes of calls -------------------------------------------------------------- */

/* Of a PERSON the id, so that a login is nowhere but in its own row. */
static void write_before(struct jw *w, const struct caller *by,
			 const struct resource_field *f, const struct db_val *v)
{
	jw_key(w, f->key);
	if (f->type == TYPE_PERSON && !v->null) {
		const struct uuid id = uuid_of_name(by->owner.tenant_id, v->s);

		jw_uuid(w, &id);
	} else {
		resource_write_value(w, f, v);
	}
}

/* Whether the value of the field is told: what clients give, or the program notes. */
static bool is_noted(const struct resource_field *f)
{
	return f->mode == MODE_EDIT || f->mode == MODE_ONCE || f->mode == MODE_NOTED;
}

/* The keys of the fields that differ, and what an undo gives back of them. */
static void write_changes(struct jw *keys, struct jw *values, const struct caller *by,
			  const struct resource *r, const struct resource_change *k)
{
	const bool gone = k->verb == VERB_DELETE;

	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];

		if (!is_noted(f) || (!gone && (!k->row.given[i] ||
		    resource_same(&k->now->v[i], &k->row.v[i]))))
			continue;
		if (!gone)
			jw_str(keys, str_of(f->key));
		if (f->mode == MODE_EDIT || (gone && f->mode == MODE_ONCE))
			write_before(values, by, f, &k->now->v[i]);
	}
}

static struct str verb_of(const struct resource_change *k)
{
	return k->verb == VERB_CREATE ? STR("create")
		: k->verb == VERB_DELETE ? STR("delete") : STR("update");
}

static struct resource_change_row row_of(const struct resource *r,
					 const struct resource_change *k)
{
	return (struct resource_change_row){
		.id = k->change_id, .r = r, .verb = verb_of(k),
		.row = k->verb == VERB_DELETE ? k->now : &k->row,
	};
}

/* Of a deletion: before those who read it are gone, if they are rows; else as its end. */
static enum resource_stage stage_of(const struct resource *r, const struct resource_change *k)
{
	if (k->verb != VERB_DELETE)
		return CHANGE_STORED;
	return r->owner == OWNER_USER || r->owner == OWNER_TENANT ? CHANGE_END : CHANGE_BEFORE;
}

/* What is shorter is kept whatever else there is. */
enum { SHORT_BYTES = 4096 };

/*
 * It is not counted as stored, so that who deletes something has room; of long texts at
 * most LIM_CHANGE_BYTES are kept. Sets text to none beyond that.
 */
static int bound(const struct caller *by, const struct resource *r, struct str *text,
		 struct err *e)
{
	int64_t bytes = 0;

	if (text->n <= SHORT_BYTES)
		return 0;
	if (db_int(by->db, tracked_of(r)->bytes, DB_ARGS(DB_S(by->owner.tenant_id),
		   DB_U(&by->owner.user_id)), &bytes, e) < 0)
		return -1;
	if (bytes + (int64_t)text->n > LIM_CHANGE_BYTES)
		*text = (struct str){ NULL, 0 };
	return 0;
}

/* Notes the change at the call of a plan that makes it. */
static int count(const struct caller *by, struct err *e)
{
	const struct resource_changes *why = by->changes;
	struct db_result r = { .affected = 0 };

	if (!why || uuid_is_nil(&why->plan_id))
		return 0;
	if (db_exec(by->db, RSTMT_PLAN_CALL_LAND,
		    DB_ARGS(DB_U(&why->plan_id), DB_I(why->plan_call),
			    DB_I(why->plan_try)), &r, e) < 0)
		return -1;
	return r.affected ? 0
		: err_set(e, ERR_CONFLICT, "another process has begun this call");
}

int resource_keep_change(const struct caller *by, const struct resource *r,
			 const struct resource_change *k, enum resource_stage stage,
			 struct err *e)
{
	struct resource_change_row c = row_of(r, k);
	struct buf keys = BUF_INIT(4096);
	struct buf values = BUF_INIT(16 * LIM_CONTENT_CHARS);
	struct jw kw = jw_on(&keys), vw = jw_on(&values);
	int rc;

	/*
	 * In the same transaction: after a crash the plan knows whether its call changed
	 * anything.
	 */
	if (stage == CHANGE_STORED && count(by, e) < 0)
		return -1;
	if (stage == stage_of(r, k) &&
	    resource_announce(by->db, r, &k->at, &k->row, verb_of(k), by->changes,
			      stage != CHANGE_BEFORE, e) < 0)
		return -1;
	if (stage != CHANGE_STORED || !resource_kind(r))
		return 0;
	jw_arr(&kw);
	jw_obj(&vw);
	if (k->now)
		write_changes(&kw, &vw, by, r, k);
	if (k->with.n) {
		jw_key(&vw, RESOURCE_WITH);
		jw_raw(&vw, k->with);
	}
	if (k->verb == VERB_DELETE) {
		jw_key(&vw, RESOURCE_WAS);
		jw_obj(&vw);
		jw_kint(&vw, "version", k->now->version);
		jw_kint(&vw, "createdUs", k->now->created_us);
		jw_end_obj(&vw);
	}
	jw_end_obj(&vw);
	jw_end_arr(&kw);
	c.fields = buf_str(&keys);
	if (k->now)
		c.before = buf_str(&values);
	if (!buf_ok(&keys) || !buf_ok(&values))
		rc = err_set(e, ERR_TOO_BIG, "what a row was before is too long");
	else
		rc = bound(by, r, &c.before, e) < 0 ? -1
			: add_change(by, &c, k->verb != VERB_DELETE && db_tx_ends(by->db),
				     e);
	buf_release(&keys);
	buf_release(&values);
	return rc;
}

void resource_tell_change(const struct caller *by, const struct resource *r,
			  const struct resource_change *k, struct str patch)
{
	struct resource_change_row c = row_of(r, k);

	c.patch = patch;
	resource_change_tell(by, &c);
}

/* -- reading ------------------------------------------------------------------------ */

/* Replaces the id of a person by the login, null if they are not known any more. */
static int name_person(const struct caller *by, json_t *before, const char *key,
		       struct err *e)
{
	struct str login = { NULL, 0 };
	struct uuid id;

	if (!uuid_parse(jx_str(before, key), &id))
		return 0;
	if (db_text(by->db, RSTMT_PERSON_LOGIN, DB_ARGS(DB_U(&id),
		    DB_S(by->owner.tenant_id)), by->arena, &login, e) < 0)
		return -1;
	json_object_set_new(before, key, login.p
			    ? json_stringn(login.p, login.n) : json_null());
	return 0;
}

int resource_change_before(const struct caller *by, const struct resource *r,
			   const struct uuid *change, json_t **out, struct err *e)
{
	struct str text = { NULL, 0 };

	*out = NULL;
	if (db_text(by->db, tracked_of(r)->before, DB_ARGS(DB_U(change),
		    DB_S(by->owner.tenant_id)), by->arena, &text, e) < 0)
		return -1;
	if (!text.p)
		return 0;
	*out = jx_load(text, e);
	if (!*out)
		return -1;
	jx_keep(by->arena, *out);
	for (size_t i = 0; i < r->n_fields; i++)
		if (r->fields[i].type == TYPE_PERSON &&
		    name_person(by, *out, r->fields[i].key, e) < 0)
			return -1;
	return 0;
}
