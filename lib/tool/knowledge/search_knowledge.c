/*
 * search_knowledge: passages of the knowledge bases that the caller sees in this
 * workspace, best first. Documents are the caller's to see as over the API, except
 * that nobody sees those of groups that they are not in.
 */
#include "tool/knowledge/knowledge.h"

#include "agent/retrieve.h"
#include "auth/policy.h"
#include "resource/resource.h"
#include "tool/core/env.h"

#include "base/banned.h"

enum { RESULTS = 6 };

static struct str text_of(const struct resource_row *row, const char *column)
{
	struct resource_row copy = *row;
	const struct db_val *v = resource_value(
		&resources[RESOURCE_KNOWLEDGE_BASE], &copy, column);

	return v->null ? (struct str){ NULL, 0 } : v->s;
}

bool knowledge_search_may(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->turn.by.db &&
	       policy_may(ctx->turn.by.who, PERM_KNOWLEDGE_READ);
}

static void write_passage(struct jw *w, const struct retrieve_hit *p)
{
	jw_obj(w);
	jw_kstr(w, "base", text_of(p->base, "name"));
	jw_kuuid(w, "document_id", &p->document->id);
	jw_kstr(w, "title", p->document->title);
	if (p->found->heading.n)
		jw_kstr(w, "heading", p->found->heading);
	if (p->found->page)
		jw_kint(w, "page", p->found->page);
	if (p->document->url.p)
		jw_kstr(w, "url", p->document->url);
	jw_kstr(w, "text", p->found->text);
	jw_end_obj(w);
}

/* Of the bases that are meant, those of this name; p NULL: all. */
static int find_bases(const struct tool_ctx *ctx, struct str name,
		      struct resource_row **out, size_t *n, struct err *e)
{
	const struct tool_turn *t = &ctx->turn;
	struct str set;
	size_t all;

	if (retrieve_set(&t->by, t->conversation_id, ctx->arena, &set, e) ||
	    retrieve_bases(&t->by, t->workspace, t->agent, set, ctx->arena, out,
			   &all, e))
		return -1;
	*n = 0;
	for (size_t i = 0; i < all; i++)
		if (!name.p || str_eq(name, text_of(&(*out)[i], "name")))
			(*out)[(*n)++] = (*out)[i];
	return 0;
}

int knowledge_search_run(const struct tool *t, const struct tool_ctx *ctx,
			 const json_t *args, struct buf *out, bool *is_json,
			 struct err *e)
{
	const struct llm_call io = {
		.http = ctx->turn.env ? tool_env_http(ctx->turn.env) : NULL,
		.abort = ctx->turn.abort,
	};
	struct retrieve_ask q = {
		.by = &ctx->turn.by, .io = &io,
		.ask = {
			.mode = SEARCH_FUSED, .text = jx_str(args, "query"),
			.max = (size_t)jx_int(args, "max_results", RESULTS),
		},
	};
	struct str name = jx_str(args, "base");
	struct jw w = jw_on(out);
	struct resource_row *bases;
	struct retrieve_found found;

	(void)t;
	if (find_bases(ctx, name, &bases, &q.n_bases, e))
		return -1;
	if (!q.n_bases)
		return err_public(e, ERR_TOOL_FAILED, name.p
				  ? "There is no knowledge base of this name. "
				    "Leave base out to search all."
				  : "There is no knowledge base here.");
	q.bases = bases;
	if (retrieve_find(&q, ctx->arena, &found, e))
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "passages");
	jw_arr(&w);
	for (size_t i = 0; i < found.n; i++) {
		write_passage(&w, &found.v[i]);
		if (ctx->from)
			origins_add(ctx->from, "document",
				    found.v[i].document->title);
	}
	jw_end_arr(&w);
	if (found.notice)
		jw_kstrz(&w, "notice", found.notice);
	jw_end_obj(&w);
	return 0;
}
