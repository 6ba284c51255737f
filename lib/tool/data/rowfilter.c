/* SPDX-License-Identifier: MIT */
#include "tool/data/rowfilter.h"

#include <ctype.h>
#include <string.h>

#include "base/banned.h"

enum token_type { TOKEN_END, TOKEN_TEXT, TOKEN_NAME, TOKEN_BAD };

struct scan {
	const char *p;		/* what is left */
	int open;		/* parentheses */
	const char *fault;	/* of TOKEN_BAD */
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

static enum token_type bad(struct scan *s, const char *fault)
{
	s->fault = fault;
	return TOKEN_BAD;
}

/*
 * A quoted text from *p to just after its closing quote, including doubled quotes.
 * Strings must not contain backslashes, because these may or may not escape
 * (NO_BACKSLASH_ESCAPES).
 */
static enum token_type quoted(struct scan *s)
{
	char quote = *s->p++;

	for (; *s->p; s->p++) {
		if (*s->p == '\\' && quote != '`')
			return bad(s, "has a backslash in a string");
		if (*s->p != quote)
			continue;
		s->p++;
		if (*s->p != quote)
			return TOKEN_TEXT;
	}
	return bad(s, "has a quote that is not closed");
}

/* The fault if the text at p is not allowed, else NULL. */
static const char *forbidden(const char *p)
{
	static const struct {
		const char *text, *fault;
	} rules[] = {
		{ "?", "has a ?" },
		{ ";", "has a ;" },
		{ "#", "has a comment (#)" },
		{ "@", "has a variable (@)" },
		{ "\\", "has a backslash" },
		{ "--", "has a comment (--)" },
		{ "/*", "has a comment (/*)" },
		{ "*/", "has the end of a comment (*/)" },
		{ ":=", "has an assignment (:=)" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rules); i++)
		if (!strncmp(p, rules[i].text, strlen(rules[i].text)))
			return rules[i].fault;
	return NULL;
}

/*
 * The next piece: text to copy (a quoted text as a whole), or a :name. *out is
 * its view, without the colon of a name.
 */
static enum token_type next_token(struct scan *s, struct str *out)
{
	const char *start = s->p, *fault = forbidden(s->p);
	enum token_type type = TOKEN_TEXT;

	if (fault)
		return bad(s, fault);
	switch (*s->p) {
	case '\0':
		return s->open ? bad(s, "has ( without )") : TOKEN_END;
	case '\'': case '"': case '`':
		type = quoted(s);
		break;
	case '(':
		s->open++;
		s->p++;
		break;
	case ')':
		if (--s->open < 0)
			return bad(s, "has ) without (");
		s->p++;
		break;
	case ':':
		start = ++s->p;
		while (is_word(*s->p) || *s->p == '.')
			s->p++;
		if (s->p == start)
			return bad(s, "has a : without a name");
		type = TOKEN_NAME;
		break;
	default:
		s->p++;
		while (is_word(*start) && is_word(*s->p))
			s->p++;
	}
	*out = (struct str){ start, (size_t)(s->p - start) };
	return type;
}

int query_fragment_check(const char *text, struct err *e)
{
	struct scan s = { .p = text };
	struct str piece;

	for (;;) {
		switch (next_token(&s, &piece)) {
		case TOKEN_END:
			return 0;
		case TOKEN_BAD:
			return err_public(e, ERR_CONFIG, "%s", s.fault);
		case TOKEN_NAME:
			return err_public(e, ERR_CONFIG, "has :%.*s; names belong in "
					  "`where`", STR_ARG(piece));
		case TOKEN_TEXT:
			break;
		}
	}
}

void query_args_add(struct query_args *args, struct db_val v)
{
	args->v = arena_room(args->arena, args->v, args->n, 1, &args->size,
			     sizeof(*args->v));
	args->v[args->n++] = v;
}

/*
 * Identities are compared exactly, whatever the column's collation: 'Ada' is not
 * 'ada', and a trailing blank counts.
 */
#define EXACT "(? COLLATE utf8mb4_nopad_bin)"

static void bind_groups(const struct row_caller *who, struct buf *sql,
			struct query_args *args)
{
	if (who->n_groups == 0)
		buf_adds(sql, "NULL");
	for (size_t i = 0; i < who->n_groups; i++) {
		buf_adds(sql, i ? ", " EXACT : EXACT);
		query_args_add(args, DB_S(who->groups[i]));
	}
}

int row_filter_bind(const char *where, const struct row_caller *who,
		    struct buf *sql, struct query_args *args, struct err *e)
{
	struct scan s = { .p = where };
	struct str piece;

	for (;;) {
		switch (next_token(&s, &piece)) {
		case TOKEN_END:
			return 0;
		case TOKEN_BAD:
			return err_public(e, ERR_CONFIG, "where: %s", s.fault);
		case TOKEN_TEXT:
			buf_addstr(sql, piece);
			break;
		case TOKEN_NAME:
			if (str_is(piece, "groups")) {
				bind_groups(who, sql, args);
				break;
			}
			buf_adds(sql, EXACT);
			if (str_is(piece, "user"))
				query_args_add(args, DB_S(who->user));
			else if (str_is(piece, "user_id"))
				query_args_add(args, DB_S(who->user_id));
			else if (str_is(piece, "tenant"))
				query_args_add(args, DB_S(who->tenant));
			else
				return err_public(e, ERR_CONFIG,
						  "where: there is no :%.*s; a "
						  "row filter can use :user, "
						  ":user_id, :tenant and "
						  ":groups",
						  STR_ARG(piece));
		}
	}
}
