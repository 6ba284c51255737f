/* SPDX-License-Identifier: MIT */
/*
 * setting: settings of users, groups and the tenant; exports and imports YAML.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/choice.h"
#include "setting/values.h"
#include "cli.h"
#include "conf/yaml.h"
#include "db/db.h"

#include "base/banned.h"

enum { AT_ONCE = 1000, TRIES = 10 };

struct args {
	struct cli_who who;
	const char *team;
	bool tenant;
};

/* -- one holder ---------------------------------------------------------------------- */

static struct setting_values *holders(struct cli_session *s, const struct args *o,
				      struct err *e)
{
	struct str tenant = str_of(s->conf->tenant);
	struct identity *who;

	if (o->tenant)
		return setting_holders_of_tenant(tenant, &s->arena);
	if (o->team)
		return setting_holders_of_team(tenant, str_of(o->team),
					       &s->arena);
	who = arena_new(&s->arena, struct identity);
	return cli_identity(s, &o->who, who, e) < 0 ? NULL
		: setting_holders(who, &s->arena);
}

static struct setting_values *read_holders(struct cli_session *s,
					   const struct args *o, struct err *e)
{
	struct setting_values *values = holders(s, o, e);

	if (values && setting_read(s->db, str_of(s->conf->tenant), values, &s->arena,
				 e) < 0)
		return NULL;
	return values;
}

static void put_value(struct buf *b, enum setting_id id,
		      const struct setting_scope *in)
{
	struct setting_value v = setting_get(id, in);
	struct jw w = jw_on(b);

	choice_write(&w, id, in, &v);
	buf_addf(b, "\t%s", v.level == LEVEL_BUILT_IN ? "default"
		 : setting_level_name(v.level));
}

static int list(struct cli_session *s, const struct setting_values *values)
{
	const struct setting_scope in = { .conf = s->conf, .values = values };
	struct buf b = BUF_INIT(CLI_OUT_BYTES);

	for (int i = 0; i < SETTING__MAX; i++) {
		if (setting_rows[i].type == SETTING_INTERNAL)
			continue;
		buf_addf(&b, "%s\t", setting_rows[i].key);
		put_value(&b, (enum setting_id)i, &in);
		buf_addc(&b, '\n');
	}
	return cli_print(&b);
}

static const struct setting_row *find_setting(const char *key)
{
	const struct setting_row *row = setting_find(str_of(key));

	if (row && row->type != SETTING_INTERNAL)
		return row;
	fprintf(stderr, "lamplighter: there is no setting \"%s\"\n", key);
	return NULL;
}

static int show(struct cli_session *s, const struct setting_values *values,
		const char *key)
{
	const struct setting_scope in = { .conf = s->conf, .values = values };
	const struct setting_row *row = find_setting(key);
	struct buf b = BUF_INIT(CLI_OUT_BYTES);

	if (!row)
		return CLI_FAILED;
	buf_addf(&b, "%s: %s\nnow\t", row->key, row->what);
	put_value(&b, (enum setting_id)(row - setting_rows), &in);
	buf_addc(&b, '\n');
	for (size_t i = 0; i < values->n; i++) {
		const struct setting_holder *h = &values->v[i];
		const json_t *v = h->values
			? json_object_get(h->values, row->key) : NULL;

		if (!v)
			continue;
		buf_addf(&b, "%s %.*s\t", setting_level_name(h->level),
			 STR_ARG(h->name));
		jx_dump(&b, v);
		buf_addc(&b, '\n');
	}
	return cli_print(&b);
}

/* -- changes ------------------------------------------------------------------------- */

/* Applies a change to said->v[0]. As nobody: all workspaces may be named. */
static int change(struct cli_session *s, struct db *db,
		  struct setting_values *values, const json_t *what, struct err *e)
{
	const struct str tenant = str_of(s->conf->tenant);
	struct caller by = caller_of(s->conf, NULL, db, &s->arena);
	bool stored = false;
	const json_t *now;
	int tries = 0;

	by.owner.tenant_id = tenant;
	do {
		if (setting_read(db, tenant, values, &s->arena, e) < 0)
			return -1;
		now = choice_changed(&by, values, what, &s->arena, e);
		if (!now || setting_store(db, tenant, NULL, values, now, &stored, e) < 0)
			return -1;
	} while (!stored && ++tries < TRIES);
	return stored ? 0 : err_set(e, ERR_DB_RETRY, "settings that others "
				    "change all the time");
}

/* A word of the command line by the setting's type; "null" unsets. */
static json_t *value_of(const struct setting_row *row, const char *text)
{
	bool is_text = row->type == SETTING_TEXT || row->type == SETTING_NAME ||
		row->type == SETTING_CHOICE;
	json_t *v = is_text && strcmp(text, "null") ? NULL
		: jx_try(str_of(text));

	return v ? v : jx_string(str_of(text));
}

static int set(struct cli_session *s, struct setting_values *values,
	       const char *key, const char *text)
{
	const struct setting_row *row = find_setting(key);
	json_t *what = jx_keep(&s->arena, json_object());
	struct err e = ERR_INIT;

	if (!row)
		return CLI_FAILED;
	json_object_set_new(what, key, value_of(row, text));
	return change(s, s->db, values, what, &e) < 0 ? cli_failed(&e) : CLI_OK;
}

