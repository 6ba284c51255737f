/* SPDX-License-Identifier: MIT */
/*
 * Who is calling: the identity chain.
 *
 * Each entry (link) of identity.chain examines the request. If there is no
 * credential of its kind, the next link is tried. A valid credential decides the
 * identity. An invalid one (an unknown token, a bad secret) is refused and never
 * falls through to a weaker link. A request that no link identifies is refused
 * too.
 *
 * The request is seen through one function, because lib/ knows no FastCGI.
 * Clients can set HTTP_* parameters only; all others come from the web server.
 */
#ifndef AUTH_IDENTITY_H
#define AUTH_IDENTITY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "base/uuid.h"
#include "conf/conf.h"

/* What a caller is told of a credential that arrived and is wrong. */
#define IDENTITY_WRONG "The credential is not valid."

/* Valid UTF-8, NUL-terminated, in the arena or the configuration. */
struct identity {
	struct uuid user_id;	/* uuid_of_name(tenant, login) */
	char user_id_text[UUID_TEXT_BYTES];
	struct str tenant, login;
	struct str name;	/* to show; the login where none is known */
	const struct str *groups;	/* at most LIM_GROUPS, each once */
	size_t n_groups;
	enum conf_identity_kind kind;	/* of the link that found it */
	const struct str *roles;	/* ids of the configuration */
	size_t n_roles;
	const struct str *grants;	/* permissions and patterns, each once */
	size_t n_grants;
	struct str token;	/* what its API token is for; p == NULL: none, or not
				   said */
	/* What an API token may do at most; a list of none has all. */
	const struct str *agents;	/* "workspace", "workspace/agent" */
	const struct str *tools;
	size_t n_agents, n_tools;
	bool read_only, approve;
};

struct token_info {		/* the user of an API token */
	struct str login, name;	/* name.p == NULL: none known */
	const struct str *groups;
	size_t n_groups;
	struct str token;	/* what the token is for; or NULL */
	const struct str *agents, *tools;	/* as in struct identity */
	size_t n_agents, n_tools;
	bool read_only, approve;
};

struct auth_request {
	/* A CGI parameter ("HTTP_ORIGIN", "REMOTE_USER"), or NULL. Borrowed. */
	const char *(*param)(void *ctx, const char *name);
	/*
	 * The user of a bearer token: fills *out (arena a), or fails with
	 * ERR_UNAUTHENTICATED for an invalid token, or with a database error.
	 * text is any bytes that a client sent. NULL = there are no tokens.
	 */
	int (*token_lookup)(void *ctx, struct str text, struct arena *a,
			    struct token_info *out, struct err *e);
	void *ctx;
};

/*
 * Runs the chain. Texts are in a, roles and grants borrowed from c: the
 * caller holds a reference on c for as long as it uses *out. Errors:
 * ERR_UNAUTHENTICATED (no credential, or a wrong one; the log text says
 * which), what token_lookup sets. Any thread.
 */
int identity_resolve(const struct conf *c, const struct auth_request *rq,
		     struct arena *a, struct identity *out,
		     struct err *e) MUST_CHECK;

/*
 * An identity from its parts, with roles and grants evaluated: what the links
 * do in the end, and the command and tests do directly. Texts are copied.
 * ERR_UNAUTHENTICATED for a login that is empty, not UTF-8, has control
 * characters or is longer than LIM_USER_BYTES.
 */
int identity_make(const struct conf *c, enum conf_identity_kind kind,
		  struct str login, struct str name, const struct str *groups,
		  size_t n_groups, struct arena *a, struct identity *out,
		  struct err *e) MUST_CHECK;

/*
 * The login of a user as rows have it (identity.login_case), in the arena. For what
 * a person types; identities are made with it.
 */
struct str identity_login(const struct conf *c, struct str login, struct arena *a);

/* "api_token", "remote_user", … */
const char *identity_kind_name(enum conf_identity_kind kind);

#endif
