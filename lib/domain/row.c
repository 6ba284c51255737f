/* SPDX-License-Identifier: MIT */
#include "domain/row.h"

#include "base/fields.h"
#include "resource/author.h"

#include "base/banned.h"

enum { CLOCKS_APART_US = 60 * 1000 * 1000 };	/* clock difference between two
						   nodes */

/* -- values ------------------------------------------------------------------- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/*
 * Makes an id of the name's letters and digits and six digits of the row's id:
 * unique, and the same if the request is repeated.
 */
static struct str slug_of(struct arena *a, const struct resource_row *row,
			  struct str name)
{
	struct str fold = resource_fold(a, name);
	char out[48], *q = out;

	for (size_t i = 0; i < fold.n && q < out + 40; i++)
		if (is_word(fold.p[i]))
			*q++ = fold.p[i];
		else if (q > out && q[-1] != '-')
			*q++ = '-';
	if (q > out && q[-1] != '-')
		*q++ = '-';
	return str_of(arena_printf(a, "%.*s%02x%02x%02x", (int)(q - out), out,
				   row->id.b[13], row->id.b[14], row->id.b[15]));
}

int agent_row_check_id(const struct caller *by, const struct resource *r,
		       struct resource_row *row, size_t column, size_t name,
		       struct err *e)
{
	struct db_val *id = &row->v[column];
	const char *key = r->fields[column].key;

	if (id->null)
		*id = DB_S(slug_of(by->arena, row, resource_text(row, name)));
	if (slug_valid(id->s))
		return 0;
	return err_field(e, ERR_INVALID_FIELD, key,
			 "%s may contain lower case letters, digits, - and _, "
			 "and must begin with a letter or digit.", key);
}

int64_t agent_row_since_us(const struct resource_row *row)
{
	return row->created_us - CLOCKS_APART_US;
}

/* -- members of records --------------------------------------------------------- */

void agent_row_write_list(struct jw *w, const char *key, const struct conf_list *l)
{
	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < l->n; i++)
		jw_str(w, str_of(l->v[i]));
	jw_end_arr(w);
}

static void write_time(struct jw *w, const char *key, const int64_t *us)
{
	jw_key(w, key);
	if (us)
		jw_time(w, *us);
	else
		jw_null(w);
}

void agent_row_write_times(struct jw *w, const struct resource_row *row)
{
	write_time(w, "createdAt", row ? &row->created_us : NULL);
	write_time(w, "updatedAt", row ? &row->updated_us : NULL);
}

void agent_row_write_author(struct jw *w, const struct caller *by,
			    const struct resource *r,
			    const struct resource_row *row,
			    bool hashed)
{
	struct author who = { .trusted = true };

	if (row)
		author_of_row(by->conf, by->who, r, row, by->arena, &who);
	if (!hashed)
		who.hash[0] = '\0';
	author_write(w, &who);
}
