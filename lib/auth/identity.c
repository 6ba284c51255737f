/* SPDX-License-Identifier: MIT */
#include "auth/identity.h"

#include <sodium.h>
#include <stdio.h>
#include <strings.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "conf/addr.h"

#include "base/banned.h"

enum found {
	FOUND_NOTHING,	/* no credential of this kind: ask the next link */
	FOUND,		/* identity is filled */
	FOUND_WRONG,	/* refused; the error is set */
};

/* What a link works with. */
struct chain {
	const struct conf *c;
	const struct auth_request *rq;
	struct arena *a;
	struct identity *out;
	struct err *e;
};

/* -- from parts to an identity -------------------------------------------------- */

static bool clean(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
			return false;
	return utf8_valid(s);
}

static bool has(const struct str *v, size_t n, struct str s)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(v[i], s))
			return true;
	return false;
}

/* False: there are as many as a caller may have. */
static bool add_group(struct arena *a, struct identity *out, struct str *v,
		      struct str group)
{
	/* "*" is everyone and can be nobody's group */
	if (!group.n || !clean(group) || str_is(group, "*") ||
	    has(v, out->n_groups, group))
		return true;
	if (out->n_groups == LIM_GROUPS) {
		log_warn("too many groups, the rest is ignored",
			 "user", out->user_id_text);
		return false;
	}
	v[out->n_groups++] = arena_str(a, group);
	return true;
}

/*
 * Those of the link, and those of the configuration; a token has only what it was
 * made with.
 */
static void set_groups(const struct conf *c, struct arena *a,
		       struct identity *out, const struct str *groups, size_t n)
{
	size_t more = out->kind == IDENTITY_API_TOKEN ? 0 : c->n_groups;
	struct str *v = arena_zalloc(a, MIN(n + more, LIM_GROUPS) + 1, sizeof(*v));
	bool room = true;

	out->groups = v;
	for (size_t i = 0; i < more && room; i++)
		if (conf_list_has(&c->groups[i].members, out->login))
			room = add_group(a, out, v, str_of(c->groups[i].group));
	for (size_t i = 0; i < n && room; i++)
		room = add_group(a, out, v, groups[i]);
}

static bool has_role(const struct identity *who, const struct conf_role *r)
{
	for (size_t i = 0; i < r->groups.n; i++) {
		struct str group = str_of(r->groups.v[i]);

		if (str_is(group, "*") || has(who->groups, who->n_groups, group))
			return true;
	}
	return false;
}

/* Roles by groups, grants by roles. */
static void set_roles(const struct conf *c, struct arena *a,
		      struct identity *out)
{
	size_t n = 0;
	struct str *roles, *grants;

	for (size_t i = 0; i < c->n_roles; i++)
		n += c->roles[i].permissions.n;
	out->roles = roles = arena_zalloc(a, c->n_roles + 1, sizeof(*roles));
	out->grants = grants = arena_zalloc(a, n + 1, sizeof(*grants));
	for (size_t i = 0; i < c->n_roles; i++) {
		const struct conf_role *r = &c->roles[i];

		if (!has_role(out, r))
			continue;
		roles[out->n_roles++] = str_of(r->id);
		for (size_t k = 0; k < r->permissions.n; k++) {
			struct str g = str_of(r->permissions.v[k]);

			if (!has(grants, out->n_grants, g))
				grants[out->n_grants++] = g;
		}
	}
}

struct str identity_login(const struct conf *c, struct str login, struct arena *a)
{
	struct buf b = BUF_INIT(4 * login.n + 1);
	struct str out;

