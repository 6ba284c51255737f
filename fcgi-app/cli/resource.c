/* SPDX-License-Identifier: MIT */
/*
 * resource: the verbs on every resource of resource.def, as a user. Paths, parameters and
 * bodies are those of the API, so that there is nothing to learn or to add for a new one.
 */
#include <getopt.h>
#include <string.h>

#include "cli.h"
#include "hold/stored.h"
#include "resource/call.h"

#include "base/banned.h"

struct resource_args {		/* on the command line */
	struct cli_who who;
	enum resource_verb verb;
	const char *path, *file;
	char **params;
	int n_params;
};

/*
 * Whether the path is the resource's: *above what stands for the first parts in braces,
 * with slashes between them, *rest what follows.
 */
static bool is_path_of(const struct resource *r, struct str path, struct arena *a,
		       struct str *above, struct str *rest)
{
	struct buf b = BUF_INIT(LIM_URI_BYTES);
	struct str want = str_of(r->path);
	bool fits = true;

	while (fits && want.n) {
		const struct str part = str_cut(&want, '/'), given = str_cut(&path, '/');

		fits = part.p[0] == '{' ? given.n > 0 : str_eq(part, given);
		if (part.p[0] != '{')
			continue;
		buf_adds(&b, b.n ? "/" : "");
		buf_addstr(&b, given);
	}
	*above = arena_str(a, buf_str(&b));
	*rest = path;
	buf_release(&b);
	return fits && !(path.n && memchr(path.p, '/', path.n));
}

enum { MEANT_EDITS = 3 };	/* at most, between what was written and what was meant */

/*
 * How far the path is from the resource's: edits of what is in no braces; -1: it has another
 * number of parts. *meant: the path with that corrected, in a.
 */
static int edits_to(const struct resource *r, struct str path, bool of_row,
		    struct arena *a, const char **meant)
{
	struct buf b = BUF_INIT(LIM_URI_BYTES);
	struct str want = str_of(r->path);
	int edits = 0;

	while (want.n && path.n) {
		const struct str part = str_cut(&want, '/'), given = str_cut(&path, '/');
		const bool fixed = part.p[0] != '{';
		const int differ = fixed ? str_distance(part, given) : 0;

		edits += differ > (int)part.n / 2 ? MEANT_EDITS + 1 : differ;
		buf_addf(&b, "%s%.*s", b.n ? "/" : "", STR_ARG(fixed ? part : given));
	}
	if (of_row && path.n)
		buf_addf(&b, "/%.*s", STR_ARG(path));
	*meant = arena_str(a, buf_str(&b)).p;
	buf_release(&b);
	return want.n || (path.n > 0) != of_row || (path.n && memchr(path.p, '/', path.n))
		? -1 : edits;
}

/* The path that was meant; NULL: none is near. In a. */
static const char *nearest_path(struct str path, bool of_row, struct arena *a)
{
	const char *near = NULL, *meant;
	int least = MEANT_EDITS + 1;

	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		const int edits = edits_to(&resources[i], path, of_row, a, &meant);

		if (edits < 0 || edits >= least)
			continue;
		least = edits;
		near = meant;
	}
	return near;
}

/* The resource that the path names; a row of it only where the verb is of one. */
static int find_resource(const struct resource_args *w, struct arena *a, struct resource_call *c,
			 struct err *e)
{
	const bool of_row = w->verb != VERB_LIST && w->verb != VERB_CREATE;
	struct str path = str_of(w->path);
	const char *near;

	if (str_starts(path, STR("/")))
		path = (struct str){ path.p + 1, path.n - 1 };
	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		c->r = &resources[i];
		if (is_path_of(c->r, path, a, &c->parent, &c->id) &&
		    (c->id.n > 0) == of_row)
			return 0;
	}
	near = nearest_path(path, of_row, a);
	return err_set(e, ERR_NOT_FOUND, "there is no resource with the path \"%s\"%s: see "
		       "`lamplighter list resources`." STR_MEANT, w->path,
		       of_row ? ", which must end with an id" : "", STR_MEANT_ARG(near));
}

/* -- what it is asked with ----------------------------------------------------------- */

static struct str *param_of(const struct resource_call *c, struct resource_query *q,
			    const struct resource_param *params, size_t n, struct str key)
{
	if (str_is(key, "cursor"))
		return &q->cursor;
	if (str_is(key, "q") && resource_is_searched(c->r))
		return &q->q;
	if (str_is(key, "category") && resource_is_filed(c->r))
		return &q->category;
	for (size_t i = 0; i < n; i++)
		if (str_is(key, params[i].name))
			return &q->params[i];
	return NULL;
}

/* Names what was meant, or all that there are. */
static int refuse_param(const struct resource_call *c, const struct resource_param *params,
			size_t n, struct str key, struct err *e)
{
	const char *names[RESOURCE_PARAMS_MAX + 4] = { "pageSize", "cursor" }, *near;
	struct buf all = BUF_INIT(4096);
	size_t n_names = 2;

	if (resource_is_searched(c->r))
		names[n_names++] = "q";
	if (resource_is_filed(c->r))
		names[n_names++] = "category";
	for (size_t i = 0; i < n; i++)
		names[n_names++] = params[i].name;
	for (size_t i = 0; i < n_names; i++)
		buf_addf(&all, "%s%s", i ? ", " : "", names[i]);
	near = str_nearest(key, names, n_names, sizeof(*names),
			   (int)MIN(MEANT_EDITS, key.n / 2));
	err_set(e, ERR_CONFIG, "\"%.*s\" is not a parameter of %s; there are: %s." STR_MEANT,
		STR_ARG(key), c->r->path, all.p, STR_MEANT_ARG(near));
	buf_release(&all);
	return -1;
}

