/* SPDX-License-Identifier: MIT */
/*
 * A whole document, or attachment of the conversation, as the caller sees it.
 */
#include "tool/knowledge/knowledge.h"

#include "auth/policy.h"
#include "store/attachment.h"

#include "base/banned.h"

bool knowledge_read_may(const struct tool *t, const struct tool_ctx *ctx)
{
	return knowledge_may(t, ctx) ||
	       (ctx->turn.by.db && ctx->turn.conversation_id);
}

static int find_document(const struct tool_ctx *ctx, struct str said,
			 struct knowledge_file *r, struct err *e)
{
	struct retrieve_bases bases;
	struct knowledge_document *found;
	struct kb_document d;
	struct kb_at at;
	size_t n;

	if (uuid_parse(said, &r->id) && knowledge_may(NULL, ctx)) {
		if (knowledge_bases(ctx, (struct str){ NULL, 0 }, &bases, e) ||
		    knowledge_documents(ctx, &bases, &r->id, 1, &found, &n, e))
			return -1;
		if (n)
			at = knowledge_at(ctx, found->base);
		if (n && !kb_read(ctx->turn.by.db, &at, &r->id, ctx->arena, &d,
				  &r->text, e)) {
			r->base = found->base;
			r->title = d.title;
			r->url = d.url;
			r->version = d.version;
			return 0;
		}
		if (n && e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	return err_public(e, ERR_TOOL_ARGS, "There is no document with this "
			  "id. Use the ids that search_knowledge returns.");
}

static int find_attachment(const struct tool_ctx *ctx, struct str said,
			   struct knowledge_file *r, struct err *e)
{
	const struct caller *by = &ctx->turn.by;
	struct attachment t;
	int rc = -1;

	if (ctx->turn.conversation_id)
		rc = attachment_named(by->db, &by->owner,
				      ctx->turn.conversation_id, said,
				      ctx->arena, &t, e);
	if (rc && e->code && e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	if (rc)
		return err_public(e, ERR_TOOL_ARGS, "No file with this name is "
				  "attached to this conversation.");
	if (attachment_text(by->db, &by->owner, &t.id, ctx->arena, &r->text, e))
		return -1;
	if (!r->text.p)
		return err_public(e, ERR_TOOL_FAILED, "There is no text in this "
				  "file.%s%.*s", t.problem.n ? " " : "",
				  STR_ARG(t.problem));
	r->id = t.id;
	r->title = t.name;
	return 0;
}

int knowledge_file(const struct tool_ctx *ctx, const json_t *args,
		   struct knowledge_file *r, struct err *e)
{
	struct str document = jx_str(args, "document_id");
	struct str file = jx_str(args, "attachment");

	*r = (struct knowledge_file){ .base = NULL };
	if (!document.p == !file.p)
		return err_public(e, ERR_TOOL_ARGS, "Give either document_id or "
				  "attachment.");
	return document.p ? find_document(ctx, document, r, e)
		: find_attachment(ctx, file, r, e);
}
