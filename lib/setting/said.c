/* SPDX-License-Identifier: MIT */
#include "setting/said.h"

#include <stdlib.h>
#include <string.h>

#include "resource/author.h"
#include "resource/resource.h"

#include "base/banned.h"

/* -- holders --------------------------------------------------------------------- */

static struct setting_said *new_said(struct arena *a, size_t n)
{
	struct setting_said *s = arena_new(a, struct setting_said);

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

struct setting_said *setting_holders(const struct identity *who,
				     struct arena *a)
{
	struct setting_said *s = new_said(a, who->n_groups + 2);

	s->v[0] = (struct setting_holder){
		.level = LEVEL_USER, .id = who->user_id, .name = who->login,
	};
	for (size_t i = 0; i < who->n_groups; i++)
		s->v[i + 1] = team_of(who->tenant, who->groups[i]);
	qsort(s->v + 1, who->n_groups, sizeof(*s->v), by_name);
	s->v[s->n - 1] = tenant_of(who->tenant);
	return s;
}

struct setting_said *setting_holders_of_team(struct str tenant, struct str group,
					     struct arena *a)
{
	struct setting_said *s = new_said(a, 2);

	s->v[0] = team_of(tenant, group);
	s->v[1] = tenant_of(tenant);
	return s;
}

struct setting_said *setting_holders_of_tenant(struct str tenant,
					       struct arena *a)
{
	struct setting_said *s = new_said(a, 1);

	s->v[0] = tenant_of(tenant);
	return s;
}

struct uuid *setting_ids(const struct setting_said *s, struct arena *a)
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

static void take(struct setting_holder *h, const struct store_setting *row,
		 struct arena *a)
{
	struct err ignored = ERR_INIT;
	json_t *said = jx_keep(a, jx_load_lenient(row->said, &ignored));

	h->version = row->version;
	h->author = row->author;
	h->said = json_is_object(said) ? said : NULL;
}

void setting_take(struct setting_said *s, const struct store_setting *rows,
		  size_t n, struct arena *a)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < s->n; k++)
			if (uuid_eq(&rows[i].holder_id, &s->v[k].id))
				take(&s->v[k], &rows[i], a);
}

int setting_read(struct db *db, struct str tenant, struct setting_said *s,
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
	struct setting_said *s;

	if (by->said || !by->who)
		return 0;
	s = setting_holders(by->who, by->arena);
	if (setting_read(by->db, by->who->tenant, s, by->arena, e) < 0)
		return -1;
	by->said = s;
	return 0;
}

/* -- storing ---------------------------------------------------------------------- */

static bool same_prompt(const json_t *one, const json_t *other)
{
	const char *key = setting_rows[SETTING_TEAM_PROMPT].key;

	return author_same_words(jx_str(one, key), jx_str(other, key));
}

int setting_store(struct db *db, struct str tenant, const struct identity *who,
		  const struct setting_said *s, const json_t *said, bool *stored,
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
		.version = h->version, .said = str_of(jx_text(&a, said)),
	};
	int rc = 0;

	if (!same_prompt(said, h->said)) {
		row.author = author_text(who, &a);
		if (who)
			row.author_id = who->user_id;
	}
	if (h->level == LEVEL_TEAM && !h->version)
		rc = store_setting_mark(db, &mark, e);
	if (!rc)
		rc = store_setting_put(db, tenant, &row, stored, e);
	arena_release(&a);
	return rc;
}
