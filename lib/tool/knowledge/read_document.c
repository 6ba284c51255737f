/* SPDX-License-Identifier: MIT */
/*
 * read_document: a part of a document or of an attachment of the conversation,
 * by pages or from a cursor on. A part always ends at a character and fits the
 * model's cap, so the loop does not cut it.
 */
#include <string.h>

#include "auth/policy.h"
#include "store/attachment.h"
#include "tool/knowledge/knowledge.h"

#include "base/banned.h"

/* -- files ----------------------------------------------------------------- */

/*
 * A whole document, or attachment of the conversation, as the caller sees it.
 */

bool knowledge_read_may(const struct tool *t, const struct tool_ctx *ctx)
{
	return knowledge_may(t, ctx) ||
	       (ctx->turn.by.db && ctx->turn.conversation_id);
}

static int find_document(const struct tool_ctx *ctx, struct str name,
			 struct knowledge_file *r, struct err *e)
{
	struct retrieve_bases bases;
	struct knowledge_document *found;
	struct kb_document d;
	struct kb_at at;
	size_t n;

	if (uuid_parse(name, &r->id) && knowledge_may(NULL, ctx)) {
		if (knowledge_bases(ctx, (struct str){ NULL, 0 }, &bases, e) ||
		    knowledge_documents(ctx, &bases, &r->id, 1, &found, &n, e))
			return -1;
		if (n)
			at = knowledge_at(ctx, found->base);
		if (n && !kb_read(ctx->turn.by.db, &at, &r->id, ctx->arena, &d,
				  &r->text, e)) {
			r->base = found->base;
			r->title = d.title;
			r->url = d.url;
			r->version = d.version;
			return 0;
		}
		if (n && e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	return err_public(e, ERR_TOOL_ARGS, "There is no document with this "
			  "id. Use the ids that search_knowledge returns.");
}

static int find_attachment(const struct tool_ctx *ctx, struct str name,
			   struct knowledge_file *r, struct err *e)
{
	const struct caller *by = &ctx->turn.by;
	struct attachment t;
	int rc = -1;

	if (ctx->turn.conversation_id)
		rc = attachment_named(by->db, &by->owner,
				      ctx->turn.conversation_id, name,
				      ctx->arena, &t, e);
	if (rc && e->code && e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	if (rc)
		return err_public(e, ERR_TOOL_ARGS, "No file with this name is "
				  "attached to this conversation.");
	if (attachment_text(by->db, &by->owner, &t.id, ctx->arena, &r->text, e))
		return -1;
	if (!r->text.p)
		return err_public(e, ERR_TOOL_FAILED, "There is no text in this "
				  "file.%s%.*s", t.problem.n ? " " : "",
				  STR_ARG(t.problem));
	r->id = t.id;
	r->title = t.name;
	return 0;
}

int knowledge_file(const struct tool_ctx *ctx, const json_t *args,
		   struct knowledge_file *r, struct err *e)
{
	struct str document = jx_str(args, "document_id");
	struct str file = jx_str(args, "attachment");

	*r = (struct knowledge_file){ .base = NULL };
	if (!document.p == !file.p)
		return err_public(e, ERR_TOOL_ARGS, "Give either document_id or "
				  "attachment.");
	return document.p ? find_document(ctx, document, r, e)
		: find_attachment(ctx, file, r, e);
}

/* -- read_document ------------------------------------------------------------ */

enum {
	TAIL_BYTES = 128,	/* of the result around the text */
	LEAST_BYTES = 1024,
	PART_BYTES = 16000,	/* where max_bytes is not given */
};

struct document_part {
	struct knowledge_file of;
	int64_t pages;		/* 0: it has none */
	size_t from, to;	/* the part */
	int64_t page;		/* where it begins */
};

/* -- which part ------------------------------------------------------------- */

static size_t boundary(struct str s, size_t at)
{
	while (at > 0 && at < s.n && ((unsigned char)s.p[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* Form feeds before at: the page at that place, less one. */
static int64_t feeds(struct str s, size_t at)
{
	const char *p = s.p, *end = s.p + at;
	int64_t n = 0;

	while (p && p < end && (p = memchr(p, '\f', (size_t)(end - p)))) {
		n++;
		p++;
	}
	return n;
}

/* Where page no begins; the end when there are fewer. */
static size_t page_at(struct str s, int64_t no)
{
	size_t at = 0;

	while (--no > 0 && at < s.n) {
		const char *p = memchr(s.p + at, '\f', s.n - at);

		at = p ? (size_t)(p - s.p) + 1 : s.n;
	}
	return at;
}

/* "VERSION.BYTE" of a part that ended there. */
static int read_cursor(struct document_part *r, struct str cursor, struct err *e)
{
	struct str rest = cursor, version = str_cut(&rest, '.');
	int64_t v, at;

	if (!str_int(version, &v) || !str_int(rest, &at) || at < 0 ||
	    (uint64_t)at > r->of.text.n)
		return err_public(e, ERR_TOOL_ARGS, "cursor must be the "
				  "next_cursor of an earlier result.");
	if (v != r->of.version)
		return err_public(e, ERR_TOOL_ARGS, "The document has changed "
				  "since then. Read it from the beginning.");
	r->from = boundary(r->of.text, (size_t)at);
	return 0;
}

static int read_part(struct document_part *r, const json_t *args, struct err *e)
{
	int64_t from = jx_int(args, "from_page", 0);
	int64_t to = jx_int(args, "to_page", from);
	struct str cursor = jx_str(args, "cursor");

	r->pages = feeds(r->of.text, r->of.text.n);
	r->pages += r->pages > 0;
	r->to = r->of.text.n;
	if ((from || to) && !r->pages)
		return err_public(e, ERR_TOOL_ARGS, "It has no pages. Read it "
				  "without from_page and to_page.");
	if (from > r->pages || (to && to < from))
		return err_public(e, ERR_TOOL_ARGS, from > r->pages
				  ? "It has only %lld pages."
				  : "to_page must not be less than from_page.",
				  (long long)r->pages);
	if (from)
		r->from = page_at(r->of.text, from);
	if (to && to < r->pages)
		r->to = page_at(r->of.text, to + 1) - 1;
	if (cursor.p && read_cursor(r, cursor, e))
		return -1;
	r->to = MAX(r->from, r->to);
	return 0;
}

/* Bytes of it that take at most `most` bytes as JSON. */
static size_t fitting(struct str s, size_t most)
{
	size_t i, used = 0;

	for (i = 0; i < s.n && used < most; i++) {
		unsigned char c = (unsigned char)s.p[i];

		used += c == '"' || c == '\\' || c == '\n' || c == '\t' ? 2
			: c < ' ' || c == 0x7f ? 6 : 1;
	}
	return used > most ? boundary(s, i - 1) : i;
}

/* For the text, besides the other members. */
static size_t room(size_t cap, size_t taken)
{
	return cap > taken + LEAST_BYTES ? cap - taken : LEAST_BYTES;
}

int knowledge_read_run(const struct tool *t, const struct tool_ctx *ctx,
		       const json_t *args, struct buf *out, bool *is_json,
		       struct err *e)
{
	size_t most = (size_t)jx_int(args, "max_bytes", PART_BYTES);
	struct document_part r = { .pages = 0 };
	struct jw w = jw_on(out);
	size_t end;

	if (knowledge_file(ctx, args, &r.of, e) || read_part(&r, args, e))
		return -1;
	*is_json = true;
	jw_obj(&w);
	if (r.of.base) {
		jw_kuuid(&w, "document_id", &r.of.id);
		jw_kstr(&w, "base", resource_text(r.of.base, COLUMN(KNOWLEDGE_BASE, name)));
	}
	jw_kstr(&w, "title", r.of.title);
	if (r.of.url.p)
		jw_kstr(&w, "url", r.of.url);
	if (r.pages) {
		jw_kint(&w, "pages", r.pages);
		jw_kint(&w, "page", feeds(r.of.text, r.from) + 1);
	}
	jw_kint(&w, "bytes", (int64_t)r.of.text.n);
	jw_kint(&w, "offset", (int64_t)r.from);
	most = MIN(most, room(tool_result_cap(t, ctx), out->n + TAIL_BYTES));
	end = r.from + fitting((struct str){ r.of.text.p + r.from, r.to - r.from },
			       most);
	end = boundary(r.of.text, end);
	jw_kstr(&w, "text", (struct str){ r.of.text.p + r.from, end - r.from });
	if (end < r.of.text.n)
		jw_kstrz(&w, "next_cursor", arena_printf(
				ctx->arena, "%lld.%zu", (long long)r.of.version,
				end + (end < r.of.text.n && end == r.to &&
				       r.of.text.p[end] == '\f')));
	jw_end_obj(&w);
	if (ctx->from)
		origins_add(ctx->from, r.of.base ? ORIGIN_DOCUMENT
			    : ORIGIN_ATTACHMENT_TEXT,
			    r.of.title);
	return 0;
}
