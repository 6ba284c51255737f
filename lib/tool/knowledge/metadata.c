/* SPDX-License-Identifier: MIT */
/*
 * list_knowledge_bases and get_document_metadata (D32): what exists, never its
 * content. The number of documents of a base is not told: some may be of other
 * groups.
 */
#include "tool/knowledge/knowledge.h"

#include "base/banned.h"

static void key_if_any(struct jw *w, const char *key, struct str value)
{
	if (value.p)
		jw_kstr(w, key, value);
}

int knowledge_list_run(const struct tool *t, const struct tool_ctx *ctx,
		       const json_t *args, struct buf *out, bool *is_json,
		       struct err *e)
{
	struct jw w = jw_on(out);
	struct retrieve_bases bases;

	(void)t;
	(void)args;
	if (knowledge_bases(ctx, (struct str){ NULL, 0 }, &bases, e))
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "knowledge_bases");
	jw_arr(&w);
	for (size_t i = 0; i < bases.n; i++) {
		struct str name = resource_text(&bases.v[i], COLUMN(KNOWLEDGE_BASE, name));

		jw_obj(&w);
		jw_kuuid(&w, "id", &bases.v[i].id);
		jw_kstr(&w, "name", name);
		key_if_any(&w, "description",
			   resource_text(&bases.v[i], COLUMN(KNOWLEDGE_BASE, description)));
		jw_kstr(&w, "language",
			resource_text(&bases.v[i], COLUMN(KNOWLEDGE_BASE, language)));
		jw_end_obj(&w);
		if (ctx->from)
			origins_add(ctx->from, ORIGIN_KNOWLEDGE_BASE, name);
	}
	jw_end_arr(&w);
	if (bases.more)
		jw_kbool(&w, "more", true);
	jw_end_obj(&w);
	return 0;
}

/* The ids of the list, in the arena; invalid ids are ignored. */
static struct uuid *read_ids(const struct tool_ctx *ctx, const json_t *list,
			     size_t *n)
{
	struct uuid *ids = arena_zalloc(ctx->arena, json_array_size(list) + 1,
					sizeof(*ids));
	const json_t *one;
	size_t i;

	*n = 0;
	json_array_foreach((json_t *)list, i, one)
		if (uuid_parse((struct str){ json_string_value(one),
					     json_string_length(one) },
			       &ids[*n]))
			(*n)++;
	return ids;
}

int knowledge_metadata_run(const struct tool *t, const struct tool_ctx *ctx,
			   const json_t *args, struct buf *out, bool *is_json,
			   struct err *e)
{
	struct jw w = jw_on(out);
	struct knowledge_document *docs;
	struct retrieve_bases bases;
	size_t n_ids, n;
	const struct uuid *ids = read_ids(
		ctx, json_object_get(args, "document_ids"), &n_ids);

	(void)t;
	if (knowledge_bases(ctx, jx_str(args, "project_id"), &bases, e) ||
	    knowledge_documents(ctx, &bases, ids, n_ids, &docs, &n, e))
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "documents");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		const struct kb_document *d = docs[i].document;

		jw_obj(&w);
		jw_kuuid(&w, "id", &d->id);
		jw_kstr(&w, "title", d->title);
		/* Documents have none of their own. */
		jw_kstr(&w, "description", (struct str){ NULL, 0 });
		jw_kint(&w, "content_length", d->bytes);
		jw_ktime(&w, "updated_at", d->updated_us);
		jw_end_obj(&w);
		if (ctx->from)
			origins_add(ctx->from, ORIGIN_DOCUMENT, d->title);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}
