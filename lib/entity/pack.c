/* SPDX-License-Identifier: MIT */
#include "entity/pack.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "entity/entity.h"
#include "resource/form.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	PACK_BYTES = 65536,
	LINE_CHARS = 160,	/* of a description in a list */
};

/* A row of the statement. */
struct pack_row {
	struct str part;	/* project, focus, linked, count, item */
	struct entity_brief of;
	struct str more;	/* project: "own" or nothing, then its props; focus: all of
				   its text; linked: the relation */
};

static const struct db_field pack_fields[] = {
	{ .column = "part", .type = 's', .offset = offsetof(struct pack_row, part) },
#define F(m, t, sql) { .column = #m, .type = T_##t, \
	.offset = offsetof(struct pack_row, of.m) },
#define NO_SEP
	ENTITY_BRIEF_FIELDS(F, NO_SEP)
#undef F
	{ .column = "more", .type = 's', .offset = offsetof(struct pack_row, more) },
};

static void add_dates(struct buf *b, const struct entity_brief *e)
{
	if (e->priority.n)
		buf_addf(b, ", %.*s", STR_ARG(e->priority));
	if (e->due_date.n)
		buf_addf(b, ", due %.*s", STR_ARG(e->due_date));
	if (e->owner.n)
		buf_addf(b, ", %.*s", STR_ARG(e->owner));
}

/* "- title (state, due …) [id]: description", on one line. */
static void add_line(struct buf *b, const struct entity_brief *e, bool with_text)
{
	char id[UUID_TEXT_BYTES];
	struct str text = utf8_head(e->description, LINE_CHARS);

	buf_addf(b, "- %.*s (%.*s", STR_ARG(e->title), STR_ARG(e->state_key));
	add_dates(b, e);
	buf_addf(b, ") [%s]", uuid_format(&e->id, id));
	if (with_text && text.n) {
		buf_adds(b, ": ");
		for (size_t i = 0; i < text.n; i++)
			buf_addc(b, text.p[i] == '\n' ? ' ' : text.p[i]);
	}
	buf_addc(b, '\n');
}

static bool is(const struct pack_row *r, const char *part)
{
	return str_is(r->part, part);
}

/* Of a project that only its user works on. */
static bool is_own(const struct pack_row *r)
{
	return str_starts(r->more, STR("own"));
}

static struct str props_at(const struct pack_row *r)
{
	return is_own(r) ? (struct str){ r->more.p + 3, r->more.n - 3 } : r->more;
}

static void add_project(struct buf *b, const struct pack_row *r)
{
	char id[UUID_TEXT_BYTES];
	const struct entity_brief *e = &r->of;

	buf_addf(b, "The user is in the project \"%.*s\" (project_id %s, %.*s, %.*s",
		 STR_ARG(e->title), uuid_format(&e->id, id), STR_ARG(e->type_key),
		 STR_ARG(e->state_key));
	add_dates(b, e);
	buf_adds(b, ").\n");
	if (e->description.n)
		buf_addf(b, "%.*s\n", STR_ARG(e->description));
	if (props_at(r).n)
		buf_addf(b, "Further fields: %.*s\n", STR_ARG(props_at(r)));
}

static void add_focus(struct buf *b, const struct pack_row *r)
{
	char id[UUID_TEXT_BYTES];
	const struct entity_brief *e = &r->of;

	buf_addf(b, "\nThey look at this %.*s: \"%.*s\" (id %s, version %lld, %.*s, %.*s",
		 STR_ARG(e->kind), STR_ARG(e->title), uuid_format(&e->id, id),
		 (long long)e->version + 1, STR_ARG(e->type_key), STR_ARG(e->state_key));
	add_dates(b, e);
	buf_adds(b, ").\n");
	if (r->more.n)
		buf_addf(b, "%.*s\n", STR_ARG(r->more));
}

static int64_t all_of(const struct pack_row *rows, size_t n, struct str kind)
{
	for (size_t i = 0; i < n; i++)
		if (is(&rows[i], "count") && str_eq(rows[i].of.kind, kind))
			return rows[i].of.version;
	return 0;
}

