/* SPDX-License-Identifier: MIT */
/*
 * A site: the addresses in the configuration or in its sitemap. The list of a
 * run is stored with what was read, so that a run can continue.
 */
#include "intake/site.h"

#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "file/extract.h"
#include "net/url.h"
#include "store/stmt.h"

#include "base/banned.h"

enum { SITEMAP = 2, PAGE = 1 };	/* knowledge_source_page.todo */

enum {
	READ_MS = 20000,	/* limit for parsing a sitemap */
	LIST_ROWS = 500,	/* added to the list per statement */
	MAP_TEXT_BYTES = 16777216 + 65536,
};

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

/* Adds addresses to the list of this run: a JSON array of {url, depth, mod}. */
static int list_urls(struct site *s, struct str json, struct err *e)
{
	const struct intake_run *k = s->k;

	return db_exec(k->io->db, STMT_INTAKE_PAGES_PUT,
		       DB_ARGS(DB_U(&k->at.base), DB_S(str_of(k->s->name)),
			       DB_I(k->st.run), DB_S(json)), NULL, e);
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
	rc = list_urls(s, buf_str(&b), e);
	buf_release(&b);
	if (!rc && (int)urls->n > s->k->s->max_pages)
		intake_fault(s->k, str_of(s->k->s->name), "It has more urls than "
			     "max_pages; all are read.");
	return rc;
}

/* -- sitemaps ------------------------------------------------------------------------------ */

struct map_reading {
	struct site *s;
	const struct site_page *p;	/* the sitemap */
	struct buf rows;
	struct jw w;
	size_t n;		/* in rows */
	int64_t ours, others;	/* addresses of the site, and others */
	int64_t bad;		/* no addresses at all */
	bool too_many, too_deep;
	bool in_part;		/* addresses are missing that may have documents */
	int64_t at, done;	/* entry; how many were listed before */
	unsigned char hash[INTAKE_HASH_BYTES];	/* of all entries */
	bool changed;		/* it is another one than was listed in part */
	int64_t until_ms;
};

static void begin_rows(struct map_reading *m)
{
	buf_reset(&m->rows);
	m->w = jw_on(&m->rows);
	jw_arr(&m->w);
	m->n = 0;
}

static int put_rows(struct map_reading *m, struct err *e)
{
	int rc;

	if (!m->n)
		return 0;
	jw_end_arr(&m->w);
	rc = list_urls(m->s, buf_str(&m->rows), e);
	begin_rows(m);
	return rc;
}

static bool is_full(const struct site *s, bool map)
{
	return map ? s->count.maps >= LIM_SITEMAPS
		: s->count.pages >= s->k->s->max_pages;
}

/*
 * Whether the address fits into the list. The count includes addresses that were
 * in it already, so it is made exact before one is refused. 1, 0, -1.
 */
static int has_room(struct map_reading *m, bool map, struct str url, struct err *e)
{
	struct site *s = m->s;
	int rc;

	if (map && m->p->depth >= LIM_SITEMAP_DEPTH) {
		m->too_deep = true;
		return 0;
	}
	if (is_full(s, map)) {
		if (map ? m->in_part : m->too_many)
			return 0;
		rc = put_rows(m, e) ? -1 : site_lists(s, url, e);
		if (rc)
			return rc < 0 ? -1 : 0;
		if (intake_pages_get(s->k->io->db, str_of(s->k->s->name),
				     &s->k->st, &s->count, e))
			return -1;
		if (is_full(s, map)) {
			m->too_many = true;
			m->in_part |= map;
			return 0;
		}
	}
	s->count.maps += map;
	s->count.pages += !map;
	return 1;
}

/* Parses "page LASTMOD ADDRESS", "skip" or "more". */
static int add(struct map_reading *m, struct str line, struct err *e)
{
	struct str kind = str_cut(&line, ' ');
	bool map = str_is(kind, "map");
	struct str mod = str_cut(&line, ' ');
	struct buf url = BUF_INIT(4 * LIM_DOCUMENT_URL_CHARS + 64);
	const char *base = m->s->k->s->sitemap;
	int rc = 0;

	line = str_cut(&line, '#');
	if (str_is(kind, "skip")) {
		m->bad++;
	} else if (str_is(kind, "more")) {
		m->too_many = m->in_part = true;
	} else if (!url_join(base, line, &url) || !site_has(base, url.p) ||
	    utf8_chars(buf_str(&url)) > LIM_DOCUMENT_URL_CHARS) {
		m->others++;
	} else {
		m->ours++;
		rc = m->at < m->done ? 0 : has_room(m, map, buf_str(&url), e);
		if (rc > 0) {
			jw_obj(&m->w);
			jw_kstr(&m->w, "url", buf_str(&url));
			jw_kint(&m->w, "depth", map ? m->p->depth + 1 : 0);
			jw_kstr(&m->w, "mod", str_is(mod, "-") ? STR("")
				: utf8_head(mod, SITE_MOD_BYTES));
			jw_end_obj(&m->w);
			m->n++;
		}
	}
	buf_release(&url);
	m->at++;
	return rc < 0 ? -1 : 0;
}

/*
 * Lists a part, and notes that. 1; 0 if the run ends here; -1. It does not end in a
 * sitemap that does not fit (nothing of the rest is written), nor in one that changes
 * with each request (it would never reach the end).
 */
