/* SPDX-License-Identifier: MIT */
#include "resource/rows.h"

#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/cursor.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "resource/author.h"
#include "resource/change.h"
#include "resource/form.h"
#include "resource/section.h"

#include "base/banned.h"

/* -- hooks ---------------------------------------------------------------------- */

/* The first ones, which decide; never NULL. */
static const struct resource_hooks *hooks_of(const struct resource *r)
{
	static const struct resource_hooks none;
	const struct resource_hooks *h = resource_hooks_at(r, 0);

	return h ? h : &none;
}

/* Runs this member of all of them. */
static int run_all(size_t member, const struct caller *by,
		   const struct resource *r, struct resource_change *k,
		   struct err *e)
{
	const struct resource_hooks *h;

	for (size_t i = 0; (h = resource_hooks_at(r, i)); i++) {
		resource_hook *const *hook = (resource_hook *const *)
			(const void *)((const char *)h + member);

		if (*hook && (*hook)(by, r, k, e) < 0)
			return -1;
	}
	return 0;
}

#define HOOK(member) offsetof(struct resource_hooks, member)

/* Hooks of a call within its transaction. */
struct in_tx {
	size_t member;
	const struct caller *by;
	const struct resource *r;
	struct resource_change *k;
};

static int run_in_tx(struct db *tx, const struct resource_row *row, void *ctx,
		     struct err *e)
{
	const struct in_tx *in = ctx;
	struct caller by = *in->by;

	(void)row;	/* that of the call */
	by.db = tx;
	return run_all(in->member, &by, in->r, in->k, e) < 0 ? -1
		: resource_keep_change(&by, in->r, in->k, CHANGE_STORED, e);
}

/* A deletion: its hooks may take what says who is told. */
static int delete_in_tx(struct db *tx, const struct resource_row *row, void *ctx,
			struct err *e)
{
	const struct in_tx *in = ctx;
	struct caller by = *in->by;

	by.db = tx;
	return resource_keep_change(&by, in->r, in->k, CHANGE_BEFORE, e) < 0 ? -1
		: run_in_tx(tx, row, ctx, e);
}

static int end_in_tx(struct db *tx, const struct resource_row *row, void *ctx,
		     struct err *e)
{
	const struct in_tx *in = ctx;
	struct caller by = *in->by;

	(void)row;
	by.db = tx;
	return resource_keep_change(&by, in->r, in->k, CHANGE_END, e);
}

/* What depends on a stored row. */
static int store_in_tx(struct db *tx, const struct resource_row *row, void *ctx,
		       struct err *e)
{
	const struct in_tx *in = ctx;

	return resource_keep_version(tx, in->r, &in->k->at, row,
				     in->k->verb == VERB_CREATE && !in->k->again, e) < 0
		? -1 : run_in_tx(tx, row, ctx, e);
}

int resource_stored(const struct caller *by, const struct resource *r,
		    const struct resource_row *row, struct err *e)
{
	struct resource_change k = { .verb = VERB_PATCH, .row = *row };

	return run_all(HOOK(store), by, r, &k, e);
}

int resource_gone(const struct caller *by, const struct resource *r,
		  const struct resource_row *row, struct err *e)
{
	struct resource_change k = {
		.verb = VERB_DELETE, .for_good = true, .now = row, .row = *row,
	};

	return run_all(HOOK(gone), by, r, &k, e);
}

int resource_make_again(const struct caller *by, const struct resource_again *k,
			bool *done, struct err *e)
{
	const struct resource_hooks *h = hooks_of(k->r);

	*done = h->again;
	return *done ? h->again(by, k, e) : 0;
}

int resource_recreated(const struct caller *by, const struct resource_again *k,
			struct err *e)
{
	const struct resource_hooks *h = hooks_of(k->r);

	return h->recreated ? h->recreated(by, k, e) : 0;
}

