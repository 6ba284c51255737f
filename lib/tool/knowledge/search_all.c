/* SPDX-License-Identifier: MIT */
/*
 * search: everything that the caller may see, in one list. Each source ranks what it
 * has by its own measure; the lists are fused by the ranks.
 */
#include <stdlib.h>

#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "tool/core/env.h"
#include "tool/knowledge/knowledge.h"
#include "tool/mention/mention.h"

#include "base/banned.h"

/* -- conversations --------------------------------------------------------- */

/* search_conversations: what the user and the model said elsewhere (U28). */

enum { CHATS = 6 };

bool knowledge_chats_may(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->turn.by.db &&
	       policy_may(ctx->turn.by.who, PERM_CONVERSATIONS_READ);
}

static int knowledge_chats(const struct tool_ctx *ctx, struct chats_ask *ask,
			   struct chats_found **out, size_t *n, struct err *e)
{
	const struct uuid *self = ctx->turn.conversation_id;
	size_t max = ask->max, kept = 0;

	ask->max++;	/* without this one, which the model knows */
	if (chats_find(ctx->turn.by.db, &ctx->turn.by.owner, ask, ctx->arena,
		       out, n, e))
		return -1;
	for (size_t i = 0; i < *n; i++)
		if (!self || !uuid_eq(&(*out)[i].id, self))
			(*out)[kept++] = (*out)[i];
	*n = MIN(kept, max);
	return 0;
}

/* As knowledge_write. */
static void knowledge_write_chat(struct jw *w, const struct tool_ctx *ctx,
				 const struct chats_found *f)
{
	jw_kuuid(w, "conversation_id", &f->id);
	jw_kstr(w, "title", f->title);
	jw_ktime(w, "updated_at", f->updated_us);
	jw_kstr(w, "text", f->passage);
	if (ctx->from)
		origins_add(ctx->from, ORIGIN_CONVERSATION, f->title);
}

/* A date as the first or last moment of its day. */
static int read_day(const struct tool_ctx *ctx, const json_t *args,
		    const char *key, const char *time, int64_t *us,
		    struct err *e)
{
	struct str s = jx_str(args, key);

	if (!s.p || clock_iso_parse(arena_printf(ctx->arena, "%.*s%s",
						 STR_ARG(s), time), us))
		return 0;
	return err_public(e, ERR_TOOL_ARGS, "%s must be a date, as 2026-11-23.",
			  key);
}

int knowledge_chats_run(const struct tool *t, const struct tool_ctx *ctx,
			const json_t *args, struct buf *out, bool *is_json,
			struct err *e)
{
	struct chats_ask ask = {
		.query = jx_str(args, "query"), .to_us = INT64_MAX,
		.max = (size_t)jx_int(args, "max_results", CHATS),
	};
	struct jw w = jw_on(out);
	struct chats_found *v;
	size_t n;

	(void)t;
	if (read_day(ctx, args, "from", "T00:00:00Z", &ask.from_us, e) ||
	    read_day(ctx, args, "to", "T23:59:59.999999Z", &ask.to_us, e) ||
	    knowledge_chats(ctx, &ask, &v, &n, e))
		return -1;
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "conversations");
	jw_arr(&w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(&w);
		knowledge_write_chat(&w, ctx, &v[i]);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	return 0;
}

/* -- passages -------------------------------------------------------------- */

/*
 * search_knowledge: passages of the knowledge bases that the caller sees in
 * this workspace, best first. Documents are visible as over the API, except
 * that nobody sees those of groups that they are not in.
 */

enum { PASSAGES = 6 };

static int knowledge_find(const struct tool_ctx *ctx,
			  const struct retrieve_bases *bases, struct str query, size_t max,
			  struct retrieve_found *out, struct err *e)
{
	const struct llm_call io = {
		.http = ctx->turn.env ? tool_env_http(ctx->turn.env) : NULL,
		.abort = ctx->turn.abort,
	};
	const struct retrieve_ask q = {
		.by = &ctx->turn.by, .io = &io, .bases = bases->v,
		.n_bases = bases->n, .more = bases->more,
		.ask = { .mode = SEARCH_FUSED, .text = query, .max = max },
	};

	return retrieve_find(&q, ctx->arena, out, e);
}

