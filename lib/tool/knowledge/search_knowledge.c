/* SPDX-License-Identifier: MIT */
/*
 * search_knowledge: passages of the knowledge bases that the caller sees in
 * this workspace, best first. Documents are visible as over the API, except
 * that nobody sees those of groups that they are not in.
 */
#include "tool/knowledge/knowledge.h"

#include "tool/core/env.h"

#include "base/banned.h"

enum { RESULTS = 6 };

int knowledge_find(const struct tool_ctx *ctx,
		   const struct retrieve_bases *bases, struct str query, size_t max,
		   struct retrieve_found *out, struct err *e)
{
	const struct llm_call io = {
		.http = ctx->turn.env ? tool_env_http(ctx->turn.env) : NULL,
		.abort = ctx->turn.abort,
	};
	const struct retrieve_ask q = {
		.by = &ctx->turn.by, .io = &io, .bases = bases->v,
		.n_bases = bases->n, .more = bases->more,
		.ask = { .mode = SEARCH_FUSED, .text = query, .max = max },
	};

	return retrieve_find(&q, ctx->arena, out, e);
}

bool knowledge_number(const struct tool_ctx *ctx, const struct retrieve_hit *hit,
		      int *no)
{
	const struct source s = retrieve_source(hit);

	*no = passages_add(ctx->passages, &s);
	return *no || !ctx->passages;
}

void knowledge_write(struct jw *w, const struct tool_ctx *ctx,
		     const struct retrieve_hit *hit, int no)
{
	if (no)
		jw_kint(w, "number", no);
	jw_kstr(w, "base", resource_text(hit->base, COLUMN(KNOWLEDGE_BASE, name)));
	jw_kuuid(w, "document_id", &hit->document->id);
	jw_kstr(w, "title", hit->document->title);
	if (hit->found->heading.n)
		jw_kstr(w, "heading", hit->found->heading);
	if (hit->found->page)
		jw_kint(w, "page", hit->found->page);
	if (hit->document->url.p)
		jw_kstr(w, "url", hit->document->url);
	jw_kstr(w, "text", hit->found->text);
	if (ctx->from)
		origins_add(ctx->from, ORIGIN_PASSAGE, hit->document->title);
}

int knowledge_search_run(const struct tool *t, const struct tool_ctx *ctx,
			 const json_t *args, struct buf *out, bool *is_json,
			 struct err *e)
{
	struct str name = jx_str(args, "base");
	struct jw w = jw_on(out);
	struct retrieve_found found;
	struct retrieve_bases bases;
	int no;

	(void)t;
	if (knowledge_bases(ctx, name, &bases, e))
		return -1;
	if (!bases.n)
		return err_public(e, ERR_TOOL_FAILED, name.p
				  ? "There is no knowledge base with this "
				    "name. Leave base out to search all."
				  : "There is no knowledge base here.");
	if (knowledge_find(ctx, &bases, jx_str(args, "query"),
			   (size_t)jx_int(args, "max_results", RESULTS), &found,
			   e))
		return -1;
	passages_note_search(ctx->passages);
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "passages");
	jw_arr(&w);
	for (size_t i = 0; i < found.n &&
	     knowledge_number(ctx, &found.v[i], &no); i++) {
		jw_obj(&w);
		knowledge_write(&w, ctx, &found.v[i], no);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	if (found.notice)
		jw_kstrz(&w, "notice", found.notice);
	jw_end_obj(&w);
	return 0;
}