/* The heading of a kind, with how many there are. */
static void add_heading(struct buf *b, const struct pack_row *rows, size_t n,
			struct str kind)
{
	const struct entity_kind_row *k = &entity_kinds[entity_kind_of(kind)];

	buf_addf(b, "\n%s (%lld in all", k->several, (long long)all_of(rows, n, kind));
	buf_adds(b, str_is(kind, "task") ? "; those that are open, due first):\n"
		 : "; changed last):\n");
}

/* Behind the last one of a list of a kind: how many of it are not told. */
static void add_rest(struct buf *b, const struct pack_row *rows, size_t n, size_t last)
{
	const struct str kind = rows[last].of.kind;
	int64_t shown = 0;

	if (last + 1 < n && is(&rows[last + 1], "item") &&
	    str_eq(rows[last + 1].of.kind, kind))
		return;
	for (size_t i = 0; i < n; i++)
		shown += is(&rows[i], "item") && str_eq(rows[i].of.kind, kind);
	if (shown < all_of(rows, n, kind))
		buf_addf(b, "(%lld more are left out here: list or search them.)\n",
			 (long long)(all_of(rows, n, kind) - shown));
}

static struct str text_of(const struct pack_row *rows, size_t n, struct arena *a)
{
	struct buf b = BUF_INIT(PACK_BYTES);
	struct str kind = { NULL, 0 }, out;

	for (size_t i = 0; i < n; i++) {
		const struct pack_row *r = &rows[i];

		if (is(r, "project"))
			add_project(&b, r);
		else if (is(r, "focus"))
			add_focus(&b, r);
		if (is(r, "linked") || is(r, "item")) {
			const bool linked = is(r, "linked");
			struct str now = linked ? r->part : r->of.kind;

			if (!str_eq(now, kind) && linked)
				buf_adds(&b, "It is linked with:\n");
			else if (!str_eq(now, kind))
				add_heading(&b, rows, n, now);
			kind = now;
			if (linked)
				buf_addf(&b, "- %.*s: ", STR_ARG(r->more));
			add_line(&b, &r->of, !linked);
			if (!linked)
				add_rest(&b, rows, n, i);
		}
		if (is(r, "listed")) {
			if (!i)
				buf_adds(&b, "Projects of the user, those with the "
					 "newest changes first:\n");
			add_line(&b, &r->of, true);
		}
	}
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

/* -- copies ----------------------------------------------------------------------- */

enum {
	COPIES = 512,
	COPIES_BYTES = 8 << 20,
	COPY_MS = 300000, COPY_FOCUSED_MS = 60000,
};

/*
 * How much later than its change was made a transaction may be committed, and how far the
 * clocks of nodes may differ. A copy is stale with the first commit in that time before it
 * was read.
 */
#define LATE_US INT64_C(600000000)

/* Whose copy, and of what. */
struct pack_key {
	struct uuid user, project, focus;	/* focus nil: none */
	uint64_t generation;			/* of the configuration */
	struct str tenant, readers;
};

struct pack_copy {
	struct pack_key of;
	int64_t until_ms;	/* monotonic; 0: the place is free */
	int64_t since_us;	/* what stamp counts from */
	struct str stamp, focus_kind, text;
	char *memory;		/* has all of these texts */
	size_t n_bytes;
};

struct entity_packs {
	pthread_mutex_t lock;	/* protects what follows */
	size_t n_bytes;
	struct pack_copy v[COPIES];	/* by a part of the ids: another may take a place */
};

struct entity_packs *entity_packs_new(void)
{
	struct entity_packs *p = xcalloc(1, sizeof(*p));

