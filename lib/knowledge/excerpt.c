/* SPDX-License-Identifier: MIT */
#include "knowledge/excerpt.h"

#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "search/lines.h"
#include "store/stmt.h"

#include "base/banned.h"

struct looked_up {
	struct arena *a;
	const struct uuid *document;
	bool found;
	size_t at;
	struct str text;
};

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

int64_t kb_page(struct str text, int64_t no, size_t at,
		struct kb_page *out)
{
	struct lines lines = { .text = text };
	struct kb_page p = { .no = 1 };
	bool more = true, any = false;
	struct text_line x;

	*out = (struct kb_page){ .no = 0 };
	while (more) {
		more = lines_next(&lines, &x);
		if (more && x.kind != LINE_FEED && x.kind != LINE_PAGE)
			continue;
		p.to = more ? x.at : text.n;
		if (!out->no && (no ? p.no == no : at < p.to || !more))
			*out = p;
		any |= more;
		if (more && out->no && out->to == 0)	/* only a mark */
			out->no = 0;
		if (more) {
			p.no = x.kind == LINE_FEED ? p.no + 1 : x.page;
			p.from = x.at + x.text.n;
		}
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

int kb_excerpt(struct db *db, const struct kb_at *at, const struct uuid *id,
	       int64_t chunk, int64_t page, struct arena *a,
	       struct kb_excerpt *out, struct err *e)
{
	struct looked_up p = { .a = a, .document = id };
	struct str whole = STR("");
	struct kb_page shown;
	size_t from, to, begin, end;

	*out = (struct kb_excerpt){ .page = 0 };
	if (kb_get(db, at, id, a, &out->document, e) ||
	    db_text(db, STMT_KB_TEXT_GET, DB_ARGS(DB_U(id)), a, &whole, e) < 0 ||
	    find_chunk(db, at, chunk, &p, e))
		return -1;
	p.found = p.found && p.at < whole.n && !is_inner(whole, p.at);
	out->pages = kb_page(whole, page, p.found ? p.at : 0, &shown);
	if (!shown.no)
		return err_set(e, ERR_NOT_FOUND, "no such page");
	from = shown.from;
	to = shown.to;
	out->found = p.found && p.at >= from && p.at < to;
	begin = out->found ? p.at : from;
	end = out->found ? MIN(begin + p.text.n, to) : begin;
	while (is_inner(whole, end))
		end--;
	narrow(whole, begin, end, &from, &to);
	out->cut = from > shown.from || to < shown.to;
	out->page = out->pages ? shown.no : 0;
	out->before = (struct str){ whole.p + from, begin - from };
	out->passage = (struct str){ whole.p + begin, end - begin };
	out->after = (struct str){ whole.p + end, to - end };
	return 0;
}
