/* SPDX-License-Identifier: MIT */
#include "setting/values.h"

#include <stdlib.h>
#include <string.h>

#include "resource/author.h"
#include "resource/resource.h"

#include "base/banned.h"

/* -- holders --------------------------------------------------------------------- */

static struct setting_values *new_values(struct arena *a, size_t n)
{
	struct setting_values *s = arena_new(a, struct setting_values);

	s->v = arena_zalloc(a, n, sizeof(*s->v));
	s->n = n;
	return s;
}

static struct setting_holder tenant_of(struct str tenant)
{
	return (struct setting_holder){
		.level = LEVEL_TENANT, .id = resource_of_tenant(tenant),
		.name = tenant,
	};
}

static struct setting_holder team_of(struct str tenant, struct str group)
{
	return (struct setting_holder){
		.level = LEVEL_TEAM, .id = resource_of_group(tenant, group),
		.name = group,
	};
}

static int by_name(const void *a, const void *b)
{
	const struct setting_holder *x = a, *y = b;
	int order = memcmp(x->name.p, y->name.p, MIN(x->name.n, y->name.n));

	return order ? order : (x->name.n > y->name.n) - (x->name.n < y->name.n);
}

struct setting_values *setting_holders(const struct identity *who,
				     struct arena *a)
{
	struct setting_values *s = new_values(a, who->n_groups + 2);

	s->v[0] = (struct setting_holder){
		.level = LEVEL_USER, .id = who->user_id, .name = who->login,
	};
	for (size_t i = 0; i < who->n_groups; i++)
		s->v[i + 1] = team_of(who->tenant, who->groups[i]);
	qsort(s->v + 1, who->n_groups, sizeof(*s->v), by_name);
	s->v[s->n - 1] = tenant_of(who->tenant);
	return s;
}

struct setting_values *setting_holders_of_team(struct str tenant, struct str group,
					     struct arena *a)
{
	struct setting_values *s = new_values(a, 2);

	s->v[0] = team_of(tenant, group);
	s->v[1] = tenant_of(tenant);
	return s;
}

struct setting_values *setting_holders_of_tenant(struct str tenant,
					       struct arena *a)
{
	struct setting_values *s = new_values(a, 1);

	s->v[0] = tenant_of(tenant);
	return s;
}

struct uuid *setting_ids(const struct setting_values *s, struct arena *a)
{
	struct uuid *ids = arena_alloc(a, s->n * sizeof(*ids));

	ids[0] = s->v[0].id;
	if (s->n > 1)
		ids[1] = s->v[s->n - 1].id;
	for (size_t i = 2; i < s->n; i++)
		ids[i] = s->v[i - 1].id;
	return ids;
}

/* -- values ---------------------------------------------------------------------- */

static void take_row(struct setting_holder *h, const struct store_setting *row,
		     struct arena *a)
{
	struct err ignored = ERR_INIT;
	json_t *values = jx_keep(a, jx_load_lenient(row->values, &ignored));

	h->version = row->version;
	h->author = row->author;
	h->values = json_is_object(values) ? values : NULL;
}

void setting_take(struct setting_values *s, const struct store_setting *rows,
		  size_t n, struct arena *a)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < s->n; k++)
			if (uuid_eq(&rows[i].holder_id, &s->v[k].id))
				take_row(&s->v[k], &rows[i], a);
}

int setting_read(struct db *db, struct str tenant, struct setting_values *s,
		 struct arena *a, struct err *e)
{
	struct store_setting *rows = arena_zalloc(a, s->n, sizeof(*rows));
	size_t n;

	if (store_setting_read(db, tenant, setting_ids(s, a), s->n, a, rows, &n,
			       e) < 0)
		return -1;
	setting_take(s, rows, n, a);
	return 0;
}

int setting_read_for(struct caller *by, struct err *e)
{
	struct setting_values *s;

	if (by->settings || !by->who)
		return 0;
	s = setting_holders(by->who, by->arena);
	if (setting_read(by->db, by->who->tenant, s, by->arena, e) < 0)
		return -1;
	by->settings = s;
	return 0;
}

/* -- storing ---------------------------------------------------------------------- */

static bool same_prompt(const json_t *one, const json_t *other)
{
	const char *key = setting_rows[SETTING_TEAM_PROMPT].key;

	return author_same_words(jx_str(one, key), jx_str(other, key));
}

int setting_store(struct db *db, struct str tenant, const struct identity *who,
		  const struct setting_values *s, const json_t *values, bool *stored,
		  struct err *e)
{
	const struct setting_holder *h = &s->v[0];
	const struct setting_holder *all = &s->v[s->n - 1];	/* the tenant */
	const struct store_setting mark = {
		.holder_id = all->id, .level = all->level, .name = all->name,
	};
	struct arena a = ARENA_INIT;
	struct store_setting row = {
		.holder_id = h->id, .level = h->level, .name = h->name,
		.version = h->version, .values = str_of(jx_text(&a, values)),
	};
	int rc = 0;

	if (!same_prompt(values, h->values)) {
		row.author = author_text(who, &a);
		if (who)
			row.author_id = who->user_id;
	}
	/*
	 * The begin of a turn looks only for rows of the user and the tenant
	 * (store/setting.h).
	 */
	if (h->level == LEVEL_TEAM && !h->version)
		rc = store_setting_mark(db, &mark, e);
	if (!rc)
		rc = store_setting_put(db, tenant, &row, stored, e);
	arena_release(&a);
	return rc;
}