	pthread_mutex_init(&p->lock, NULL);
	return p;
}

/* Under the lock. */
static void drop(struct entity_packs *p, struct pack_copy *c)
{
	p->n_bytes -= c->n_bytes;
	free(c->memory);
	*c = (struct pack_copy){ .until_ms = 0 };
}

void entity_packs_free(struct entity_packs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < COPIES; i++)
		drop(p, &p->v[i]);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct pack_copy *place_of(struct entity_packs *p, const struct pack_key *k)
{
	uint64_t sum = 0;

	for (size_t i = 8; i < sizeof(k->user.b); i++)
		sum = sum * 257 + (k->user.b[i] ^ k->project.b[i]) + 31u * k->focus.b[i];
	return &p->v[sum % COPIES];
}

static bool same_key(const struct pack_key *a, const struct pack_key *b)
{
	return uuid_eq(&a->user, &b->user) && uuid_eq(&a->project, &b->project) &&
		uuid_eq(&a->focus, &b->focus) && a->generation == b->generation &&
		str_eq(a->tenant, b->tenant) && str_eq(a->readers, b->readers);
}

/* The copy with this key, in a. */
static bool copy_find(struct entity_packs *p, const struct pack_key *k, struct arena *a,
		      struct pack_copy *out)
{
	struct pack_copy *c = place_of(p, k);
	bool found;

	pthread_mutex_lock(&p->lock);
	found = c->until_ms && same_key(&c->of, k);
	if (found && clock_mono_ms() >= c->until_ms) {
		drop(p, c);
		found = false;
	}
	if (found)
		*out = (struct pack_copy){
			.since_us = c->since_us, .stamp = arena_str(a, c->stamp),
			.focus_kind = arena_str(a, c->focus_kind),
			.text = arena_str(a, c->text),
		};
	pthread_mutex_unlock(&p->lock);
	return found;
}

/* Makes room for the texts of one more. Under the lock. */
static void evict(struct entity_packs *p, size_t n_bytes)
{
	const int64_t now_ms = clock_mono_ms();

	for (size_t i = 0; i < COPIES; i++)
		if (p->v[i].until_ms && now_ms >= p->v[i].until_ms)
			drop(p, &p->v[i]);
	while (p->n_bytes && p->n_bytes + n_bytes > COPIES_BYTES) {
		struct pack_copy *first = NULL;

		for (size_t i = 0; i < COPIES; i++)
			if (p->v[i].until_ms &&
			    (!first || p->v[i].until_ms < first->until_ms))
				first = &p->v[i];
		drop(p, first);
	}
}

/* Puts the text into memory at *n, and makes it a view of that. */
static void move_in(char *memory, size_t *n, struct str *s)
{
	if (s->n)
		memcpy(memory + *n, s->p, s->n);
	s->p = memory + *n;
	*n += s->n;
}

/* Keeps a copy of the texts in c. */
static void copy_keep(struct entity_packs *p, struct pack_copy c)
{
	struct str *texts[] = { &c.of.tenant, &c.of.readers, &c.stamp, &c.focus_kind, &c.text };
	struct pack_copy *to = place_of(p, &c.of);
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		c.n_bytes += texts[i]->n;
	c.memory = xmalloc(c.n_bytes + 1);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		move_in(c.memory, &n, texts[i]);
	c.until_ms = clock_mono_ms() +
		(uuid_is_nil(&c.of.focus) ? COPY_MS : COPY_FOCUSED_MS);
	pthread_mutex_lock(&p->lock);
	if (to->until_ms)
		drop(p, to);
	evict(p, c.n_bytes);
	*to = c;
	p->n_bytes += c.n_bytes;
	pthread_mutex_unlock(&p->lock);
}

/* A row of ENTITY_PACK_STAMP. */
struct pack_stamp {
	struct str own;		/* empty: others work on it, too */
	struct str stamp;
};

static const struct db_field stamp_fields[] = {
#define F(m, t, sql) { .column = #m, .type = T_##t, .offset = offsetof(struct pack_stamp, m) },
	ENTITY_STAMP_FIELDS(F, NO_SEP)
#undef F
};

/* -- reading ------------------------------------------------------------------------ */

/* What the statements ask with. */
struct pack_ask {
	const struct caller *by;
	const struct uuid *project, *focus;	/* NULL: none */
	struct db_val tenant, readers;
	int64_t since_us;
};

/*
 * Whether nothing was committed since the copy was made: 1, and *out is it; 0: it is to be
 * read again, or (out->there is false) is out of sight; -1.
 */
static int is_same(const struct pack_ask *k, const struct pack_copy *c, struct entity_pack *out,
		   struct err *e)
{
	struct pack_stamp now;
	int rc = db_get(k->by->db, STMT_ENTITY_PACK_STAMP,
			DB_ARGS(DB_U(&k->by->owner.user_id), DB_I(c->since_us),
				DB_U(k->project), k->tenant, k->readers),
			k->by->arena, stamp_fields, &now, e);