/* The record, as a list shows it, of somebody who may change the row. */
static struct str record_of(const struct caller *by, const struct resource *r,
			    const struct resource_row *row)
{
	struct resource_row brief = *row;
	const struct resource_change k = { .verb = VERB_GET, .at = resource_for(by) };
	struct buf b = BUF_INIT(LIM_LONG_BODY_BYTES);
	struct jw w = jw_on(&b);
	struct str s;

	brief.brief = true;
	jw_obj(&w);
	resource_record(&w, by, r, &k, &(struct resource_item){
		.row = &brief, .role = ROLE_EDITOR,
	});
	jw_end_obj(&w);
	s = buf_ok(&b) ? arena_str(by->arena, buf_str(&b)) : STR("{}");
	buf_release(&b);
	return s;
}

static void announce(const struct caller *by, const struct resource *r,
		     const struct resource_change *k)
{
	const struct resource_hooks *h;

	if (by->changes && resource_kind(r))
		resource_tell_change(by, r, k, k->verb == VERB_DELETE ? STR("{}")
				     : record_of(by, r, &k->row));
	for (size_t i = 0; (h = resource_hooks_at(r, i)); i++)
		if (h->changed)
			h->changed(by, k);
}

/* -- access ----------------------------------------------------------------------- */

static enum permission needed(const struct resource *r, enum resource_verb verb)
{
	return verb == VERB_LIST || verb == VERB_GET ? r->may_read : r->may_write;
}

bool resource_may(const struct caller *by, const struct resource *r,
		  enum resource_verb verb)
{
	return policy_may(by->who, needed(r, verb));
}

bool resource_may_store(const struct caller *by, const struct resource *r)
{
	return !r->record && resource_may(by, r, VERB_CREATE) &&
		(!hooks_of(r)->may_store || hooks_of(r)->may_store(by));
}

struct resource_at resource_for(const struct caller *by)
{
	return resource_reading(&by->owner, by->who->groups, by->who->n_groups,
				by->arena);
}

bool resource_may_hold(const struct caller *by, const struct resource *r,
		       const struct resource_at *at, const struct uuid *holder)
{
	if (r->owner != OWNER_SHARED || by->installation ||
	    uuid_eq(holder, &at->readers[0]))
		return true;
	if (uuid_eq(holder, &at->readers[1]))
		return policy_may(by->who, hooks_of(r)->of_tenant);
	for (size_t i = 2; i < at->n_readers; i++)
		if (uuid_eq(holder, &at->readers[i]))
			return policy_may(by->who, hooks_of(r)->of_group);
	return false;
}

static int find_visible(const struct caller *by, const struct resource *r,
			const struct resource_at *at, const struct uuid *id,
			struct resource_row *row, struct err *e)
{
	const struct resource_row *files = NULL;
	size_t n;

	if (resource_get(by->db, r, at, id, by->arena, row, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND || !hooks_of(r)->files)
		return -1;
	err_clear(e);
	n = hooks_of(r)->files(by, &files);
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&files[i].id, id)) {
			*row = files[i];
			return 0;
		}
	return resource_not_found(r, e);
}

int resource_visible(const struct caller *by, const struct resource *r,
		     const struct uuid *id, struct resource_row *row,
		     struct err *e)
{
	const struct resource_at at = resource_for(by);

	return find_visible(by, r, &at, id, row, e);
}

/* Finds what the caller sees: sets now, unless it is of a file and NAMED. */
static int find_row(const struct caller *by, const struct resource *r, struct str id,
		    struct resource_change *k, struct err *e)
{
	struct resource_row *row;
	struct uuid u;

	if (r->named)
		return hooks_of(r)->find(by, r, id, k, e);
	/* A text that is not an id is not somebody's. */
	if (!uuid_parse(id, &u))
		return resource_not_found(r, e);
	row = arena_new(by->arena, struct resource_row);
	k->now = row;
	if (find_visible(by, r, &k->at, &u, row, e) < 0)
		return -1;
	return r->owner == OWNER_BELOW && !uuid_is_nil(&k->at.holder) &&
		!uuid_eq(&row->holder, &k->at.holder)
		? resource_not_found(r, e) : 0;
}

