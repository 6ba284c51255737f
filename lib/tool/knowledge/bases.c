/* SPDX-License-Identifier: MIT */
/* What the tools over knowledge bases share: which bases and documents there are. */
#include "tool/knowledge/knowledge.h"

#include "auth/policy.h"

#include "base/banned.h"

bool knowledge_may(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->turn.by.db &&
	       policy_may(ctx->turn.by.who, PERM_KNOWLEDGE_READ);
}

struct kb_at knowledge_at(const struct tool_ctx *ctx,
			  const struct resource_row *base)
{
	const struct caller *by = &ctx->turn.by;

	return (struct kb_at){
		.tenant_id = by->owner.tenant_id, .user_id = by->owner.user_id,
		.base = base->id, .groups = by->who->groups,
		.n_groups = by->who->n_groups,
	};
}

static bool is_named(const struct resource_row *base, struct str name)
{
	struct uuid id;

	return str_eq(name, resource_text(base, COLUMN(KNOWLEDGE_BASE, name))) ||
	       (uuid_parse(name, &id) && uuid_eq(&id, &base->id));
}

int knowledge_bases(const struct tool_ctx *ctx, struct str name,
		    struct retrieve_bases *out, struct err *e)
{
	const struct tool_turn *t = &ctx->turn;
	struct str set;
	size_t kept = 0;

	if (retrieve_set(&t->by, t->conversation_id, ctx->arena, &set, e) ||
	    retrieve_bases(&t->by, t->workspace, t->agent, set, ctx->arena, out,
			   e))
		return -1;
	for (size_t i = 0; i < out->n; i++)
		if (!name.p || is_named(&out->v[i], name))
			out->v[kept++] = out->v[i];
	out->n = kept;
	return 0;
}

int knowledge_documents(const struct tool_ctx *ctx,
			const struct retrieve_bases *bases,
			const struct uuid *ids, size_t n,
			struct knowledge_document **out, size_t *n_out,
			struct err *e)
{
	struct knowledge_document *of = arena_zalloc(ctx->arena, n + 1,
						     sizeof(*of));
	struct kb_at *at = arena_zalloc(ctx->arena, bases->n + 1, sizeof(*at));
	struct kb_document *docs;
	size_t kept = 0, n_docs;

	for (size_t b = 0; b < bases->n; b++)
		at[b] = knowledge_at(ctx, &bases->v[b]);
	if (kb_of_ids(ctx->turn.by.db, at, bases->n, ids, n, ctx->arena,
		      &docs, &n_docs, e))
		return -1;
	for (size_t d = 0; d < n_docs; d++) {
		size_t i = 0, b = 0;

		while (i < n && !uuid_eq(&ids[i], &docs[d].id))
			i++;
		while (!uuid_eq(&bases->v[b].id, &docs[d].base_id))
			b++;
		if (i < n)
			of[i] = (struct knowledge_document){ &bases->v[b], &docs[d] };
	}
	for (size_t i = 0; i < n; i++)
		if (of[i].document)
			of[kept++] = of[i];
	*out = of;
	*n_out = kept;
	return 0;
}
