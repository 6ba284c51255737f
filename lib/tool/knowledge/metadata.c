/* SPDX-License-Identifier: MIT */
/*
 * list_knowledge_bases and get_document_metadata (D32): what exists, never its
 * content. The number of documents of a base is not told: some may be of other
 * groups.
 */
#include "auth/policy.h"
#include "entity/entity.h"
#include "tool/knowledge/knowledge.h"

#include "base/banned.h"

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
		jw_kstr_given(&w, "description",
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

static void write_metadata(struct jw *w, const struct uuid *id, struct str title,
			   struct str description, int64_t length, int64_t updated_us)
{
	jw_obj(w);
	jw_kuuid(w, "id", id);
	jw_kstr(w, "title", title);
	jw_kstr(w, "description", description);
	jw_kint(w, "content_length", length);
	jw_ktime(w, "updated_at", updated_us);
	jw_end_obj(w);
}

/* Those that are documents of projects that the user sees. */
static int write_of_projects(struct jw *w, const struct tool_ctx *ctx,
			     const struct uuid *ids, size_t n_ids, struct err *e)
{
	struct caller by = ctx->turn.by;
	struct entity_brief *v;
	size_t n;

	if (!policy_may(by.who, PERM_PROJECTS_READ))
		return 0;
	by.arena = ctx->arena;
	if (entity_of_ids(&by, ids, n_ids, &v, &n, e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (str_is(v[i].kind, entity_kinds[ENTITY_DOCUMENT].name))
			write_metadata(w, &v[i].id, v[i].title, v[i].description,
				       v[i].length, v[i].updated_us);
	return 0;
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

		/* These have no description. */
		write_metadata(&w, &d->id, d->title, (struct str){ NULL, 0 }, d->bytes,
			       d->updated_us);
		if (ctx->from)
			origins_add(ctx->from, ORIGIN_DOCUMENT, d->title);
	}
	if (write_of_projects(&w, ctx, ids, n_ids, e) < 0)
		return -1;
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}
