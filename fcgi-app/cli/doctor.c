/* SPDX-License-Identifier: MIT */
/* doctor: what works in a deployment, what does not, and how to fix it. */
#include <getopt.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "auth/policy.h"
#include "base/clock.h"
#include "base/paths.h"
#include "cli.h"
#include "db/db.h"
#include "doctor/doctor.h"
#include "measure.h"
#include "net/http.h"
#include "store/token.h"
#include "tool/core/tool.h"

#include "base/banned.h"

#define LOGIN    "lamplighter-doctor"
#define TOKEN_US (10LL * 60 * 1000000)	/* it is revoked earlier */

struct doctor_options {
	const char *url, *user;
	bool json;
};

static int read_options(struct cli *cli, int argc, char **argv,
			struct doctor_options *o)
{
	static const struct option longs[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "user", required_argument, NULL, 'u' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*o = (struct doctor_options){ .url = NULL };
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'j')
			o->json = true;
		else if (c == 'u')
			o->user = optarg;
		else
			return cli_usage(cli, "invalid option");
	}
	if (optind < argc)
		o->url = argv[optind++];
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	if (o->url && strncasecmp(o->url, "http://", 7) &&
	    strncasecmp(o->url, "https://", 8))
		return cli_usage(cli, "URL must begin with http:// or https://");
	if (o->user && !o->url)
		return cli_usage(cli, "--user needs a URL");
	if (o->url && strpbrk(o->url, "?#"))
		return cli_usage(cli, "URL must be the address of the page, without ? and #");
	if (o->user && strchr(o->user, ':'))
		return cli_usage(cli, "NAME must not contain a colon");
	if (o->user && !getenv("LAMPLIGHTER_PASSWORD"))
		return cli_usage(cli, "--user needs the password in "
				 "$LAMPLIGHTER_PASSWORD");
	return CLI_OK;
}

/* Blanks as in addresses, and no slash at the end. */
static const char *clean_url(struct arena *a, const char *url)
{
	struct buf b = BUF_INIT(8192);
	const char *out;

	for (const char *p = url; *p; p++) {
		if (*p == ' ')
			buf_adds(&b, "%20");
		else
			buf_addc(&b, *p);
	}
	while (b.n && b.p[b.n - 1] == '/')
		b.p[--b.n] = '\0';
	out = arena_strdup(a, b.p);
	buf_release(&b);
	return out;
}

/* The path of a URL, as configurations write it. */
static const char *base_of(struct arena *a, const char *url)
{
	const char *slash = strchr(strstr(url, "://") + 3, '/');
	struct buf b = BUF_INIT(8192);
	const char *out;

	for (const char *p = slash ? slash : ""; *p; p++) {
		int high = *p == '%' ? hex_digit(p[1]) : -1;
		int low = high >= 0 ? hex_digit(p[2]) : -1;

		if (low >= 0) {
			buf_addc(&b, (char)(high << 4 | low));
			p += 2;
		} else {
			buf_addc(&b, *p);
		}
	}
	out = arena_strdup(a, b.p);
	buf_release(&b);
	return out;
}

static const char *basic_header(struct arena *a, const char *user)
{
	const char *password = getenv("LAMPLIGHTER_PASSWORD");
	char *plain = arena_printf(a, "%s:%s", user, password);
	size_t n = sodium_base64_ENCODED_LEN(strlen(plain),
					     sodium_base64_VARIANT_ORIGINAL);
	char *text = arena_alloc(a, n);

	sodium_bin2base64(text, n, (const unsigned char *)plain, strlen(plain),
			  sodium_base64_VARIANT_ORIGINAL);
	return arena_printf(a, "Authorization: Basic %s", text);
}

/* -- our token -------------------------------------------------------------------- */

/* A group that may do what doctor needs; "" = everybody may; NULL: nobody. */
static const char *group_for(const struct conf *c)
{
	const char *want = permission_rows[PERM_ADMIN_DOCTOR].name;

	for (size_t i = 0; i < c->n_roles; i++) {
		const struct conf_role *r = &c->roles[i];

		for (size_t k = 0; k < r->permissions.n; k++)
			if (r->groups.n && policy_covers(
					str_of(r->permissions.v[k]),
					str_of(want)))
				return strcmp(r->groups.v[0], "*")
					? r->groups.v[0] : "";
	}
	return NULL;
}

static bool takes_tokens(const struct conf *c)
{
	for (size_t i = 0; i < c->n_chain; i++)
		if (c->chain[i].kind == IDENTITY_API_TOKEN)
			return true;
	return false;
}

/* The header with a token for the responder's routes; NULL: there is none. */
static const char *make_token(struct cli_session *s, struct doctor *d,
			      struct uuid *id)
{
	const char *group = group_for(s->conf);
	json_auto_t *groups = json_array();
	char text[TOKEN_TEXT_BYTES];
	struct err e = ERR_INIT;
	struct token_new n = {
		.tenant_id = str_of(s->conf->tenant), .login = STR(LOGIN),
		.name = STR("doctor"),
		.expires_us = clock_now_us() + TOKEN_US,
	};

