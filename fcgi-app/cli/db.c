/* SPDX-License-Identifier: MIT */
/* migrate, token: what needs the database. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "auth/identity.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/paths.h"
#include "base/utf8.h"
#include "base/version.h"
#include "cli.h"
#include "net/http.h"
#include "resource/fold.h"
#include "store/blob.h"
#include "store/store.h"
#include "store/token.h"
#include "tool/core/tool.h"

#include "base/banned.h"

#define LIST_ROWS  1000	/* of tokens, read at a time */
#define DAY_US     (86400LL * 1000000)

#define WARM_UPSTREAMS 8

int cli_session_open(struct cli_session *s, const struct cli *cli)
{
	struct err e = ERR_INIT;

	*s = (struct cli_session){ .arena = ARENA_INIT };
	s->conf = cli_conf(cli);
	if (!s->conf)
		return -1;
	blob_use(s->conf->file_dir,
		 s->conf->file_store == FILE_STORE_DIRECTORY);
	if (!db_global_init(&e))
		s->db = store_open(&s->conf->db, &e);
	if (s->db)
		return 0;
	cli_failed(&e);
	conf_put(s->conf);
	return -1;
}

void cli_session_close(struct cli_session *s)
{
	arena_release(&s->arena);	/* releases what the tools keep */
	tool_env_free(s->tools);
	if (s->http) {
		http_pool_free(s->http);
		http_global_cleanup();
	}
	db_close(s->db);
	db_global_end();
	conf_put(s->conf);
}

int cli_session_tools(struct cli_session *s)
{
	struct err e = ERR_INIT;

	if (http_global_init(&e) < 0) {
		cli_failed(&e);
		return -1;
	}
	s->http = http_pool_new(WARM_UPSTREAMS);
	s->tools = tool_env_new(s->http);
	return 0;
}

int cli_number(const char *s, int min, int max)
{
	int64_t v;

	return str_int(str_of(s), &v) && v >= min && v <= max ? (int)v : -1;
}

/* -- migrate -------------------------------------------------------------------- */

/* On stderr: a script reads the result on stdout. */
static void show_progress(int version, int left)
{
	fprintf(stderr, "migration %04d (%d left) ...\n", version, left);
}

int cli_migrate(struct cli *cli, int argc, char **argv)
{
	static const struct option longs[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ "wait", required_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 },
	};
	const char *env = getenv("LAMPLIGHTER_SQL_DIR");
	const char *dir = env && *env ? env : LAMPLIGHTER_DATADIR "/sql";
	struct db_migration m = { .progress = show_progress };
	struct err e = ERR_INIT;
	struct cli_session s;
	int64_t folded;
	int c, wait_s = 0, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'd')
			dir = optarg;
		else if (c == 'w')
			wait_s = cli_number(optarg, 1, 86400);
		else
			return cli_usage(cli, "invalid option");
		if (wait_s < 0)
			return cli_usage(cli, "--wait takes a number of "
					 "seconds");
	}
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	rc = db_schema_not_newer(s.db, version_schema(), &e);
	if (!rc)
		rc = db_migrate(s.db, dir, wait_s, &m, &e);
	if (!rc)
		rc = resource_fold_rows(s.db, &folded, &e);
	cli_session_close(&s);
	if (rc)
		return cli_failed(&e);
	if (m.steps_run)
		printf("schema version %d, %d steps run\n", m.version,
		       m.steps_run);
	else
		printf("schema version %d, nothing to do%s\n", m.version,
		       m.waited ? " (another process did it)" : "");
	if (folded)
		printf("%lld rows can be searched now\n", (long long)folded);
	return CLI_OK;
}

/* -- token ---------------------------------------------------------------------- */

struct named {
	const char *v[LIM_TOKEN_LIST];
	size_t n;
};

struct create {
	const char *user, *name;
	struct named agents, tools;	/* none: all */
	bool read_only, approve;
	const char *groups[LIM_GROUPS];
	size_t n_groups;
	int days;		/* 0 = for ever */
};

