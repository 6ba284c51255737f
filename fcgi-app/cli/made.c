/*
 * agent, workspace: what people made, as YAML out of the database and into it. A
 * row of kinds[] is a command; what is particular about one stands in its functions.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/keep.h"
#include "api/resource.h"
#include "cli.h"
#include "conf/load.h"
#include "made.h"
#include "tool/core/tool.h"

#include "base/banned.h"

/* One run of a command. */
struct made {
	struct cli_session *s;
	const struct made_kind *kind;
	const char *user, *workspace;	/* options; NULL: not said */
	struct identity who;		/* may do everything; the user, if said */
	struct caller by;
	const struct ynode *list;	/* import: what is read */
	const struct ynode *item;	/* the one that it is at */
	struct buf out;
};

typedef int take_row(struct made *m, const struct resource_row *row, void *ctx,
		     struct err *e);

/* An item of a file: the row that it is to be, and the one that there is. */
struct item {
	json_t *body;			/* what remains are fields */
	struct resource_at at;
	const struct resource_row *now;	/* NULL: it is new */
	struct resource_row row;
	const struct workspace *w;	/* of an agent */
	const char *name;		/* for people */
};

struct made_kind {
	const char *name, *plural;
	enum resource_id id;
	/* Each that the options mean. */
	int (*each)(struct made *m, take_row *take, void *ctx, struct err *e);
	/* Finds the place of an item, and its row. */
	int (*find)(struct made *m, struct item *i, struct err *e);
	/* Whether its values are right; fills those of a new one. */
	int (*check)(struct made *m, struct item *i, struct err *e);
	int (*also)(const struct caller *by, struct db *tx,
		    const struct resource_row *row, struct err *e);
};

static const struct resource *of(const struct made *m)
{
	return &resources[m->kind->id];
}

static const char *text(const struct made *m, enum resource_id id,
			const struct resource_row *row, const char *column)
{
	struct str s = resource_text(&resources[id], row, column);

	return s.p ? arena_str(&m->s->arena, s).p : "";
}

/* -- which there are -------------------------------------------------------------- */

static int each_held(struct made *m, const struct resource *r,
		     const struct uuid *holder, take_row *take, void *ctx,
		     struct err *e)
{
	const struct resource_at at = { .by = m->by.owner, .holder = *holder };
	struct uuid last = { { 0 } };
	struct resource_row *rows;
	size_t n;

	do {
		if (resource_take_out(m->by.db, r, &at, &last, LIM_PAGE_MAX,
				      &m->s->arena, &rows, &n, e))
			return -1;
		for (size_t i = 0; i < n; i++)
			if (take(m, &rows[i], ctx, e))
				return -1;
		if (n)
			last = rows[n - 1].id;
	} while (n == LIM_PAGE_MAX);
	return 0;
}

static bool is_meant(const struct made *m, const char *workspace)
{
	return !m->workspace || strcmp(m->workspace, workspace) == 0;
}

static int each_workspace(struct made *m, take_row *take, void *ctx,
			  struct err *e)
{
	const struct resource *r = &resources[RESOURCE_WORKSPACE];
	const struct uuid all = resource_of_admins(m->by.owner.tenant_id);
	const struct resource_at at = {
		.by = m->by.owner, .readers = &all, .n_readers = 1,
	};
	struct resource_want want = { .size = LIM_PAGE_MAX };
	struct resource_row *rows;
	bool more = true;
	size_t n;

	while (more) {
		if (resource_list(m->by.db, r, &at, &want, &m->s->arena, &rows,
				  &n, &more, e))
			return -1;
		for (size_t i = 0; i < n; i++)
			if (is_meant(m, text(m, RESOURCE_WORKSPACE, &rows[i],
					     "workspace_id")) &&
			    take(m, &rows[i], ctx, e))
				return -1;
		want.after = n ? &rows[n - 1] : NULL;
		more = more && n;
	}
	return 0;
}

/* What each_agent hands on to those of one workspace. */
struct within {
	take_row *take;
	void *ctx;
};

static int take_meant(struct made *m, const struct resource_row *row, void *ctx,
		      struct err *e)
{
	const struct within *k = ctx;

	return is_meant(m, text(m, RESOURCE_AGENT, row, "workspace_id"))
		? k->take(m, row, k->ctx, e) : 0;
}

static int take_workspace(struct made *m, const struct resource_row *row,
			  void *ctx, struct err *e)
{
	return each_held(m, &resources[RESOURCE_AGENT], &row->id, take_meant, ctx,
			 e);
}

