/* SPDX-License-Identifier: MIT */
/*
 * A site: the addresses in the configuration or in its sitemap. The list of a
 * run is stored with what was read, so that a run can continue.
 */
#include "intake/site.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "file/extract.h"
#include "file/upload.h"
#include "net/robots.h"
#include "net/url.h"
#include "store/stmt.h"

#include "base/banned.h"

/* -- one page -------------------------------------------------------------- */

/* A page or a file of a site as a document. */

enum {
	PAGE_MS = 15000,	/* limit for extracting the text of a page */
	SNIFF_BYTES = 1024,
};

/* Change it when the extracted text of pages changes. */
#define READER STR("1")

/* Records that the page was read, with the validators in w for the next run. */
static int done(struct site *s, const struct site_page *p,
		const struct site_answer *w, struct str mod, struct err *e)
{
	const struct intake_run *k = s->k;

	return db_exec(k->io->db, STMT_INTAKE_PAGE_DONE,
		       DB_ARGS(DB_S(mod), DB_B(str_of(w ? w->etag : "")),
			       DB_B(str_of(w ? w->modified : "")),
			       DB_I(w ? (int64_t)w->body.n : 0),
			       DB_U(&k->at.base), DB_S(str_of(k->s->name)),
			       DB_B(p->item), DB_I(k->st.run)), NULL, e) ? -1 : 1;
}

/* The same for a page whose document and validators are unchanged. */
static int done_same(struct site *s, const struct site_page *p, struct str mod,
		     struct err *e)
{
	struct site_answer w = { .status = 0 };

	snprintf(w.etag, sizeof(w.etag), "%.*s", STR_ARG(p->etag));
	snprintf(w.modified, sizeof(w.modified), "%.*s", STR_ARG(p->modified));
	return done(s, p, &w, mod, e);
}

/* Records that the page could not be read; its document is kept. */
static int keep_document(struct site *s, const struct site_page *p,
			 const struct intake_item *it, const char *why, struct err *e)
{
	intake_fault(s->k, it->key, why);
	return intake_keep(s->k, it, e) ? -1 : done(s, p, NULL, STR(""), e);
}

/* Records that the page has no document any more. */
static int leave(struct site *s, const struct site_page *p,
		 const struct intake_item *it, const char *why, struct err *e)
{
	if (why)
		intake_fault(s->k, it->key, why);
	return done(s, p, NULL, STR(""), e);
}

/* -- type -------------------------------------------------------------------------------- */

static bool has_tag(struct str s, const char *tag)
{
	return s.n > strlen(tag) && !strncasecmp(s.p, tag, strlen(tag));
}

/* By the first bytes; by the declared type only if they do not tell. */
static bool is_html(const struct site_answer *w)
{
	static const char *const begins[] = {
		"<!doctype html", "<html", "<head", "<body", "<!--", "<main",
		"<article", "<title", "<h1", "<div", "<p",
	};
	struct str s = buf_str(&w->body);
	bool declared = !strncasecmp(w->content_type, "text/html", 9) ||
		    !strncasecmp(w->content_type, "application/xhtml", 17);

	if (str_starts(s, STR("\xef\xbb\xbf")))
		s = (struct str){ s.p + 3, s.n - 3 };
	s = str_trim(s);
	if (has_tag(s, "<?xml"))
		return memmem(s.p, MIN(s.n, SNIFF_BYTES), "<html", 5) != NULL;
	for (size_t i = 0; i < ARRAY_LEN(begins); i++)
		if (has_tag(s, begins[i]))
			return true;
	s.n = MIN(s.n, SNIFF_BYTES);
	return declared && !str_starts(s, STR("%PDF")) && !memchr(s.p, 0, s.n);
}

/* "utf-8" of "text/html; charset=utf-8", or "". */
static void charset_of(const char *content_type, char *out, size_t n)
{
	struct str rest = str_of(content_type);

	out[0] = '\0';
	(void)str_cut(&rest, ';');
	while (rest.n) {
		struct str part = str_trim(str_cut(&rest, ';')), key;

		key = str_trim(str_cut(&part, '='));
		part = str_trim(part);
		if (part.n > 1 && *part.p == '"')
			part = (struct str){ part.p + 1, part.n - 2 };
		if (key.n == 7 && !strncasecmp(key.p, "charset", 7) && part.n < n)
			snprintf(out, n, "%.*s", STR_ARG(part));
	}
}

/* -- a file ----------------------------------------------------------------------------- */

/* The last component of the address, decoded. */
static struct str name_of(const char *url, struct arena *a)
{
	struct str path = robots_path(url);
	struct buf name = BUF_INIT(path.n + 1);
	struct str out;

