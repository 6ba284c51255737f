/* SPDX-License-Identifier: MIT */
/*
 * agent, workspace, prompt, category, services: exports stored resources as
 * YAML, and imports them. Each row of kinds[] is a command.
 */
#include "exchange.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "cli.h"
#include "conf/load.h"

#include "base/banned.h"

/* -- rows as YAML ---------------------------------------------------------- */

/* Converts rows to YAML, and YAML to items. */

/* -- out ---------------------------------------------------------------------- */

/*
 * The character of two or three bytes at p that is in JSON as it is, but is a
 * line end to YAML or nothing that it takes; 0: none of these.
 */
static unsigned char_to_escape(const unsigned char *p, size_t n, size_t *bytes)
{
	unsigned c = 0;

	*bytes = 1;
	if (p[0] == 0x7f)
		return p[0];
	if (n > 1 && p[0] == 0xc2) {
		*bytes = 2;
		return p[1] < 0xa0 ? p[1] : 0;
	}
	if (n > 2 && (p[0] & 0xf0) == 0xe0) {
		*bytes = 3;
		c = (p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u);
	}
	return c == 0x2028 || c == 0x2029 || c == 0xfeff || c >= 0xfffe ? c : 0;
}

/* Whether a literal block gives exactly this text again. */
static bool is_block(struct str s)
{
	size_t bytes;

	if (!memchr(s.p, '\n', s.n) || s.p[0] == ' ' || s.p[0] == '\n' ||
	    s.p[0] == '\t')
		return false;
	for (size_t i = 0; i < s.n; i += bytes) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < 0x20 && c != '\n' && c != '\t') ||
		    char_to_escape((const unsigned char *)s.p + i, s.n - i, &bytes))
			return false;
	}
	return s.n < 2 || s.p[s.n - 1] != '\n' || s.p[s.n - 2] != '\n';
}

static void put_json(struct buf *out, struct str json)
{
	const unsigned char *p = (const unsigned char *)json.p;
	size_t bytes;

	for (size_t i = 0; i < json.n; i += bytes) {
		unsigned c = char_to_escape(p + i, json.n - i, &bytes);

		if (c)
			buf_addf(out, "\\u%04x", c);
		else
			buf_add(out, json.p + i, bytes);
	}
}

static void put_quoted(struct buf *out, struct str s)
{
	struct buf b = BUF_INIT(out->cap);

	buf_json(&b, s);
	put_json(out, buf_str(&b));
	buf_release(&b);
}

static void put_text(struct buf *out, struct str s)
{
	struct str rest = s;

	if (!is_block(s)) {
		put_quoted(out, s);
		return;
	}
	if (s.p[s.n - 1] == '\n')
		rest.n--;
	buf_adds(out, s.p[s.n - 1] == '\n' ? "|" : "|-");
	while (rest.p) {
		struct str line = str_cut(&rest, '\n');

		buf_adds(out, line.n ? "\n      " : "\n");
		buf_addstr(out, line);
	}
}

/* Ids, versions and times belong to this database. */
static bool is_put(const struct resource_field *f)
{
	return !resource_is_hidden(f) && f->type != TYPE_SECRET &&
		(f->mode != MODE_GIVEN || resource_is_text(f));
}

static void cli_exchange_put(struct buf *out, const struct resource *r,
			     const struct resource_row *row)
{
	const char *lead = "  - ";
	char number[STR_REAL_BYTES];

	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];
		const struct db_val *v = &row->v[i];

		if (v->null || !is_put(f))
			continue;
		buf_addf(out, "%s%s: ", lead,
			 f->type == TYPE_IDS ? CLI_EXCHANGE_NAMES : f->key);
		lead = "    ";
		if (f->type == TYPE_BOOL)
			buf_adds(out, v->i ? "true" : "false");
		else if (f->type == TYPE_INT)
			buf_addf(out, "%lld", (long long)v->i);
		else if (f->type == TYPE_REAL)
			buf_addstr(out, str_of_real(v->d, number));
		else if (f->type == TYPE_JSON || f->type == TYPE_LIST ||
			 f->type == TYPE_IDS)
			put_json(out, v->s);
		else if (resource_is_text(f) || f->type == TYPE_ENUM)
			put_text(out, v->s);
		else
			BUG("a type that no command writes");
		buf_addc(out, '\n');
	}
}

