/* SPDX-License-Identifier: MIT */
/*
 * Pages of a query's rows (A8): an order in which no row is seen twice or
 * left out, LIMIT and OFFSET, and the cursor that continues.
 *
 * A cursor is an offset and a hash of the statement with its values: base64url
 * of 16 bytes. It grants nothing: the row filter is in the statement that it
 * continues, and the hash only detects that the model mixed up two queries. It is
 * an offset instead of the key of the last row, because datasets are joins, groups
 * and expressions, most of which have no key at which a range could begin.
 */
#include "tool/data/query_compile.h"

#include <sodium.h>
#include <string.h>

#include "base/limits.h"

#include "base/banned.h"

#define VARIANT sodium_base64_VARIANT_URLSAFE_NO_PADDING

enum { CURSOR_BYTES = 4 + QUERY_ID_BYTES };

static void order_by(struct compile *q, size_t *n)
{
	buf_adds(&q->sql, (*n)++ ? ", " : " ORDER BY ");
}

static int result_of(const struct compile *q, const char *name)
{
	for (size_t i = 0; i < q->out->n_columns; i++)
		if (str_is(q->out->columns[i].name, name))
			return (int)i;
	return -1;
}

/*
 * The columns of the dataset's key by which the model has not sorted. False if
 * there is no key, or the caller may not see all of it: the order would reveal it.
 */
static bool order_by_key(struct compile *q, const bool *sorted, bool desc,
			 size_t *n)
{
	const struct conf_list *key = &q->d->conf->key;

	for (size_t i = 0; i < key->n; i++)
		if (!dataset_column(q->d, str_of(key->v[i])))
			return false;
	for (size_t i = 0; i < key->n; i++) {
		const struct conf_column *c = dataset_column(q->d,
							     str_of(key->v[i]));
		int at = result_of(q, c->name);

		if (at >= 0 && sorted[at])
			continue;
		order_by(q, n);
		if (at >= 0)
			buf_addf(&q->sql, "c%d", at);
		else
			query_add_column(&q->sql, c);
		/* One direction, so that an index may serve. */
		if (desc)
			buf_adds(&q->sql, " DESC");
	}
	return key->n > 0;
}

/* Rows that are equal in all shown columns may be swapped without harm. */
static void order_by_results(struct compile *q, const bool *sorted, size_t n,
			     size_t *n_sorts)
{
	for (size_t i = 0; i < n; i++) {
		if (sorted[i])
			continue;
		order_by(q, n_sorts);
		buf_addf(&q->sql, "c%zu", i);
	}
}

void query_order_wholly(struct compile *q, const bool *sorted, bool desc,
			size_t n_sorts)
{
	if (q->grouped)		/* what is grouped by tells rows apart */
		order_by_results(q, sorted, q->n_groups, &n_sorts);
	else if (!order_by_key(q, sorted, desc, &n_sorts) && n_sorts)
		order_by_results(q, sorted, q->out->n_columns, &n_sorts);
}

/* Dataset, statement and values. */
static void identify(const struct compile *q, unsigned char id[QUERY_ID_BYTES])
{
	const struct query_args *args = &q->out->args;
	crypto_generichash_state s;
	unsigned char full[crypto_generichash_BYTES];

	crypto_generichash_init(&s, NULL, 0, sizeof(full));
	crypto_generichash_update(&s, (const unsigned char *)q->d->conf->name,
				  strlen(q->d->conf->name) + 1);
	crypto_generichash_update(&s, (const unsigned char *)q->sql.p,
				  q->sql.n + 1);
	for (size_t i = 0; i < args->n; i++) {
		const struct db_val *v = &args->v[i];
		struct { uint64_t n; int64_t i; double d; } value = { 0 };

		if (v->type == 'i')
			value.i = v->i;
		else if (v->type == 'd')
			value.d = v->d;
		else
			value.n = v->s.n + 1;
		crypto_generichash_update(&s, (const unsigned char *)&v->type,
					  sizeof(v->type));
		crypto_generichash_update(&s, (const unsigned char *)&value,
					  sizeof(value));
		if (value.n && v->s.n)
			crypto_generichash_update(&s,
				(const unsigned char *)v->s.p, v->s.n);
	}
	crypto_generichash_final(&s, full, sizeof(full));
	memcpy(id, full, QUERY_ID_BYTES);
}

static int read_cursor(struct compile *q, struct str text)
{
	unsigned char raw[CURSOR_BYTES];
	size_t n = 0, offset;

	if (sodium_base642bin(raw, sizeof(raw), text.p, text.n, NULL, &n, NULL,
			      VARIANT) != 0 || n != sizeof(raw))
		return err_public(q->e, ERR_TOOL_ARGS, "cursor: this is not a "
				  "cursor. Send nextCursor of the previous "
				  "answer exactly as it is, or leave it out "
				  "for the first rows.");
	offset = (size_t)raw[0] << 24 | (size_t)raw[1] << 16 |
		 (size_t)raw[2] << 8 | raw[3];
	if (memcmp(raw + 4, q->out->id, QUERY_ID_BYTES) != 0 || offset == 0 ||
	    offset > LIM_QUERY_OFFSET)
		return err_public(q->e, ERR_TOOL_ARGS, "cursor: it belongs to "
				  "another query. Repeat the query that "
				  "returned it with the same dataset, select, "
				  "filters, search, group_by, aggregates and "
				  "sort (only limit may differ), or leave "
				  "cursor out for the first rows.");
	q->out->offset = offset;
	return 0;
}

int query_page(struct compile *q)
{
	int64_t most = MAX(q->d->conf->max_rows, 1);
	int64_t limit = jx_int(q->in, "limit", most);
	struct str cursor = jx_str(q->in, "cursor");
	size_t before = q->out->args.n;

	identify(q, q->out->id);
	if (cursor.n && read_cursor(q, cursor) < 0)
		return -1;
	q->out->limit = (size_t)MAX(MIN(limit, most), 1);
	buf_adds(&q->sql, " LIMIT ?");
	query_args_add(&q->out->args, DB_I((int64_t)q->out->limit + 1));
	if (q->out->offset) {
		buf_adds(&q->sql, " OFFSET ?");
		query_args_add(&q->out->args, DB_I((int64_t)q->out->offset));
	}
	q->out->n_page_args = q->out->args.n - before;
	return 0;
}

const char *query_next_cursor(const struct query *q, size_t n_rows,
			      struct arena *a)
{
	size_t cap = sodium_base64_ENCODED_LEN(CURSOR_BYTES, VARIANT);
	size_t offset = q->offset + n_rows;
	unsigned char raw[CURSOR_BYTES] = {
		(unsigned char)(offset >> 24), (unsigned char)(offset >> 16),
		(unsigned char)(offset >> 8), (unsigned char)offset,
	};

	if (offset > LIM_QUERY_OFFSET)
		return NULL;
	memcpy(raw + 4, q->id, QUERY_ID_BYTES);
	return sodium_bin2base64(arena_alloc(a, cap), cap, raw, sizeof(raw),
				 VARIANT);
}
