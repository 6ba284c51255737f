/* SPDX-License-Identifier: MIT */
/*
 * Access to the documents of knowledge bases; their progress; searching, in one of them or
 * as a turn of an agent does.
 */
#include "api/knowledge.h"

#include "context/knowledge.h"
#include "domain/stored.h"
#include "knowledge/retrieve.h"
#include "api/api.h"
#include "api/scope.h"
#include "app.h"
#include "base/fields.h"
#include "base/limits.h"
#include "resource/call.h"
#include "response.h"
#include "route.h"
#include "search/embed.h"

#include "base/banned.h"

static const struct resource *const bases = &resources[RESOURCE_KNOWLEDGE_BASE];

static bool has_tier(const struct resource_row *row, const char *tier)
{
	return str_is(resource_text(row, COLUMN(KNOWLEDGE_BASE, tier)), tier);
}

/* -- below a base -------------------------------------------------------------------- */

static int at_of(struct request *rq, const struct uuid *id,
		 struct resource_row *row, struct kb_at *at, bool *writes,
		 struct err *e)
{
	const struct resource_at by = resource_for(&rq->by);

	if (resource_visible(&rq->by, bases, id, row, e))
		return -1;
	*writes = policy_may(rq->by.who, PERM_KNOWLEDGE_WRITE) &&
		  resource_may_hold(&rq->by, bases, &by, &row->holder);
	*at = (struct kb_at){
		.tenant_id = by.by.tenant_id, .user_id = by.by.user_id,
		.base = row->id, .all = *writes, .is_tenants = has_tier(row, "tenant"),
		.groups = rq->by.who->groups,
		.n_groups = rq->by.who->n_groups,
		.most_documents = has_tier(row, "private") ? LIM_PRIVATE_DOCUMENTS
			: LIM_DOCUMENTS,
		.most_mb = has_tier(row, "private") ? rq->conf->knowledge.private_mb
			: rq->conf->knowledge.base_mb,
	};
	return 0;
}

int api_knowledge_of(struct request *rq, const struct uuid *id,
		     struct kb_at *at, struct err *e)
{
	struct resource_row row;
	bool writes;

	return at_of(rq, id, &row, at, &writes, e);
}

int api_knowledge_at(struct request *rq, struct kb_at *at, struct err *e)
{
	return api_knowledge_of(rq, route_arg_uuid(rq, "parent"), at, e);
}

int api_knowledge_writer(struct request *rq, const char *arg, struct kb_at *at,
			 struct err *e)
{
	return api_knowledge_writer_of(rq, route_arg_uuid(rq, arg), at, e);
}

int api_knowledge_writer_of(struct request *rq, const struct uuid *id,
			    struct kb_at *at, struct err *e)
{
	struct resource_row row;
	bool writes;

	if (at_of(rq, id, &row, at, &writes, e))
		return -1;
	return writes ? 0 : err_public(e, ERR_FORBIDDEN, "You can use this "
				       "knowledge base, but you cannot change it.");
}

static void write_embedding(struct jw *w, const struct search_base *b,
			    int64_t chunks)
{
	jw_key(w, "embedding");
	jw_obj(w);
	jw_kstr(w, "model", b->model);
	jw_key(w, "dimension");
	if (b->model.p)
		jw_int(w, b->dimension);
	else
		jw_null(w);
	jw_kint(w, "passages", chunks);
	jw_kint(w, "vectors", b->stale ? 0 : MIN(b->vectors, chunks));
	jw_kstr(w, "error", b->embed_error);
	jw_end_obj(w);
}

/*
 * GET /knowledge-bases/{id}/progress
 * 200 {queued, ready, failed, embedding: {model, dimension, passages, vectors,
 * error}}: the number of documents by status, and how many of their passages have
 * vectors. For users who may change the base, because others do not see all
 * documents.
 */
int api_knowledge_progress(struct request *rq, struct response *rs,
			   struct err *e)
{
	struct kb_at at;
	int64_t counts[3], chunks;
	struct search_base base;
	struct jw w;

	if (api_knowledge_writer(rq, "id", &at, e) ||
	    kb_progress(rq->app->db, &at.base, counts, &chunks, e) ||
	    search_base_get(rq->app->db, &at.base, rq->arena, &base, e))
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	jw_kint(&w, "queued", counts[KB_QUEUED]);
	jw_kint(&w, "ready", counts[KB_READY]);
	jw_kint(&w, "failed", counts[KB_FAILED]);
	write_embedding(&w, &base, chunks);
	jw_end_obj(&w);
	return 0;
}

/* -- searching ------------------------------------------------------------------------- */

struct search_body {
	struct str query, mode;
	int64_t max;
	json_t *documents;
};

static const struct field search_fields[] = {
	{ .key = "query", .type = FIELD_TEXT,
	  .flags = FIELD_REQUIRED | FIELD_FILLED,
	  .max_chars = LIM_QUESTION_CHARS,
	  .offset = offsetof(struct search_body, query) },
	{ .key = "maxResults", .type = FIELD_INT, .min = 1, .max = LIM_FOUND,
	  .offset = offsetof(struct search_body, max) },
	{ .key = "mode", .type = FIELD_TEXT, .max_chars = 16,
	  .offset = offsetof(struct search_body, mode) },
	{ .key = "documentIds", .type = FIELD_JSON,
	  .offset = offsetof(struct search_body, documents) },
};

static int read_documents(struct request *rq, const json_t *list,
			  struct search_ask *ask, struct err *e)
{
	size_t n = json_array_size(list);
	struct uuid *ids;

