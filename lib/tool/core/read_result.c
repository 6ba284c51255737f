/* SPDX-License-Identifier: MIT */
/*
 * Long results: a result that was cut is stored with the conversation, and the
 * tool read_result reads it page by page or searches it. The tool is offered only
 * if the model has been told of such a result.
 */
#include <string.h>
#include <strings.h>

#include "auth/policy.h"
#include "base/log.h"
#include "base/utf8.h"
#include "store/tool_output.h"
#include "tool/core/builtin.h"
#include "tool/core/env.h"

#include "base/banned.h"

enum {
	PAGE_BYTES = 16000,
	HEAD_BYTES = 400,	/* what stands around the text of a page */
	MATCHES = 20,
	AROUND_BYTES = 120,	/* on both sides of a match */
};

bool read_result_keep(const struct tool_ctx *ctx, const char *tool,
		      struct str text, struct uuid *id)
{
	struct db *db = ctx->turn.by.db;
	struct buf from = BUF_INIT(65536);
	struct jw w = jw_on(&from);
	struct err e = ERR_INIT;
	int rc;

	if (!db || !ctx->turn.conversation_id ||
	    !policy_may_use_tool(ctx->turn.by.who, "read_result"))
		return false;
	if (ctx->from && ctx->from->n)
		origins_write(&w, ctx->from);
	rc = store_tool_output_put(db, &ctx->turn.by.owner, ctx->turn.conversation_id,
				   str_of(tool), text, buf_str(&from), id, &e);
	buf_release(&from);
	if (rc < 0)
		log_err("a long result cannot be kept", &e);
	return rc == 0;
}

bool read_result_any(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->turn.has_kept;
}

/* at moved back to where a character starts. */
static size_t boundary(struct str s, size_t at)
{
	while (at > 0 && at < s.n && ((unsigned char)s.p[at] & 0xc0) == 0x80)
		at--;
	return at;
}

/* Position of word in s from at on, ignoring ASCII case; s.n: not found. */
static size_t find_word(struct str s, size_t at, struct str word)
{
	for (; word.n <= s.n && at <= s.n - word.n; at++)
		if (strncasecmp(s.p + at, word.p, word.n) == 0)
			return at;
	return s.n;
}

static void write_matches(struct str s, size_t offset, struct str word,
			  struct buf *out)
{
	size_t n = 0, at = find_word(s, offset, word), shown;

	for (; at < s.n && n < MATCHES; n++) {
		size_t from = boundary(s, at > AROUND_BYTES
				       ? at - AROUND_BYTES : 0);
		size_t to = boundary(s, MIN(at + word.n + AROUND_BYTES, s.n));

		buf_addf(out, "[offset %zu] %s%.*s%s\n", from, from ? "…" : "",
			 (int)(to - from), s.p + from, to < s.n ? "…" : "");
		at = find_word(s, at + word.n, word);
	}
	shown = n;
	for (; at < s.n; n++)
		at = find_word(s, at + word.n, word);
	buf_addf(out, "[%zu of %zu places with \"%.*s\"%s]\n", shown, n,
		 STR_ARG(word), n > shown
		 ? "; continue with a larger offset" : "");
}

static void write_page(struct str s, size_t offset, size_t limit,
		       struct buf *out)
{
	size_t from = boundary(s, MIN(offset, s.n));
	size_t to = s.n - from > limit ? boundary(s, from + limit) : s.n;

	buf_addf(out, "[bytes %zu to %zu of %zu", from, to, s.n);
	if (to < s.n)
		buf_addf(out, "; continue with offset %zu", to);
	buf_adds(out, "]\n");
	buf_add(out, s.p + from, to - from);
}

int read_result_run(const struct tool *t, const struct tool_ctx *ctx,
		    const json_t *args, struct buf *out, bool *is_json,
		    struct err *e)
{
	const struct caller *by = &ctx->turn.by;
	struct str word = jx_str(args, "search");
	size_t offset = (size_t)jx_int(args, "offset", 0);
	size_t limit = (size_t)jx_int(args, "limit", PAGE_BYTES);
	size_t most = tool_result_cap(t, ctx) - HEAD_BYTES;
	struct tool_output found;
	struct err cause = ERR_INIT;
	struct uuid id;

	*is_json = false;
	if (!uuid_parse(jx_str(args, "result"), &id) || !by->db)
		cause.code = ERR_NOT_FOUND;
	else
		(void)!store_tool_output_get(by->db, &by->owner, &id, ctx->arena,
					     &found, &cause);
	if (cause.code == ERR_NOT_FOUND)
		return err_public(e, ERR_TOOL_ARGS, "There is no such result: "
				  "results are kept for a day. Call the tool "
				  "again.");
	if (cause.code) {
		*e = cause;
		return -1;
	}
	/* Its origins are those of the result when it was kept. */
	origins_parse(ctx->from, found.origins);
	if (!found.origins.n)
		origins_add(ctx->from, ORIGIN_TOOL_RESULT, found.tool);
	if (word.n)
		write_matches(found.content, offset, word, out);
	else
		write_page(found.content, offset, MIN(limit, most), out);
	return 0;
}
