/* SPDX-License-Identifier: MIT */
/* lib/auth: the identity chain, policy, CSRF, as tables. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "auth/csrf.h"
#include "auth/identity.h"
#include "auth/saved.h"
#include "auth/policy.h"
#include "base/limits.h"
#include "base/log.h"
#include "unit.h"

#define GOOD "lamp_goodgoodgoodgoodgoodgoodgoodgoodgoodgoodgoo"

/* A request as pairs of parameter and value. */
struct fake {
	const char *pairs[24];
	int lookups;
};

static const char *fake_param(void *ctx, const char *name)
{
	const struct fake *f = ctx;

	for (size_t i = 0; i + 1 < ARRAY_LEN(f->pairs) && f->pairs[i]; i += 2)
		if (!strcmp(f->pairs[i], name))
			return f->pairs[i + 1];
	/* Of those who say nothing about it. */
	return !strcmp(name, "HTTP_HOST") ? "localhost" : NULL;
}

static int fake_lookup(void *ctx, struct str text, struct arena *a,
		       struct token_info *out, struct err *e)
{
	static const struct str groups[] = { { "it", 2 } };
	struct fake *f = ctx;

	(void)a;
	f->lookups++;
	if (str_is(text, "lamp_down"))
		return err_set(e, ERR_DB_DOWN, "no database");
	if (!str_is(text, GOOD))
		return err_set(e, ERR_UNAUTHENTICATED, "unknown token");
	*out = (struct token_info){ .login = STR("robot"), .groups = groups,
				    .n_groups = 1 };
	return 0;
}

static struct conf *load(const char *text)
{
	char path[] = "/tmp/lamplighter-auth-XXXXXX";
	int fd = mkstemp(path);
	struct err e = ERR_INIT;
	struct conf *c;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (long)strlen(text));
	close(fd);
	c = conf_load(path, &e);
	unlink(path);
	if (!c)
		fail_msg("%s", e.text);
	return c;
}

#define ROLES \
	"roles:\n" \
	"  user: {groups: ['*'], permissions: ['AIChat.*']}\n" \
	"  staff: {groups: [staff, it], permissions: " \
	"['AI.Chat.UseTool.query_data', 'AIChat.*']}\n" \
	"  admin: {groups: [it], permissions: ['*']}\n"

static const char full_chain[] =
	"identity:\n"
	"  tenant: acme\n"
	"  chain:\n"
	"    - kind: api_token\n"
	"    - {kind: remote_user, groups_param: REMOTE_GROUPS, "
	"proof_param: LAMPLIGHTER_AUTH}\n"
	"    - {kind: trusted_header, user_header: X-Remote-User, "
	"groups_header: X-Remote-Groups, from: [127.0.0.1, '10.0.0.0/8'], "
	"secret: 'correct horse battery'}\n"
	"    - {kind: trusted_header, user_header: X-Other-User, "
	"from: '::1', secret_header: X-Other-Secret, "
	"secret: 'another long secret'}\n"
	"    - {kind: anonymous, user: guest, name: A Guest, "
	"groups: [visitors]}\n"
	ROLES;

struct auth_case {
	const char *name;
	struct fake request;
	enum err_code code;	/* ERR_NONE = identified */
	enum conf_identity_kind kind;
	const char *login, *groups;	/* by blanks */
};

#define PROXY "REMOTE_ADDR", "127.0.0.1"
#define SECRET "HTTP_X_LAMPLIGHTER_SECRET", "correct horse battery"

