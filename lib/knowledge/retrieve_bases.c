/* SPDX-License-Identifier: MIT */
/* Selection of bases (retrieve.h). */
#include "knowledge/retrieve.h"
#include "base/limits.h"
#include "resource/resource.h"
#include "store/known.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { PAGE = 100 };		/* bases that are read together */

static const struct resource *const bases = &resources[RESOURCE_KNOWLEDGE_BASE];

static bool is_of(const struct workspace *w, const struct resource_row *base)
{
	struct str of = resource_text(base, COLUMN(KNOWLEDGE_BASE, workspace_id));

	return !w || !of.p || str_is(of, w->id);
}

static struct resource_at reading(const struct caller *by, struct arena *a)
{
	return resource_reading(&by->owner, by->who->groups, by->who->n_groups, a);
}

static bool uuid_among(const struct uuid *v, size_t n, const struct uuid *id)
{
	for (size_t i = 0; i < n; i++)
		if (uuid_eq(&v[i], id))
			return true;
	return false;
}

static bool is_listed(const struct resource_row *base, const struct conf_list *list)
{
	struct str name = resource_text(base, COLUMN(KNOWLEDGE_BASE, name));

	for (size_t i = 0; i < list->n; i++) {
		struct str said = str_of(list->v[i]);
		struct uuid id;

		if (uuid_parse(said, &id) ? uuid_eq(&id, &base->id)
					  : str_eq(said, name))
			return true;
	}
	return false;
}

/*
 * Reads the bases that the caller sees, in the order of their names, at most max: those
 * in a list of names or ids (NULL: all).
 */
static int seen_bases(const struct caller *by, const struct workspace *w,
		      const struct conf_list *list, size_t max, struct arena *a,
		      struct retrieve_bases *out, struct err *e)
{
	const struct resource_at at = reading(by, a);
	struct resource_want want = { .size = PAGE };
	struct resource_row *page;
	size_t room = 0, n;
	bool more = true;

	while (more && !out->more) {
		if (resource_list(by->db, bases, &at, &want, a, &page, &n, &more,
				  e))
			return -1;
		for (size_t i = 0; i < n && !out->more; i++) {
			if (!is_of(w, &page[i]) ||
			    (list && !is_listed(&page[i], list)))
				continue;
			out->more = out->n == max;
			if (out->more)
				break;
			out->v = arena_room(a, out->v, out->n, 1, &room,
					    sizeof(*out->v));
			out->v[out->n++] = page[i];
		}
		more = more && n;
		want.after = n ? &page[n - 1] : NULL;
	}
	return arena_check(a, e);
}

/* The bases of a set that still exist and the caller may see, without duplicates. */
static int named_bases(const struct caller *by, const struct workspace *w,
		       const json_t *set, struct arena *a,
		       struct retrieve_bases *out, struct err *e)
{
	const struct resource_at at = reading(by, a);
	size_t n = 0, n_rows, i;
	struct resource_row *rows;
	struct uuid *ids;
	json_t *item;

	ids = arena_zalloc(a, json_array_size(set) + 1, sizeof(*ids));
	json_array_foreach((json_t *)(uintptr_t)set, i, item) {
		const char *text = json_string_value(item);

		n += text && uuid_parse(str_of(text), &ids[n]) &&
			!uuid_among(ids, n, &ids[n]);
	}
	rows = arena_zalloc(a, n + 1, sizeof(*rows));
	out->v = arena_zalloc(a, n + 1, sizeof(*out->v));
	if (resource_set(by->db, bases, RSTMT_KNOWLEDGE_BASE_SET, &at, ids, n, a,
			 rows, &n_rows, e))
		return -1;
	for (i = 0; i < n; i++)
		for (size_t k = 0; k < n_rows; k++)
			if (uuid_eq(&rows[k].id, &ids[i]) && is_of(w, &rows[k]))
				out->v[out->n++] = rows[k];
	return 0;
}

int retrieve_bases(const struct caller *by, const struct workspace *w,
		   const struct agent *agent, struct str set, struct arena *a,
		   struct retrieve_bases *out, struct err *e)
{
	json_auto_t *ids = NULL;