static int each_agent(struct made *m, take_row *take, void *ctx, struct err *e)
{
	const struct resource *r = &resources[RESOURCE_AGENT];
	const struct catalog *c = catalog_of(m->by.conf);
	struct within k = { take, ctx };

	if (m->user)
		return each_held(m, r, &m->by.owner.user_id, take_meant, &k, e);
	for (size_t i = 0; i < c->n_workspaces; i++) {
		const struct resource_at at =
			stored_agents_at(&m->by, &c->workspaces[i]);

		if (is_meant(m, c->workspaces[i].id) &&
		    each_held(m, r, &at.parent, take_meant, &k, e))
			return -1;
	}
	return each_workspace(m, take_workspace, &k, e);
}

/* -- import ---------------------------------------------------------------------------- */

/* A text that says which one it is; taken out of what remains. */
static int take_text(struct made *m, struct item *i, const char *key,
		     struct str *out, struct err *e)
{
	struct str s = jx_str(i->body, key);

	if (!s.n)
		return err_field(e, ERR_INVALID_FIELD, key, "%s is missing: by "
				 "it the %s is found.", key, m->kind->name);
	*out = arena_str(&m->s->arena, s);
	return 0;
}

static int find_workspace_of(struct made *m, struct str id,
			     const struct workspace **w, struct err *e)
{
	const struct agent *a;

	*w = catalog_workspace(m->by.conf, id);
	if (*w || stored_find(&m->by, id, (struct str){ NULL, 0 }, w, &a, e) == 0)
		return 0;
	if (e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	return err_field(e, ERR_INVALID_FIELD, "workspaceId",
			 "There is no workspace \"%.*s\".", STR_ARG(id));
}

/* The one that the holder has, of those that were found. */
static const struct resource_row *held_by(const struct resource_row *rows,
					  size_t n, const struct uuid *holder)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&rows[i].holder, holder))
			return &rows[i];
	return NULL;
}

static int find_agent(struct made *m, struct item *i, struct err *e)
{
	const char *meant = m->user ? "private" : "workspace";
	struct str workspace, id, seen = jx_str(i->body, "visibility");
	struct resource_row *rows = arena_zalloc(&m->s->arena, RESOURCE_NAMED_MAX,
						 sizeof(*rows));
	struct uuid holder;
	size_t n;

	if (take_text(m, i, "workspaceId", &workspace, e) ||
	    take_text(m, i, "agentId", &id, e) ||
	    find_workspace_of(m, workspace, &i->w, e))
		return -1;
	if (seen.p && !str_is(seen, meant))
		return err_field(e, ERR_INVALID_FIELD, "visibility", m->user
				 ? "With --user only private agents are imported."
				 : "A private agent needs --user: whose it is.");
	json_object_del(i->body, "workspaceId");
	json_object_del(i->body, "visibility");
	i->name = arena_printf(&m->s->arena, "%.*s/%.*s", STR_ARG(workspace),
			       STR_ARG(id));
	i->at = stored_agents_at(&m->by, i->w);
	holder = m->user ? m->by.owner.user_id : i->at.parent;
	if (resource_named(m->by.db, of(m), &i->at, id, (struct str){ NULL, 0 },
			   &m->s->arena, rows, &n, e))
		return -1;
	i->now = held_by(rows, n, &holder);
	i->at.holder = holder;
	return 0;
}

static int check_tools(struct made *m, const struct item *i,
		       const struct workspace *w, struct err *e)
{
	const struct conf_list l = stored_list(
		&m->s->arena, resource_text(of(m), &i->row, "tools"));

	for (size_t k = 0; k < l.n; k++)
		if (!tool_is_choice(m->by.conf, w, str_of(l.v[k])))
			return err_field(e, ERR_INVALID_FIELD, "toolIds",
					 "There is no tool \"%.100s\".", l.v[k]);
	return 0;
}

static int check_agent(struct made *m, struct item *i, struct err *e)
{
	struct db_val *seen = resource_value(of(m), &i->row, "visibility");

	if (!i->now) {
		*seen = DB_S(m->user ? STR("private") : STR("workspace"));
		if (keep_agent_new(&m->by, i->w, &i->row, e))
			return -1;
	}
	if (keep_agent_check(&m->by, i->w, &i->row, e))
		return -1;
	return check_tools(m, i, i->w, e);
}

static int find_workspace(struct made *m, struct item *i, struct err *e)
{
	struct resource_row *rows = arena_zalloc(&m->s->arena, RESOURCE_NAMED_MAX,
						 sizeof(*rows));
	struct str id;
	size_t n;

	if (take_text(m, i, "workspaceId", &id, e))
		return -1;
	i->name = id.p;
	i->at = stored_workspaces_at(&m->by);
	if (resource_named(m->by.db, of(m), &i->at, id, (struct str){ NULL, 0 },
			   &m->s->arena, rows, &n, e))
		return -1;
	i->now = n ? rows : NULL;
	i->at.holder = n ? rows->holder : m->by.owner.user_id;
	return 0;
}