/* -- in ----------------------------------------------------------------------- */

static int wrong(const struct ypos *at, struct err *e, const char *what)
{
	return err_set(e, ERR_CONFIG, "%s:%d:%d: %s", at->file, at->line,
		       at->column, what);
}

/* Reads the only key of the root, whose items must be maps. */
static int take_list(const struct ynode *root, const char *key,
		     const struct ynode **list, struct err *e)
{
	char text[200];

	snprintf(text, sizeof(text), "the only key of the file must be \"%s\", "
		 "with a list of maps", key);
	if (root->kind != YMAP || !root->n)
		return wrong(&root->pos, e, text);
	for (size_t i = 0; i < root->n; i++)
		if (strcmp(root->keys[i].name, key))
			return wrong(&root->keys[i].pos, e, text);
	*list = root->v[0];
	if ((*list)->kind != YSEQ)
		return wrong(&(*list)->pos, e, text);
	for (size_t i = 0; i < (*list)->n; i++)
		if ((*list)->v[i]->kind != YMAP)
			return wrong(&(*list)->v[i]->pos, e, text);
	return 0;
}

/* The same of a text; file is what messages call it. Borrows both. */
static int cli_exchange_parse(struct arena *a, const char *file, struct str text,
			      const char *key, const struct ynode **list, struct err *e)
{
	size_t budget = LIM_CONF_NODES;
	struct ynode *root = NULL;

	if (ytree_parse(a, file, text, &budget, &root, e))
		return -1;
	if (!root)
		return err_set(e, ERR_CONFIG, "%s: is empty", file);
	return take_list(root, key, list, e);
}

/*
 * The list below the only key of a YAML file, "-" for stdin: a map for each of its
 * items. In a; file and tree too. ERR_CONFIG with "FILE:LINE:COLUMN: ".
 */
static int cli_exchange_read(struct arena *a, const char *file, const char *key,
			     const struct ynode **list, struct err *e)
{
	struct buf b = BUF_INIT(LIM_IMPORT_BYTES);
	int rc = cli_read(file, &b, e);

	if (!rc)
		rc = cli_exchange_parse(a, file, buf_str(&b), key, list, e);
	buf_release(&b);
	return rc;
}

/* Puts the place of the error's field, or of the item, in front of e's text. -1. */
static int cli_exchange_place(const struct ynode *item, struct err *e)
{
	const struct ypos *at = &item->pos;
	struct err why = *e;

	for (size_t i = 0; i < item->n; i++)
		if (strcmp(item->keys[i].name, why.field) == 0)
			at = &item->keys[i].pos;
	err_clear(e);
	return wrong(at, e, *why.public ? why.public : *why.text ? why.text
		     : err_message(&why));
}

/* -- the commands ------------------------------------------------------------- */

const struct resource *cli_exchange_of(const struct exchange_run *m)
{
	return &resources[m->kind->id];
}

const char *cli_exchange_text(const struct exchange_run *m, const struct resource_row *row,
			  size_t column)
{
	struct str s = resource_text(row, column);

	return s.p ? arena_str(&m->s->arena, s).p : "";
}

int cli_exchange_each_held(struct exchange_run *m, const struct resource *r,
		       const struct uuid *holder, cli_exchange_take *take, void *ctx,
		       struct err *e)
{
	const struct resource_at at = { .by = m->by.owner, .holder = *holder };
	struct uuid last = { { 0 } };
	struct resource_row *rows;
	size_t n;

