/* SPDX-License-Identifier: MIT */
/*
 * Tokens are 32 random bytes in base64url after a prefix that secret scanners
 * recognise. The hash needs no salt and no stretching, because tokens are
 * random.
 */
#include "store/token.h"

#include <sodium.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "resource/call.h"
#include "store/stmt.h"

#include "base/banned.h"

#define PREFIX     "lamp_"
#define TEXT_CHARS (sizeof(PREFIX) - 1 + 43)

static const struct db_field fields[] = {
#define F(m, t, sql) FIELD_OF(struct token, m, t)
	TOKEN_FIELDS(F, COMMA)
#undef F
};

static struct db_val hash_of(struct str text, unsigned char *hash)
{
	crypto_hash_sha256(hash, (const unsigned char *)text.p, text.n);
	return DB_B(((struct str){ (const char *)hash,
				   crypto_hash_sha256_BYTES }));
}

static const struct resource *const tokens = &resources[RESOURCE_API_TOKEN];

/*
 * Sets the fields of a new token that the server fills: its owner, a new secret,
 * which is returned in text, and the hash. login and groups (a JSON array) are
 * borrowed, the rest is in a.
 */
static void fill_token(struct resource_row *row, struct str login, struct str groups,
		       struct arena *a, char text[TOKEN_TEXT_BYTES])
{
	unsigned char secret[32];
	unsigned char *hash = arena_zalloc(a, 1, crypto_hash_sha256_BYTES);

	randombytes_buf(secret, sizeof(secret));
	memcpy(text, PREFIX, sizeof(PREFIX) - 1);
	sodium_bin2base64(text + sizeof(PREFIX) - 1,
			  TOKEN_TEXT_BYTES - (sizeof(PREFIX) - 1),
			  secret, sizeof(secret),
			  sodium_base64_VARIANT_URLSAFE_NO_PADDING);
	sodium_memzero(secret, sizeof(secret));
	row->v[COLUMN(API_TOKEN, login)] = DB_S(login);
	row->v[COLUMN(API_TOKEN, groups)] = DB_S(groups);
	row->v[COLUMN(API_TOKEN, hash)] = hash_of(str_of(text), hash);
}

int token_create(struct db *db, const struct token_new *n, char *text,
		 struct uuid *id, struct err *e)
{
	const struct resource *r = tokens;
	struct owner o = { n->tenant_id, uuid_of_name(n->tenant_id, n->login) };
	struct resource_at at = resource_own(&o);
	struct arena a = ARENA_INIT;
	struct resource_row row;
	int rc;

	resource_new(r, &row);
	fill_token(&row, n->login, n->groups, &a, text);
	row.v[COLUMN(API_TOKEN, name)] = DB_S_IF(n->name);
	row.v[COLUMN(API_TOKEN, agents)] = DB_S_IF(n->agents);
	row.v[COLUMN(API_TOKEN, tools)] = DB_S_IF(n->tools);
	row.v[COLUMN(API_TOKEN, read_only)] = DB_I(n->read_only);
	row.v[COLUMN(API_TOKEN, approve)] = DB_I(n->approve);
	row.v[COLUMN(API_TOKEN, expires_us)] =
		DB_I_IF(n->expires_us, n->expires_us);
	rc = resource_create(db, r, &at, &row, NULL, e);
	if (rc && e->code == ERR_DB_DUPLICATE) {
		err_clear(e);	/* a retry after a lost connection */
		rc = 0;
	}
	*id = row.id;
	arena_release(&a);
	return rc;
}

int token_find(struct db *db, struct str text, struct arena *a,
	       struct token *out, struct err *e)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	int64_t now_us = clock_now_us();
	int n = 0;

	if (text.n == TEXT_CHARS && str_starts(text, STR(PREFIX)))
		n = db_get(db, STMT_TOKEN_FIND, DB_ARGS(hash_of(text, hash)),
			   a, fields, out, e);
	if (n < 0)
		return -1;
	if (n == 0 || out->revoked_us ||
	    (out->expires_us && out->expires_us <= now_us))
		return err_set(e, ERR_UNAUTHENTICATED, "no such token in force");
	return 0;
}

int token_used(struct db *db, const struct uuid *id, struct err *e)
{
	return db_exec(db, STMT_TOKEN_USED, DB_ARGS(DB_I(clock_now_us()), DB_U(id)),
		       NULL, e);
}

int token_list(struct db *db, struct str tenant_id, const struct uuid *before,
	       size_t size, struct arena *a, struct token **out, size_t *n,
	       struct err *e)
{
	struct uuid last;

	if (!before) {
		memset(last.b, 0xff, sizeof(last.b));
		before = &last;
	}
	return db_list(db, STMT_TOKEN_LIST,
		       DB_ARGS(DB_S(tenant_id), DB_U(before),
			       DB_I((int64_t)size)),
		       a, fields, sizeof(**out), 0, out, n, e);
}

int token_revoke(struct db *db, struct str tenant_id, const struct uuid *id,
		 struct err *e)
{
	struct db_result r;

	if (db_exec(db, STMT_TOKEN_REVOKE,
		    DB_ARGS(DB_I(clock_now_us()), DB_S(tenant_id), DB_U(id)),
		    &r, e))
		return -1;
	return r.affected ? 0 : err_set(e, ERR_NOT_FOUND, "no such token");
}

/* -- as a resource ------------------------------------------------------------- */

/*
 * A new token gets its secret and the rights of the caller: their login and their
 * current groups. A token must not create others that outlive it.
 */
static int prepare_token(const struct caller *by, const struct resource *r,
			 struct resource_change *k, struct err *e)
{
	const struct identity *who = by->who;
	const struct db_val *expires = &k->row.v[COLUMN(API_TOKEN, expires_us)];
	char *text = arena_zalloc(by->arena, 1, TOKEN_TEXT_BYTES);
	struct buf b = BUF_INIT(LIM_TOKEN_GROUPS_BYTES);
	struct jw w = jw_on(&b);

	(void)r;
	if (who->kind == IDENTITY_API_TOKEN ||
	    who->kind == IDENTITY_ANONYMOUS)
		return err_public(e, ERR_FORBIDDEN, "Sign in to create a "
				  "token: a token cannot create others.");
	if (!expires->null && expires->i <= clock_now_us())
		return err_field(e, ERR_INVALID_FIELD, "expiresAt",
				 "expiresAt must be in the future.");
	if (k->row.v[COLUMN(API_TOKEN, read_only)].null)
		k->row.v[COLUMN(API_TOKEN, read_only)] = DB_I(0);
	if (k->row.v[COLUMN(API_TOKEN, approve)].null)
		k->row.v[COLUMN(API_TOKEN, approve)] = DB_I(0);
	jw_arr(&w);
	for (size_t i = 0; i < who->n_groups; i++)
		jw_str(&w, who->groups[i]);
	jw_end_arr(&w);
	if (!buf_ok(&b)) {
		buf_release(&b);
		return err_public(e, ERR_TOO_BIG, "The names of your groups "
				  "are too long for a token.");
	}
	fill_token(&k->row, who->login, arena_str(by->arena, buf_str(&b)), by->arena,
		   text);
	buf_release(&b);
	k->secret = str_of(text);
	return 0;
}

const struct resource_hooks token_hooks = { .prepare = prepare_token };
