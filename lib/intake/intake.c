/* SPDX-License-Identifier: MIT */
#include "intake/item.h"

#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "resource/form.h"
#include "search/index.h"
#include "store/stmt.h"

#include "base/banned.h"

static const struct db_field state_fields[] = {
#define F(m, t, sql) FIELD_OF(struct intake_state, m, t)
	INTAKE_FIELDS(F, COMMA)
#undef F
};

int intake_state_get(struct db *db, const struct conf *conf, struct str name,
		     struct arena *a, struct intake_state *out, struct err *e)
{
	int rc = db_get(db, STMT_INTAKE_GET,
			DB_ARGS(DB_S(str_of(conf->tenant)), DB_S(name)), a,
			state_fields, out, e);

	if (rc < 0)
		return -1;
	return rc && out->run ? 0 : err_set(e, ERR_NOT_FOUND, "it was never read");
}

/* -- the base -------------------------------------------------------------------- */

static int make_index(struct db *tx, const struct resource_row *row, void *ctx,
		      struct err *e)
{
	const struct intake_run *k = ctx;

	return search_base_make(tx, &row->id, k->at.tenant_id,
				str_of(k->s->language), e);
}

/* Two concurrent runs may create two bases: then the first by id is used. */
static int make_base(struct intake_run *k, struct err *e)
{
	const struct resource *r = &resources[RESOURCE_KNOWLEDGE_BASE];
	const struct resource_field *language =
		&r->fields[COLUMN(KNOWLEDGE_BASE, language)];
	const struct resource_at at = {
		.by = { k->at.tenant_id, k->at.user_id },
		.holder = k->at.user_id,
	};
	const struct resource_also also = { .run = make_index, .ctx = k };
	struct resource_row row;

	if (!resource_takes(NULL, r, language, str_of(k->s->language)))
		return err_public(e, ERR_CONFIG, "language of the source %s must "
				  "be %s.", k->s->name,
				  resource_choices(NULL, r, language, k->a));
	resource_new(r, &row);
	row.holder = at.holder;
	row.v[COLUMN(KNOWLEDGE_BASE, name)] = DB_S(str_of(k->s->base));
	row.v[COLUMN(KNOWLEDGE_BASE, tier)] = DB_S(STR("tenant"));
	row.v[COLUMN(KNOWLEDGE_BASE, language)] = DB_S(str_of(k->s->language));
	resource_sort(r, k->a, &row);
	k->at.base = row.id;
	return resource_create(k->io->db, r, &at, &row, &also, e);
}

/* Finds k->at.base by its id: 1; 0 if there is none; -1. */
static int by_id(struct intake_run *k, struct err *e)
{
	struct str tier;
	int rc;

	if (!uuid_parse(str_of(k->s->base), &k->at.base))
		return 0;
	rc = db_text(k->io->db, STMT_INTAKE_BASE,
		     DB_ARGS(DB_U(&k->at.base), DB_S(k->at.tenant_id)), k->a,
		     &tier, e);
	if (rc < 0)
		return -1;
	if (!rc || str_is(tier, "private"))
		return err_public(e, ERR_CONFIG, "base of the source %s must be a "
				  "name, or the id of a knowledge base that is "
				  "not private.", k->s->name);
	return 1;
}

static int find_base(struct intake_run *k, struct err *e)
{
	int rc = by_id(k, e);

	if (rc)
		return rc < 0 ? -1 : 0;
	rc = db_id(k->io->db, STMT_INTAKE_BASE_NAMED,
		   DB_ARGS(DB_S(k->at.tenant_id), DB_U(&k->at.user_id),
			   DB_S(str_of(k->s->base))), &k->at.base, e);
	if (rc < 0)
		return -1;
	return rc ? 0 : make_base(k, e);
}

/* -- running --------------------------------------------------------------------- */

/* Moves the documents out of the base that the source used before. 1, 0, -1. */
static int leave_base(struct intake_run *k, struct err *e)
{
	struct uuid now = k->at.base;
	int64_t run = k->st.run;
	int rc;

	if (uuid_is_nil(&k->st.base_id) || uuid_eq(&k->st.base_id, &now))
		return 1;
	k->at.base = k->st.base_id;
	k->st.run = INT64_MAX;
	rc = intake_drop(k, e);
	k->at.base = now;
	k->st.run = run;
	return rc;
}

/* A hash of what the source reads: a run cannot be continued in another place. */
static struct str origin_of(const struct intake_run *k)
{
	const struct conf_intake *s = k->s;
	struct str *v = arena_zalloc(k->a, s->urls.n + 4, sizeof(*v));
	unsigned char hash[INTAKE_HASH_BYTES];
	size_t n = 0;