static const struct auth_case cases[] = {
	{ "nobody", {{ "REMOTE_ADDR", "203.0.113.1" }, 0}, ERR_NONE,
	  IDENTITY_ANONYMOUS, "guest", "visitors" },
	/* api_token */
	{ "bearer", {{ "HTTP_AUTHORIZATION", "Bearer " GOOD }, 0}, ERR_NONE,
	  IDENTITY_API_TOKEN, "robot", "it" },
	{ "bearer in any case", {{ "HTTP_AUTHORIZATION", "bEARER   " GOOD " " }, 0},
	  ERR_NONE, IDENTITY_API_TOKEN, "robot", "it" },
	{ "own header", {{ "HTTP_X_API_TOKEN", GOOD }, 0}, ERR_NONE,
	  IDENTITY_API_TOKEN, "robot", "it" },
	{ "both, the same", {{ "HTTP_X_API_TOKEN", GOOD,
	  "HTTP_AUTHORIZATION", "Bearer " GOOD }, 0}, ERR_NONE,
	  IDENTITY_API_TOKEN, "robot", "it" },
	{ "both, different", {{ "HTTP_X_API_TOKEN", GOOD,
	  "HTTP_AUTHORIZATION", "Bearer lamp_other" }, 0}, ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "wrong token", {{ "HTTP_AUTHORIZATION", "Bearer lamp_bad" }, 0},
	  ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "no token behind Bearer", {{ "HTTP_AUTHORIZATION", "Bearer " }, 0},
	  ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "only Bearer", {{ "HTTP_AUTHORIZATION", "Bearer" }, 0},
	  ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "a wrong token beside REMOTE_USER", {{ "HTTP_X_API_TOKEN", "x",
	  "REMOTE_USER", "ada", "AUTH_TYPE", "Basic" }, 0}, ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "the database is down", {{ "HTTP_X_API_TOKEN", "lamp_down" }, 0},
	  ERR_DB_DOWN, 0, 0, 0 },
	{ "Basic is not ours", {{ "HTTP_AUTHORIZATION", "Basic YTpi" }, 0},
	  ERR_NONE, IDENTITY_ANONYMOUS, "guest", "visitors" },
	/* remote_user */
	{ "Basic by the web server", {{ "REMOTE_USER", "ada", "AUTH_TYPE", "Basic",
	  "REMOTE_GROUPS", "staff, hr  ,staff,," }, 0}, ERR_NONE,
	  IDENTITY_REMOTE_USER, "ada", "staff hr" },
	{ "nginx, unverified", {{ "REMOTE_USER", "admin",
	  "HTTP_AUTHORIZATION", "Basic YWRtaW46eA==" }, 0}, ERR_NONE,
	  IDENTITY_ANONYMOUS, "guest", "visitors" },
	{ "proof", {{ "REMOTE_USER", "ada", "LAMPLIGHTER_AUTH", "1" }, 0}, ERR_NONE,
	  IDENTITY_REMOTE_USER, "ada", "" },
	{ "proof of the contrary", {{ "REMOTE_USER", "ada",
	  "LAMPLIGHTER_AUTH", "0" }, 0}, ERR_NONE, IDENTITY_ANONYMOUS, "guest",
	  "visitors" },
	{ "a header is no proof", {{ "REMOTE_USER", "ada",
	  "HTTP_LAMPLIGHTER_AUTH", "1", "HTTP_AUTH_TYPE", "Basic" }, 0}, ERR_NONE,
	  IDENTITY_ANONYMOUS, "guest", "visitors" },
	{ "a header is no REMOTE_USER", {{ "HTTP_REMOTE_USER", "ada",
	  "AUTH_TYPE", "Basic" }, 0}, ERR_NONE, IDENTITY_ANONYMOUS, "guest",
	  "visitors" },
	{ "empty REMOTE_USER", {{ "REMOTE_USER", " ", "AUTH_TYPE", "Basic" }, 0},
	  ERR_NONE, IDENTITY_ANONYMOUS, "guest", "visitors" },
	{ "everyone's group is nobody's", {{ "REMOTE_USER", "ada",
	  "AUTH_TYPE", "Basic", "REMOTE_GROUPS", "* staff" }, 0}, ERR_NONE,
	  IDENTITY_REMOTE_USER, "ada", "staff" },
	{ "not text", {{ "REMOTE_USER", "a\xff", "AUTH_TYPE", "Basic" }, 0},
	  ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "control characters", {{ "REMOTE_USER", "a\nb", "AUTH_TYPE", "Basic" }, 0},
	  ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "the anonymous login", {{ "REMOTE_USER", "guest",
	  "AUTH_TYPE", "Basic" }, 0}, ERR_UNAUTHENTICATED, 0, 0, 0 },
	/* trusted_header */
	{ "proxy", {{ PROXY, SECRET, "HTTP_X_REMOTE_USER", "bob",
	  "HTTP_X_REMOTE_GROUPS", "staff" }, 0}, ERR_NONE,
	  IDENTITY_TRUSTED_HEADER, "bob", "staff" },
	{ "proxy in a network", {{ "REMOTE_ADDR", "10.9.8.7", SECRET,
	  "HTTP_X_REMOTE_USER", "bob", "HTTP_X_REMOTE_GROUPS", "" }, 0},
	  ERR_NONE, IDENTITY_TRUSTED_HEADER, "bob", "" },
	{ "proxy, no groups", {{ PROXY, SECRET, "HTTP_X_REMOTE_USER", "bob",
	  "HTTP_X_REMOTE_GROUPS", "-" }, 0}, ERR_NONE,
	  IDENTITY_TRUSTED_HEADER, "bob", "" },
	{ "proxy, groups header missing", {{ PROXY, SECRET,
	  "HTTP_X_REMOTE_USER", "bob" }, 0}, ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "guest of a strange host", {{ "HTTP_HOST", "evil.example" }, 0},
	  ERR_MISDIRECTED, 0, 0, 0 },
	{ "proxy, nobody signed in", {{ PROXY, SECRET }, 0}, ERR_NONE,
	  IDENTITY_ANONYMOUS, "guest", "visitors" },
	{ "proxy, wrong secret", {{ PROXY, "HTTP_X_LAMPLIGHTER_SECRET",
	  "correct horse batterx", "HTTP_X_REMOTE_USER", "bob" }, 0},
	  ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "proxy, no secret", {{ PROXY, "HTTP_X_REMOTE_USER", "bob" }, 0},
	  ERR_UNAUTHENTICATED, 0, 0, 0 },
	{ "another address", {{ "REMOTE_ADDR", "203.0.113.1", SECRET,
	  "HTTP_X_REMOTE_USER", "admin" }, 0}, ERR_NONE, IDENTITY_ANONYMOUS,
	  "guest", "visitors" },
	{ "no address", {{ SECRET, "HTTP_X_REMOTE_USER", "admin" }, 0}, ERR_NONE,
	  IDENTITY_ANONYMOUS, "guest", "visitors" },
	{ "the second proxy", {{ "REMOTE_ADDR", "::1",
	  "HTTP_X_OTHER_SECRET", "another long secret",
	  "HTTP_X_OTHER_USER", "eve" }, 0}, ERR_NONE, IDENTITY_TRUSTED_HEADER,
	  "eve", "" },
};