void resource_writing(const struct caller *by, const struct resource *top,
		      struct resource_at *at)
{
	enum resource_role *most = arena_zalloc(by->arena, at->n_readers,
						sizeof(*most));

	for (size_t i = 0; i < at->n_readers; i++)
		most[i] = resource_may_hold(by, top, at, &at->readers[i])
			? ROLE_OWNER : ROLE_EDITOR;
	resource_below(at, most, by->arena);
}

struct roles {
	const struct uuid *ids;
	size_t n;
	enum resource_role *out;
};

static int take_role(void *ctx, const struct db_val *v, struct err *e)
{
	struct roles *k = ctx;

	(void)e;
	for (size_t i = 0; i < k->n; i++)
		if (memcmp(k->ids[i].b, v[0].s.p, sizeof(k->ids[i].b)) == 0)
			k->out[i] = (enum resource_role)v[1].i;
	return 0;
}

int resource_roles(const struct caller *by, const struct resource *r,
		   const struct resource_at *at, const struct uuid *ids, size_t n,
		   enum resource_role *out, struct err *e)
{
	struct resource_at as = *at;
	struct roles k = { ids, n, out };

	for (size_t i = 0; i < n; i++)
		out[i] = (enum resource_role)0;
	resource_writing(by, r, &as);
	return db_each(by->db, r->roles,
		       DB_ARGS(DB_S(resource_ids_json(ids, n, by->arena)),
			       DB_S(as.writers_json)), by->arena, take_role, &k, e);
}

/* An editor may change a row, and only an owner may delete it or say who sees it. */
static int check_role(const struct caller *by, const struct resource *r,
		      const struct resource_change *k, struct err *e)
{
	enum resource_role role = (enum resource_role)0;

	if (resource_is_top(r) &&
	    resource_roles(by, r, &k->at, &k->now->id, 1, &role, e) < 0)
		return -1;
	return role >= (k->verb == VERB_PATCH ? ROLE_EDITOR : ROLE_OWNER)
		? 0 : resource_read_only(r, e);
}

static int check_change(const struct caller *by, const struct resource *r,
			const struct resource_change *k, struct err *e)
{
	if (r->named)
		return hooks_of(r)->may_change(by, k) ? 0
			: resource_read_only(r, e);
	return resource_may_hold(by, r, &k->at, &k->now->holder) ? 0
		: check_role(by, r, k, e);
}

/* Finds a row that the caller may change, and the scope for that. */
static int find_changeable(const struct caller *by, const struct resource *r,
			   struct str id, const struct resource_row *found,
			   struct resource_change *k, struct err *e)
{
	k->now = found;
	if (!found && find_row(by, r, id, k, e) < 0)
		return -1;
	if (!k->now || k->now->config)
		return err_set(e, ERR_MANAGED_BY_CONFIG, "%s", r->path);
	if (check_change(by, r, k, e) < 0)
		return -1;
	if (r->owner == OWNER_SHARED || r->owner == OWNER_MIXED ||
	    r->owner == OWNER_BELOW)
		k->at.holder = k->now->holder;
	k->row = *k->now;
	return 0;
}

/* For deleting: if only its holder sees the row, its id is enough. */
static int find_deletable(const struct caller *by, const struct resource_call *c,
			  struct resource_change *k, struct err *e)
{
	const struct resource *r = c->r;

	if (r->named || r->owner == OWNER_SHARED || r->owner == OWNER_BELOW ||
	    c->expect || hooks_of(r)->files)
		return find_changeable(by, r, c->id, NULL, k, e);
	return uuid_parse(c->id, &k->row.id) ? 0 : resource_not_found(r, e);
}

/*
 * The scope below a row, by its id (empty: any): who shares it as an editor may
 * write there, and who may write it.
 */
static int place_below(const struct caller *by, const struct resource *r,
		       struct str parent, struct resource_at *at, struct err *e)
{
	at->holder = (struct uuid){ { 0 } };
	if (parent.n && !uuid_parse(parent, &at->holder))
		return resource_not_found(r, e);
	resource_writing(by, resource_of_table(r->top), at);
	return 0;
}