static int put_part(struct map_reading *m, struct err *e)
{
	const struct intake_run *k = m->s->k;
	const struct str hash = { (const char *)m->hash, sizeof(m->hash) };
	const atomic_bool *stop = k->io->stop;

	if (intake_renew(m->s->k, false, e) || put_rows(m, e) ||
	    db_exec(k->io->db, STMT_INTAKE_MAP_LISTED,
		    DB_ARGS(DB_I(m->at), DB_B(hash), DB_U(&k->at.base),
			    DB_S(str_of(k->s->name)), DB_B(m->p->item),
			    DB_I(k->st.run)), NULL, e))
		return -1;
	if (m->too_many || m->in_part || m->changed)
		return 1;
	return !(stop && atomic_load(stop)) && clock_mono_ms() < m->until_ms;
}

/* Reports skipped addresses. Their documents must not be deleted. */
static void say(struct map_reading *m)
{
	struct intake_run *k = m->s->k;
	char text[160];

	if (m->others) {
		snprintf(text, sizeof(text), "%lld of its addresses %s not of this "
			 "site (%s); %s skipped.", (long long)m->others,
			 m->others == 1 ? "is" : "are", "scheme, host and port",
			 m->others == 1 ? "it is" : "they are");
		intake_fault(k, m->p->url, text);
	}
	if (m->bad) {
		snprintf(text, sizeof(text), "%lld of its entries %s no valid "
			 "address; %s skipped.", (long long)m->bad,
			 m->bad == 1 ? "has" : "have",
			 m->bad == 1 ? "it is" : "they are");
		intake_fault(k, m->p->url, text);
	}
	if (!m->ours || m->in_part)
		k->whole = false;
	if (m->too_deep) {
		intake_fault(k, m->p->url, "Sitemaps are nested too deeply.");
		k->whole = false;
	}
	if (m->too_many && !m->s->full) {
		intake_fault(k, m->p->url, "There are more addresses than "
			     "max_pages, or too many sitemaps; the rest is "
			     "skipped.");
		m->s->full = true;
	}
}

/*
 * 1; 0 if the run ends before the end of the sitemap; -1. Listing gets as much time as
 * the request took, even if the run is late: the next run requests the sitemap again.
 */
static int list(struct site *s, const struct site_page *p, struct str lines,
		int64_t began_ms, struct err *e)
{
	int64_t now_ms = clock_mono_ms();
	struct map_reading m = {
		.s = s, .p = p,
		.until_ms = MAX(s->k->io->until_ms, now_ms + now_ms - began_ms),
		.rows = BUF_INIT(LIST_ROWS *
			(size_t)(6 * LIM_DOCUMENT_URL_CHARS + 128)),
	};
	int rc = 1;

	intake_hash(m.hash, &lines, 1);
	if (p->listed && p->listed_of.n == sizeof(m.hash) &&
	    !memcmp(p->listed_of.p, m.hash, sizeof(m.hash)))
		m.done = p->listed;
	m.changed = p->listed && !m.done;
	begin_rows(&m);
	while (rc > 0 && lines.n) {
		rc = add(&m, str_cut(&lines, '\n'), e) ? -1 : 1;
		if (rc > 0 && m.n >= LIST_ROWS && lines.n)
			rc = put_part(&m, e);
	}
	if (rc > 0 && put_rows(&m, e))
		rc = -1;
	buf_release(&m.rows);
	if (rc <= 0)
		return rc;
	if (!m.ours && !m.others)
		return err_public(e, ERR_UPSTREAM_PROTOCOL,
				  "The sitemap has no addresses.");
	say(&m);
	/* Some addresses were in the list already. */
	return intake_pages_get(s->k->io->db, str_of(s->k->s->name), &s->k->st,
				&s->count, e) ? -1 : 1;
}

/* Returns as list. */
static int read_map(struct site *s, const struct site_page *p,
		    const struct site_answer *w, int64_t began_ms, struct err *e)
{
	const struct extract_want want = {
		.what = "The sitemap", .type = "sitemap", .files = true,
		.until_ms = clock_mono_ms() + READ_MS,
	};
	struct buf out = BUF_INIT(MAP_TEXT_BYTES);
	int rc;

	if (w->status != 200)
		return err_public(e, ERR_UPSTREAM_PROTOCOL, "The site answered %d "
				  "for its sitemap.", w->status);
	rc = file_extract_text(&want, buf_str(&w->body), &out, e) ? -1
		: list(s, p, buf_str(&out), began_ms, e);
	buf_release(&out);
	return rc;
}

/*
 * Adds the addresses of a sitemap to the list: in parts, each of which is stored, so
 * that the next run continues behind it. Returns 1 when done; 0 if the run ends first;
 * -1.
 */
static int take_map(struct site *s, const struct site_page *p, struct err *e)
{
	struct intake_run *k = s->k;
	struct err why = ERR_INIT;
	int64_t began_ms = clock_mono_ms();
	struct site_answer w;
	int rc = site_get(s, p, true, LIM_EXTRACT_INPUT_BYTES, &w, &why);

	if (rc > 0)
		rc = read_map(s, p, &w, began_ms, &why);
	if (rc < 0 && (p->depth == 1 || !*why.public)) {
		*e = why;
		rc = -1;
	} else if (rc) {
		if (rc < 0) {
			intake_fault(k, p->url, why.public);
			k->whole = false;
		}
		rc = !k->whole && intake_in_part(k, e) ? -1 :
			db_exec(k->io->db, STMT_INTAKE_PAGE_DONE,
				DB_ARGS(DB_S(STR("")), DB_B(STR("")),
					DB_B(STR("")), DB_I((int64_t)w.body.n),
					DB_U(&k->at.base),
					DB_S(str_of(k->s->name)), DB_B(p->item),
					DB_I(k->st.run)), NULL, e) ? -1 : 1;
	}
	site_answer_release(&w);
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
		rc = v[i].depth > 0 ? take_map(s, &v[i], e)
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
