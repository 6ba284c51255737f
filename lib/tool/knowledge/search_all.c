/* SPDX-License-Identifier: MIT */
/*
 * search: everything that the caller may see, in one list. Each source ranks what it
 * has by its own measure; the lists are fused by the ranks.
 */
#include "tool/knowledge/knowledge.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "tool/mention/mention.h"

#include "base/banned.h"

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
	int no;

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