	do {
		if (resource_take_out(m->by.db, r, &at, &last,
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

int cli_exchange_pages(struct exchange_run *m, const struct resource *r,
		   const struct resource_at *at, struct str from,
		   cli_exchange_take *take, void *ctx, struct err *e)
{
	const struct resource_row first = { .sort_key = from };
	struct resource_want want = { .size = LIM_PAGE_MAX, .after = &first };
	struct resource_row *rows;
	bool more = true;
	size_t n;
	int rc;

	while (more) {
		if (resource_list(m->by.db, r, at, &want, &m->s->arena, &rows,
				  &n, &more, e))
			return -1;
		for (size_t i = 0; i < n; i++)
			if ((rc = take(m, &rows[i], ctx, e)) != 0)
				return MIN(rc, 0);
		want.after = n ? &rows[n - 1] : NULL;
		more = more && n;
	}
	return 0;
}

int cli_exchange_each(struct exchange_run *m, cli_exchange_take *take, void *ctx,
		  struct err *e)
{
	const struct resource_at at = resource_own(&m->by.owner);

	return cli_exchange_pages(m, cli_exchange_of(m), &at, STR(""), take, ctx, e);
}

/* -- import ---------------------------------------------------------------------------- */

int cli_exchange_take_text(struct exchange_run *m, struct exchange_item *i, const char *key,
		       struct str *out, struct err *e)
{
	struct str s = jx_str(i->body, key);

	if (!s.n)
		return err_field(e, ERR_INVALID_FIELD, key, "%s is missing: it "
				 "identifies the %s.", key,
				 cli_exchange_of(m)->what);
	*out = arena_str(&m->s->arena, s);
	return 0;
}

/* They would be readable in the file, or in the shell's history. */
static int refuse_secrets(const struct resource *r, const json_t *body,
			  struct err *e)
{
	for (size_t k = 0; k < r->n_fields; k++) {
		const struct resource_field *f = &r->fields[k];
		const char *key = json_object_get(body, f->key) ? f->key
			: json_object_get(body, f->column) ? f->column : NULL;

		if (f->type == TYPE_SECRET && key)
			return err_field(e, ERR_INVALID_FIELD, key, "%s cannot "
					 "be given here, because it would not "
					 "be sealed: enter the key on the page "
					 "or send it over the API. A stored "
					 "key stays.", key);
	}
	return 0;
}

static void take_note(struct exchange_run *m, const struct uuid *id)
{
	m->taken = arena_room(&m->s->arena, m->taken, m->n_taken, 1,
			      &m->taken_room, sizeof(*m->taken));
	m->taken[m->n_taken++] = *id;
}

/* Fields that the file lacks are unset; fields that cannot change are kept. */
static int import_body(struct exchange_run *m, json_t *body, struct err *e)
{
	struct exchange_item i = { .body = body };
	const struct resource *r = cli_exchange_of(m);
	struct resource_answer *out = arena_new(&m->s->arena,
						struct resource_answer);
	struct resource_call call = {
		.r = r, .verb = VERB_CREATE, .body = body, .whole = true,
	};
	const char *how = "created";

	if (refuse_secrets(r, body, e) || m->kind->find(m, &i, e))
		return -1;
	call.parent = i.parent;
	call.found = i.now;
	if (i.now)
		call.verb = VERB_PATCH;
	for (size_t k = 0; i.now && k < r->n_fields; k++)
		if (r->fields[k].mode == MODE_ONCE)
			json_object_del(body, r->fields[k].key);
	if (resource_call(&m->by, &call, out, e))
		return -1;
	if (i.now)
		how = out->done.row.version == i.now->version ? "unchanged"
			: "changed";
	take_note(m, &out->done.row.id);
	buf_addf(&m->out, "%s\t%s\n", i.name, how);
	return 0;
}

/* The stored item, unchanged or (set) with another value. */
static json_t *body_of(struct exchange_run *m)
{
	json_t *body = jx_keep(&m->s->arena, load_json(m->item));

	if (m->key && json_is_null(m->value))
		json_object_del(body, m->key);
	else if (m->key)
		json_object_set(body, m->key, m->value);
	return body;
}

/* Imports all of a file, or nothing. */
static int import_tx(struct db *tx, void *ctx, struct err *e)
{
	struct exchange_run *m = ctx;

	buf_release(&m->out);
	m->out = (struct buf)BUF_INIT(CLI_OUT_BYTES);
	m->by.db = tx;
	m->n_taken = 0;
	m->categories = NULL;
	for (size_t i = 0; i < m->list->n; i++) {
		m->item = m->list->v[i];
		if (import_body(m, body_of(m), e))
			return -1;
	}
	return 0;
}

static int import_all(struct exchange_run *m, struct err *e)
{
	int rc = db_tx(m->s->db, import_tx, m, e);

	m->by.db = m->s->db;
	return rc;
}

static int import(struct exchange_run *m, const char *file, struct err *e)
{
	if (cli_exchange_read(&m->s->arena, file, m->kind->plural, &m->list, e))
		return -1;
	if (import_all(m, e) == 0)
		return 0;
	/* Errors of the database have no line. */
	return err_row(e)->http_status < 500 && m->item
		? cli_exchange_place(m->item, e) : -1;
}

/* -- the commands ------------------------------------------------------------------------ */

/* The printed rows, by name: the order is the same on every database. */
struct found_row {
	const char *name;
	struct resource_row row;
};

struct found_rows {
	struct found_row *v;
	size_t n, room;
};

static int keep_row(struct exchange_run *m, const struct resource_row *row, void *ctx,
		    struct err *e)
{
	struct found_rows *all = ctx;

	(void)e;
	all->v = arena_room(&m->s->arena, all->v, all->n, 1, &all->room,
			    sizeof(*all->v));
	all->v[all->n++] = (struct found_row){ m->kind->name_of(m, row),
						  *row };
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct found_row *x = a, *y = b;
	int by_text = strcmp(x->name, y->name);

	if (by_text)
		return by_text;
	if (x->row.created_us != y->row.created_us)
		return x->row.created_us < y->row.created_us ? -1 : 1;
	return memcmp(&x->row.id, &y->row.id, sizeof(x->row.id));
}

/* Whether the row has what the list is searched for. */
static bool is_found(const struct exchange_run *m, const struct resource_words *words,
		     const struct resource_row *row)
{
	return !words->n || resource_has_words(words, resource_folded(
		cli_exchange_of(m), row, &m->s->arena));
}

/*
 * Rows with the name, or (NULL) all; of a list, those with these words (NULL: all). *n:
 * their number.
 */
static int print(struct exchange_run *m, bool as_list, const char *name, size_t *n,
		 struct err *e)
{
	struct resource_words words = { .n = 0 };
	struct found_rows all = { .n = 0 };

	if (as_list && name &&
	    resource_words(str_of(name), &m->s->arena, &words, e) < 0)
		return -1;
	if (as_list)
		name = NULL;

	if (m->kind->each(m, keep_row, &all, e))
		return -1;
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_name);
	for (size_t i = 0; i < all.n; i++) {
		struct found_row *f = &all.v[i];

		if ((name && strcmp(name, f->name)) || !is_found(m, &words, &f->row))
			continue;
		if (as_list)
			buf_addf(&m->out, "%s\t%s\n", f->name,
				 cli_exchange_text(m, &f->row, m->kind->second));
		else if (!*n)
			buf_addf(&m->out, "%s:\n", m->kind->plural);
		++*n;
		if (as_list)
			continue;
		if (m->kind->shown && m->kind->shown(m, &f->row, e))
			return -1;
		cli_exchange_put(&m->out, cli_exchange_of(m), &f->row);
	}
	if (name && !*n)
		return err_set(e, ERR_NOT_FOUND, "there is no %s \"%s\"",
			       cli_exchange_of(m)->what, name);
	if (!as_list && !*n)
		buf_addf(&m->out, "%s: []\n", m->kind->plural);
	return 0;
}

/* Reads a word of the command line by the type of the field. */
static json_t *value_of(const struct resource_field *f, const char *text)
{
	const bool is_text = f && strcmp(text, "null") &&
		(resource_is_text(f) || f->type == TYPE_ENUM);
	json_t *v = is_text ? NULL : jx_try(str_of(text));

	return v ? v : jx_string(str_of(text));
}

/* Like an import of the output of show, with one value changed. */
static int set(struct exchange_run *m, char **argv, struct err *e)
{
	const struct resource *r = cli_exchange_of(m);
	const struct resource_field *f = NULL;
	struct str text;
	size_t n = 0;

	m->key = argv[1];
	for (size_t i = 0; i < r->n_fields; i++)
		if (!strcmp(r->fields[i].key, m->key))
			f = &r->fields[i];
	if (f && f->type != TYPE_SECRET &&
	    (f->mode != MODE_EDIT || !strcmp(m->key, m->kind->named_by)))
		return err_set(e, ERR_CONFIG, "%s cannot be changed", m->key);
	if (print(m, false, argv[0], &n, e))
		return -1;
	if (n > 1)
		return err_set(e, ERR_CONFIG, "there are %zu with this name: "
			       "change them with export and import", n);
	text = arena_str(&m->s->arena, buf_str(&m->out));
	m->value = jx_keep(&m->s->arena, value_of(f, argv[2]));
	if (cli_exchange_parse(&m->s->arena, argv[0], text, m->kind->plural, &m->list,
			   e))
		return -1;
	return import_all(m, e);
}

static int run_exchange(struct exchange_run *m, const char *verb, char **argv, struct err *e)
{
	const bool as_list = strcmp(verb, "list") == 0;
	size_t n = 0;

	if (strcmp(verb, "set") == 0)
		return set(m, argv, e);
	if (strcmp(verb, "import") == 0)
		return import(m, argv[0], e);
	return print(m, as_list, strcmp(verb, "export") ? argv[0] : NULL, &n, e);
}

static int exchange_main(struct cli *cli, const struct exchange_kind *kind, int argc,
			 char **argv)
{
	static const struct option longs[] = {
		{ "user", required_argument, NULL, 'u' },
		{ "workspace", required_argument, NULL, 'w' },
		{ "group", required_argument, NULL, 'g' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct {
		const char *name;
		int least, most;
	} verbs[] = { { "list", 0, 1 }, { "show", 1, 1 }, { "export", 0, 0 },
		      { "import", 1, 1 }, { "set", 3, 3 } };
	static const struct str all = STR("*");
	struct exchange_run m = { .kind = kind, .out = BUF_INIT(CLI_OUT_BYTES) };
	struct err e = ERR_INIT;
	struct cli_session s;
	size_t v = 0;
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == '?' || !strchr(kind->options, c))
			return cli_usage(cli, "invalid option");
		*(c == 'u' ? &m.user : c == 'g' ? &m.group : &m.workspace) =
			optarg;
	}
	while (optind < argc && v < ARRAY_LEN(verbs) &&
	       strcmp(argv[optind], verbs[v].name))
		v++;
	argc -= optind + 1;
	argv += optind;
	if (argc < 0 || v == ARRAY_LEN(verbs))
		return cli_usage(cli, "the subcommand must be list, show, set, "
				 "export or import");
	if (argc < verbs[v].least || argc > verbs[v].most)
		return cli_usage(cli, argc < verbs[v].least
				 ? v == 4 ? "name the %s, a key and a value"
				 : "name the %s" : "too many arguments after "
						   "the %s",
				 v == 3 ? "file" : resources[kind->id].what);
	if (m.user && m.group)
		return cli_usage(cli, "--user and --group exclude each other");
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
	m.by.installation = true;
	if (!rc)
		rc = run_exchange(&m, verbs[v].name, argv + 1, &e);
	cli_session_close(&s);
	if (rc == 0)
		return cli_print(&m.out);
	buf_release(&m.out);
	return cli_failed(&e);
}

int cli_exchange(struct cli *cli, int argc, char **argv)
{
	static const struct exchange_kind *const kinds[] = {
		&cli_exchange_agent, &cli_exchange_workspace, &cli_exchange_prompt,
		&cli_exchange_category, &cli_exchange_service,
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(argv[0], kinds[i]->name))
			return exchange_main(cli, kinds[i], argc, argv);
	BUG("a command without its row");
}