/* Whether the caller sees the row that is above those of the scope. ERR_NOT_FOUND. */
static int check_above(const struct caller *by, const struct resource *r,
		       const struct resource_at *at, struct err *e)
{
	struct resource_row row;

	return resource_get(by->db, resource_of_root(r->of), at, &at->holder,
			    by->arena, &row, e);
}

/* Sets the scope of the call: PARENT rows need one that the caller may change. */
static int find_place(const struct caller *by, const struct resource_call *c,
		      struct resource_change *k, struct err *e)
{
	const struct resource *r = c->r;
	struct resource_change above = { .verb = VERB_GET };

	k->at = resource_for(by);
	if (hooks_of(r)->place)
		return hooks_of(r)->place(by, r, c->parent, k, e);
	if (r->owner == OWNER_BELOW)
		return place_below(by, r, c->parent, &k->at, e);
	if (r->owner != OWNER_PARENT)
		return 0;
	above.at = k->at;
	if (find_changeable(by, resource_of_root(r->of), c->parent, NULL, &above,
			    e) < 0)
		return -1;
	k->at.holder = above.row.id;
	k->at.above = above.row.holder;
	return 0;
}

/* -- creating ---------------------------------------------------------------------- */

/*
 * A row with this id exists. If this call created it before its connection was
 * lost, it has all our values. Otherwise the same call with the same key created
 * it; its secret is not available any more.
 */
static int is_repeated(const struct caller *by, const struct resource_call *c,
		       struct resource_change *k, struct err *e)
{
	const struct resource *r = c->r;
	struct resource_row found;
	struct err inner = ERR_INIT;

	if (resource_get(by->db, r, &k->at, &k->row.id, by->arena, &found,
			 &inner) < 0) {
		if (inner.code == ERR_NOT_FOUND)
			return resource_taken(r, e);
		*e = inner;
		return -1;
	}
	err_clear(e);
	for (size_t i = 0; i < r->n_fields; i++) {
		enum resource_mode mode = r->fields[i].mode;

		if (resource_equal(by, r, i, &k->row, &found))
			continue;
		/* One that was changed since does not tell what the first call said. */
		if ((mode == MODE_EDIT || mode == MODE_ONCE) && c->key &&
		    !found.version)
			return err_key_differs(e);
		k->secret = (struct str){ NULL, 0 };
	}
	k->row = found;
	return 0;
}

/* Checks the limit of the holder's rows; a repeated key needs no room. */
static int check_room(const struct caller *by, const struct resource_call *c,
		      const struct resource_change *k, struct err *e)
{
	const struct resource *r = c->r;
	struct resource_at held = k->at;
	struct resource_row stored;
	int most = hooks_of(r)->most ? hooks_of(r)->most(&k->row) : r->most;
	int64_t n = c->held ? *c->held : 0;

	held.holder = k->row.holder;
	if (!c->held && resource_count(by->db, r, &held, &n, e) < 0)
		return -1;
	if (n < most || resource_get(by->db, r, &k->at, &k->row.id, by->arena,
				     &stored, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return err_public(e, ERR_CONFLICT, "There are already %d; there is no "
			  "room for another %s. Delete one first.", most,
			  r->what);
}

/* The ids in files that IDS fields may have. */
static void allow_files(const struct caller *by, const struct resource *r,
			struct resource_at *at)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource *of = resource_joined(&r->fields[i]);
		const struct resource_row *files = NULL;
		struct uuid *ids;
		size_t n = of && hooks_of(of)->files
			? hooks_of(of)->files(by, &files) : 0;

		if (!n)
			continue;
		ids = arena_zalloc(by->arena, at->n_in_files + n, sizeof(*ids));
		for (size_t k = 0; k < at->n_in_files; k++)
			ids[k] = at->in_files[k];
		for (size_t k = 0; k < n; k++)
			ids[at->n_in_files++] = files[k].id;
		at->in_files = ids;
	}
}