	if (c->login_case != LOGIN_CASE_LOWER)
		return arena_str(a, login);
	utf8_lower(&b, login);
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

int identity_make(const struct conf *c, enum conf_identity_kind kind,
		  struct str login, struct str name, const struct str *groups,
		  size_t n_groups, struct arena *a, struct identity *out,
		  struct err *e)
{
	if (!login.n || login.n > LIM_USER_BYTES || !clean(login))
		return err_set(e, ERR_UNAUTHENTICATED,
			       "%s: the login is empty, too long or not text",
			       identity_kind_name(kind));
	*out = (struct identity){
		.tenant = str_of(c->tenant),
		.login = identity_login(c, login, a),
		.kind = kind,
	};
	out->name = name.n && name.n <= 4 * LIM_USER_BYTES && clean(name) &&
		!str_eq(name, login) ? arena_str(a, name) : out->login;
	out->user_id = uuid_of_name(out->tenant, out->login);
	uuid_format(&out->user_id, out->user_id_text);
	set_groups(c, a, out, groups, n_groups);
	set_roles(c, a, out);
	return 0;
}

/* -- what links share ----------------------------------------------------------- */

/* A parameter, trimmed; empty when it is absent. */
static struct str param(const struct chain *k, const char *name)
{
	return str_trim(str_of(k->rq->param(k->rq->ctx, name)));
}

/* The parameter of a request header: X-Remote-User -> HTTP_X_REMOTE_USER. */
static const char *header_param(const struct chain *k, const char *name)
{
	char cgi[160];
	int n = snprintf(cgi, sizeof(cgi), "HTTP_%s", name);

	if (n <= 5 || n >= (int)sizeof(cgi))
		return NULL;
	for (char *p = cgi + 5; *p; p++)
		*p = *p == '-' ? '_'
			: *p >= 'a' && *p <= 'z' ? (char)(*p - 32) : *p;
	return k->rq->param(k->rq->ctx, cgi);
}

/* Trimmed; empty when it is absent. */
static struct str header(const struct chain *k, const char *name)
{
	return str_trim(str_of(header_param(k, name)));
}

static bool header_there(const struct chain *k, const char *name)
{
	return header_param(k, name) != NULL;
}

/* Groups by commas and blanks, "-" is none; in the arena. */
static struct str *split_groups(const struct chain *k, struct str s, size_t *n)
{
	struct str *v = arena_zalloc(k->a, s.n / 2 + 2, sizeof(*v));
	size_t start = 0;

	*n = 0;
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != ',' && s.p[i] != ' ' && s.p[i] != '\t')
			continue;
		if (i > start && !(i == start + 1 && s.p[start] == '-'))
			v[(*n)++] = (struct str){ s.p + start, i - start };
		start = i + 1;
	}
	return v;
}

static enum found wrong(const struct chain *k, const char *why)
{
	err_set(k->e, ERR_UNAUTHENTICATED, "%s", why);
	return FOUND_WRONG;
}

static enum found make(const struct chain *k, const struct conf_identity *link,
		       struct str login, struct str name,
		       const struct str *groups, size_t n_groups)
{
	if (identity_make(k->c, link->kind, login, name, groups, n_groups,
			  k->a, k->out, k->e))
		return FOUND_WRONG;
	return FOUND;
}

/* -- the links ------------------------------------------------------------------ */

static enum found api_token(const struct chain *k,
			    const struct conf_identity *link)
{
	const struct str authorization = param(k, "HTTP_AUTHORIZATION");
	struct str text = param(k, "HTTP_X_API_TOKEN");
	struct str rest = authorization;
	struct str scheme = str_cut(&rest, ' ');
	struct token_info info = { .n_groups = 0 };

	if (scheme.n == 6 && !strncasecmp(scheme.p, "Bearer", 6)) {
		rest = str_trim(rest);
		if (text.n && !str_eq(text, rest))
			return wrong(k, "two different tokens");
		text = rest;
	} else if (!text.n) {
		return FOUND_NOTHING;	/* Basic and other schemes are not for
					 * us */
	}
	if (!text.n || text.n > LIM_TOKEN_BYTES)
		return wrong(k, "this is not an API token");
	if (!k->rq->token_lookup)
		return wrong(k, "there are no API tokens");
	if (k->rq->token_lookup(k->rq->ctx, text, k->a, &info, k->e) ||
	    make(k, link, info.login, info.name, info.groups,
		 info.n_groups) == FOUND_WRONG)
		return FOUND_WRONG;
	k->out->token = info.token;
	k->out->agents = info.agents;
	k->out->n_agents = info.n_agents;
	k->out->tools = info.tools;
	k->out->n_tools = info.n_tools;
	k->out->read_only = info.read_only;
	k->out->approve = info.approve;
	return FOUND;
}

