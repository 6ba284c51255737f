/*
 * search_knowledge: passages of the knowledge bases that the caller sees in this
 * workspace, best first. Documents are the caller's to see as over the API, except
 * that nobody sees those of groups that they are not in.
 */
#include "tool/knowledge/knowledge.h"

#include <stdlib.h>

#include "auth/policy.h"
#include "resource/resource.h"
#include "search/kb.h"

#include "base/banned.h"

enum { BASES = 32, RESULTS = 6 };

struct passage {
	const struct resource_row *base;
	const struct search_found *found;
	const struct kb_document *document;
};

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

/* The passages of one base behind those that there are. */
static int search_base(const struct tool_ctx *ctx, const struct resource_row *base,
		       const struct search_ask *ask, struct passage *v, size_t *n,
		       struct err *e)
{
	const struct caller *by = &ctx->turn.by;
	const struct kb_at at = {
		.tenant_id = by->owner.tenant_id, .user_id = by->owner.user_id,
		.base = base->id, .groups = ask->groups,
		.n_groups = ask->n_groups,
	};
	struct search_found *found;
	struct kb_document *docs;
	struct uuid *ids;
	size_t n_found, n_docs;

	if (search_find(by->db, &base->id, ask, ctx->arena, &found, &n_found, e))
		return -1;
	ids = arena_zalloc(ctx->arena, n_found + 1, sizeof(*ids));
	for (size_t i = 0; i < n_found; i++)
		ids[i] = found[i].document_id;
	if (kb_of_ids(by->db, &at, ids, n_found, ctx->arena, &docs, &n_docs, e))
		return -1;
	for (size_t i = 0; i < n_found; i++)
		for (size_t k = 0; k < n_docs; k++)
			if (uuid_eq(&docs[k].id, &ids[i]))
				v[(*n)++] = (struct passage){
					base, &found[i], &docs[k] };
	return 0;
}

static int by_score(const void *a, const void *b)
{
	const struct passage *x = a, *y = b;

	return x->found->score > y->found->score ? -1
		: x->found->score < y->found->score;
}

static int number_of(const struct tool_ctx *ctx, const struct passage *p)
{
	const struct source s = {
		.base_id = p->base->id, .document_id = p->document->id,
		.chunk = p->found->chunk, .page = p->found->page,
		.score = p->found->score,
		.external_id = p->document->external_id,
		.title = p->document->title, .url = p->document->url,
		.text = p->found->text,
	};

	return passages_add(ctx->passages, &s);
}

static void write_passage(struct jw *w, const struct passage *p, int number)
{
	jw_obj(w);
	if (number)
		jw_kint(w, "number", number);
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

/* Whether the base is of this workspace, and the one that was named. */
static bool is_asked(const struct tool_ctx *ctx, const struct resource_row *base,
		     struct str name)
{
	struct str of = text_of(base, "workspace_id");

	return (!of.p || (ctx->turn.workspace &&
			  str_is(of, ctx->turn.workspace->id))) &&
	       (!name.p || str_eq(name, text_of(base, "name")));
}

int knowledge_search_run(const struct tool *t, const struct tool_ctx *ctx,
			 const json_t *args, struct buf *out, bool *is_json,
			 struct err *e)
{
	const struct caller *by = &ctx->turn.by;
	const struct resource *r = &resources[RESOURCE_KNOWLEDGE_BASE];
	const struct resource_at at = resource_reading(
		&by->owner, by->who->groups, by->who->n_groups, ctx->arena);
	const struct resource_want want = { .size = BASES };
	struct search_ask ask = {
		.mode = SEARCH_WORDS, .text = jx_str(args, "query"),
		.groups = by->who->groups, .n_groups = by->who->n_groups,
		.max = (size_t)jx_int(args, "max_results", RESULTS),
	};
	struct str name = jx_str(args, "base");
	struct jw w = jw_on(out);
	struct resource_row *bases;
	struct passage *v;
	size_t n_bases, n = 0, n_asked = 0;
	bool more;

	(void)t;
	if (resource_list(by->db, r, &at, &want, ctx->arena, &bases, &n_bases,
			  &more, e))
		return -1;
	v = arena_zalloc(ctx->arena, (n_bases + 1) * ask.max, sizeof(*v));
	for (size_t i = 0; i < n_bases; i++) {
		if (!is_asked(ctx, &bases[i], name))
			continue;
		n_asked++;
		if (search_base(ctx, &bases[i], &ask, v, &n, e))
			return -1;
	}
	if (!n_asked)
		return err_public(e, ERR_TOOL_FAILED, name.p
				  ? "There is no knowledge base of this name. "
				    "Leave base out to search all."
				  : "There is no knowledge base here.");
	if (n)
		qsort(v, n, sizeof(*v), by_score);
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "passages");
	jw_arr(&w);
	passages_note_search(ctx->passages);
	for (size_t i = 0; i < MIN(n, ask.max); i++) {
		int number = number_of(ctx, &v[i]);

		if (ctx->passages && !number)
			break;		/* the turn has had enough of them */
		write_passage(&w, &v[i], number);
		if (ctx->from)
			origins_add(ctx->from, "document", v[i].document->title);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}
