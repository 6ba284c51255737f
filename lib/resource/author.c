/* SPDX-License-Identifier: MIT */
#include "resource/author.h"

#include <ctype.h>
#include <sodium.h>
#include <string.h>

#include "base/limits.h"

#include "base/banned.h"

#define OURS "{}"	/* the column's value for texts of the installation */

/* -- the column ------------------------------------------------------------------- */

struct str author_text(const struct identity *who, struct arena *a)
{
	struct buf b = BUF_INIT(LIM_GROUPS * (6 * LIM_GROUP_BYTES + 4) + 4096);
	struct jw w = jw_on(&b);
	struct str s;

	if (!who)
		return STR(OURS);
	jw_obj(&w);
	jw_kstr(&w, "login", who->login);
	jw_key(&w, "groups");
	jw_arr(&w);
	for (size_t i = 0; i < who->n_groups; i++)
		jw_str(&w, who->groups[i]);
	jw_end_arr(&w);
	jw_end_obj(&w);
	s = arena_str(a, buf_str(&b));
	buf_release(&b);
	return s;
}

/* The field with this flag; n_fields if the resource has none. */
static size_t index_of(const struct resource *r, unsigned flag)
{
	size_t i = 0;

	while (i < r->n_fields && !(r->fields[i].flags & flag))
		i++;
	return i;
}

static void put_author(const struct resource *r, struct resource_row *row,
		       unsigned flag, struct db_val v)
{
	size_t i = index_of(r, flag);

	row->v[i] = v;
	row->given[i] = true;
}

/*
 * Blanks of Unicode, and what is not seen: what forms, editors and JavaScript's trim()
 * replace or leave out.
 */
static const char *const blanks[] = {
	"\xc2\x85", "\u00a0", "\u00ad", "\u1680", "\u180e", "\u2000", "\u2001", "\u2002",
	"\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a",
	"\u200b", "\u200c", "\u200d", "\u2028", "\u2029", "\u202f", "\u205f", "\u2060",
	"\u3000", "\ufeff",
};

/* The bytes of the blank that s begins with; 0: it begins with none. */
static size_t blank_at(struct str s)
{
	if (s.n && isspace((unsigned char)s.p[0]))
		return 1;
	for (size_t i = 0; s.n && (s.p[0] & 0x80) && i < ARRAY_LEN(blanks); i++)
		if (str_starts(s, str_of(blanks[i])))
			return strlen(blanks[i]);
	return 0;
}

/* The next byte of s at *i or after it that is of no blank; -1 at the end. */
static int next_of(struct str s, size_t *i)
{
	size_t n;

	while ((n = blank_at((struct str){ s.p + *i, s.n - *i })))
		*i += n;
	return *i < s.n ? (unsigned char)s.p[(*i)++] : -1;
}

bool author_same_words(struct str a, struct str b)
{
	size_t i = 0, k = 0;
	int c;

	do {
		c = next_of(a, &i);
		if (c != next_of(b, &k))
			return false;
	} while (c >= 0);
	return true;
}

void author_stamp(const struct identity *who, const struct resource *r,
		  const struct resource_row *now, struct resource_row *row,
		  struct arena *a)
{
	const size_t i = index_of(r, RESOURCE_AUTHORED);

	if (i == r->n_fields || row->given[index_of(r, RESOURCE_AUTHOR)])
		return;
	if (now ? !row->given[i] || (row->v[i].null == now->v[i].null &&
				     author_same_words(resource_text(row, i),
						       resource_text(now, i)))
		: row->v[i].null)
		return;
	put_author(r, row, RESOURCE_AUTHOR, DB_S(author_text(who, a)));
	put_author(r, row, RESOURCE_AUTHOR_ID, DB_U_IF(who ? &who->user_id : NULL));
}

void author_copy(const struct resource *r, const struct resource_row *from,
		 struct resource_row *row)
{
	put_author(r, row, RESOURCE_AUTHOR, from ? from->v[index_of(r, RESOURCE_AUTHOR)]
		   : DB_S(STR(OURS)));
	put_author(r, row, RESOURCE_AUTHOR_ID, from ? from->v[index_of(r, RESOURCE_AUTHOR_ID)]
		   : DB_U_IF(NULL));
}

/* -- trust ------------------------------------------------------------------------ */

static bool has_any(const struct conf_list *l, const json_t *names)
{
	const json_t *one;
	size_t i;

	json_array_foreach((json_t *)names, i, one)
		if (conf_list_has(l, (struct str){ json_string_value(one),
						   json_string_length(one) }))
			return true;
	return false;
}

static void hash_of(struct str text, char out[AUTHOR_HASH_BYTES])
{
	unsigned char raw[crypto_hash_sha256_BYTES];

	_Static_assert(AUTHOR_HASH_BYTES == 2 * sizeof(raw) + 1, "hex");
	crypto_hash_sha256(raw, (const unsigned char *)text.p, text.n);
	sodium_bin2hex(out, AUTHOR_HASH_BYTES, raw, sizeof(raw));
}

/* Whoever is not signed in shares the login with others. */
static bool is_own(const struct identity *who, struct str login)
{
	return who && who->kind != IDENTITY_ANONYMOUS &&
		str_eq(login, who->login);
}

void author_of(const struct conf *c, const struct identity *who,
	       struct str stored, struct str text, struct arena *a,
	       struct author *out)
{
	json_auto_t *j = stored.p ? jx_try(stored) : NULL;
	struct str login = jx_str(j, "login");

	*out = (struct author){ .trusted = true };
	if (!str_trim(text).n)
		return;
	hash_of(text, out->hash);
	out->known = json_is_object(j);
	if (login.n)
		out->login = arena_str(a, login);
	if (out->known && !json_object_size(j))
		return;
	out->trusted = (login.n && (is_own(who, login) ||
				    conf_list_has(&c->trusted.users, login))) ||
		has_any(&c->trusted.groups, jx_arr(j, "groups"));
	out->by_hash = !out->trusted &&
		conf_list_has(&c->trusted.hashes, str_of(out->hash));
	out->trusted |= out->by_hash;
}

void author_of_row(const struct conf *c, const struct identity *who,
		   const struct resource *r, const struct resource_row *row,
		   struct arena *a, struct author *out)
{
	author_of(c, who, resource_text(row, index_of(r, RESOURCE_AUTHOR)),
		  resource_text(row, index_of(r, RESOURCE_AUTHORED)), a, out);
}

struct str author_login(const struct resource *r, const struct resource_row *row,
			struct arena *a)
{
	struct str text = resource_text(row, index_of(r, RESOURCE_AUTHORED));
	struct str stored = resource_text(row, index_of(r, RESOURCE_AUTHOR));
	json_auto_t *j = stored.p && str_trim(text).n ? jx_try(stored) : NULL;

	return arena_str(a, jx_str(j, "login"));
}

struct str author_label(const struct author *a, const char *what,
			struct str name, struct arena *arena)
{
	struct str by = a->login.n ? a->login : STR("somebody");

	return str_of(arena_printf(arena, "%.*s (%s %.*s)", STR_ARG(by), what,
				   STR_ARG(name)));
}

void author_write(struct jw *w, const struct author *a)
{
	jw_kstr(w, "promptAuthor", a->login.n ? a->login
		: (struct str){ NULL, 0 });
	jw_kbool(w, "promptTrusted", a->trusted);
	jw_kstrz(w, "promptHash", *a->hash ? a->hash : NULL);
}
