/* SPDX-License-Identifier: MIT */
/*
 * The passages that a turn used, and their documents, for users who check them.
 * Passages that the caller may no longer see are left out at each request.
 */
#include "api/api.h"

#include "knowledge/retrieve.h"
#include "api/knowledge.h"
#include "api/scope.h"
#include "api/shared.h"
#include "app.h"
#include "base/limits.h"
#include "route.h"
#include "knowledge/excerpt.h"
#include "store/conversation.h"
#include "store/source.h"
#include "tool/core/passage.h"
#include "turn/follow.h"

#include "base/banned.h"

static int sight(void *ctx, const struct uuid *base, struct kb_at *at,
		 struct err *e)
{
	return api_knowledge_of(ctx, base, at, e);
}

int api_source_of_message(struct request *rq, struct source **v, size_t *n,
			  struct err *e)
{
	const struct uuid *conversation = route_arg_uuid(rq, "conversation");
	struct conversation c;
	struct str id;
	int64_t seq;

	*n = 0;
	if (req_query(rq, "messageId", &id, e) < 0 ||
	    scope_message(conversation, id, "messageId", &seq, e) ||
	    conversation_get(rq->app->db, &rq->by.owner, conversation, rq->arena,
			     &c, e) ||
	    store_source_list_of(rq->app->db, &rq->by.owner, conversation, seq,
				 rq->arena, v, n, e))
		return -1;
	return retrieve_seen(&rq->by, sight, rq, *v, n, rq->arena, e);
}

int api_source_of_turn(struct request *rq, const struct uuid *turn,
		       struct source **v, size_t *n, struct err *e)
{
	return store_source_list(rq->app->db, &rq->by.owner, turn, rq->arena, v, n,
				 e) ? -1
		: retrieve_seen(&rq->by, sight, rq, *v, n, rq->arena, e);
}

static int write_list(struct response *rs, const struct source *v, size_t n)
{
	struct jw w = resp_json(rs, 200);

	jw_obj(&w);
	jw_key(&w, "items");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		passages_write_members(&w, &v[i], LIM_SOURCE_TEXT_CHARS);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

/*
 * GET /turns/{turn}/sources: 200 {items: [{number, documentId, externalId,
 * knowledgeBaseId, attachmentId, chunkId, title, page, url, score, text}]} by
 * number, without those that were deleted or that the caller may no longer see. 404
 * for others' turns.
 */
int api_source_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct uuid *turn = route_arg_uuid(rq, "turn");
	struct source *v;
	struct turn t;
	size_t n;

	if (store_turn_get(rq->app->db, &rq->by.owner, turn, rq->arena, &t, e) ||
	    api_source_of_turn(rq, turn, &v, &n, e))
		return -1;
	return write_list(rs, v, n);
}

/*
 * GET /conversations/{c}/sources?messageId=: the same for a message, also for one
 * that was copied to a fork, whose turn is the original's. 422 if messageId is not
 * the id of a message; 404 for others' conversations.
 */
int api_message_source_list(struct request *rq, struct response *rs,
			    struct err *e)
{
	struct source *v;
	size_t n;

	return api_source_of_message(rq, &v, &n, e) ? -1 : write_list(rs, v, n);
}

/*
 * GET /shared-conversations/{share}/sources?messageId=: the same for a message of a share:
 * passages of documents that the reader may see themselves. Files stay the owner's.
 */
int api_shared_source_list(struct request *rq, struct response *rs, struct err *e)
{
	const struct shared_reader by = api_shared_reader(rq);
	const struct uuid *share = route_arg_uuid(rq, "share");
	struct source *v;
	struct shared s;
	struct str id;
	int64_t seq;
	size_t n = 0;

	if (req_query(rq, "messageId", &id, e) < 0 ||
	    scope_message(share, id, "messageId", &seq, e) ||
	    shared_get(rq->app->db, &by, share, rq->arena, &s, e) < 0 ||
	    store_source_list_shared(rq->app->db, &by, &s, seq, rq->arena, &v, &n, e) ||
	    retrieve_seen(&rq->by, sight, rq, v, &n, rq->arena, e))
		return -1;
	return write_list(rs, v, n);
}

static int read_number(struct request *rq, const char *key, int64_t min,
		       int64_t *out, struct err *e)
{
	struct str s = { NULL, 0 };

	*out = -1;
	if (req_query(rq, key, &s, e) < 0)
		return -1;
	if (s.p && (!str_int(s, out) || *out < min || *out > UINT32_MAX))
		return err_field(e, ERR_INVALID_FIELD, key,
				 "%s must be a number from %d.", key, (int)min);
	return 0;
}

/*
 * GET /knowledge-bases/{parent}/documents/{id}/text?chunk=&page=: 200 {documentId,
 * title, url, fileName, page, pages, found, cut, before, passage, after}: the page of
 * the passage with this chunkId, or the page with this number; for a document
 * without pages, the text around the passage. found is false, and passage empty, if
 * the document does not have the passage (any more); cut is true if there is more
 * text before or after. 404 for a document that the caller does not see, and for a
 * page that does not exist.
 */
int api_document_text(struct request *rq, struct response *rs, struct err *e)
{
	struct kb_excerpt x;
	struct kb_at at;
	int64_t chunk, page;
	struct jw w;

	if (read_number(rq, "chunk", 0, &chunk, e) ||
	    read_number(rq, "page", 1, &page, e) ||
	    api_knowledge_at(rq, &at, e) ||
	    kb_excerpt(rq->app->db, &at, route_arg_uuid(rq, "id"), chunk,
			   MAX(page, 0), rq->arena, &x, e))
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kuuid(&w, "documentId", &x.document.id);
	jw_kstr(&w, "title", x.document.title);
	jw_kstr(&w, "url", x.document.url);
	jw_kstr(&w, "fileName", x.document.file_name);
	jw_key(&w, "page");
	if (x.page)
		jw_int(&w, x.page);
	else
		jw_null(&w);
	jw_kint(&w, "pages", x.pages);
	jw_kbool(&w, "found", x.found);
	jw_kbool(&w, "cut", x.cut);
	jw_kstr(&w, "before", x.before);
	jw_kstr(&w, "passage", x.passage);
	jw_kstr(&w, "after", x.after);
	jw_end_obj(&w);
	return 0;
}