static int read_params(const struct resource_args *w, const struct conf *conf,
		       struct resource_call *c, struct err *e)
{
	struct resource_param params[RESOURCE_PARAMS_MAX];
	const size_t n = resource_params(conf, c->r, params);

	for (int i = 0; i < w->n_params; i++) {
		struct str value = str_of(w->params[i]);
		const struct str key = str_cut(&value, '=');
		struct str *to = param_of(c, &c->query, params, n, key);

		if (str_is(key, "pageSize")) {
			const int size = value.p ? cli_number(value.p, 1, LIM_PAGE_MAX) : -1;

			if (size < 0)
				return err_set(e, ERR_CONFIG, "pageSize must be a whole number from "
					       "1 to %d", LIM_PAGE_MAX);
			c->query.size = (size_t)size;
		} else if (to && value.p) {
			*to = value;
		} else if (to) {
			return err_set(e, ERR_CONFIG, "%.*s needs a value: %.*s=VALUE",
				       STR_ARG(key), STR_ARG(key));
		} else {
			return refuse_param(c, params, n, key, e);
		}
	}
	return 0;
}

static int read_file(const struct resource_args *w, struct arena *a, struct resource_call *c,
		     struct err *e)
{
	struct buf b = BUF_INIT(LIM_IMPORT_BYTES);
	json_t *body = cli_read(w->file, &b, e) < 0 ? NULL : jx_load(buf_str(&b), e);
	int rc = body ? 0 : -1;

	if (!body && buf_ok(&b) && e->code != ERR_CONFIG)
		err_wrap(e, "%s", w->file);
	buf_release(&b);
	c->body = jx_keep(a, body);
	for (size_t i = 0; !rc && i < c->r->n_fields; i++)
		if (c->r->fields[i].type == TYPE_SECRET &&
		    json_object_get(body, c->r->fields[i].key))
			rc = err_set(e, ERR_CONFIG, "%s: %s would be readable in the file: "
				     "enter it on the page or send it over the API",
				     w->file, c->r->fields[i].key);
	return rc;
}

/* -- the call -------------------------------------------------------------------------- */

static int run_verb(struct cli_session *s, const struct resource_args *w, struct buf *out,
		    struct err *e)
{
	struct resource_call c = { .verb = w->verb };
	struct resource_answer *answer = arena_new(&s->arena, struct resource_answer);
	struct jw j = jw_on(out);
	struct identity who;
	struct caller by;

	if (cli_identity(s, &w->who, &who, e) < 0 || find_resource(w, &s->arena, &c, e) < 0 ||
	    read_params(w, s->conf, &c, e) < 0 ||
	    (w->file && read_file(w, &s->arena, &c, e) < 0))
		return -1;
	by = caller_of(s->conf, &who, s->db, &s->arena);
	if ((w->file && hold_check(s->db, s->conf, &by.owner, e) < 0) ||
	    resource_call(&by, &c, answer, e) < 0)
		return -1;
	if (w->verb == VERB_DELETE)
		return 0;
	resource_answer_write(&j, &by, c.r, answer);
	buf_addc(out, '\n');
	return 0;
}

int cli_resource(struct cli *cli, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "user", required_argument, NULL, 'u' },
		{ "group", required_argument, NULL, 'g' },
		{ NULL, 0, NULL, 0 },
	};
	static const struct {
		const char *name;
		int files;
	} verbs[] = {
		[VERB_LIST] = { "list", 0 }, [VERB_GET] = { "show", 0 },
		[VERB_CREATE] = { "create", 1 }, [VERB_PATCH] = { "change", 1 },
		[VERB_DELETE] = { "delete", 0 },
	};
	struct resource_args w = { .verb = VERB_LIST };
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct cli_session s;
	struct err e = ERR_INIT;
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		rc = cli_who_option(cli, c, optarg, &w.who);
		if (rc != CLI_OK)
			return rc;
	}
	argc -= optind;
	argv += optind;
	while (argc && w.verb < ARRAY_LEN(verbs) && strcmp(argv[0], verbs[w.verb].name))
		w.verb++;
	if (!argc || w.verb == ARRAY_LEN(verbs))
		return cli_usage(cli, "the subcommand must be list, show, create, change "
				 "or delete");
	if (argc < 2 + verbs[w.verb].files)
		return cli_usage(cli, argc < 2 ? "name the path" : "name the file");
	if (w.verb != VERB_LIST && argc > 2 + verbs[w.verb].files)
		return cli_usage(cli, "too many arguments after %s", argv[1]);
	if (!w.who.user)
		return cli_usage(cli, "--user is missing");
	w.path = argv[1];
	w.file = verbs[w.verb].files ? argv[2] : NULL;
	w.params = argv + 2;
	w.n_params = w.verb == VERB_LIST ? argc - 2 : 0;
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	rc = run_verb(&s, &w, &out, &e) < 0 ? cli_failed(&e) : cli_print(&out);
	buf_release(&out);
	cli_session_close(&s);
	return rc;
}