static enum found remote_user(const struct chain *k,
			      const struct conf_identity *link)
{
	struct str login = param(k, "REMOTE_USER");
	struct str proof = { NULL, 0 };
	struct str *groups = NULL;
	size_t n_groups = 0;

	if (!login.n)
		return FOUND_NOTHING;
	if (*link->proof_param)
		proof = param(k, link->proof_param);
	/*
	 * nginx passes the name of an unverified Basic header as REMOTE_USER;
	 * only a parameter that clients cannot send proves that it was checked.
	 */
	if (!param(k, "AUTH_TYPE").n && (!proof.n || str_is(proof, "0"))) {
		log_info("REMOTE_USER is ignored: neither AUTH_TYPE nor the "
			 "proof_param is set");
		return FOUND_NOTHING;
	}
	if (*link->groups_param)
		groups = split_groups(k, param(k, link->groups_param),
				      &n_groups);
	return make(k, link, login, login, groups, n_groups);
}

static bool peer_listed(const struct chain *k, const struct conf_list *from)
{
	struct addr_net peer, net;

	if (!addr_parse(param(k, "REMOTE_ADDR"), &peer) || peer.bits != 128)
		return false;
	for (size_t i = 0; i < from->n; i++)
		if (addr_parse(str_of(from->v[i]), &net) && addr_in(&net, &peer))
			return true;
	return false;
}

/*
 * Takes the same time for every wrong secret: all hashes have the same length.
 */
static bool secret_right(struct str given, const char *secret)
{
	unsigned char a[32], b[32];

	crypto_generichash(a, sizeof(a), (const unsigned char *)given.p,
			   given.n, NULL, 0);
	crypto_generichash(b, sizeof(b), (const unsigned char *)secret,
			   strlen(secret), NULL, 0);
	return sodium_memcmp(a, b, sizeof(a)) == 0;
}

static enum found trusted_header(const struct chain *k,
				 const struct conf_identity *link)
{
	struct str login = header(k, link->user_header);
	struct str secret = header(k, link->secret_header);
	struct str *groups = NULL;
	size_t n_groups = 0;

	if (!login.n)
		return FOUND_NOTHING;	/* nobody signed in at the proxy */
	if (!peer_listed(k, &link->from)) {
		/* Another link may know this proxy. */
		log_info("the user header is ignored: it comes from an "
			 "address that is not in `from`", "header",
			 link->user_header);
		return FOUND_NOTHING;
	}
	if (!secret_right(secret, link->secret))
		return wrong(k, "trusted_header: the secret is missing or "
			     "wrong");
	if (*link->groups_header) {
		if (!header_there(k, link->groups_header)) {
			log_warn("trusted_header: the groups header is missing. "
				 "The proxy must always set it (- for no "
				 "group), or clients could",
				 "header", link->groups_header);
			return wrong(k, "trusted_header: the groups header is "
				     "missing");
		}
		groups = split_groups(k, header(k, link->groups_header),
				      &n_groups);
	}
	return make(k, link, login, login, groups, n_groups);
}

/* Host without its port and a last dot: "[::1]:80" is "[::1]". */
static struct str host_name(struct str host)
{
	size_t n = host.n;

	while (n && host.p[n - 1] >= '0' && host.p[n - 1] <= '9')
		n--;
	if (n && host.p[n - 1] == ':')
		host.n = n - 1;
	if (host.n && host.p[host.n - 1] == '.')
		host.n--;
	return host;
}