	if (!list || json_is_null(list))
		return 0;
	if (!json_is_array(list) || !n || n > LIM_SEARCH_DOCUMENTS)
		return err_field(e, ERR_INVALID_FIELD, "documentIds",
				 "documentIds must be a list of 1 to %d ids.",
				 LIM_SEARCH_DOCUMENTS);
	ids = arena_zalloc(rq->arena, n, sizeof(*ids));
	for (size_t i = 0; i < n; i++) {
		const json_t *id = json_array_get(list, i);

		if (!json_is_string(id) ||
		    !uuid_parse(str_of(json_string_value(id)), &ids[i]))
			return err_field(e, ERR_INVALID_FIELD, "documentIds",
					 "documentIds[%zu] must be an id.", i);
	}
	ask->documents = ids;
	ask->n_documents = n;
	return 0;
}

static int read_mode(struct str mode, struct search_ask *ask, struct err *e)
{
	if (!mode.p || str_is(mode, "fused"))
		ask->mode = SEARCH_FUSED;
	else if (str_is(mode, "words"))
		ask->mode = SEARCH_WORDS;
	else if (str_is(mode, "vectors"))
		ask->mode = SEARCH_VECTORS;
	else
		return err_field(e, ERR_INVALID_FIELD, "mode",
				 "mode must be words, vectors or fused.");
	return 0;
}

static void write_found(struct jw *w, const struct retrieve_hit *hit)
{
	const struct search_found *f = hit->found;
	const struct kb_document *d = hit->document;
	char chunk[16];

	snprintf(chunk, sizeof(chunk), "%u", f->chunk);
	jw_obj(w);
	jw_kuuid(w, "documentId", &d->id);
	jw_kstr(w, "externalId", d->external_id);
	jw_kstrz(w, "chunkId", chunk);
	jw_kstr(w, "title", d->title);
	jw_kstr(w, "heading", f->heading.n ? f->heading
		: (struct str){ NULL, 0 });
	jw_key(w, "page");
	if (f->page)
		jw_int(w, f->page);
	else
		jw_null(w);
	jw_kstr(w, "url", d->url);
	jw_key(w, "score");
	jw_rounded(w, f->score);
	jw_kstr(w, "text", f->text);
	jw_end_obj(w);
}

static void write_passages(struct jw *w, const struct retrieve_found *found)
{
	jw_key(w, "items");
	jw_arr(w);
	for (size_t i = 0; i < found->n; i++)
		write_found(w, &found->v[i]);
	jw_end_arr(w);
	jw_kstr(w, "notice", found->notice ? str_of(found->notice)
		: (struct str){ NULL, 0 });
}

static struct llm_call io_of(const struct request *rq, const struct response *rs)
{
	return (struct llm_call){
		.http = rq->app->http, .stop = &rq->app->stopping,
		.peer_fd = rs->conn->fd,
	};
}

/*
 * POST /knowledge-bases/{id}/search {query, maxResults, mode, documentIds}
 * 200 {items: [{documentId, externalId, chunkId, title, heading, page, url, score,
 * text}], notice}, best first. mode fused (the default) searches by words only if
 * the base has no vectors or its service does not answer; notice then says so.
 */
int api_knowledge_search(struct request *rq, struct response *rs, struct err *e)
{
	const struct llm_call io = io_of(rq, rs);
	struct search_body b;
	struct resource_row row;
	struct retrieve_ask q = {
		.by = &rq->by, .io = &io, .bases = &row, .n_bases = 1,
	};
	struct retrieve_found found;
	struct kb_at at;
	bool writes;
	struct jw w;

	if (fields_read(search_fields, ARRAY_LEN(search_fields), rq->body, &b,
			sizeof(b), e) ||
	    read_mode(b.mode, &q.ask, e) ||
	    read_documents(rq, b.documents, &q.ask, e) ||
	    at_of(rq, route_arg_uuid(rq, "id"), &row, &at, &writes, e))
		return -1;
	q.ask.text = b.query;
	q.ask.max = b.max ? (size_t)b.max : 10;
	q.ask.all = at.all;
	if (retrieve_find(&q, rq->arena, &found, e))
		return -1;
	w = resp_json(rs, 200);
	jw_obj(&w);
	write_passages(&w, &found);
	jw_end_obj(&w);
	return 0;
}

/*
 * POST /workspaces/{w}/passages {content, draftAgent}: an agent as in POST …/agents, which
 * is checked as that request is and not stored.
 * 200 {items, notice, sent}: the passages that the first message of a conversation is sent
 * with, as they are in the answer of a search; sent: whether they are, or the agent has
 * ragEnabled false and only its tools search.
 */
int api_passages(struct request *rq, struct response *rs, struct err *e)
{
	struct body { struct str content; json_t *draft; } b;
	const struct field fields[] = {
		{ .key = "content", .type = FIELD_TEXT,
		  .flags = FIELD_REQUIRED | FIELD_FILLED,
		  .max_chars = (size_t)rq->conf->limits.message_chars,
		  .offset = offsetof(struct body, content) },
		{ .key = "draftAgent", .type = FIELD_OBJECT, .flags = FIELD_REQUIRED,
		  .offset = offsetof(struct body, draft) },
	};
	const struct llm_call io = io_of(rq, rs);
	struct retrieve_found found;
	const struct workspace *w;
	const struct agent *agent;
	struct jw j;

	if (fields_read(fields, ARRAY_LEN(fields), rq->body, &b, sizeof(b), e) ||
	    agent_draft(&rq->by, route_arg(rq, "workspace"), b.draft, &w, &agent, e) ||
	    context_passages(&rq->by, w, agent, b.content, &io, &found, e))
		return -1;
	j = resp_json(rs, 200);
	jw_obj(&j);
	write_passages(&j, &found);
	jw_kbool(&j, "sent", retrieve_options_of(agent).enabled);
	jw_end_obj(&j);
	return 0;
}
