/* SPDX-License-Identifier: MIT */
/* recall_facts: what tools changed and the user decided earlier in this conversation. */
#include "auth/policy.h"
#include "base/utf8.h"
#include "memory/memory.h"
#include "tool/knowledge/knowledge.h"

#include "base/banned.h"

enum { FACTS = 20, FACT_CHARS = 1500 };

bool knowledge_facts_may(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->turn.has_facts && ctx->turn.by.db && ctx->turn.conversation_id &&
		policy_may(ctx->turn.by.who, PERM_CONVERSATIONS_READ);
}

static void write_fact(struct jw *w, const struct fact *f, size_t n_bytes)
{
	jw_obj(w);
	jw_kint(w, "message", f->seq);
	jw_kstrz(w, "kind", fact_kind_name(f->kind));
	jw_kstr(w, "tool", f->tool);
	jw_ktime(w, "at", f->created_us);
	jw_key(w, "fact");
	if (f->fact.n <= n_bytes)
		jw_raw(w, f->fact);
	else
		jw_str(w, utf8_head(f->fact, FACT_CHARS));
	jw_end_obj(w);
}

int knowledge_facts_run(const struct tool *t, const struct tool_ctx *ctx,
			const json_t *args, struct buf *out, bool *is_json, struct err *e)
{
	const struct caller *by = &ctx->turn.by;
	const size_t cap = tool_result_cap(t, ctx);
	struct jw w = jw_on(out);
	struct fact *v;
	size_t n, i = 0;

	if (memory_facts(by->db, &by->owner, ctx->turn.conversation_id,
			 jx_int(args, "before", INT64_MAX), jx_str(args, "search"), FACTS,
			 ctx->arena, &v, &n, e) < 0)
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "facts");
	jw_arr(&w);
	for (; i < n && out->n + 4 * FACT_CHARS + 200 < cap; i++) {
		write_fact(&w, &v[i], 4 * FACT_CHARS);
		if (ctx->from)
			origins_parse(ctx->from, v[i].origins);
	}
	jw_end_arr(&w);
	if (i == FACTS || i < n)
		jw_kint(&w, "before", v[i - 1].seq);
	jw_end_obj(&w);
	return 0;
}
