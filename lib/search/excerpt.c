#include "search/excerpt.h"

#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "store/stmt.h"

#include "base/banned.h"

struct looked_up {
	struct arena *a;
	const struct uuid *document;
	bool found;
	size_t at;
	struct str text;
};

static int take_text(void *ctx, const struct db_val *row, struct err *e)
{
	struct looked_up *p = ctx;

	(void)e;
	p->text = arena_str(p->a, row[0].s);
	return 0;
}

/* chunk, document_id, page, at, heading, text */
static int take_chunk(void *ctx, const struct db_val *row, struct err *e)
{
	struct looked_up *p = ctx;

	(void)e;
	if (memcmp(row[1].s.p, p->document->b, sizeof(p->document->b)) != 0)
		return 0;
	p->found = true;
	p->at = (size_t)row[3].i;
	p->text = arena_str(p->a, row[5].s);
	return 0;
}

static int find_chunk(struct db *db, const struct kb_at *at, int64_t chunk,
		      struct looked_up *p, struct err *e)
{
	char list[32];

	if (chunk < 0)
		return 0;
	snprintf(list, sizeof(list), "[%lld]", (long long)chunk);
	return db_each(db, STMT_SEARCH_CHUNK_GET,
		       DB_ARGS(DB_S(str_of(list)), DB_U(&at->base)), p->a,
		       take_chunk, p, e);
}

/* Where page `no` is, from 1; false: there is none. */
static bool page_at(struct str text, int64_t no, size_t *from, size_t *to)
{
	const char *next;

	*from = 0;
	for (; no > 1; no--) {
		next = memchr(text.p + *from, '\f', text.n - *from);
		if (!next)
			return false;
		*from = (size_t)(next + 1 - text.p);
	}
	next = memchr(text.p + *from, '\f', text.n - *from);
	*to = next ? (size_t)(next - text.p) : text.n;
	return true;
}

static int64_t pages_of(struct str text)
{
	int64_t n = 1;

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\f';
	return n > 1 ? n : 0;
}

static bool is_inner(struct str s, size_t i)
{
	return i > 0 && i < s.n && ((unsigned char)s.p[i] & 0xc0) == 0x80;
}

/* Cuts what is farther than LIM_EXCERPT_CHARS from the passage, between characters. */
static void narrow(struct str text, size_t begin, size_t end, size_t *from,
		   size_t *to)
{
	if (begin - *from > LIM_EXCERPT_CHARS)
		*from = begin - LIM_EXCERPT_CHARS;
	if (*to - end > LIM_EXCERPT_CHARS)
		*to = end + LIM_EXCERPT_CHARS;
	while (is_inner(text, *from))
		++*from;
	while (is_inner(text, *to))
		--*to;
}

int search_excerpt(struct db *db, const struct kb_at *at, const struct uuid *id,
		   int64_t chunk, int64_t page, struct arena *a,
		   struct search_excerpt *out, struct err *e)
{
	struct looked_up whole = { .a = a }, p = { .a = a, .document = id };
	size_t from, to, begin, end;

	*out = (struct search_excerpt){ .page = 0 };
	if (kb_get(db, at, id, a, &out->document, e) ||
	    db_each(db, STMT_KB_TEXT_GET, DB_ARGS(DB_U(id)), a, take_text,
		    &whole, e) ||
	    find_chunk(db, at, chunk, &p, e))
		return -1;
	out->pages = pages_of(whole.text);
	p.found = p.found && p.at < whole.text.n && !is_inner(whole.text, p.at);
	if (!page && p.found && out->pages) {
		struct str head = { whole.text.p, p.at };

		page = MAX(pages_of(head), 1);
	}
	page = MAX(page, 1);
	if (!page_at(whole.text, page, &from, &to))
		return err_set(e, ERR_NOT_FOUND, "no such page");
	out->found = p.found && p.at >= from && p.at < to;
	begin = out->found ? p.at : from;
	end = out->found ? MIN(begin + p.text.n, to) : begin;
	while (is_inner(whole.text, end))
		end--;
	narrow(whole.text, begin, end, &from, &to);
	out->page = out->pages ? page : 0;
	out->before = (struct str){ whole.text.p + from, begin - from };
	out->passage = (struct str){ whole.text.p + begin, end - begin };
	out->after = (struct str){ whole.text.p + end, to - end };
	return 0;
}