static void join_groups(const struct identity *who, struct buf *out)
{
	buf_reset(out);
	for (size_t i = 0; i < who->n_groups; i++) {
		if (i)
			buf_addc(out, ' ');
		buf_addstr(out, who->groups[i]);
	}
}

static void chain_table(void **state)
{
	struct conf *c = load(full_chain);
	struct buf groups = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct auth_case *k = &cases[i];
		struct fake f = k->request;
		struct auth_request rq = { .param = fake_param,
			.token_lookup = fake_lookup, .ctx = &f };
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct identity who;
		int rc = identity_resolve(c, &rq, &a, &who, &e);

		if (rc != (k->code ? -1 : 0) || e.code != k->code)
			fail_msg("%s: code %d, %s", k->name, e.code, e.text);
		if (!rc) {
			join_groups(&who, &groups);
			if (who.kind != k->kind || !str_is(who.login, k->login) ||
			    strcmp(groups.p, k->groups))
				fail_msg("%s: %s %.*s [%s]", k->name,
					 identity_kind_name(who.kind),
					 STR_ARG(who.login), groups.p);
			struct uuid id = uuid_of_name(STR("acme"), who.login);

			assert_true(uuid_eq(&id, &who.user_id));
			assert_int_equal(strlen(who.user_id_text), 36);
			assert_str_is(who.tenant, "acme");
		}
		arena_release(&a);
	}
	buf_release(&groups);
	conf_put(c);
}