static const struct identity *author(const struct caller *by)
{
	return by->installation ? NULL : by->who;
}

/*
 * Whether a PERSON that the change gives is one who has signed in: the caller has, even
 * if no page of theirs has noted it yet.
 */
static int check_person(const struct caller *by, const struct resource_field *f,
			struct str login, struct err *e)
{
	const struct uuid id = uuid_of_name(by->owner.tenant_id, login);
	const int64_t now_us = clock_now_us();
	int64_t known = 0;

	if (uuid_eq(&id, &by->owner.user_id))
		return db_exec(by->db, RSTMT_PERSON_HERE,
			       DB_ARGS(DB_U(&id), DB_S(by->owner.tenant_id),
				       DB_S(login), DB_I(now_us), DB_I(now_us)),
			       NULL, e);
	if (db_int(by->db, RSTMT_PERSON, DB_ARGS(DB_U(&id),
		   DB_S(by->owner.tenant_id)), &known, e) < 0)
		return -1;
	return known ? 0 : err_field(e, ERR_INVALID_FIELD, f->key, "%s must be the "
				     "login of somebody who has signed in here.",
				     f->key);
}

/* Whether a REF that the change gives is of something that the caller sees. */
static int check_ref(const struct caller *by, const struct resource *r,
		     const struct resource_field *f, struct str value, struct err *e)
{
	const struct resource *to = resource_referred(r, f);
	struct resource_call c = { .r = to, .verb = VERB_GET, .id = value };
	struct resource_answer *found = arena_new(by->arena, struct resource_answer);

	if (!to)
		BUG("a reference without its REFERS");
	if (to->owner == OWNER_MIXED)
		c.parent = str_cut(&c.id, '/');
	if (resource_call(by, &c, found, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND && e->code != ERR_FORBIDDEN)
		return -1;
	err_clear(e);
	return err_field(e, ERR_INVALID_FIELD, f->key, "There is no such %s, or you cannot "
			 "see it.", to->what);
}

/* After `prepare`, which completes what is absent, but not what is empty. */
static int check_values(const struct caller *by, const struct resource *r,
			struct resource_change *k, struct err *e)
{
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];
		struct db_val *v = &k->row.v[i];

		if (f->flags & RESOURCE_EMPTY_NULL && str_is(resource_text(&k->row, i),
							     "[]"))
			v->null = true;
		if (f->type == TYPE_PERSON && k->row.given[i] && !v->null &&
		    check_person(by, f, v->s, e) < 0)
			return -1;
		if (f->type == TYPE_REF && k->row.given[i] && !v->null &&
		    check_ref(by, r, f, v->s, e) < 0)
			return -1;
	}
	return run_all(HOOK(check), by, r, k, e);
}

/* The body, its logins as those of requests are written (identity.login_case). */
static int read_body(const struct caller *by, const struct resource_call *c,
		     struct resource_row *out, struct err *e)
{
	const struct resource *r = c->r;

	if (resource_body(by->conf, c, by->arena, out, e) < 0)
		return -1;
	for (size_t i = 0; i < r->n_fields; i++) {
		struct db_val *v = &out->v[i];

		if (r->fields[i].type == TYPE_PERSON && out->given[i] && !v->null)
			*v = DB_S(identity_login(by->conf, v->s, by->arena));
	}
	return 0;
}

/* FIRST: what is not given is the first choice. */
static void complete(const struct caller *by, const struct resource *r,
		     struct resource_row *row)
{
	struct str rest, value, label;

	for (size_t i = 0; i < r->n_fields; i++) {
		rest = str_of(resource_choice_list(by->conf, r, &r->fields[i], by->arena));
		if (r->fields[i].flags & RESOURCE_FIRST && row->v[i].null &&
		    resource_choice(&rest, &value, &label))
			row->v[i] = DB_S(value);
	}
}

/* Nothing was written below a row: the caller may only read it, or does not see it. */
static int explain_refusal(const struct caller *by, const struct resource *r,
			   const struct resource_at *at, struct err *e)
{
	const struct resource *above = resource_of_root(r->of);

	err_clear(e);
	return check_above(by, r, at, e) < 0 ? -1 : resource_read_only(above, e);
}

