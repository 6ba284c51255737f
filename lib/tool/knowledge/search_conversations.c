/* SPDX-License-Identifier: MIT */
/* search_conversations: what the user and the model said elsewhere (U28). */
#include "auth/policy.h"
#include "base/clock.h"
#include "tool/knowledge/knowledge.h"

#include "base/banned.h"

enum { RESULTS = 6 };

bool knowledge_chats_may(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->turn.by.db &&
	       policy_may(ctx->turn.by.who, PERM_CONVERSATIONS_READ);
}

int knowledge_chats(const struct tool_ctx *ctx, struct chats_ask *ask,
		    struct chats_found **out, size_t *n, struct err *e)
{
	const struct uuid *self = ctx->turn.conversation_id;
	size_t max = ask->max, kept = 0;

	ask->max++;	/* without this one, which the model knows */
	if (chats_find(ctx->turn.by.db, &ctx->turn.by.owner, ask, ctx->arena,
		       out, n, e))
		return -1;
	for (size_t i = 0; i < *n; i++)
		if (!self || !uuid_eq(&(*out)[i].id, self))
			(*out)[kept++] = (*out)[i];
	*n = MIN(kept, max);
	return 0;
}

void knowledge_write_chat(struct jw *w, const struct tool_ctx *ctx,
			  const struct chats_found *f)
{
	jw_kuuid(w, "conversation_id", &f->id);
	jw_kstr(w, "title", f->title);
	jw_ktime(w, "updated_at", f->updated_us);
	jw_kstr(w, "text", f->passage);
	if (ctx->from)
		origins_add(ctx->from, ORIGIN_CONVERSATION, f->title);
}

/* A date as the first or last moment of its day. */
static int read_day(const struct tool_ctx *ctx, const json_t *args,
		    const char *key, const char *time, int64_t *us,
		    struct err *e)
{
	struct str s = jx_str(args, key);

	if (!s.p || clock_iso_parse(arena_printf(ctx->arena, "%.*s%s",
						 STR_ARG(s), time), us))
		return 0;
	return err_public(e, ERR_TOOL_ARGS, "%s must be a date, as 2026-11-23.",
			  key);
}

int knowledge_chats_run(const struct tool *t, const struct tool_ctx *ctx,
			const json_t *args, struct buf *out, bool *is_json,
			struct err *e)
{
	struct chats_ask ask = {
		.query = jx_str(args, "query"), .to_us = INT64_MAX,
		.max = (size_t)jx_int(args, "max_results", RESULTS),
	};
	struct jw w = jw_on(out);
	struct chats_found *v;
	size_t n;

	(void)t;
	if (read_day(ctx, args, "from", "T00:00:00Z", &ask.from_us, e) ||
	    read_day(ctx, args, "to", "T23:59:59.999999Z", &ask.to_us, e) ||
	    knowledge_chats(ctx, &ask, &v, &n, e))
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "conversations");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		knowledge_write_chat(&w, ctx, &v[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}