/*
 * *no: its number in the turn; 0 outside of a turn. False: the turn already has
 * the maximum number of passages.
 */
static bool knowledge_number(const struct tool_ctx *ctx, const struct retrieve_hit *hit,
			     int *no)
{
	const struct source s = retrieve_source(hit);

	*no = passages_add(ctx->passages, &s);
	return *no || !ctx->passages;
}

/* Writes the members of an object, and notes the origin. */
static void knowledge_write(struct jw *w, const struct tool_ctx *ctx,
			    const struct retrieve_hit *hit, int no)
{
	if (no)
		jw_kint(w, "number", no);
	jw_kstr(w, "base", resource_text(hit->base, COLUMN(KNOWLEDGE_BASE, name)));
	jw_kuuid(w, "document_id", &hit->document->id);
	jw_kstr(w, "title", hit->document->title);
	if (hit->found->heading.n)
		jw_kstr(w, "heading", hit->found->heading);
	if (hit->found->page)
		jw_kint(w, "page", hit->found->page);
	if (hit->document->url.p)
		jw_kstr(w, "url", hit->document->url);
	jw_kstr(w, "text", hit->found->text);
	if (ctx->from)
		origins_add(ctx->from, ORIGIN_PASSAGE, hit->document->title);
}

int knowledge_search_run(const struct tool *t, const struct tool_ctx *ctx,
			 const json_t *args, struct buf *out, bool *is_json,
			 struct err *e)
{
	struct str name = jx_str(args, "base");
	struct jw w = jw_on(out);
	struct retrieve_found found;
	struct retrieve_bases bases;
	int no;

	(void)t;
	if (knowledge_bases(ctx, name, &bases, e))
		return -1;
	if (!bases.n)
		return err_public(e, ERR_TOOL_FAILED, name.p
				  ? "There is no knowledge base with this "
				    "name. Leave base out to search all."
				  : "There is no knowledge base here.");
	if (knowledge_find(ctx, &bases, jx_str(args, "query"),
			   (size_t)jx_int(args, "max_results", PASSAGES), &found,
			   e))
		return -1;
	passages_note_search(ctx->passages);
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "passages");
	jw_arr(&w);
	for (size_t i = 0; i < found.n &&
	     knowledge_number(ctx, &found.v[i], &no); i++) {
		jw_obj(&w);
		knowledge_write(&w, ctx, &found.v[i], no);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	if (found.notice)
		jw_kstrz(&w, "notice", found.notice);
	jw_end_obj(&w);
	return 0;
}

/* -- all ---------------------------------------------------------------------- */

enum { RESULTS = 8, SOURCES = 3, LEAST_WORD = 3 };

struct all_hit {
	const struct retrieve_hit *passage;	/* one of these */
	const struct mention_item *thing;
	const struct chats_found *chat;
	size_t rank, source;		/* of its list; lists in a fixed order */
};

struct hits {
	struct all_hit *v;
	size_t n;
	const char *notice;	/* as retrieve_found has it */
};

bool knowledge_all_may(const struct tool *t, const struct tool_ctx *ctx)
{
	return knowledge_may(t, ctx) || knowledge_chats_may(t, ctx) ||
	       (ctx->turn.by.db && ctx->turn.workspace &&
		ctx->turn.workspace->n_datasets);
}

/* -- the sources ------------------------------------------------------------ */

static int add_passages(const struct tool_ctx *ctx, struct str query, size_t max,
			struct hits *to, struct err *e)
{
	struct retrieve_bases bases;
	struct retrieve_found found;

	if (!knowledge_may(NULL, ctx))
		return 0;
	if (knowledge_bases(ctx, (struct str){ NULL, 0 }, &bases, e) ||
	    knowledge_find(ctx, &bases, query, max, &found, e))
		return -1;
	passages_note_search(ctx->passages);
	for (size_t i = 0; i < found.n; i++)
		to->v[to->n++] = (struct all_hit){ .passage = &found.v[i],
						   .rank = i };
	to->notice = found.notice;
	return 0;
}

static struct str longest_word(struct str s)
{
	struct str best = { NULL, 0 };

	while (s.n) {
		struct str word = str_cut(&s, ' ');

		if (word.n > best.n)
			best = word;
	}
	return best;
}

