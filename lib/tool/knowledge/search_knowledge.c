/*
 * search_knowledge: passages of the knowledge bases that the caller sees in this
 * workspace, best first. Documents are the caller's to see as over the API, except
 * that nobody sees those of groups that they are not in.
 */
#include "tool/knowledge/knowledge.h"

#include <stdlib.h>

#include "base/banned.h"

enum { RESULTS = 6 };

/* The passages of one base behind those that there are. */
static int search_base(const struct tool_ctx *ctx, const struct resource_row *base,
		       const struct search_ask *ask, struct knowledge_passage *v,
		       size_t *n, struct err *e)
{
	const struct kb_at at = knowledge_at(ctx, base);
	struct search_found *found;
	struct kb_document *docs;
	struct uuid *ids;
	size_t n_found, n_docs;

	if (search_find(ctx->turn.by.db, &base->id, ask, ctx->arena, &found, &n_found, e))
		return -1;
	ids = arena_zalloc(ctx->arena, n_found + 1, sizeof(*ids));
	for (size_t i = 0; i < n_found; i++)
		ids[i] = found[i].document_id;
	if (kb_of_ids(ctx->turn.by.db, &at, ids, n_found, ctx->arena, &docs, &n_docs, e))
		return -1;
	for (size_t i = 0; i < n_found; i++)
		for (size_t k = 0; k < n_docs; k++)
			if (uuid_eq(&docs[k].id, &ids[i]))
				v[(*n)++] = (struct knowledge_passage){
					base, &found[i], &docs[k] };
	return 0;
}

static int by_score(const void *a, const void *b)
{
	const struct knowledge_passage *x = a, *y = b;

	return x->found->score > y->found->score ? -1
		: x->found->score < y->found->score;
}

int knowledge_find(const struct tool_ctx *ctx, const struct resource_row *bases,
		   size_t n_bases, struct str query, size_t max,
		   struct knowledge_passage **out, size_t *n, struct err *e)
{
	const struct identity *who = ctx->turn.by.who;
	const struct search_ask ask = {
		.mode = SEARCH_WORDS, .text = query, .groups = who->groups,
		.n_groups = who->n_groups, .max = max,
	};
	struct knowledge_passage *v = arena_zalloc(
		ctx->arena, (n_bases + 1) * max, sizeof(*v));

	*n = 0;
	for (size_t i = 0; i < n_bases; i++)
		if (search_base(ctx, &bases[i], &ask, v, n, e))
			return -1;
	if (*n)
		qsort(v, *n, sizeof(*v), by_score);
	*n = MIN(*n, max);
	*out = v;
	return 0;
}

void knowledge_write(struct jw *w, const struct tool_ctx *ctx,
		     const struct knowledge_passage *p)
{
	jw_kstr(w, "base", knowledge_text(p->base, "name"));
	jw_kuuid(w, "document_id", &p->document->id);
	jw_kstr(w, "title", p->document->title);
	if (p->found->heading.n)
		jw_kstr(w, "heading", p->found->heading);
	if (p->found->page)
		jw_kint(w, "page", p->found->page);
	if (p->document->url.p)
		jw_kstr(w, "url", p->document->url);
	jw_kstr(w, "text", p->found->text);
	if (ctx->from)
		origins_add(ctx->from, "document", p->document->title);
}

int knowledge_search_run(const struct tool *t, const struct tool_ctx *ctx,
			 const json_t *args, struct buf *out, bool *is_json,
			 struct err *e)
{
	struct str name = jx_str(args, "base");
	struct jw w = jw_on(out);
	struct resource_row *bases;
	struct knowledge_passage *v;
	size_t n_bases, n;

	(void)t;
	if (knowledge_bases(ctx, name, &bases, &n_bases, e))
		return -1;
	if (!n_bases)
		return err_public(e, ERR_TOOL_FAILED, name.p
				  ? "There is no knowledge base of this name. "
				    "Leave base out to search all."
				  : "There is no knowledge base here.");
	if (knowledge_find(ctx, bases, n_bases, jx_str(args, "query"),
			   (size_t)jx_int(args, "max_results", RESULTS), &v, &n,
			   e))
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "passages");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		knowledge_write(&w, ctx, &v[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}