static int create(const struct caller *by, const struct resource_call *c,
		  struct resource_change *k, struct err *e)
{
	const struct resource *r = c->r;
	struct in_tx in = { HOOK(store), by, r, k };

	if (c->draft)
		k->row = *c->draft;
	else
		resource_new(r, &k->row);
	if ((!c->draft && read_body(by, c, &k->row, e) < 0) ||
	    find_place(by, c, k, e) < 0)
		return -1;
	allow_files(by, r, &k->at);
	k->row.holder = k->at.holder;
	if (c->key)
		k->row.id = *c->key;
	if (c->was) {
		k->again = true;
		k->row.version = c->was->version + 1;
		k->row.created_us = c->was->created_us;
	}
	author_stamp(author(by), r, NULL, &k->row, by->arena);
	complete(by, r, &k->row);
	if ((!c->trial && run_all(HOOK(prepare), by, r, k, e) < 0) ||
	    check_values(by, r, k, e) < 0)
		return -1;
	if (c->trial)
		return 0;
	if (resource_seal(by, r, &k->row, e) < 0 || check_room(by, c, k, e) < 0)
		return -1;
	if (resource_create(by->db, r, &k->at, &k->row,
			    &(struct resource_also){ .run = store_in_tx, .ctx = &in }, e) < 0 &&
	    (e->code != ERR_DB_DUPLICATE || is_repeated(by, c, k, e) < 0))
		return r->owner == OWNER_BELOW && e->code == ERR_NOT_FOUND
			? explain_refusal(by, r, &k->at, e) : -1;
	announce(by, r, k);
	return 0;
}

/* -- changing ---------------------------------------------------------------------- */

/* Puts the values of the body into the row. */
static void apply(const struct resource_call *c, const struct resource_row *body,
		  struct resource_row *row)
{
	const struct resource *r = c->r;

	row->sort_key = body->sort_key;
	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];

		row->given[i] = c->whole && f->mode == MODE_EDIT
			? f->type != TYPE_SECRET &&
				!resource_same(&body->v[i], &row->v[i])
			: body->given[i];
		if (row->given[i])
			row->v[i] = body->v[i];
	}
}

/* The text that a given LONG value makes of the one that there is. In a. */
static int edited(const struct resource_call *c, const struct resource_field *f,
		  struct str now, struct arena *a, struct db_val *v, struct err *e)
{
	struct buf b = BUF_INIT(LIM_LONG_BODY_BYTES * 2), names = BUF_INIT(400);
	bool found = true;

	if (c->edit == EDIT_APPEND)
		section_append(&b, now, v->s);
	else
		found = section_replace(&b, now, c->section, v->s);
	if (!found) {
		section_names(&names, now, 300);
		err_field(e, ERR_INVALID_FIELD, f->key, "There is no section \"%.*s\" in "
			  "%s. %s%s", STR_ARG(utf8_head(c->section, 60)), f->key, names.n
			  ? "It has: " : "It has no headings.", names.n
			  ? buf_str(&names).p : "");
	} else if (!buf_ok(&b) || utf8_chars(buf_str(&b)) > (size_t)f->max) {
		err_field(e, ERR_INVALID_FIELD, f->key, "%s would be longer than %lld "
			  "characters.", f->key, (long long)f->max);
		found = false;
	} else {
		v->s = arena_str(a, buf_str(&b));
	}
	buf_release(&names);
	buf_release(&b);
	return found ? 0 : -1;
}

/* Completes LONG values that are a part of their text. */
static int edit(const struct caller *by, const struct resource_call *c,
		const struct resource_row *now, struct resource_row *body, struct err *e)
{
	for (size_t i = 0; c->edit != EDIT_REPLACE && i < c->r->n_fields; i++) {
		const struct resource_field *f = &c->r->fields[i];

		if (f == resource_by_parts(c->r) && body->given[i] && !body->v[i].null &&
		    edited(c, f, resource_text(now, i), by->arena, &body->v[i], e) < 0)
			return -1;
	}
	return 0;
}