	v[n++] = str_of(s->directory);
	v[n++] = str_of(s->select);
	v[n++] = str_of(s->database);
	v[n++] = str_of(s->sitemap);
	for (size_t i = 0; i < s->urls.n; i++)
		v[n++] = str_of(s->urls.v[i]);
	intake_hash(hash, v, n);
	return arena_str(k->a, (struct str){ (char *)hash, sizeof(hash) });
}

static int begin_run(struct intake_run *k, bool again, struct err *e)
{
	struct intake_state *st = &k->st;
	struct str origin = origin_of(k);

	if (again || st->going == ENDED || !str_eq(st->origin, origin) ||
	    !uuid_eq(&st->base_id, &k->at.base))
		*st = (struct intake_state){
			.origin = origin,
			.base_id = k->at.base, .run = st->run + 1,
			.going = LOOKING, .place = STR(""), .faults = STR(""),
			.begun_us = clock_now_us(), .next_us = st->next_us,
		};
	k->whole = st->going != LOOKING_IN_PART;
	buf_addstr(&k->faults, st->faults);
	for (size_t i = 0; i < st->faults.n; i++)
		k->n_faults += st->faults.p[i] == '\n';
	return intake_save(k, e);
}

static int read_source(struct intake_run *k, struct err *e)
{
	int rc = 1;

	if (k->st.going != DROPPING)
		rc = *k->s->directory ? intake_directory(k, e)
			: *k->s->select ? intake_select(k, e)
			: intake_site(k, e);
	if (rc > 0 && k->whole) {
		k->st.going = DROPPING;
		rc = intake_drop(k, e);
	} else if (rc == 0 && !k->whole) {
		k->st.going = LOOKING_IN_PART;
	}
	return rc;
}

/* Stores the result of the run, including its error. */
static int end(struct intake_run *k, int rc, struct err *e)
{
	struct err lost = ERR_INIT;

	if (rc) {
		k->st.going = ENDED;
		k->st.place = STR("");
		k->st.ended_us = clock_now_us();
	}
	if (rc < 0) {
		buf_addf(&k->faults, "%s\n", *e->public ? e->public : e->text);
		return intake_save(k, &lost) ? -1 : rc;
	}
	return intake_save(k, e) ? -1 : rc;
}

static int run_source(struct intake_run *k, bool again, struct err *e)
{
	int rc = intake_state_get(k->io->db, k->io->conf, str_of(k->s->name), k->a,
				  &k->st, e);

	if (rc && e->code != ERR_NOT_FOUND)
		return -1;
	if (rc) {
		err_clear(e);
		k->st = (struct intake_state){
			.place = STR(""), .faults = STR(""),
		};
	}
	if (find_base(k, e))
		return -1;
	rc = leave_base(k, e);
	if (rc <= 0)
		return rc;
	if (begin_run(k, again, e))
		return -1;
	return end(k, read_source(k, e), e);
}

/* Like intake_sync. */
static int run_alone(struct intake_run *k, bool again, struct err *e)
{
	const struct uuid none = { .b = { 0 } };
	int rc = db_exec(k->io->db, STMT_INTAKE_NEW,
			 DB_ARGS(DB_S(k->at.tenant_id), DB_S(str_of(k->s->name)),
				 DB_U(&none)), NULL, e) ? -1 : intake_take(k, e);

	if (!rc)
		return err_public(e, ERR_BUSY, "It is being read by another "
				  "process. If that was killed, wait two minutes.");
	if (rc > 0) {
		rc = run_source(k, again, e);
		intake_release(k);
	}
	return rc;
}

struct kb_at intake_at(const struct conf *conf)
{
	struct str tenant = str_of(conf->tenant);

	return (struct kb_at){
		.tenant_id = tenant, .user_id = resource_of_tenant(tenant),
		.all = true, .most_documents = LIM_DOCUMENTS,
		.most_mb = conf->knowledge.base_mb,
	};
}

int intake_sync(const struct intake_io *io, const struct conf_intake *s, bool again,
		struct arena *a, struct intake_state *out, struct err *e)
{
	struct intake_run k = {
		.io = io, .s = s, .a = a, .at = intake_at(io->conf),
		.faults = BUF_INIT(LIM_INTAKE_FAULT_BYTES + 1024),
	};
	json_t *groups = jx_keep(a, json_array());
	const char *list;
	int rc;

	for (size_t i = 0; i < s->groups.n; i++)
		json_array_append_new(groups, json_string(s->groups.v[i]));
	list = intake_groups(a, groups, NULL);
	k.groups = str_of(list ? list : "[]");
	rc = list ? run_alone(&k, again, e)
		: err_set(e, ERR_CONFIG, "groups of the source %s", s->name);
	buf_release(&k.faults);
	*out = k.st;
	return rc;
}