/* Without the links in the chain nothing of this counts. */
static void only_what_is_in_the_chain(void **state)
{
	struct conf *c = load("{}\n");
	static const struct fake requests[] = {
		{{ "REMOTE_USER", "ada", "AUTH_TYPE", "Basic" }, 0},
		{{ PROXY, SECRET, "HTTP_X_REMOTE_USER", "bob" }, 0},
		{{ NULL }, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(requests); i++) {
		struct fake f = requests[i];
		struct auth_request rq = { .param = fake_param,
			.token_lookup = fake_lookup, .ctx = &f };
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct identity who;

		assert_int_equal(identity_resolve(c, &rq, &a, &who, &e), -1);
		assert_int_equal(e.code, ERR_UNAUTHENTICATED);
		arena_release(&a);
	}
	conf_put(c);
}

static void too_many_groups_are_cut(void **state)
{
	struct conf *c = load("{}\n");
	struct str groups[LIM_GROUPS + 10];
	char names[LIM_GROUPS + 10][8];
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct identity who;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
		snprintf(names[i], sizeof(names[i]), "g%zu", i);
		groups[i] = str_of(names[i]);
	}
	assert_int_equal(identity_make(c, IDENTITY_REMOTE_USER, STR("x"),
				       STR(""), groups, ARRAY_LEN(groups), &a,
				       &who, &e), 0);
	assert_int_equal(who.n_groups, LIM_GROUPS);
	assert_str_is(who.name, "x");
	char long_login[LIM_USER_BYTES + 2];

	memset(long_login, 'a', sizeof(long_login));
	assert_int_equal(identity_make(c, IDENTITY_REMOTE_USER,
				       (struct str){ long_login,
						     LIM_USER_BYTES + 1 },
				       STR(""), NULL, 0, &a, &who, &e), -1);
	assert_int_equal(e.code, ERR_UNAUTHENTICATED);
	arena_release(&a);
	conf_put(c);
}

/* What is kept of an identity, and what becomes of it in another configuration. */
static void kept_identities(void **state)
{
	static const char before[] =
		"identity:\n  chain:\n    - {kind: api_token}\n    - {kind: remote_user}\n"
		"groups: {it: [ada]}\n" ROLES;
	static const char after[] =
		"identity:\n  chain:\n    - {kind: remote_user}\n" ROLES;
	static const char no_kind[] = "identity:\n  chain:\n    - {kind: api_token}\n" ROLES;
	struct str given[] = { STR("staff"), STR("it") };
	const struct conf *c = load(before), *later = load(after);
	const struct conf *none = load(no_kind);
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct identity who, out;
	struct str kept;

	(void)state;
	assert_int_equal(identity_make(c, IDENTITY_REMOTE_USER, STR("ada"), STR("Ada L."),
				       given, 2, &a, &who, &e), 0);
	kept = identity_save(c, &who, &a);
	assert_str_is(kept, "{\"kind\":\"remote_user\",\"login\":\"ada\",\"name\":\"Ada L.\","
		      "\"groups\":[\"staff\"]}");
	assert_int_equal(identity_restore(c, kept, &a, &out, &e), 0);
	assert_true(uuid_eq(&out.user_id, &who.user_id));
	assert_int_equal(out.n_groups, 2);
	assert_int_equal(out.n_roles, who.n_roles);
	/* The configuration took a group away. */
	assert_int_equal(identity_restore(later, kept, &a, &out, &e), 0);
	assert_int_equal(out.n_groups, 1);
	assert_str_is(out.groups[0], "staff");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(identity_restore(i ? none : c, i ? kept : STR("{}"), &a, &out, &e),
				 -1);
		assert_int_equal(e.code, ERR_UNAUTHENTICATED);
		err_clear(&e);
	}
	who.kind = IDENTITY_API_TOKEN;
	assert_null(identity_save(c, &who, &a).p);
	arena_release(&a);
	conf_put(c);
	conf_put(later);
	conf_put(none);
}