static bool host_listed(struct str host, const struct conf_list *hosts)
{
	for (size_t i = 0; i < hosts->n; i++) {
		struct str want = str_of(hosts->v[i]);
		struct str end = { want.p + 1, want.n - 1 };

		if (str_is(want, "*") ||
		    (host.n == want.n &&
		     !strncasecmp(host.p, want.p, want.n)) ||
		    (str_starts(want, STR("*.")) && host.n > end.n &&
		     !strncasecmp(host.p + host.n - end.n, end.p, end.n)))
			return true;
	}
	return false;
}

static enum found anonymous(const struct chain *k,
			    const struct conf_identity *link)
{
	struct str host = param(k, "HTTP_HOST");
	struct str *groups;

	/*
	 * Without a sign-in, only the address keeps others out, and any site can
	 * let its own name resolve to our address: its page would then have our
	 * origin.
	 */
	if (!host_listed(host_name(host), &link->hosts)) {
		err_public(k->e, ERR_MISDIRECTED, "Anonymous access is not "
			   "allowed under the name %.*s: it is not in hosts of "
			   "anonymous (identity.chain).",
			   (int)MIN(host.n, 100),
			   clean(host) ? host.p : "of this host");
		return FOUND_WRONG;
	}
	groups = arena_zalloc(k->a, link->groups.n + 1, sizeof(*groups));
	for (size_t i = 0; i < link->groups.n; i++)
		groups[i] = str_of(link->groups.v[i]);
	return make(k, link, str_of(link->user), str_of(link->name), groups,
		    link->groups.n);
}

/* check_chain refuses these when the configuration is loaded. */
static enum found not_yet(const struct chain *k,
			  const struct conf_identity *link)
{
	(void)link;
	return wrong(k, "this identity kind is not available in this version");
}

static const struct {
	const char *name;
	enum found (*find)(const struct chain *k,
			   const struct conf_identity *link);
} links[] = {
	[IDENTITY_API_TOKEN] = { "api_token", api_token },
	[IDENTITY_REMOTE_USER] = { "remote_user", remote_user },
	[IDENTITY_TRUSTED_HEADER] = { "trusted_header", trusted_header },
	[IDENTITY_ANONYMOUS] = { "anonymous", anonymous },
	[IDENTITY_JWT] = { "jwt", not_yet },
	[IDENTITY_SESSION_SQL] = { "session_sql", not_yet },
};

const char *identity_kind_name(enum conf_identity_kind kind)
{
	return links[kind].name;
}

/*
 * A person must not see the conversations of the guest, nor the guest theirs.
 */
static bool is_guest_login(const struct conf *c, const struct identity *who)
{
	for (size_t i = 0; i < c->n_chain; i++)
		if (c->chain[i].kind == IDENTITY_ANONYMOUS &&
		    str_is(who->login, c->chain[i].user))
			return true;
	return false;
}

int identity_resolve(const struct conf *c, const struct auth_request *rq,
		     struct arena *a, struct identity *out, struct err *e)
{
	const struct chain k = { c, rq, a, out, e };

	for (size_t i = 0; i < c->n_chain; i++) {
		switch (links[c->chain[i].kind].find(&k, &c->chain[i])) {
		case FOUND_NOTHING:
			continue;
		case FOUND_WRONG:
			/* The exact reason is only logged. */
			if (e->code == ERR_UNAUTHENTICATED)
				snprintf(e->public, sizeof(e->public),
					 IDENTITY_WRONG);
			return -1;
		case FOUND:
			break;
		}
		if (out->kind != IDENTITY_ANONYMOUS && is_guest_login(c, out))
			return err_set(e, ERR_UNAUTHENTICATED, "the login %s "
				       "is the anonymous one", out->login.p);
		return 0;
	}
	return err_set(e, ERR_UNAUTHENTICATED, "no link of the identity chain "
		       "found a credential");
}