static int check_workspace(struct made *m, struct item *i, struct err *e)
{
	if (!i->now && !json_object_get(i->body, "managerUsers") &&
	    !json_object_get(i->body, "managerGroups"))
		return err_field(e, ERR_INVALID_FIELD, "managerUsers",
				 "A workspace must have a manager: name one in "
				 "managerUsers or managerGroups.");
	if ((!i->now && keep_workspace_new(&m->by, &i->row, e)) ||
	    keep_workspace_check(&m->by, i->now, &i->row, e))
		return -1;
	return check_tools(m, i, stored_workspace_of(&m->by, &i->row), e);
}

/* What the file does not say is not set; what can never change is as it is. */
static int read_item(struct made *m, struct item *i, struct err *e)
{
	struct request rq = { .arena = &m->s->arena, .body = i->body };
	const struct resource *r = of(m);

	for (size_t k = 0; i->now && k < r->n_fields; k++)
		if (r->fields[k].mode == MODE_ONCE)
			json_object_del(i->body, r->fields[k].key);
	resource_new(r, &i->row);
	if (api_resource_body(&rq, r, !i->now, &i->row, e))
		return -1;
	if (i->now && !json_object_get(i->body, "name"))
		return err_field(e, ERR_INVALID_FIELD, "name",
				 "name is missing.");
	for (size_t k = 0; k < r->n_fields; k++) {
		i->row.given[k] = r->fields[k].mode == MODE_EDIT;
		if (i->now && !i->row.given[k])
			i->row.v[k] = i->now->v[k];
	}
	if (i->now) {
		i->row.id = i->now->id;
		i->row.version = i->now->version;
		i->row.created_us = i->now->created_us;
		i->row.updated_us = i->now->updated_us;
		i->row.holder = i->now->holder;
	}
	return m->kind->check(m, i, e);
}

static bool is_same(const struct resource *r, const struct item *i)
{
	for (size_t k = 0; k < r->n_fields; k++)
		if (!resource_same(&i->row.v[k], &i->now->v[k]))
			return false;
	return true;
}

static int run_also(struct db *tx, const struct resource_row *row, void *ctx,
		    struct err *e)
{
	const struct made *m = ctx;

	return m->kind->also ? m->kind->also(&m->by, tx, row, e) : 0;
}

static int import_item(struct made *m, struct err *e)
{
	json_t *body = jx_keep(&m->s->arena, load_json(m->item));
	const struct resource_also also = { run_also, m };
	struct item i = { .body = body };
	const struct resource *r = of(m);
	const char *how = "unchanged";

	if (m->kind->find(m, &i, e) || read_item(m, &i, e))
		return -1;
	if (!i.now) {
		how = "created";
		if (resource_create(m->by.db, r, &i.at, &i.row, &also, e))
			return e->code == ERR_DB_DUPLICATE
				? resource_taken(r, e) : -1;
	} else if (!is_same(r, &i)) {
		how = "changed";
		if (resource_update(m->by.db, r, &i.at, &i.row, &also, e))
			return -1;
	}
	buf_addf(&m->out, "%s\t%s\n", i.name, how);
	return 0;
}

/* All of a file, or nothing. */
static int import_tx(struct db *tx, void *ctx, struct err *e)
{
	struct made *m = ctx;

	buf_release(&m->out);
	m->out = (struct buf)BUF_INIT(CLI_OUT_BYTES);
	m->by.db = tx;
	for (size_t i = 0; i < m->list->n; i++) {
		m->item = m->list->v[i];
		if (import_item(m, e))
			return -1;
	}
	return 0;
}

static int import(struct made *m, const char *file, struct err *e)
{
	int rc;

	if (cli_made_read(&m->s->arena, file, m->kind->plural, &m->list, e))
		return -1;
	rc = db_tx(m->s->db, import_tx, m, e);
	m->by.db = m->s->db;
	/* What the database says is about no line. */
	if (rc && err_row(e)->http_status < 500 && m->item)
		return cli_made_place(m->item, e);
	return rc;
}

/* -- the commands ------------------------------------------------------------------------ */

/* "workspace/agent", or "workspace". */
static const char *name_of(const struct made *m, const struct resource_row *row)
{
	const char *w = text(m, m->kind->id, row, "workspace_id");

	return m->kind->id == RESOURCE_WORKSPACE ? w
		: arena_printf(&m->s->arena, "%s/%s", w,
			       text(m, RESOURCE_AGENT, row, "agent_id"));
}