static const char own_groups[] =
	"identity:\n"
	"  chain:\n"
	"    - {kind: api_token}\n"
	"    - {kind: remote_user, groups_param: REMOTE_GROUPS}\n"
	"groups: {it: [alice, '1234'], Office Staff: {members: bob}}\n"
	ROLES;

/* Groups of the configuration are added to those of the link, but not to a token's. */
static void groups_of_the_configuration(void **state)
{
	static const struct {
		enum conf_identity_kind kind;
		const char *login, *groups;
	} t[] = {
		{ IDENTITY_REMOTE_USER, "alice", "it staff" },
		{ IDENTITY_TRUSTED_HEADER, "1234", "it staff" },
		{ IDENTITY_REMOTE_USER, "bob", "Office Staff staff" },
		{ IDENTITY_REMOTE_USER, "Alice", "staff" },
		{ IDENTITY_REMOTE_USER, "*", "staff" },
		{ IDENTITY_API_TOKEN, "alice", "staff" },
	};
	const struct str staff[] = { STR("staff") };
	struct conf *c = load(own_groups);
	struct buf groups = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct identity who;

		assert_int_equal(identity_make(c, t[i].kind, str_of(t[i].login),
					       STR(""), staff, 1, &a, &who, &e), 0);
		join_groups(&who, &groups);
		assert_string_equal(groups.p, t[i].groups);
		assert_int_equal(strstr(t[i].groups, "it") != NULL,
				 policy_may(&who, PERM_ADMIN_DOCTOR));
		arena_release(&a);
	}
	buf_release(&groups);
	conf_put(c);
}

/* One user, however the login is typed: as directories compare them. */
static void logins_that_differ_in_case(void **state)
{
	static const char *const same[][2] = {
		{ "anna.beispiel", "Anna.Beispiel" },
		{ "jörg.öztürk", "JÖRG.Öztürk" },
		{ "анна", "АННА" },
		{ "σοφία", "Σοφία" },
		{ "ann@example.org", "Ann@EXAMPLE.ORG" },
	};
	struct conf *keep = load("{}\n");
	struct conf *lower = load(
		"identity:\n  login_case: lower\n"
		"  chain: [{kind: remote_user}, {kind: anonymous, user: GAST}]\n"
		"groups: {it: [Anna.Beispiel]}\n"
		"trusted_prompts: {users: [Anna.Beispiel]}\n");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(same); i++) {
		struct arena a = ARENA_INIT;
		struct err e = ERR_INIT;
		struct identity as[2], typed[2];

		for (int k = 0; k < 2; k++) {
			struct str login = str_of(same[i][k]);

			assert_int_equal(identity_make(keep, IDENTITY_REMOTE_USER,
				login, login, NULL, 0, &a, &typed[k], &e), 0);
			assert_int_equal(identity_make(lower, IDENTITY_REMOTE_USER,
				login, login, NULL, 0, &a, &as[k], &e), 0);
			assert_str_is(as[k].login, same[i][0]);
			assert_str_is(as[k].name, same[i][0]);
			assert_int_equal(as[k].n_groups, i == 0);
		}
		assert_true(uuid_eq(&as[0].user_id, &as[1].user_id));
		assert_true(uuid_eq(&as[0].user_id, &typed[0].user_id));
		assert_false(uuid_eq(&typed[0].user_id, &typed[1].user_id));
		arena_release(&a);
	}
	assert_string_equal(lower->chain[1].user, "gast");
	assert_string_equal(lower->trusted.users.v[0], "anna.beispiel");
	conf_put(keep);
	conf_put(lower);
}