	*out = (struct entity_pack){ .there = rc > 0 };
	if (rc <= 0 || !str_eq(now.stamp, c->stamp))
		return rc < 0 ? -1 : 0;
	out->own = now.own.n;
	out->focus_kind = c->focus_kind;
	out->text = c->text;
	return 1;
}

/* Reads all of it; *stamp: of what. */
static int read_all(const struct pack_ask *k, struct entity_pack *out, struct str *stamp,
		    struct err *e)
{
	const struct caller *by = k->by;
	const struct db_val of = DB_U_IF(k->focus);
	const struct db_val ended = DB_S(resource_ended(
		by->conf, &resources[RESOURCE_PROJECT_TASK], by->arena));
	bool focused = !k->focus;
	struct pack_row *rows;
	size_t n;
	int rc = k->project ? db_list(by->db, STMT_ENTITY_PACK,
				      DB_ARGS(DB_U(k->project), k->tenant, k->readers,
					      DB_U(&by->owner.user_id), DB_I(k->since_us),
					      of, of, of, of, ended),
				      by->arena, pack_fields, sizeof(*rows), 0, &rows, &n, e)
		: db_list(by->db, STMT_ENTITY_PACK_ALL, DB_ARGS(k->readers, k->tenant),
			  by->arena, pack_fields, sizeof(*rows), 0, &rows, &n, e);

	*out = (struct entity_pack){ .own = false };
	if (rc)
		return -1;
	for (size_t i = 0; i < n; i++) {
		out->there |= is(&rows[i], "project") || !k->project;
		out->own |= is(&rows[i], "project") && is_own(&rows[i]);
		if (is(&rows[i], "stamp"))
			*stamp = rows[i].more;
		if (is(&rows[i], "focus")) {
			focused = true;
			out->focus_kind = rows[i].of.kind;
		}
	}
	out->there = out->there && focused;
	if (out->there)
		out->text = text_of(rows, n, by->arena);
	return 0;
}

int entity_pack(const struct caller *by, struct entity_packs *kept,
		const struct uuid *project, const struct uuid *focus,
		struct entity_pack *out, struct err *e)
{
	const struct resource_at at = resource_for(by);
	const struct str readers = resource_ids_json(at.readers, at.n_readers, by->arena);
	const struct pack_ask k = {
		.by = by, .project = project, .focus = focus,
		.tenant = DB_S(by->owner.tenant_id), .readers = DB_S(readers),
		.since_us = clock_now_us() - LATE_US,
	};
	struct pack_copy copy = {
		.of = { .user = by->owner.user_id, .generation = by->conf->generation,
			.tenant = by->owner.tenant_id, .readers = readers },
		.since_us = k.since_us,
	}, old;
	int rc;

	if (!project || !kept)
		return read_all(&k, out, &copy.stamp, e);
	copy.of.project = *project;
	if (focus)
		copy.of.focus = *focus;
	if (copy_find(kept, &copy.of, by->arena, &old)) {
		rc = is_same(&k, &old, out, e);
		if (rc || !out->there)
			return rc < 0 ? -1 : 0;
	}
	if (read_all(&k, out, &copy.stamp, e) < 0)
		return -1;
	copy.focus_kind = out->focus_kind;
	copy.text = out->text;
	if (out->there)
		copy_keep(kept, copy);
	return 0;
}