/* -- export: JSON values are YAML ------------------------------------------------------ */

/* Settings that apply to nobody are left out: an import would refuse them. */
static void put_values(struct buf *b, enum setting_level level,
		       const char *indent, const json_t *values, struct arena *a)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)values, key, v) {
		json_t *one = jx_keep(a, json_object());
		struct err ignored = ERR_INIT;

		json_object_set(one, key, v);
		if (setting_check(one, level, &ignored) < 0)
			continue;
		buf_addf(b, "%s%s: ", indent, key);
		jx_dump(b, v);
		buf_addc(b, '\n');
	}
}

static int put_holder(struct buf *b, enum setting_level level,
		      const struct store_setting *row, struct arena *a,
		      struct err *e)
{
	const json_t *values = jx_keep(a, jx_load(row->values, e));
	struct jw w = jw_on(b);

	if (!values)
		return -1;
	if (!json_object_size(values))
		return 0;
	if (level == LEVEL_TENANT) {
		put_values(b, level, "  ", values, a);
		return 0;
	}
	buf_adds(b, "  ");
	jw_str(&w, row->name);
	buf_adds(b, ":\n");
	put_values(b, level, "    ", values, a);
	return 0;
}

static const struct { enum setting_level level; const char *key; } sections[] = {
	{ LEVEL_TENANT, "tenant" }, { LEVEL_TEAM, "teams" },
	{ LEVEL_USER, "users" },
};

static int export_level(struct cli_session *s, size_t section, struct err *e)
{
	char after[256] = "";
	size_t n = AT_ONCE;
	bool first = true;

	while (n == AT_ONCE) {
		struct arena a = ARENA_INIT;
		struct buf b = BUF_INIT(64 * CLI_OUT_BYTES);
		struct store_setting *rows;
		int rc = store_setting_list(s->db, str_of(s->conf->tenant),
					    sections[section].level,
					    str_of(after), AT_ONCE, &a, &rows,
					    &n, e);

		if (!rc && n && first)
			buf_addf(&b, "%s:\n", sections[section].key);
		for (size_t i = 0; !rc && i < n; i++)
			rc = put_holder(&b, sections[section].level, &rows[i],
					&a, e);
		if (!rc && n)
			snprintf(after, sizeof(after), "%.*s",
				 STR_ARG(rows[n - 1].name));
		first = false;
		if (cli_print(&b) != CLI_OK && !rc)
			rc = err_set(e, ERR_TOO_BIG, "cannot be printed");
		arena_release(&a);
		if (rc)
			return -1;
	}
	return 0;
}

static int export(struct cli_session *s)
{
	struct err e = ERR_INIT;

	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (export_level(s, i, &e) < 0)
			return cli_failed(&e);
	return CLI_OK;
}

/* -- import ---------------------------------------------------------------------------- */

static json_t *scalar_of(const struct setting_row *row, const struct ynode *n)
{
	char *end;
	long long v;

	if (ynode_null(n))
		return json_null();
	if (row && row->type == SETTING_BOOL &&
	    (!strcmp(n->text, "true") || !strcmp(n->text, "false")))
		return json_boolean(n->text[0] == 't');
	errno = 0;
	v = strtoll(n->text, &end, 10);
	if (row && row->type == SETTING_INT && *n->text && !*end && !errno)
		return json_integer(v);
	return jx_string(str_of(n->text));
}

static json_t *node_of(const struct setting_row *row, const struct ynode *n)
{
	json_t *list;

	if (n->kind == YSCALAR)
		return scalar_of(row, n);
	if (n->kind == YMAP)	/* which is not a setting: the check reports
				 * it */
		return json_object();
	list = json_array();
	for (size_t i = 0; i < n->n; i++)
		json_array_append_new(list, node_of(row, n->v[i]));
	return list;
}

struct imported {
	struct cli_session *s;
	const struct ynode *root;
};

static int import_holder(struct cli_session *s, struct db *tx,
			 struct setting_values *values, const struct ynode *n,
			 struct err *e)
{
	json_t *what = jx_keep(&s->arena, json_object());

	if (n->kind != YMAP)
		return err_set(e, ERR_CONFIG, "%s:%d: settings must be a map",
			       n->pos.file, n->pos.line);
	for (size_t i = 0; i < n->n; i++)
		json_object_set_new(what, n->keys[i].name, node_of(
			setting_find(str_of(n->keys[i].name)), n->v[i]));
	if (change(s, tx, values, what, e) == 0)
		return 0;
	return err_wrap(e, "%s:%d", n->pos.file, n->pos.line);
}

static int import_named(struct cli_session *s, struct db *tx,
			enum setting_level level, const struct ynode *n,
			struct err *e)
{
	struct str tenant = str_of(s->conf->tenant);