static bool differs(const struct resource *r, const struct resource_row *a,
		    const struct resource_row *b)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (!resource_same(&a->v[i], &b->v[i]))
			return true;
	return false;
}

static int change(const struct caller *by, const struct resource_call *c,
		  struct resource_change *k, struct err *e)
{
	const struct resource *r = c->r;
	struct in_tx in = { HOOK(store), by, r, k };
	struct resource_row body;

	resource_new(r, &body);
	if (read_body(by, c, &body, e) < 0 ||
	    find_place(by, c, k, e) < 0 ||
	    find_changeable(by, r, c->id, c->found, k, e) < 0 ||
	    (c->expect && c->expect(c->ctx, k->now, e) < 0) ||
	    edit(by, c, k->now, &body, e) < 0 ||
	    resource_merge(by->conf, c, k->now, &body, by->arena, e) < 0)
		return -1;
	allow_files(by, r, &k->at);
	author_stamp(author(by), r, k->now, &body, by->arena);
	apply(c, &body, &k->row);
	if (check_values(by, r, k, e) < 0)
		return -1;
	if (c->whole && !differs(r, &k->row, k->now))
		return 0;
	if (resource_seal(by, r, &k->row, e) < 0 ||
	    resource_update(by->db, r, &k->at, &k->row,
			    &(struct resource_also){ .run = store_in_tx, .ctx = &in }, e) < 0)
		return -1;
	announce(by, r, k);
	return 0;
}

/* -- the call ---------------------------------------------------------------------- */

static int discard(const struct caller *by, const struct resource_call *c,
		   struct resource_change *k, struct err *e)
{
	struct in_tx in = { HOOK(gone), by, c->r, k };

	if (find_place(by, c, k, e) < 0 || find_deletable(by, c, k, e) < 0 ||
	    (c->expect && c->expect(c->ctx, k->now, e) < 0))
		return -1;
	if (resource_delete(by->db, c->r, &k->at, &k->row.id,
			    c->expect ? k->now->version : -1,
			    &(struct resource_also){
				    .run = delete_in_tx, .ctx = &in, .end = end_in_tx,
			    }, e) < 0) {
		/* It was just read: only writing is not allowed, or it has gone. */
		if (c->r->owner != OWNER_BELOW || e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return find_row(by, c->r, c->id, k, e) < 0 ? -1
			: resource_read_only(c->r, e);
	}
	announce(by, c->r, k);
	return 0;
}

static int get(const struct caller *by, const struct resource_call *c,
	       struct resource_change *k, struct err *e)
{
	if (find_place(by, c, k, e) < 0 || find_row(by, c->r, c->id, k, e) < 0)
		return -1;
	if (k->now)
		k->row = *k->now;
	return 0;
}

static int list(const struct caller *by, const struct resource_call *c,
		struct resource_answer *out, struct err *e)
{
	if (find_place(by, c, &out->done, e) < 0)
		return -1;
	/*
	 * Before the rows are read: each asks for the caller's role, so below what they do
	 * not see the time would tell how many there are.
	 */
	if (c->r->owner == OWNER_BELOW && check_above(by, c->r, &out->done.at, e) < 0)
		return -1;
	return resource_page(by, c, out, e);
}

/* Sets the roles of the caller in what is read, for its records. */
static int set_roles(const struct caller *by, const struct resource_call *c,
		     struct resource_answer *out, struct err *e)
{
	struct uuid *ids = arena_zalloc(by->arena, out->n + 1, sizeof(*ids));
	enum resource_role *roles = arena_zalloc(by->arena, out->n + 1,
						 sizeof(*roles));