/* -- policy --------------------------------------------------------------------- */

static void patterns(void **state)
{
	static const struct {
		const char *pattern, *name;
		bool covers;
	} t[] = {
		{ "*", "AIChat.Chat.Send", true },
		{ "AIChat.*", "AIChat.Chat.Send", true },
		{ "AIChat.Chat.*", "AIChat.Chat.Send", true },
		{ "AIChat.Chat.Send", "AIChat.Chat.Send", true },
		{ "AIChat.Chat", "AIChat.Chat.Send", false },
		{ "AIChat.Chat.Send", "AIChat.Chat", false },
		{ "AIChat.Chat.*", "AIChat.Chat", false },
		{ "AIChat.*", "AI.Chat.UseTool.x", false },
		{ "AIChat.*", "AI.Tokens.Write", false },
		{ "aichat.*", "AIChat.Chat.Send", false },
		{ "", "AIChat.Chat.Send", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++)
		if (policy_covers(str_of(t[i].pattern), str_of(t[i].name)) !=
		    t[i].covers)
			fail_msg("%s on %s", t[i].pattern, t[i].name);
}

static void make(const struct conf *c, const char *group, struct arena *a,
		 struct identity *who)
{
	struct str g = str_of(group);
	struct err e = ERR_INIT;

	assert_int_equal(identity_make(c, IDENTITY_REMOTE_USER, STR("ada"),
				       STR("Ada"), &g, 1, a, who, &e), 0);
}

/* How many of the table's permissions a pattern gives. */
static size_t covered(const char *pattern)
{
	size_t n = 0;

	for (size_t i = 0; i < PERM__MAX; i++)
		n += policy_covers(str_of(pattern),
				   str_of(permission_rows[i].name));
	return n;
}

static void roles_give_permissions(void **state)
{
	struct conf *c = load(ROLES);
	struct arena a = ARENA_INIT;
	const struct str *names;
	struct identity who;
	size_t n;

	(void)state;
	make(c, "other", &a, &who);
	assert_int_equal(who.n_roles, 1);
	assert_true(policy_may(&who, PERM_CHAT_SEND));
	assert_true(policy_allows(&who, "AIChat.Conversations.Read"));
	assert_false(policy_allows(&who, "Admin.All"));
	assert_false(policy_may_use_tool(&who, "query_data"));
	policy_names(&who, &a, &names, &n);
	assert_int_equal(n, covered("AIChat.*"));
	/* What everybody commonly has is not what admins have. */
	assert_false(policy_may(&who, PERM_ADMIN_DOCTOR));

	make(c, "staff", &a, &who);
	assert_int_equal(who.n_roles, 2);
	assert_int_equal(who.n_grants, 2);	/* AIChat.* once */
	assert_true(policy_may_use_tool(&who, "query_data"));
	assert_false(policy_may_use_tool(&who, "query_data2"));
	policy_names(&who, &a, &names, &n);
	assert_int_equal(n, covered("AIChat.*") + 1);
	assert_str_is(names[n - 1], "AI.Chat.UseTool.query_data");

	make(c, "it", &a, &who);
	assert_true(policy_allows(&who, "Admin.All"));
	assert_true(policy_may_use_tool(&who, "anything"));
	policy_names(&who, &a, &names, &n);
	assert_str_is(names[n - 1], "AI.Chat.UseTool.*");
	arena_release(&a);
	conf_put(c);

	c = load("roles: {}\n");
	make(c, "it", &a, &who);
	assert_int_equal(who.n_grants, 0);
	for (int i = 0; i < PERM__MAX; i++)
		assert_false(policy_may(&who, (enum permission)i));
	arena_release(&a);
	conf_put(c);
}

static void groups_see(void **state)
{
	struct conf *c = load("{}\n");
	const char *all[] = { "*" }, *some[] = { "hr", "staff" };
	struct conf_list none = { NULL, 0 };
	struct conf_list everyone = { all, 1 }, two = { some, 2 };
	struct arena a = ARENA_INIT;
	struct identity who;

	(void)state;
	make(c, "staff", &a, &who);
	assert_true(policy_in_groups(&who, &none));
	assert_true(policy_in_groups(&who, &everyone));
	assert_true(policy_in_groups(&who, &two));
	make(c, "sta", &a, &who);
	assert_true(policy_in_groups(&who, &everyone));
	assert_false(policy_in_groups(&who, &two));
	arena_release(&a);
	conf_put(c);
}

static void idle_permissions_are_found(void **state)
{
	struct conf *c = load("roles:\n"
		"  a: {permissions: [AIChat.Conversation.Read, AIChat.*, '*', "
		"AI.*, AI.Chat.UseTool.x, AI.Chat.UseTool.*, AIChat.Nope.*]}\n");
	struct buf out = BUF_INIT(4096);

	(void)state;
	assert_int_equal(policy_check(c, &out), 2);
	assert_non_null(strstr(out.p, "AIChat.Conversation.Read"));
	assert_non_null(strstr(out.p, "AIChat.Nope.*"));
	buf_release(&out);
	conf_put(c);
}

/* -- CSRF ----------------------------------------------------------------------- */

static void csrf_table(void **state)
{
	static const struct {
		const char *site, *origin, *host, *port, *with, *configured;
		enum csrf_evidence want;
	} t[] = {
		/* Sec-Fetch-Site */
		{ "same-origin", 0, 0, 0, 0, "", CSRF_OURS },
		{ "none", 0, 0, 0, 0, "", CSRF_OURS },
		{ "same-site", 0, 0, 0, 0, "", CSRF_FOREIGN },
		{ "cross-site", 0, 0, 0, 0, "", CSRF_FOREIGN },
		{ "Same-Origin", 0, 0, 0, 0, "", CSRF_FOREIGN },
		{ "cross-site", 0, 0, 0, "XMLHttpRequest", "", CSRF_FOREIGN },
		{ "same-origin", "https://b.example", "a.example", 0, 0, "",
		  CSRF_OURS },
		/* a configured origin goes first */
		{ "cross-site", "https://b.example", 0, 0, 0,
		  "https://b.example", CSRF_OURS },
		{ "same-site", "https://B.example", 0, 0, 0,
		  "https://b.example", CSRF_OURS },
		{ "cross-site", "https://c.example", 0, 0, 0,
		  "https://b.example", CSRF_FOREIGN },
		{ 0, "https://b.example", "inner:8080", 0, 0,
		  "https://b.example", CSRF_OURS },
		{ 0, "http://inner:8080", "inner:8080", 0, 0,
		  "https://b.example", CSRF_FOREIGN },
		/* Origin and Host, over plain HTTP */
		{ 0, "http://a.example", "a.example", "80", 0, "", CSRF_OURS },
		{ 0, "http://A.example", "a.EXAMPLE", "80", 0, "", CSRF_OURS },
		{ 0, "http://a.example", "a.example:80", 0, 0, "", CSRF_OURS },
		{ 0, "http://a.example:8080", "a.example:8080", 0, 0, "",
		  CSRF_OURS },
		{ 0, "http://a.example:8080", "a.example", "8080", 0, "",
		  CSRF_OURS },
		{ 0, "http://a.example:8081", "a.example", "8080", 0, "",
		  CSRF_FOREIGN },
		{ 0, "http://a.example:8081", "a.example:8080", 0, 0, "",
		  CSRF_FOREIGN },
		{ 0, "https://a.example", "a.example", "443", 0, "", CSRF_OURS },
		{ 0, "http://[::1]:8080", "[::1]:8080", 0, 0, "", CSRF_OURS },
		{ 0, "http://[::1]", "[::1]", "80", 0, "", CSRF_OURS },
		{ 0, "http://b.example", "a.example", "80", 0, "", CSRF_FOREIGN },
		{ 0, "http://a.example.evil", "a.example", "80", 0, "",
		  CSRF_FOREIGN },
		{ 0, "http://evil@a.example", "a.example", "80", 0, "",
		  CSRF_FOREIGN },
		{ 0, "null", "a.example", "80", 0, "", CSRF_FOREIGN },
		{ 0, "file://", "", "80", 0, "", CSRF_FOREIGN },
		{ 0, "http://", "", "80", 0, "", CSRF_FOREIGN },
		{ 0, "chrome-extension://a.example", "a.example", 0, 0, "",
		  CSRF_FOREIGN },
		{ 0, "http://a.example", 0, "80", 0, "", CSRF_FOREIGN },
		{ 0, "http://b.example", "a.example", 0, "XMLHttpRequest", "",
		  CSRF_FOREIGN },
		/* no browser */
		{ 0, 0, "a.example", "80", 0, "", CSRF_NONE },
		{ 0, 0, "a.example", "80", "curl", "", CSRF_OURS },
		{ 0, 0, 0, 0, 0, "https://b.example", CSRF_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		struct fake f = {{ "HTTP_SEC_FETCH_SITE", t[i].site,
			"HTTP_ORIGIN", t[i].origin, "HTTP_HOST", t[i].host,
			"SERVER_PORT", t[i].port,
			"HTTP_X_REQUESTED_WITH", t[i].with }, 0};
		struct auth_request rq = { .param = fake_param, .ctx = &f };

		if (csrf_evidence(&rq, t[i].configured) != t[i].want)
			fail_msg("row %zu", i);
	}
}

static void csrf_by_kind(void **state)
{
	static const struct {
		enum conf_identity_kind kind;
		bool none, ours, foreign;	/* whether it may continue */
	} t[] = {
		{ IDENTITY_API_TOKEN, true, true, true },
		{ IDENTITY_REMOTE_USER, false, true, false },
		{ IDENTITY_TRUSTED_HEADER, false, true, false },
		{ IDENTITY_SESSION_SQL, false, true, false },
		{ IDENTITY_JWT, false, true, false },
		{ IDENTITY_ANONYMOUS, true, true, false },
	};
	struct conf *c = load("{}\n");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(t); i++) {
		static const char *const sites[] = {
			NULL, "same-origin", "cross-site",
		};
		const bool want[] = { t[i].none, t[i].ours, t[i].foreign };
		struct identity who = { .kind = t[i].kind };

		for (int k = 0; k < 3; k++) {
			struct fake f = {{ "HTTP_SEC_FETCH_SITE", sites[k] }, 0};
			struct auth_request rq = { .param = fake_param,
						   .ctx = &f };
			struct err e = ERR_INIT;
			bool on = !csrf_check(c, &who, &rq, &e);

			if (on != want[k])
				fail_msg("%s, %s", identity_kind_name(t[i].kind),
					 sites[k] ? sites[k] : "nothing");
			assert_int_equal(e.code, on ? ERR_NONE : ERR_CSRF);
		}
	}
	conf_put(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chain_table),
		cmocka_unit_test(only_what_is_in_the_chain),
		cmocka_unit_test(too_many_groups_are_cut),
		cmocka_unit_test(kept_identities),
		cmocka_unit_test(groups_of_the_configuration),
		cmocka_unit_test(logins_that_differ_in_case),
		cmocka_unit_test(patterns),
		cmocka_unit_test(roles_give_permissions),
		cmocka_unit_test(groups_see),
		cmocka_unit_test(idle_permissions_are_found),
		cmocka_unit_test(csrf_table),
		cmocka_unit_test(csrf_by_kind),
	};

	log_setup(LOG_LVL_ERROR, LOG_TO_STDERR);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
