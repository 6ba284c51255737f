/* SPDX-License-Identifier: MIT */
/* A page or a file of a site as a document. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "file/extract.h"
#include "file/upload.h"
#include "intake/site.h"
#include "net/robots.h"
#include "net/url.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	READ_MS = 15000,	/* limit for extracting the text of a page */
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
static int keep(struct site *s, const struct site_page *p,
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
	bool said = !strncasecmp(w->content_type, "text/html", 9) ||
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
	return said && !str_starts(s, STR("%PDF")) && !memchr(s.p, 0, s.n);
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

int site_lists(struct site *s, struct str url, struct err *e)
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
		return keep(s, p, it, "The page has too much text.", e);
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
		.until_ms = clock_mono_ms() + READ_MS,
	};
	struct buf out = BUF_INIT(LIM_EXTRACT_OUTPUT_BYTES);
	struct err why = ERR_INIT;
	int rc;

	charset_of(w->content_type, charset, sizeof(charset));
	if (file_extract_text(&want, buf_str(&w->body), &out, &why))
		rc = keep(s, p, it, err_message(&why), e);
	else
		rc = write_text(s, p, w, it, buf_str(&out), a, e);
	buf_release(&out);
	return rc;
}

/* -- an answer ----------------------------------------------------------------------------- */

static int take(struct site *s, const struct site_page *p, struct site_answer *w,
		struct intake_item *it, struct err *e)
{
	struct arena *a = &s->one;
	char why[96];
	int rc;

	snprintf(why, sizeof(why), "The site answered %d.", w->status);
	if (w->status == 404 || w->status == 410)
		rc = leave(s, p, it, why, e);
	else if (w->status != 200)
		rc = keep(s, p, it, why, e);
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

static int get(struct site *s, const struct site_page *p, struct intake_item *it,
	       bool fresh, struct err *e)
{
	struct site_answer w;
	struct err why = ERR_INIT;
	int rc = site_get(s, p, fresh, (size_t)s->k->s->page_bytes, &w, &why);

	if (rc < 0 && *why.public)
		rc = keep(s, p, it, why.public, e);
	else if (rc < 0)
		*e = why;
	else if (rc > 0 && w.status == 304 && !fresh) {
		rc = intake_same(s->k, it, e);
		rc = rc < 0 ? -1 : rc ? done_same(s, p, p->lastmod, e) : 2;
	} else if (rc > 0) {
		rc = take(s, p, &w, it, e);
	}
	site_answer_release(&w);
	/*
	 * The unchanged answer does not suffice, for instance because the
	 * groups changed.
	 */
	return rc == 2 ? get(s, p, it, true, e) : rc;
}

/* Checks robots.txt before the page is requested. */
static int ask(struct site *s, const struct site_page *p, struct intake_item *it,
	       struct err *e)
{
	struct err why = ERR_INIT;
	int rc = site_allows(s, arena_str(&s->one, p->url).p, &why);

	if (rc < 0 && *why.public)
		return keep(s, p, it, why.public, e);
	if (rc < 0)
		*e = why;
	if (rc == 2)
		return leave(s, p, it, "The site's robots.txt forbids reading "
			     "this page.", e);
	return rc > 0 ? get(s, p, it, false, e) : rc;
}

int site_page(struct site *s, const struct site_page *p, struct err *e)
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
	return ask(s, p, &it, e);
}
