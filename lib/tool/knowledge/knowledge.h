/* SPDX-License-Identifier: MIT */
/* The tools over knowledge bases, for their rows, and what they share. */
#ifndef TOOL_KNOWLEDGE_H
#define TOOL_KNOWLEDGE_H

#include "knowledge/retrieve.h"
#include "resource/resource.h"
#include "search/chats.h"
#include "tool/core/tool.h"

/* For `advertise` and `run` of struct tool. */
typedef bool tool_may_fn(const struct tool *t, const struct tool_ctx *ctx);
typedef int tool_run_fn(const struct tool *t, const struct tool_ctx *ctx,
			const json_t *args, struct buf *out, bool *is_json,
			struct err *e);

tool_may_fn knowledge_may;	/* may see knowledge bases */
tool_may_fn knowledge_read_may;	/* ... or has attachments */
tool_may_fn knowledge_all_may;	/* ... or anything else that is searched */
tool_may_fn knowledge_chats_may;	/* may see their conversations */

tool_run_fn knowledge_search_run, knowledge_list_run, knowledge_metadata_run;
tool_run_fn knowledge_read_run, knowledge_all_run, knowledge_chats_run;

/* -- bases.c ---------------------------------------------------------------- */

/*
 * The selected bases (retrieve_bases), by name: the one with this name or id,
 * or all (p == NULL). In ctx->arena.
 */
int knowledge_bases(const struct tool_ctx *ctx, struct str name,
		    struct retrieve_bases *out, struct err *e) MUST_CHECK;

/*
 * What tools see of a base: as over the API, but nobody sees documents of
 * groups that they are not in, not even users who may change the base.
 * Borrowed.
 */
struct kb_at knowledge_at(const struct tool_ctx *ctx,
			  const struct resource_row *base);

/* A document and where it is. */
struct knowledge_document {
	const struct resource_row *base;
	const struct kb_document *document;
};

/*
 * Those of n ids that are in one of the bases and that the caller sees, in the
 * order of ids, each once. In ctx->arena.
 */
int knowledge_documents(const struct tool_ctx *ctx,
			const struct retrieve_bases *bases,
			const struct uuid *ids, size_t n,
			struct knowledge_document **out, size_t *n_out,
			struct err *e) MUST_CHECK;

/* -- read_document.c --------------------------------------------------------- */

struct knowledge_file {		/* in ctx->arena */
	struct str title, text, url;
	const struct resource_row *base;	/* NULL: an attachment */
	struct uuid id;
	int64_t version;	/* of a document */
};

/*
 * What args name: a document by `document_id`, or a file of the conversation by
 * `attachment`. The rights of both are checked; what the caller may not see is
 * reported as missing. ERR_TOOL_ARGS if they name neither or both, or nothing;
 * ERR_TOOL_FAILED if there is no text in the file. Both public.
 */
int knowledge_file(const struct tool_ctx *ctx, const json_t *args,
		   struct knowledge_file *out, struct err *e) MUST_CHECK;

/* recall_facts.c */
bool knowledge_facts_may(const struct tool *t, const struct tool_ctx *ctx);
int knowledge_facts_run(const struct tool *t, const struct tool_ctx *ctx,
			const json_t *args, struct buf *out, bool *is_json,
			struct err *e);

#endif