	path = str_cut(&path, '?');
	for (size_t i = path.n; i-- > 0;)
		if (path.p[i] == '/') {
			path = (struct str){ path.p + i + 1, path.n - i - 1 };
			break;
		}
	for (size_t i = 0; i < path.n; i++) {
		int high = path.p[i] == '%' && i + 2 < path.n
			? hex_digit(path.p[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(path.p[i + 2]) : -1;

		if (low >= 0)
			i += 2;
		buf_addc(&name, low >= 0 ? (char)(16 * high + low) : path.p[i]);
	}
	out = file_name(buf_str(&name), a);
	buf_release(&name);
	return out;
}

static int write_it(struct site *s, const struct site_page *p,
		    struct site_answer *w, struct intake_item *it,
		    struct arena *a, struct err *e)
{
	struct str parts[5] = { it->title, p->url, it->groups,
				it->text.p ? it->text : it->body,
				it->text.p ? STR("text") : it->file_name };

	if (utf8_chars(it->url) > LIM_DOCUMENT_URL_CHARS ||
	    !utf8_valid(it->url))
		it->url = p->url;
	parts[1] = it->url;
	intake_hash(it->content, parts, ARRAY_LEN(parts));
	return intake_write(s->k, it, a, e) ? -1 : done(s, p, w, p->lastmod, e);
}

static int write_file(struct site *s, const struct site_page *p,
		      struct site_answer *w, struct intake_item *it,
		      struct arena *a, struct err *e)
{
	it->file_name = name_of(w->url.p, a);
	it->title = it->file_name;
	it->url = buf_str(&w->url);
	it->body = buf_str(&w->body);
	it->read = intake_read_body;
	return write_it(s, p, w, it, a, e);
}

/* -- a page ----------------------------------------------------------------------------- */

struct site_text {
	struct str title, canonical, text;
	bool noindex;
};

/* Parses the reader's output: lines about the page, and its text. */
static struct site_text read_text(struct str s)
{
	struct site_text t = { .noindex = false };

	while (s.n) {
		struct str line = str_cut(&s, '\n'), value = line;
		struct str key = str_cut(&value, ':');

		if (!line.n)
			break;
		value = str_trim(value);
		if (str_is(key, "title"))
			t.title = value;
		else if (str_is(key, "canonical") && !t.canonical.n)
			t.canonical = value;
		else if (str_is(key, "robots"))
			t.noindex |= robots_noindex(value);
	}
	t.text = s.p ? str_trim(s) : STR("");
	return t;
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

/* Whether the address is in the list of this run. 1, 0, -1. */
static int site_lists(struct site *s, struct str url, struct err *e)
{
	unsigned char h[crypto_hash_sha256_BYTES];
	struct site_listed l;

	return lists(s, item_of(url, h), &l, e);
}

/*
 * Whether p, which names url as its address, is left to that page: 1, and
 * noted; 0 if url is not in the list of this run, or if the pages from url on
 * name each other round to p: then p, which is read last, stands for them. -1.
 */
static int is_same(struct site *s, const struct site_page *p, struct str url,
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

/* Whether the page is left to another address that is in the list. 1, 0, -1. */
static int is_copy(struct site *s, const struct site_page *p, struct str url,
		   struct err *e)
{
	if (str_eq(url, p->url) || utf8_chars(url) > LIM_DOCUMENT_URL_CHARS)
		return 0;
	return is_same(s, p, url, e);
}

static int write_text(struct site *s, const struct site_page *p,
		      struct site_answer *w, struct intake_item *it,
		      struct str read, struct arena *a, struct err *e)
{
	struct site_text t = read_text(read);
	struct buf own = BUF_INIT(8192);
	int rc;

	if (t.noindex && s->k->s->robots == ROBOTS_OBEY)
		return leave(s, p, it, NULL, e);
	if (!t.canonical.n || !url_join(w->url.p, t.canonical, &own) ||
	    !site_has(w->url.p, own.p)) {
		buf_reset(&own);
		buf_addstr(&own, buf_str(&w->url));
	}
	it->url = arena_str(a, buf_str(&own));
	buf_release(&own);
	rc = utf8_valid(it->url) ? is_copy(s, p, it->url, e) : 0;
	if (rc)
		return rc < 0 ? -1 : leave(s, p, it, NULL, e);
	if (!t.text.n)
		return leave(s, p, it, "The page has no text.", e);
	if (t.text.n > LIM_DOCUMENT_BYTES)
		return keep_document(s, p, it, "The page has too much text.", e);
	it->title = file_line(t.title, LIM_TITLE_CHARS, a);
	if (!it->title.n)
		it->title = name_of(w->url.p, a);
	it->text = t.text;
	return write_it(s, p, w, it, a, e);
}

static int write_page(struct site *s, const struct site_page *p,
		      struct site_answer *w, struct intake_item *it,
		      struct arena *a, struct err *e)
{
	char charset[64];
	const struct extract_want want = {
		.what = "The page", .type = "web", .charset = charset,
		.until_ms = clock_mono_ms() + PAGE_MS,
	};
	struct buf out = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	struct err why = ERR_INIT;
	int rc;

	charset_of(w->content_type, charset, sizeof(charset));
	if (file_extract_text(&want, buf_str(&w->body), &out, &why))
		rc = keep_document(s, p, it, err_message(&why), e);
	else
		rc = write_text(s, p, w, it, buf_str(&out), a, e);
	buf_release(&out);
	return rc;
}

/* -- an answer ----------------------------------------------------------------------------- */

static int take_page(struct site *s, const struct site_page *p, struct site_answer *w,
		     struct intake_item *it, struct err *e)
{
	struct arena *a = &s->one;
	char why[96];
	int rc;

	snprintf(why, sizeof(why), "The site answered %d.", w->status);
	if (w->status == 404 || w->status == 410)
		rc = leave(s, p, it, why, e);
	else if (w->status != 200)
		rc = keep_document(s, p, it, why, e);
	else if (w->noindex && s->k->s->robots == ROBOTS_OBEY)
		rc = leave(s, p, it, NULL, e);
	else if (!w->body.n)
		rc = leave(s, p, it, "The page is empty.", e);
	else if (is_html(w))
		rc = write_page(s, p, w, it, a, e);
	else
		rc = write_file(s, p, w, it, a, e);
	return rc;
}

static int get_page(struct site *s, const struct site_page *p, struct intake_item *it,
		    bool fresh, struct err *e)
{
	struct site_answer w;
	struct err why = ERR_INIT;
	int rc = site_get(s, p, fresh, (size_t)s->k->s->page_bytes, &w, &why);

	if (rc < 0 && *why.public)
		rc = keep_document(s, p, it, why.public, e);
	else if (rc < 0)
		*e = why;
	else if (rc > 0 && w.status == 304 && !fresh) {
		rc = intake_same(s->k, it, e);
		rc = rc < 0 ? -1 : rc ? done_same(s, p, p->lastmod, e) : 2;
	} else if (rc > 0) {
		rc = take_page(s, p, &w, it, e);
	}
	site_answer_release(&w);
	/*
	 * The unchanged answer does not suffice, for instance because the
	 * groups changed.
	 */
	return rc == 2 ? get_page(s, p, it, true, e) : rc;
}

/* Checks robots.txt before the page is requested. */
static int check_and_get(struct site *s, const struct site_page *p, struct intake_item *it,
			 struct err *e)
{
	struct err why = ERR_INIT;
	int rc = site_allows(s, arena_str(&s->one, p->url).p, &why);

	if (rc < 0 && *why.public)
		return keep_document(s, p, it, why.public, e);
	if (rc < 0)
		*e = why;
	if (rc == 2)
		return leave(s, p, it, "The site's robots.txt forbids reading "
			     "this page.", e);
	return rc > 0 ? get_page(s, p, it, false, e) : rc;
}

/* Reads a page as a document. Returns 1 when done; 0 if the run ends first; -1. */
static int site_page(struct site *s, const struct site_page *p, struct err *e)
{
	struct intake_item it = { .key = p->url, .groups = s->k->groups };
	struct str parts[] = { READER, it.groups };
	int same = 0;

	intake_hash(it.hash, &it.key, 1);
	intake_hash(it.stamp, parts, ARRAY_LEN(parts));
	if (p->lastmod.n && str_eq(p->lastmod, p->read_mod))
		same = intake_same(s->k, &it, e);
	if (same)
		return same < 0 ? -1 : done_same(s, p, p->lastmod, e);
	if (s->count.bytes >= s->k->s->run_mb * INT64_C(1048576)) {
		if (!s->full)
			intake_fault(s->k, it.key, "This run has read run_mb; "
				     "it does not update this page and the rest.");
		s->full = true;
		return intake_keep(s->k, &it, e) ? -1
			: done_same(s, p, p->read_mod, e);
	}
	return check_and_get(s, p, &it, e);
}

/* -- the site ----------------------------------------------------------------- */

enum { SITEMAP = 2, PAGE = 1 };	/* knowledge_source_page.todo */

enum {
	SITEMAP_MS = 20000,	/* limit for parsing a sitemap */
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
static int add_address(struct map_reading *m, struct str line, struct err *e)
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
static int list_pages(struct site *s, const struct site_page *p, struct str lines,
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
		rc = add_address(&m, str_cut(&lines, '\n'), e) ? -1 : 1;
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
		.until_ms = clock_mono_ms() + SITEMAP_MS,
	};
	struct buf out = BUF_INIT(MAP_TEXT_BYTES);
	int rc;

	if (w->status != 200)
		return err_public(e, ERR_UPSTREAM_PROTOCOL, "The site answered %d "
				  "for its sitemap.", w->status);
	rc = file_extract_text(&want, buf_str(&w->body), &out, e) ? -1
		: list_pages(s, p, buf_str(&out), began_ms, e);
	buf_release(&out);
	return rc;
}

/* Records in the database that the run must delete nothing, even after a kill. */
static int intake_in_part(struct intake_run *k, struct err *e)
{
	k->whole = false;
	k->st.going = LOOKING_IN_PART;
	return intake_save(k, e);
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
static int read_next(struct site *s, const struct site_page *v, size_t n, struct err *e)
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
	rc = rc ? -1 : n ? read_next(s, v, n, e) : 2;
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