static bool clean(const char *s)
{
	for (const char *p = s; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			return false;
	return utf8_valid(str_of(s));
}

static int add_named(const struct cli *cli, struct named *to, int option)
{
	if (to->n == LIM_TOKEN_LIST)
		return cli_usage(cli, "more than %d of them", LIM_TOKEN_LIST);
	if (!*optarg || strlen(optarg) > 130 || !clean(optarg))
		return cli_usage(cli, option == 'a' ? "--agent takes WORKSPACE or "
				 "WORKSPACE/AGENT" : "--tool takes the name of a tool");
	to->v[to->n++] = optarg;
	return 0;
}

/* As a JSON array; NULL: all. */
static struct str named_text(struct cli_session *s, const struct named *of)
{
	struct buf b = BUF_INIT(LIM_TOKEN_LIST * 1024);
	struct jw w = jw_on(&b);
	struct str out;

	jw_arr(&w);
	for (size_t i = 0; i < of->n; i++)
		jw_str(&w, str_of(of->v[i]));
	jw_end_arr(&w);
	out = of->n ? arena_str(&s->arena, buf_str(&b)) : (struct str){ NULL, 0 };
	buf_release(&b);
	return out;
}

static int create_args(struct cli *cli, int argc, char **argv,
		       struct create *out)
{
	static const struct option longs[] = {
		{ "user", required_argument, NULL, 'u' },
		{ "name", required_argument, NULL, 'n' },
		{ "group", required_argument, NULL, 'g' },
		{ "days", required_argument, NULL, 'd' },
		{ "agent", required_argument, NULL, 'a' },
		{ "tool", required_argument, NULL, 't' },
		{ "read-only", no_argument, NULL, 'r' },
		{ "approve", no_argument, NULL, 'p' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'u':
			out->user = optarg;
			break;
		case 'n':
			out->name = optarg;
			if (!clean(optarg) ||
			    utf8_chars(str_of(optarg)) > LIM_TOKEN_NAME_CHARS)
				return cli_usage(cli, "--name takes one line "
						 "of at most %d characters",
						 LIM_TOKEN_NAME_CHARS);
			break;
		case 'g':
			if (out->n_groups == LIM_GROUPS)
				return cli_usage(cli, "more than %d groups",
						 LIM_GROUPS);
			if (!*optarg || strlen(optarg) > LIM_GROUP_BYTES ||
			    !clean(optarg) || !strcmp(optarg, "*"))
				return cli_usage(cli, "--group takes the name "
						 "of a group");
			out->groups[out->n_groups++] = optarg;
			break;
		case 'a':
		case 't':
			if (add_named(cli, c == 'a' ? &out->agents : &out->tools, c))
				return CLI_USAGE;
			break;
		case 'r':
			out->read_only = true;
			break;
		case 'p':
			out->approve = true;
			break;
		case 'd':
			out->days = cli_number(optarg, 1, LIM_TOKEN_DAYS);
			if (out->days < 0)
				return cli_usage(cli, "--days takes a number "
						 "from 1 to %d", LIM_TOKEN_DAYS);
			break;
		default:
			return cli_usage(cli, "invalid option");
		}
	}
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	if (!out->user)
		return cli_usage(cli, "--user is missing");
	return CLI_OK;
}

/* The same rules as when the token is used. login is of s's arena. */
static int check_login(struct cli_session *s, const char *user,
		       struct str *login, struct err *e)
{
	struct identity who;
	int rc = identity_make(s->conf, IDENTITY_API_TOKEN, str_of(user),
			       str_of(user), NULL, 0, &s->arena, &who, e);

	*login = rc ? STR("") : who.login;
	for (size_t i = 0; i < s->conf->n_chain && !rc; i++)
		if (s->conf->chain[i].kind == IDENTITY_ANONYMOUS &&
		    str_is(*login, s->conf->chain[i].user))
			rc = err_set(e, ERR_UNAUTHENTICATED, "%s is the login "
				     "of anonymous callers", user);
	return rc;
}

static int create(struct cli *cli, int argc, char **argv)
{
	struct create args = { .user = NULL };
	char text[TOKEN_TEXT_BYTES], id_text[UUID_TEXT_BYTES];
	char when[CLOCK_ISO_BYTES];
	struct buf groups = BUF_INIT(LIM_TOKEN_GROUPS_BYTES);
	struct jw w = jw_on(&groups);
	struct err e = ERR_INIT;
	struct token_new n;
	struct cli_session s;
	struct uuid id;
	int rc = create_args(cli, argc, argv, &args);

	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	jw_arr(&w);
	for (size_t i = 0; i < args.n_groups; i++)
		jw_str(&w, str_of(args.groups[i]));
	jw_end_arr(&w);
	n = (struct token_new){
		.tenant_id = str_of(s.conf->tenant),
		.name = str_of(args.name), .groups = buf_str(&groups),
		.agents = named_text(&s, &args.agents),
		.tools = named_text(&s, &args.tools),
		.read_only = args.read_only, .approve = args.approve,
		.expires_us = args.days ? clock_now_us() + args.days * DAY_US
					: 0,
	};
	rc = check_login(&s, args.user, &n.login, &e);
	if (!rc && !buf_ok(&groups))
		rc = err_public(&e, ERR_TOO_BIG, "The names of the groups are "
				"too long for a token.");
	if (!rc)
		rc = token_create(s.db, &n, text, &id, &e);
	cli_session_close(&s);
	buf_release(&groups);
	if (rc)
		return cli_failed(&e);
	puts(text);
	fprintf(stderr, "token %s of %s, %s%s; it is not shown again\n",
		uuid_format(&id, id_text), args.user,
		args.days ? "valid until " : "valid until revoked",
		args.days ? clock_iso(n.expires_us, when) : "");
	return CLI_OK;
}

static const char *state_of(const struct token *t)
{
	if (t->revoked_us)
		return "revoked";
	if (t->expires_us && t->expires_us <= clock_now_us())
		return "expired";
	return "valid";
}

static void put_token(struct buf *out, const struct token *t)
{
	char id[UUID_TEXT_BYTES], created[CLOCK_ISO_BYTES], until[CLOCK_ISO_BYTES];

	buf_addf(out, "%s\t%s\t%.*s\t%.*s\t%.*s\t%.10s\t%.10s\n",
		 uuid_format(&t->id, id), state_of(t), STR_ARG(t->login),
		 t->name.p ? (int)t->name.n : 1, t->name.p ? t->name.p : "-",
		 STR_ARG(t->groups), clock_iso(t->created_us, created),
		 t->expires_us ? clock_iso(t->expires_us, until) : "-");
}

static int list(struct cli *cli, int argc, char **argv)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct err e = ERR_INIT;
	struct token *v;
	struct uuid last = { { 0 } };
	struct cli_session s;
	size_t n;
	int rc;

	if (argc != 1)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[1]);
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	do {
		struct arena_mark mark = arena_mark(&s.arena);

		rc = token_list(s.db, str_of(s.conf->tenant),
				uuid_is_nil(&last) ? NULL : &last, LIST_ROWS,
				&s.arena, &v, &n, &e);
		for (size_t i = 0; !rc && i < n; i++)
			put_token(&out, &v[i]);
		if (!rc && n)
			last = v[n - 1].id;
		arena_rewind(&s.arena, mark);
	} while (!rc && n == LIST_ROWS);
	cli_session_close(&s);
	if (!rc)
		return cli_print(&out);
	buf_release(&out);
	return cli_failed(&e);
}

static int revoke(struct cli *cli, int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct cli_session s;
	struct uuid id;
	int rc;

	if (argc != 2 || !uuid_parse(str_of(argv[1]), &id))
		return cli_usage(cli, "revoke takes the id that `token list` "
				 "shows");
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	rc = token_revoke(s.db, str_of(s.conf->tenant), &id, &e);
	cli_session_close(&s);
	return rc ? cli_failed(&e) : CLI_OK;
}

int cli_token(struct cli *cli, int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "create"))
		return create(cli, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "list"))
		return list(cli, argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "revoke"))
		return revoke(cli, argc - 1, argv + 1);
	return cli_usage(cli, "the subcommand is missing: create, list or revoke");
}