/* Those that are printed, by their names: in the same order on every database. */
struct found_row {
	const char *name;
	struct resource_row row;
};

struct found_rows {
	struct found_row *v;
	size_t n, room;
};

static int keep_row(struct made *m, const struct resource_row *row, void *ctx,
		    struct err *e)
{
	struct found_rows *all = ctx;

	(void)e;
	all->v = arena_room(&m->s->arena, all->v, all->n, 1, &all->room,
			    sizeof(*all->v));
	all->v[all->n++] = (struct found_row){ name_of(m, row), *row };
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct found_row *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* verb: list, or show with a name, or export. */
static int print(struct made *m, const char *verb, const char *name,
		 struct err *e)
{
	const bool as_list = strcmp(verb, "list") == 0;
	struct found_rows all = { .n = 0 };
	size_t n = 0;

	if (m->kind->each(m, keep_row, &all, e))
		return -1;
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_name);
	for (size_t i = 0; i < all.n; i++) {
		const struct found_row *f = &all.v[i];

		if (name && strcmp(name, f->name))
			continue;
		if (as_list)
			buf_addf(&m->out, "%s\t%s\n", f->name,
				 text(m, m->kind->id, &f->row, "name"));
		else if (!n++)
			buf_addf(&m->out, "%s:\n", m->kind->plural);
		if (!as_list)
			cli_made_put(&m->out, of(m), &f->row);
	}
	if (name && !n)
		return err_set(e, ERR_NOT_FOUND, "there is no %s \"%s\"",
			       m->kind->name, name);
	if (!as_list && !n)
		buf_addf(&m->out, "%s: []\n", m->kind->plural);
	return 0;
}

static int run(struct made *m, const char *verb, const char *arg, struct err *e)
{
	return strcmp(verb, "import") ? print(m, verb, arg, e)
		: import(m, arg, e);
}

static int made_main(struct cli *cli, const struct made_kind *kind, int argc,
		     char **argv)
{
	static const struct option longs[] = {
		{ "user", required_argument, NULL, 'u' },
		{ "workspace", required_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct {
		const char *name;
		int least, most;
	} verbs[] = { { "list", 0, 0 }, { "show", 1, 1 }, { "export", 0, 0 },
		      { "import", 1, 1 } };
	static const struct str all = STR("*");
	struct made m = { .kind = kind, .out = BUF_INIT(CLI_OUT_BYTES) };
	struct err e = ERR_INIT;
	struct cli_session s;
	size_t v = 0;
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c != 'w' && (c != 'u' || kind->id == RESOURCE_WORKSPACE))
			return cli_usage(cli, "not understood");
		*(c == 'u' ? &m.user : &m.workspace) = optarg;
	}
	while (optind < argc && v < ARRAY_LEN(verbs) &&
	       strcmp(argv[optind], verbs[v].name))
		v++;
	argc -= optind + 1;
	argv += optind;
	if (argc < 0 || v == ARRAY_LEN(verbs))
		return cli_usage(cli, "say list, show, export or import");
	if (argc < verbs[v].least || argc > verbs[v].most)
		return cli_usage(cli, argc < verbs[v].least
				 ? "which %s?" : "too much said of a %s",
				 v == 3 ? "file" : kind->name);
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	m.s = &s;
	rc = identity_make(s.conf, IDENTITY_API_TOKEN,
			   str_of(m.user ? m.user : "lamplighter"),
			   str_of(m.user ? m.user : "lamplighter"), NULL, 0,
			   &s.arena, &m.who, &e);
	m.who.grants = &all;
	m.who.n_grants = 1;
	m.by = caller_of(s.conf, &m.who, s.db, &s.arena);
	if (!rc)
		rc = run(&m, verbs[v].name, argc ? argv[1] : NULL, &e);
	cli_session_close(&s);
	if (rc == 0)
		return cli_print(&m.out);
	buf_release(&m.out);
	return cli_failed(&e);
}

static const struct made_kind kinds[] = {
	{ "agent", "agents", RESOURCE_AGENT, each_agent, find_agent, check_agent,
	  keep_agent_also },
	{ "workspace", "workspaces", RESOURCE_WORKSPACE, each_workspace,
	  find_workspace, check_workspace, keep_workspace_also },
};

int cli_made(struct cli *cli, int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(argv[0], kinds[i].name))
			return made_main(cli, &kinds[i], argc, argv);
	BUG("a command without its row");
}
