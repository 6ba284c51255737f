/* SPDX-License-Identifier: MIT */
/* Sitemaps of a site. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "file/extract.h"
#include "intake/site.h"
#include "net/url.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	READ_MS = 20000,	/* limit for parsing a sitemap */
	LIST_ROWS = 500,	/* added to the list per statement */
	MAP_TEXT_BYTES = 16777216 + 65536,
};

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
	rc = site_list(m->s, buf_str(&m->rows), e);
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

int site_map(struct site *s, const struct site_page *p, struct err *e)
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
