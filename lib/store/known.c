/* SPDX-License-Identifier: MIT */
#include "store/known.h"

#include "base/json.h"
#include "base/limits.h"
#include "store/list.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { ID_BYTES = 40 };	/* of an id in a list */

struct found_bases {
	struct arena *a;
	struct uuid *ids;
	size_t n, room;
};

static int take_known(void *ctx, const struct db_val *row, struct err *e)
{
	struct found_bases *k = ctx;

	(void)e;
	k->ids = arena_room(k->a, k->ids, k->n, 1, &k->room, sizeof(*k->ids));
	memcpy(k->ids[k->n++].b, row[0].s.p, sizeof(k->ids->b));
	return 0;
}

static bool is_known(const struct found_bases *k, const struct uuid *id)
{
	for (size_t i = 0; i < k->n; i++)
		if (uuid_eq(&k->ids[i], id))
			return true;
	return false;
}

/* Writes the ids of a set to w: those that k has, as text; without k all, in hex. */
static void write_set(struct str set, const struct found_bases *k, struct jw *w)
{
	json_auto_t *ids = jx_try(set);
	json_t *item;
	size_t i;

	json_array_foreach(ids, i, item) {
		const char *text = json_string_value(item);
		struct uuid id;

		if (!text || !uuid_parse(str_of(text), &id))
			continue;
		if (!k)
			store_list_id(w, &id);
		else if (is_known(k, &id))
			jw_uuid(w, &id);
	}
}

int store_known_bases(struct db *db, struct str tenant_id, struct str *const *sets,
		      size_t n, struct arena *a, struct err *e)
{
	struct found_bases k = { .a = a };
	struct buf list = BUF_INIT(n * LIM_KNOWLEDGE_SET * ID_BYTES + ID_BYTES);
	struct jw w = jw_on(&list);
	bool any = false;
	int rc = 0;

	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		any |= sets[i]->p != NULL;
		write_set(*sets[i], NULL, &w);
	}
	jw_end_arr(&w);
	if (any)
		rc = db_each(db, STMT_KNOWLEDGE_KNOWN,
			     DB_ARGS(DB_S(buf_str(&list)), DB_S(tenant_id)), a,
			     take_known, &k, e);
	for (size_t i = 0; !rc && i < n; i++) {
		if (!sets[i]->p)
			continue;
		buf_reset(&list);
		w = jw_on(&list);
		jw_arr(&w);
		write_set(*sets[i], &k, &w);
		jw_end_arr(&w);
		*sets[i] = arena_str(a, buf_str(&list));
	}
	buf_release(&list);
	return rc;
}