	*out = (struct retrieve_bases){ .n = 0 };
	if (!set.p && agent && agent->row)
		set = resource_text(agent->row, COLUMN(AGENT, knowledge_base_ids));
	if (set.p) {
		ids = jx_try(set);
		return named_bases(by, w, ids, a, out, e);
	}
	if (agent && agent->set.rag.bases)
		return seen_bases(by, w, &agent->rag.bases, LIM_KNOWLEDGE_SET, a,
				  out, e);
	return seen_bases(by, w, NULL, LIM_BASES_SEARCHED, a, out, e);
}

int retrieve_set(const struct caller *by, const struct uuid *conversation,
		 struct arena *a, struct str *out, struct err *e)
{
	*out = (struct str){ NULL, 0 };
	if (!conversation || uuid_is_nil(conversation))
		return 0;
	return db_text(by->db, STMT_CONVERSATION_KNOWLEDGE,
		       DB_ARGS(DB_U(conversation), DB_S(by->owner.tenant_id),
			       DB_U(&by->owner.user_id)), a, out, e) < 0 ? -1 : 0;
}

static bool is_in(const json_t *set, const char *id)
{
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)(uintptr_t)set, i, item)
		if (json_is_string(item) && !strcmp(json_string_value(item), id))
			return true;
	return false;
}

static int no_base(const char *key, const char *text, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, key, "There is no knowledge base "
			 "\"%.60s\".", text);
}

/* Reads the ids of a set, each once, into ids. known: whether each is in had; if so, its
   base need not exist. */
static int read_set(const json_t *set, const json_t *had, const char *key,
		    struct uuid *ids, bool *known, size_t *n, struct err *e)
{
	size_t i;
	json_t *item;

	*n = 0;
	json_array_foreach((json_t *)(uintptr_t)set, i, item) {
		const char *text = json_string_value(item);

		if (!text)
			return err_field(e, ERR_INVALID_FIELD, key, "%s must be a "
					 "list of strings.", key);
		if (!uuid_parse(str_of(text), &ids[*n]))
			return no_base(key, text, e);
		known[*n] = is_in(had, text);
		*n += !uuid_among(ids, *n, &ids[*n]);
	}
	return 0;
}

/* The empty list: unchanged, if all bases of the old set were deleted; else no set. */
static int check_empty(const struct caller *by, struct str old, struct arena *a,
		       struct str *out, struct err *e)
{
	struct str known = old, *set = &known;

	if (store_known_bases(by->db, by->owner.tenant_id, &set, 1, a, e))
		return -1;
	if (known.p && str_is(known, "[]"))
		*out = old;
	return 0;
}

int retrieve_set_check(const struct caller *by, const json_t *set, struct str old,
		       const char *key, struct arena *a, struct str *out,
		       struct err *e)
{
	const struct resource_at at = reading(by, a);
	json_auto_t *had = old.p ? jx_try(old) : NULL, *once = json_array();
	struct uuid ids[LIM_KNOWLEDGE_SET];
	bool known[LIM_KNOWLEDGE_SET];
	struct resource_row *rows;
	char text[UUID_TEXT_BYTES];
	size_t n, n_rows;

	*out = (struct str){ NULL, 0 };
	if (!set || json_is_null(set))
		return 0;
	if (json_is_array(set) && !json_array_size(set))
		return check_empty(by, old, a, out, e);
	if (!json_is_array(set))
		return err_field(e, ERR_INVALID_FIELD, key, "%s must be a list of "
				 "strings.", key);
	if (json_array_size(set) > LIM_KNOWLEDGE_SET)
		return err_field(e, ERR_INVALID_FIELD, key, "%s must be a list of "
				 "at most %d ids of knowledge bases.", key,
				 LIM_KNOWLEDGE_SET);
	if (read_set(set, had, key, ids, known, &n, e))
		return -1;
	rows = arena_zalloc(a, n + 1, sizeof(*rows));
	if (resource_set(by->db, bases, RSTMT_KNOWLEDGE_BASE_SET, &at, ids, n, a,
			 rows, &n_rows, e))
		return -1;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n_rows; k++)
			known[i] |= uuid_eq(&rows[k].id, &ids[i]);
		if (!known[i])
			return no_base(key, uuid_format(&ids[i], text), e);
		json_array_append_new(once, json_string(uuid_format(&ids[i],
								    text)));
	}
	*out = str_of(jx_text(a, once));
	return 0;
}
