/* SPDX-License-Identifier: MIT */
#include "entity/pack.h"

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
#undef NO_SEP
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

int entity_pack(const struct caller *by, const struct uuid *project,
		const struct uuid *focus, struct entity_pack *out, struct err *e)
{
	const struct resource_at at = resource_for(by);
	const struct db_val readers =
		DB_S(resource_ids_json(at.readers, at.n_readers, by->arena));
	const struct db_val tenant = DB_S(by->owner.tenant_id);
	const struct db_val of = DB_U_IF(focus);
	const struct db_val ended = DB_S(resource_ended(
		by->conf, &resources[RESOURCE_PROJECT_TASK], by->arena));
	bool focused = !focus;
	struct pack_row *rows;
	size_t n;
	int rc = project ? db_list(by->db, STMT_ENTITY_PACK,
				   DB_ARGS(DB_U(project), tenant, readers,
					   DB_U(&by->owner.user_id), of, of, of, of, ended),
				   by->arena, pack_fields, sizeof(*rows), 0, &rows, &n, e)
		: db_list(by->db, STMT_ENTITY_PACK_ALL, DB_ARGS(readers, tenant),
			  by->arena, pack_fields, sizeof(*rows), 0, &rows, &n, e);

	*out = (struct entity_pack){ .own = false };
	if (rc)
		return -1;
	for (size_t i = 0; i < n; i++) {
		out->there |= is(&rows[i], "project") || !project;
		out->own |= is(&rows[i], "project") && is_own(&rows[i]);
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