	if (level == LEVEL_TENANT)
		return import_holder(s, tx, setting_holders_of_tenant(
			tenant, &s->arena), n, e);
	if (n->kind != YMAP)
		return err_set(e, ERR_CONFIG, "%s:%d: must be a map of names",
			       n->pos.file, n->pos.line);
	for (size_t i = 0; i < n->n; i++) {
		struct cli_who who = { .user = n->keys[i].name };
		struct identity as;
		struct setting_values *values;

		if (level == LEVEL_USER && cli_identity(s, &who, &as, e) < 0)
			return -1;
		values = level == LEVEL_USER ? setting_holders(&as, &s->arena)
			: setting_holders_of_team(tenant, str_of(
				n->keys[i].name), &s->arena);
		if (import_holder(s, tx, values, n->v[i], e) < 0)
			return -1;
	}
	return 0;
}

/* All of it or nothing. */
static int import_tx(struct db *tx, void *ctx, struct err *e)
{
	struct cli_session *s = ((struct imported *)ctx)->s;
	const struct ynode *root = ((struct imported *)ctx)->root;

	for (size_t i = 0; i < root->n; i++) {
		size_t k = 0;

		while (root->kind == YMAP && k < ARRAY_LEN(sections) &&
		       strcmp(root->keys[i].name, sections[k].key) != 0)
			k++;
		if (root->kind != YMAP || k == ARRAY_LEN(sections))
			return err_set(e, ERR_CONFIG, "%s:%d: only tenant, "
				       "teams and users are allowed here",
				       root->pos.file, root->v[i]->pos.line);
		if (ynode_null(root->v[i]))	/* nothing stands below */
			continue;
		if (import_named(s, tx, sections[k].level, root->v[i], e) < 0)
			return -1;
	}
	return 0;
}

static int import(struct cli_session *s, const char *file)
{
	struct buf b = BUF_INIT(LIM_CONF_BYTES);
	size_t budget = LIM_CONF_NODES;
	struct ynode *root = NULL;
	struct err e = ERR_INIT;
	int rc = cli_read(file, &b, &e);

	if (!rc)
		rc = ytree_parse(&s->arena, file, buf_str(&b), &budget, &root, &e);
	if (!rc && root)
		rc = db_tx(s->db, import_tx, &(struct imported){ s, root }, &e);
	buf_release(&b);
	return rc ? cli_failed(&e) : CLI_OK;
}

/* -- the command ----------------------------------------------------------------------- */

static int run_verb(struct cli_session *s, const struct args *o, int argc,
		    char **argv)
{
	struct err e = ERR_INIT;
	struct setting_values *values;

	if (!strcmp(argv[0], "export"))
		return export(s);
	if (!strcmp(argv[0], "import"))
		return import(s, argv[1]);
	values = read_holders(s, o, &e);
	if (!values)
		return cli_failed(&e);
	if (!strcmp(argv[0], "show"))
		return show(s, values, argv[1]);
	return argc == 3 ? set(s, values, argv[1], argv[2]) : list(s, values);
}

/*
 * The number of words of the verb, including itself; 0: there is no such verb.
 */
static int words_of(const char *verb)
{
	static const struct { const char *verb; int words; } verbs[] = {
		{ "list", 1 }, { "show", 2 }, { "set", 3 }, { "export", 1 },
		{ "import", 2 },
	};

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (!strcmp(verb, verbs[i].verb))
			return verbs[i].words;
	return 0;
}

static int check_args(const struct cli *cli, const struct args *o, int argc,
		      char **argv)
{
	bool one = argc && strcmp(argv[0], "export") && strcmp(argv[0], "import");

	if (!argc || words_of(argv[0]) != argc)
		return cli_usage(cli, "the subcommand must be list, show KEY, "
				 "set KEY VALUE, export or import FILE");
	if (one && (o->who.user != NULL) + (o->team != NULL) + o->tenant != 1)
		return cli_usage(cli, "name one of --user, --team and "
				 "--tenant");
	if (!one && (o->who.user || o->team || o->tenant))
		return cli_usage(cli, "%s takes no --user, --team or --tenant", argv[0]);
	if (o->team && (!*o->team || strlen(o->team) > LIM_GROUP_BYTES))
		return cli_usage(cli, "the name of a group must have 1 to %d "
				 "bytes",
				 LIM_GROUP_BYTES);
	return CLI_OK;
}

int cli_setting(struct cli *cli, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "user", required_argument, NULL, 'u' },
		{ "group", required_argument, NULL, 'g' },
		{ "team", required_argument, NULL, 't' },
		{ "tenant", no_argument, NULL, 'T' },
		{ NULL, 0, NULL, 0 },
	};
	struct args o = { .team = NULL };
	struct cli_session s;
	int c, rc = CLI_OK;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 't')
			o.team = optarg;
		else if (c == 'T')
			o.tenant = true;
		else
			rc = cli_who_option(cli, c, optarg, &o.who);
		if (rc != CLI_OK)
			return rc;
	}
	argc -= optind;
	argv += optind;
	rc = check_args(cli, &o, argc, argv);
	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	rc = run_verb(&s, &o, argc, argv);
	cli_session_close(&s);
	return rc;
}
