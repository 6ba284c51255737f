#include "search/excerpt.h"

#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "search/chunk.h"
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
	if (row[0].s.n)
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

struct page_end {
	size_t at, next;	/* end of the page; beginning of the next one */
	int64_t no;		/* number of the next one, if a mark gives it */
};

/* Finds the end of the page at i; false if it ends with the text. See chunk.h. */
static bool next_end(struct str text, size_t i, struct page_end *out)
{
	*out = (struct page_end){ .at = text.n, .next = text.n };
	while (i < text.n) {
		const char *eol = memchr(text.p + i, '\n', text.n - i);
		size_t end = eol ? (size_t)(eol + 1 - text.p) : text.n;
		const char *feed = memchr(text.p + i, '\f', end - i);
		int64_t no = chunk_page_mark((struct str){ text.p + i, end - i });

		if (feed || no) {
			size_t at = feed ? (size_t)(feed - text.p) : i;

			*out = (struct page_end){ at, feed ? at + 1 : end, no };
			return true;
		}
		i = end;
	}
	return false;
}

struct page {
	int64_t no;		/* 0: none */
	size_t from, to;
};

/*
 * Finds the page with this number, or if it is 0 the page that contains byte `at`.
 * Returns the number of the last page; 0: the text has no pages and counts as page 1.
 */
static int64_t find_page(struct str text, int64_t no, size_t at, struct page *out)
{
	struct page p = { .no = 1 };
	struct page_end end;
	bool more = true, any = false;

	*out = (struct page){ .no = 0 };
	while (more) {
		more = next_end(text, p.from, &end);
		p.to = end.at;
		if (!out->no && (no ? p.no == no : at < p.to || !more))
			*out = p;
		any |= more;
		if (more)
			p.no = !end.no ? p.no + 1 : end.no;
		if (more && out->no && out->to == 0)	/* only a mark */
			out->no = 0;
		if (more)
			p.from = end.next;
	}
	return any ? p.no : 0;
}

static bool is_inner(struct str s, size_t i)
{
	return i > 0 && i < s.n && ((unsigned char)s.p[i] & 0xc0) == 0x80;
}

/* Limits the text around the passage to LIM_EXCERPT_CHARS, between characters. */
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
	struct looked_up whole = { .a = a, .text = STR("") }, p = { .a = a, .document = id };
	struct page shown;
	size_t from, to, begin, end;

	*out = (struct search_excerpt){ .page = 0 };
	if (kb_get(db, at, id, a, &out->document, e) ||
	    db_each(db, STMT_KB_TEXT_GET, DB_ARGS(DB_U(id)), a, take_text,
		    &whole, e) ||
	    find_chunk(db, at, chunk, &p, e))
		return -1;
	p.found = p.found && p.at < whole.text.n && !is_inner(whole.text, p.at);
	out->pages = find_page(whole.text, page, p.found ? p.at : 0, &shown);
	if (!shown.no)
		return err_set(e, ERR_NOT_FOUND, "no such page");
	from = shown.from;
	to = shown.to;
	out->found = p.found && p.at >= from && p.at < to;
	begin = out->found ? p.at : from;
	end = out->found ? MIN(begin + p.text.n, to) : begin;
	while (is_inner(whole.text, end))
		end--;
	narrow(whole.text, begin, end, &from, &to);
	out->cut = from > shown.from || to < shown.to;
	out->page = out->pages ? shown.no : 0;
	out->before = (struct str){ whole.text.p + from, begin - from };
	out->passage = (struct str){ whole.text.p + begin, end - begin };
	out->after = (struct str){ whole.text.p + end, to - end };
	return 0;
}
