/* SPDX-License-Identifier: MIT */
/*
 * API tokens: bearer credentials of a user, created by the user (a resource) or
 * by the command. Only a hash is stored; the secret is shown once.
 */
#ifndef STORE_TOKEN_H
#define STORE_TOKEN_H

#include "store/store.h"

#define TOKEN_TEXT_BYTES 64	/* "lamp_", 43 characters, NUL */

struct token {
	struct uuid id;
	struct str tenant_id;
	struct uuid user_id;
	struct str login;	/* its user */
	struct str name;	/* its purpose; p == NULL: none */
	struct str groups;	/* JSON array of strings */
	struct str agents, tools;	/* JSON arrays; p == NULL: all */
	int64_t read_only, approve;	/* 0 or 1 */
	int64_t used_us;	/* 0 = never; see token_used */
	int64_t created_us;
	int64_t expires_us;	/* 0 = never */
	int64_t revoked_us;	/* 0 = not */
};

struct token_new {
	struct str tenant_id, login, name;
	struct str groups;	/* JSON array of strings */
	struct str agents, tools;	/* the same; or NULL: all */
	bool read_only, approve;
	int64_t expires_us;	/* 0 = never */
};

/* Creates a token; text (TOKEN_TEXT_BYTES) gets the secret, *id its id. */
int token_create(struct db *db, const struct token_new *n, char *text,
		 struct uuid *id, struct err *e) MUST_CHECK;

/*
 * The user of a bearer token: ERR_UNAUTHENTICATED if it is unknown, expired or
 * revoked, without saying which. One round trip; none if text cannot be a
 * token. Text in a.
 */
int token_find(struct db *db, struct str text, struct arena *a,
	       struct token *out, struct err *e) MUST_CHECK;

/* Notes that it is used now. For about every ten minutes. */
int token_used(struct db *db, const struct uuid *id, struct err *e) MUST_CHECK;

/*
 * Lists the tokens of a tenant, newest first, after the one with this id (NULL:
 * from the newest), at most size. In a. For the command.
 */
int token_list(struct db *db, struct str tenant_id, const struct uuid *before,
	       size_t size, struct arena *a, struct token **out, size_t *n,
	       struct err *e) MUST_CHECK;

/* ERR_NOT_FOUND. Revoking twice is no error. */
int token_revoke(struct db *db, struct str tenant_id, const struct uuid *id,
		 struct err *e) MUST_CHECK;

#endif