/* Records and datasets; people can only be mentioned. */
static void add_things(const struct tool_ctx *ctx, struct str query, size_t max,
		       struct hits *to)
{
	struct mention_ask ask = {
		.ctx = ctx, .db = ctx->turn.by.db,
		.q = utf8_head(query, LIM_MENTION_TYPED_CHARS),
	};
	struct mention_list found = { .n = 0 };
	size_t rank = 0;

	if (!ctx->turn.workspace || !ctx->turn.workspace->n_datasets)
		return;
	mention_find(&ask, max, &found);
	/*
	 * Records are found by the beginning of their names, not by sentences.
	 */
	if (!found.n) {
		ask.q = utf8_head(longest_word(query),
				  LIM_MENTION_TYPED_CHARS);
		if (ask.q.n >= LEAST_WORD && ask.q.n < query.n)
			mention_find(&ask, max, &found);
	}
	for (size_t i = 0; i < found.n; i++)
		if (!str_is(str_of(found.v[i].type), "person"))
			to->v[to->n++] = (struct all_hit){
				.thing = &found.v[i], .rank = rank++,
				.source = 1 };
}

static int add_chats(const struct tool_ctx *ctx, struct str query, size_t max,
		     struct hits *to, struct err *e)
{
	struct chats_ask ask = {
		.query = query, .to_us = INT64_MAX, .max = max,
	};
	struct chats_found *v;
	size_t n;

	if (!knowledge_chats_may(NULL, ctx))
		return 0;
	if (knowledge_chats(ctx, &ask, &v, &n, e))
		return -1;
	for (size_t i = 0; i < n; i++)
		to->v[to->n++] = (struct all_hit){ .chat = &v[i], .rank = i,
					       .source = 2 };
	return 0;
}

/* -- the list --------------------------------------------------------------- */

/* By 1 / (60 + rank): simply by rank, because no item is in two lists. */
static int by_rank(const void *a, const void *b)
{
	const struct all_hit *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->source < y->source ? -1 : x->source > y->source;
}

static void write_thing(struct jw *w, const struct tool_ctx *ctx,
			const struct mention_item *m)
{
	jw_kstrz(w, "kind", m->type);
	jw_kstr(w, "ref", m->ref);
	jw_kstr(w, "title", m->label);
	if (m->description.p)
		jw_kstr(w, "text", m->description);
	if (m->source.p)
		jw_kstr(w, "dataset", m->source);
	if (m->href.p)
		jw_kstr(w, "url", m->href);
	if (ctx->from)
		origins_add(ctx->from, ORIGIN_MENTION, m->source);
}

int knowledge_all_run(const struct tool *t, const struct tool_ctx *ctx,
		      const json_t *args, struct buf *out, bool *is_json,
		      struct err *e)
{
	size_t max = (size_t)jx_int(args, "max_results", RESULTS);
	struct str query = str_trim(jx_str(args, "query"));
	struct hits hits = {
		.v = arena_zalloc(ctx->arena, SOURCES * max + 1,
				  sizeof(*hits.v)),
	};
	struct jw w = jw_on(out);
	int no = 0;

	(void)t;
	if (add_passages(ctx, query, max, &hits, e))
		return -1;
	add_things(ctx, query, max, &hits);
	if (add_chats(ctx, query, max, &hits, e))
		return -1;
	if (hits.n)
		qsort(hits.v, hits.n, sizeof(*hits.v), by_rank);
	*is_json = true;
	jw_obj(&w);
	jw_key(&w, "results");
	jw_arr(&w);
	for (size_t i = 0; i < MIN(hits.n, max); i++) {
		if (hits.v[i].passage &&
		    !knowledge_number(ctx, hits.v[i].passage, &no))
			continue;
		jw_obj(&w);
		if (hits.v[i].passage) {
			jw_kstrz(&w, "kind", "passage");
			knowledge_write(&w, ctx, hits.v[i].passage, no);
		} else if (hits.v[i].chat) {
			jw_kstrz(&w, "kind", "conversation");
			knowledge_write_chat(&w, ctx, hits.v[i].chat);
		} else {
			write_thing(&w, ctx, hits.v[i].thing);
		}
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	if (hits.notice)
		jw_kstrz(&w, "notice", hits.notice);
	jw_end_obj(&w);
	return 0;
}