	if (!takes_tokens(s->conf)) {
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_WARNING, "",
			   "identity: {chain: [{kind: api_token}, …]}"
			   "   # in lamplighter.yaml",
			   "The identity chain accepts no API tokens. Without one "
			   "or --user, doctor cannot check streams and "
			   "bodies.");
		return NULL;
	}
	if (!group) {
		doctor_add(d, DOCTOR_TOKEN, DOCTOR_WARNING, "",
			   arena_printf(&s->arena, "roles: {admin: {groups: "
					"[it], permissions: [\"%s\"]}}"
					"   # in lamplighter.yaml",
					permission_rows[PERM_ADMIN_DOCTOR].name),
			   "No role has the permission that doctor needs: "
			   "streams and bodies cannot be checked.");
		return NULL;
	}
	if (*group)
		json_array_append_new(groups, json_string(group));
	n.groups = str_of(jx_text(&s->arena, groups));
	if (token_create(s->db, &n, text, id, &e) < 0)
		return NULL;	/* the database is checked anyway */
	return arena_printf(&s->arena, "Authorization: Bearer %s", text);
}

/* -- the report -------------------------------------------------------------------- */

static void print_lines(const char *s)
{
	struct str rest = str_of(s);

	while (rest.n) {
		struct str line = str_cut(&rest, '\n');

		printf("             %.*s\n", STR_ARG(line));
	}
}

static void print_report(const json_t *report, const char *where)
{
	static const struct {
		const char *result, *shown;
	} words[] = { { "ok", "ok" }, { "warning", "WARNING" },
		      { "problem", "PROBLEM" } };
	const json_t *item;
	size_t i;

	printf("%s  (%.*s%s%s)\n\n", where, STR_ARG(jx_str(report, "front")),
	       jx_str(report, "front").n ? " in front of " : "",
	       json_string_value(json_object_get(report, "server")));
	json_array_foreach(jx_arr(report, "items"), i, item) {
		struct str result = jx_str(item, "result");
		struct str subject = jx_str(item, "subject");
		const char *word = "?";

		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			if (str_is(result, words[k].result))
				word = words[k].shown;
		printf("%-8s %s%s%.*s: %.*s\n", word,
		       json_string_value(json_object_get(item, "check")),
		       subject.n ? " " : "", STR_ARG(subject),
		       STR_ARG(jx_str(item, "text")));
		print_lines(json_string_value(json_object_get(item, "advice")));
	}
}

static int finish(const json_t *report, const struct doctor_options *o)
{
	struct str result = jx_str(report, "result");

	if (o->json) {
		struct buf b = BUF_INIT(CLI_OUT_BYTES);

		jx_dump(&b, report);
		buf_addc(&b, '\n');
		(void)cli_print(&b);
	} else {
		print_report(report, o->url ? o->url : "from this machine");
	}
	return str_is(result, "ok") ? 0 : str_is(result, "warning") ? 1 : 2;
}

/* Without the responder: all checks are made from here. */
static json_t *own_report(struct cli_session *s, struct doctor *d,
			  const json_t *measured)
{
	const char *env = getenv("LAMPLIGHTER_SQL_DIR");
	struct buf b = BUF_INIT(CLI_OUT_BYTES);
	struct err ignored = ERR_INIT;
	const struct doctor_inside in = {
		.db = s->db, .http = s->http, .tools = s->tools,
		.sql_dir = env && *env ? env : LAMPLIGHTER_DATADIR "/sql",
	};
	struct jw w = jw_on(&b);
	json_t *report;

	doctor_judge(d, measured);
	doctor_look(d, &in);
	doctor_write(d, &w);
	report = jx_keep(&s->arena, jx_load(buf_str(&b), &ignored));
	buf_release(&b);
	return report;
}

static bool answered(const json_t *measured)
{
	const json_t *reach = jx_obj(measured, "reach");

	return jx_bool(reach, "ours", false) || jx_bool(reach, "problem", false);
}

static json_t *through(struct cli_session *s, struct doctor *d,
		       const struct doctor_options *o)
{
	struct measure m = {
		.http = s->http, .arena = &s->arena, .conf = s->conf,
		.url = o->url,
		.basic = o->user ? basic_header(&s->arena, o->user) : NULL,
	};
	struct err ignored = ERR_INIT;
	json_t *report;
	struct uuid id;
	int status;

	m.bearer = make_token(s, d, &id);
	measure_all(&m);
	report = measure_report(&m, &status);
	if (m.bearer)
		(void)!token_revoke(s->db, str_of(s->conf->tenant), &id,
				    &ignored);
	if (report)
		return report;
	d->base = base_of(&s->arena, m.url);
	doctor_name_servers(d, str_of(m.server), STR(""), false, GATEWAY_UNKNOWN);
	doctor_add(d, DOCTOR_BASE, DOCTOR_WARNING, "", "", status
		   ? "The responder refused the request (%d). The rest was "
		     "checked from here, with this user's rights."
		   : answered(m.measured)
		   ? "The responder answers, but accepts neither the token nor "
		     "the sign-in. The rest was checked from here, with this "
		     "user's rights."
		   : "The responder could not be reached. The rest was "
		     "checked from here, with this user's rights.", status);
	return own_report(s, d, m.measured);
}

int cli_doctor(struct cli *cli, int argc, char **argv)
{
	struct doctor_options o;
	struct cli_session s;
	struct doctor *d;
	json_t *report;
	int rc = read_options(cli, argc, argv, &o);

	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&s, cli))
		return CLI_USAGE;	/* a problem, as its exit status says */
	if (cli_session_tools(&s)) {
		cli_session_close(&s);
		return CLI_USAGE;
	}
	d = arena_new(&s.arena, struct doctor);
	d->arena = &s.arena;
	d->conf = s.conf;
	d->web = WEB_OTHER;
	d->base = "";
	if (o.url)
		o.url = clean_url(&s.arena, o.url);
	report = o.url ? through(&s, d, &o)
		: own_report(&s, d, NULL);
	rc = finish(report, &o);
	cli_session_close(&s);
	return rc;
}
