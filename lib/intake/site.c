/* SPDX-License-Identifier: MIT */
/*
 * A site: the addresses in the configuration or in its sitemap. The list of a
 * run is stored with what was read, so that a run can continue.
 */
#include "intake/site.h"

#include <string.h>

#include "base/limits.h"
#include "net/url.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { SITEMAP = 2, PAGE = 1 };	/* knowledge_source_page.todo */

/* -- the list --------------------------------------------------------------------------- */

static const struct db_field count_fields[] = {
	FIELD_OF(struct intake_pages, pages, i),
	FIELD_OF(struct intake_pages, maps, i),
	FIELD_OF(struct intake_pages, todo, i),
	FIELD_OF(struct intake_pages, bytes, i),
};

static const struct db_field page_fields[] = {
#define F(m, t, sql) FIELD_OF(struct site_page, m, t)
	INTAKE_PAGE_FIELDS(F, COMMA)
#undef F
};

int intake_pages_get(struct db *db, struct str name, const struct intake_state *st,
		     struct intake_pages *out, struct err *e)
{
	return db_get(db, STMT_INTAKE_PAGE_COUNTS,
		      DB_ARGS(DB_U(&st->base_id), DB_S(name), DB_I(st->run)),
		      NULL, count_fields, out, e) < 0 ? -1 : 0;
}

int site_list(struct site *s, struct str json, struct err *e)
{
	const struct intake_run *k = s->k;

	return db_exec(k->io->db, STMT_INTAKE_PAGES_PUT,
		       DB_ARGS(DB_U(&k->at.base), DB_S(str_of(k->s->name)),
			       DB_I(k->st.run), DB_S(json)), NULL, e);
}

struct site_listed {
	struct str same_as;
};

/* Whether the item is in the list of this run. 1, 0, -1. */
static int lists(struct site *s, struct str item, struct site_listed *out,
		 struct err *e)
{
	static const struct db_field fields[] = {
		FIELD_OF(struct site_listed, same_as, B),
	};
	const struct intake_run *k = s->k;

	return db_get(k->io->db, STMT_INTAKE_PAGE_LISTED,
		      DB_ARGS(DB_U(&k->at.base), DB_S(str_of(k->s->name)),
			      DB_I(k->st.run), DB_B(item)), &s->one, fields, out,
		      e);
}

/* The item of an address: its SHA-256, in h. */
static struct str item_of(struct str url, unsigned char *h)
{
	crypto_hash_sha256(h, (const unsigned char *)url.p, url.n);
	return (struct str){ (const char *)h, crypto_hash_sha256_BYTES };
}

int site_lists(struct site *s, struct str url, struct err *e)
{
	unsigned char h[crypto_hash_sha256_BYTES];
	struct site_listed l;

	return lists(s, item_of(url, h), &l, e);
}

int site_is_same(struct site *s, const struct site_page *p, struct str url,
		 struct err *e)
{
	const struct intake_run *k = s->k;
	unsigned char h[crypto_hash_sha256_BYTES];
	const struct str other = item_of(url, h);
	struct site_listed l;
	int rc = lists(s, other, &l, e);

	for (int i = 0; rc > 0 && l.same_as.n && i < LIM_SAME_PAGES; i++) {
		if (str_eq(l.same_as, p->item))
			return 0;
		rc = lists(s, l.same_as, &l, e);
	}
	if (rc <= 0)
		return rc;
	return db_exec(k->io->db, STMT_INTAKE_PAGE_SAME,
		       DB_ARGS(DB_B(other), DB_U(&k->at.base),
			       DB_S(str_of(k->s->name)), DB_I(k->st.run),
			       DB_B(p->item)), NULL, e) ? -1 : 1;
}

/* Lists the addresses in the configuration. */
static int list_roots(struct site *s, struct err *e)
{
	const struct conf_list *urls = &s->k->s->urls;
	bool map = *s->k->s->sitemap;
	struct buf b = BUF_INIT((LIM_SITE_URLS + 1) *
				(size_t)(LIM_DOCUMENT_URL_CHARS + 64));
	struct jw w = jw_on(&b);
	int rc;

	jw_arr(&w);
	for (size_t i = 0; i < (map ? 1 : urls->n); i++) {
		jw_obj(&w);
		jw_kstrz(&w, "url", map ? s->k->s->sitemap : urls->v[i]);
		jw_kint(&w, "depth", map);
		jw_kstrz(&w, "mod", "");
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	rc = site_list(s, buf_str(&b), e);
	buf_release(&b);
	if (!rc && (int)urls->n > s->k->s->max_pages)
		intake_fault(s->k, str_of(s->k->s->name), "It has more urls than "
			     "max_pages; all are read.");
	return rc;
}

/* -- reading -------------------------------------------------------------------------------- */

/* Reads one page or sitemap. Returns 1; 0 if the run ends for now; -1. */
static int take(struct site *s, const struct site_page *v, size_t n, struct err *e)
{
	int rc = 1;

	for (size_t i = 0; rc > 0 && i < n; i++) {
		if (intake_renew(s->k, false, e))
			return -1;
		rc = v[i].depth > 0 ? site_map(s, &v[i], e)
			: site_page(s, &v[i], e);
		arena_release(&s->one);
		if (rc > 0 && intake_is_late(s->k))
			return 0;
	}
	return rc;
}

/* Returns 2 if nothing is left, otherwise as take. Sitemaps come first. */
static int take_some(struct site *s, struct err *e)
{
	const struct intake_run *k = s->k;
	struct arena a = ARENA_INIT;
	struct site_page *v;
	size_t n = 0;
	int rc = 0;

	for (int todo = SITEMAP; !rc && !n && todo >= PAGE; todo--)
		rc = db_list(k->io->db, STMT_INTAKE_PAGES_NEXT,
			     DB_ARGS(DB_U(&k->at.base), DB_S(str_of(k->s->name)),
				     DB_I(todo), DB_I(k->st.run)), &a,
			     page_fields, sizeof(*v), 0, &v, &n, e);
	rc = rc ? -1 : n ? take(s, v, n, e) : 2;
	arena_release(&a);
	return rc;
}

int intake_site(struct intake_run *k, struct err *e)
{
	struct site s = {
		.k = k, .delay_ms = k->s->delay_ms, .one = ARENA_INIT,
		.rules_at = BUF_INIT(8192), .rules = BUF_INIT(LIM_ROBOTS_BYTES + 1),
	};
	int rc = 1;

	if (!k->io->http)
		return err_set(e, ERR_CONFIG, "no requests can be made here");
	if (!k->st.place.n)
		rc = list_roots(&s, e) ? -1 : 1;
	if (rc > 0 && intake_pages_get(k->io->db, str_of(k->s->name), &k->st,
				       &s.count, e))
		rc = -1;
	if (rc > 0)
		k->st.place = STR("listed");
	while (rc == 1)
		rc = take_some(&s, e);
	buf_release(&s.rules_at);
	buf_release(&s.rules);
	arena_release(&s.one);
	if (rc)
		k->st.place = STR("");
	return rc == 2 ? 1 : rc;
}