	if (!out->n || !resource_is_top(c->r) || c->verb == VERB_CREATE)
		return 0;
	for (size_t i = 0; i < out->n; i++)
		ids[i] = out->items[i].row->id;
	if (resource_roles(by, c->r, &out->done.at, ids, out->n, roles, e) < 0)
		return -1;
	for (size_t i = 0; i < out->n; i++)
		out->items[i].role = roles[i];
	return 0;
}

int resource_call(const struct caller *by, const struct resource_call *c,
		  struct resource_answer *out, struct err *e)
{
	static int (*const verbs[])(const struct caller *by,
				    const struct resource_call *c,
				    struct resource_change *k, struct err *e) = {
		[VERB_GET] = get, [VERB_CREATE] = create, [VERB_PATCH] = change,
		[VERB_DELETE] = discard,
	};
	struct resource_change *k = &out->done;

	*out = (struct resource_answer){
		.done = { .verb = c->verb, .trial = c->trial },
	};
	if (!resource_may(by, c->r, c->verb))
		return err_public(e, ERR_FORBIDDEN, "This needs the permission "
				  "%s.", permission_rows[needed(
					  c->r, c->verb)].name);
	if (c->r->record && c->verb >= VERB_CREATE)
		return err_set(e, ERR_METHOD, "the program writes %s", c->r->path);
	if (c->verb >= VERB_CREATE)
		k->change_id = uuid_new();
	if (c->verb == VERB_LIST)
		return list(by, c, out, e) < 0 ? -1 : set_roles(by, c, out, e);
	if (verbs[c->verb](by, c, k, e) < 0)
		return -1;
	out->items = arena_new(by->arena, struct resource_item);
	*out->items = (struct resource_item){
		/* Of a file and NAMED, there is no row. */
		.row = c->verb != VERB_GET || k->now ? &k->row : NULL,
		.object = c->verb == VERB_GET ? k->object : NULL,
	};
	out->n = c->verb != VERB_DELETE;
	return set_roles(by, c, out, e);
}

/* -- records ----------------------------------------------------------------------- */

void resource_record(struct jw *w, const struct caller *by,
		     const struct resource *r, const struct resource_change *k,
		     const struct resource_item *item)
{
	const struct resource_hooks *h = hooks_of(r);
	const struct resource_row *row = item->row;

	if (h->record)
		h->record(w, by, k, item);
	else
		resource_write(w, r, row);
	if ((r->owner == OWNER_SHARED && !r->named) || resource_is_guarded(r))
		jw_kint(w, "version", row->version + 1);
	if (r->owner == OWNER_SHARED && !r->named) {
		jw_kstrz(w, "source", row->config ? "config" : "api");
		jw_kbool(w, "canEdit", !row->config &&
			 policy_may(by->who, h->of_own) &&
			 (item->role >= ROLE_EDITOR ||
			  resource_may_hold(by, r, &k->at, &row->holder)));
	}
	if (resource_is_top(r) && r->owner == OWNER_SHARED)
		jw_kbool(w, "isOwner", policy_may(by->who, h->of_own) &&
			 (item->role == ROLE_OWNER ||
			  resource_may_hold(by, r, &k->at, &row->holder)));
	for (size_t i = 0; (h = resource_hooks_at(r, i)); i++)
		if (h->write)
			h->write(w, by, k, item);
}

static void write_item(struct jw *w, const struct caller *by,
		       const struct resource *r, const struct resource_answer *out,
		       size_t i)
{
	jw_obj(w);
	resource_record(w, by, r, &out->done, &out->items[i]);
	if (out->done.secret.p)
		jw_kstr(w, "secret", out->done.secret);
	jw_end_obj(w);
}

void resource_answer_write(struct jw *w, const struct caller *by,
			   const struct resource *r,
			   const struct resource_answer *out)
{
	if (out->done.verb != VERB_LIST) {
		write_item(w, by, r, out, 0);
		return;
	}
	jw_obj(w);
	jw_key(w, "items");
	jw_arr(w);
	for (size_t i = 0; i < out->n; i++)
		write_item(w, by, r, out, i);
	jw_end_arr(w);
	jw_key(w, "totalCount");
	if (out->total > LIM_COUNTED)
		jw_null(w);
	else
		jw_int(w, out->total);
	cursor_write(w, out->next);
	jw_end_obj(w);
}
