#include "turn/knowledge.h"

#include "agent/embed.h"
#include "agent/retrieve.h"
#include "auth/policy.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "tool/core/passage.h"
#include "turn/emit.h"
#include "turn/loop.h"

#include "base/banned.h"

enum { PASSAGES = 6 };		/* where the agent does not say how many */

static void write_passage(struct buf *b, const struct retrieve_hit *hit, int no)
{
	const struct search_found *f = hit->found;

	buf_addf(b, "\n[%d] %.*s", no, STR_ARG(hit->document->title));
	if (f->heading.n)
		buf_addf(b, " > %.*s", STR_ARG(f->heading));
	if (f->page)
		buf_addf(b, " (page %d)", f->page);
	buf_addf(b, "\n%.*s\n", STR_ARG(f->text));
}

/* Whole passages, the best first, as many as there is room for. */
static void write_all(struct turn_loop *l, const struct retrieve_found *found)
{
	struct buf b = BUF_INIT(8 * LIM_RAG_CHARS);
	size_t chars = 0;

	for (size_t i = 0; i < found->n; i++) {
		const struct retrieve_hit *hit = &found->v[i];
		const struct source s = retrieve_source(hit);
		int no;

		chars += utf8_chars(hit->found->text) +
			utf8_chars(hit->found->heading);
		if (i && chars > LIM_RAG_CHARS)
			break;
		no = l->passages ? passages_add(l->passages, &s) : (int)i + 1;
		if (!no)
			break;
		if (!i)
			buf_adds(&b, "Passages of documents that were found for the "
				 "user's message, by number:\n");
		write_passage(&b, hit, no);
		origins_add(&l->taint, "document", hit->document->title);
	}
	l->knowledge.text = arena_str(l->arena, buf_str(&b));
	buf_release(&b);
}

static struct str question(const struct turn_loop *l)
{
	const struct turn_run *t = l->run;

	return t->in.content.n ? t->in.content : t->user.content;
}

/* A preview asks no service, so it searches words alone. */
static int retrieve(struct turn_loop *l, const struct retrieve_wish *wish,
		    struct retrieve_found *found, struct err *e)
{
	const struct turn_request *in = &l->run->in;
	const struct caller *by = &l->tool_ctx.turn.by;
	const bool asks = l->sink != NULL;
	const struct llm_call io = {
		.http = asks ? l->run->deps->http : NULL, .abort = l->abort,
	};
	struct retrieve_ask q = {
		.by = by, .io = &io, .min_score = wish->min_score,
		.max_ranked = MIN(wish->max_ranked, (size_t)LIM_FOUND),
		.ask = {
			.mode = SEARCH_FUSED,
			.text = question(l),
			.max = wish->max ? MIN(wish->max, (size_t)LIM_FOUND)
				: PASSAGES,
		},
	};
	struct resource_row *bases;
	struct str set;

	if (retrieve_set(by, &l->run->conversation_id, l->arena, &set, e) ||
	    retrieve_bases(by, in->target.workspace, in->target.agent, set,
			   l->arena, &bases, &q.n_bases, e))
		return -1;
	q.bases = bases;
	if (asks && wish->ranks && wish->ranker.p &&
	    embed_service(by, wish->ranker, LLM_CAN_RERANK, l->arena, &q.ranker, e))
		return -1;
	return retrieve_find(&q, l->arena, found, e);
}

void context_knowledge(struct turn_loop *l)
{
	const struct caller *by = &l->tool_ctx.turn.by;
	struct retrieve_wish wish;
	struct retrieve_found found = { .n = 0 };
	struct err e = ERR_INIT;

	if (l->nested || l->knowledge.looked_up)
		return;
	l->knowledge.looked_up = true;
	wish = retrieve_wish_of(l->run->in.target.agent);
	if (!wish.enabled || !by->db || !policy_may(by->who, PERM_KNOWLEDGE_READ) ||
	    !str_trim(question(l)).n)
		return;
	passages_note_search(l->passages);
	if (retrieve(l, &wish, &found, &e)) {
		log_err("no passages for a turn", &e);
		found = (struct retrieve_found){ .notice =
			"The knowledge bases could not be searched." };
	}
	if (found.notice && l->sink)
		loop_warn(l, "knowledge", found.notice);
	write_all(l, &found);
}
