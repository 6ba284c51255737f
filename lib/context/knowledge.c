/* SPDX-License-Identifier: MIT */
#include "context/knowledge.h"

#include "knowledge/embed.h"
#include "knowledge/retrieve.h"
#include "domain/stored_service.h"
#include "auth/policy.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "prompt/untrusted.h"
#include "tool/core/passage.h"
#include "event/relay.h"
#include "context/context.h"

#include "base/banned.h"

enum { PASSAGES = 6 };		/* if the agent sets no number */

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Whether s begins like a passage number: "[2]". */
static bool is_number(struct str s)
{
	size_t i = 1, digits = 0;

	if (!s.n || s.p[0] != '[')
		return false;
	while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t'))
		i++;
	for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		digits++;
	while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t'))
		i++;
	return digits && i < s.n && s.p[i] == ']';
}

/* Characters that models may take for a line break. */
static bool ends_line(struct str s)
{
	return (s.p[0] >= '\n' && s.p[0] <= '\r') || str_starts(s, STR("\xc2\x85")) ||
	       str_starts(s, STR("\xe2\x80\xa8")) ||
	       str_starts(s, STR("\xe2\x80\xa9"));
}

/*
 * Writes the words of a document. A line that begins with a number in brackets
 * would look like the next passage, of another document: it is escaped with a
 * backslash, as in Markdown. Invisible characters are removed first, so that none
 * stands before the number; the envelope neutralises the rest.
 */
static void write_words(struct str words, struct buf *b)
{
	struct buf plain = BUF_INIT(3 * words.n + 64);
	struct str s;
	bool begins = true;

	untrusted_visible(words, &plain);
	s = buf_str(&plain);
	for (size_t i = 0; i < s.n; i++) {
		const struct str rest = { s.p + i, s.n - i };

		if (begins && is_number(rest))
			buf_addc(b, '\\');
		buf_addc(b, s.p[i]);
		begins = ends_line(rest) || (begins && !is_alnum(s.p[i]));
	}
	buf_release(&plain);
}

static void write_passage(struct buf *b, const struct retrieve_hit *hit, int no)
{
	const struct search_found *f = hit->found;

	buf_addf(b, "\n[%d] ", no);
	write_words(hit->document->title, b);
	if (f->heading.n) {
		buf_adds(b, " > ");
		write_words(f->heading, b);
	}
	if (f->page)
		buf_addf(b, " (page %d)", f->page);
	buf_addc(b, '\n');
	write_words(f->text, b);
	buf_addc(b, '\n');
}

static bool is_same(const struct retrieve_hit *a, const struct retrieve_hit *b)
{
	return a->found->chunk == b->found->chunk &&
	       uuid_eq(&a->base->id, &b->base->id);
}

/* Whether a passage is among the first n. */
static bool is_kept(const struct retrieve_found *found, size_t n,
		    const struct retrieve_hit *hit)
{
	for (size_t i = 0; i < n; i++)
		if (is_same(&found->v[i], hit))
			return true;
	return false;
}

/* Keeps whole passages, each once, the best first, while there is room. */
static void keep_fitting(struct retrieve_found *found)
{
	size_t chars = 0, n = 0;

	for (size_t i = 0; i < found->n; i++) {
		const struct search_found *f = found->v[i].found;

		if (is_kept(found, n, &found->v[i]))
			continue;
		chars += utf8_chars(f->text) + utf8_chars(f->heading);
		/* The best one is given even if it is longer than all may be. */
		if (n && chars > LIM_RAG_CHARS)
			break;
		found->v[n++] = found->v[i];
	}
	found->n = n;
}

static void write_all(struct context *cx, const struct retrieve_found *found)
{
	struct buf b = BUF_INIT(8 * LIM_RAG_CHARS);

	for (size_t i = 0; i < found->n; i++) {
		const struct retrieve_hit *hit = &found->v[i];
		const struct source s = retrieve_source(hit);
		int no = cx->cites.all ? passages_add(cx->cites.all, &s) : (int)i + 1;

		if (!no)
			break;
		if (!i)
			buf_adds(&b, "Passages of documents that were found for the "
				 "user's message, by number:\n");
		write_passage(&b, hit, no);
		origins_add(&cx->taint, ORIGIN_PASSAGE, hit->document->title);
	}
	cx->knowledge.text = arena_str(cx->arena, buf_str(&b));
	buf_release(&b);
}

static struct str question(const struct context *cx)
{
	const struct turn_run *t = cx->run;

	return t->in.content.n ? t->in.content : t->user.content;
}

/* What is searched for whom. */
struct seek {
	const struct caller *by;
	const struct workspace *workspace;
	const struct agent *agent;
	struct str text;
	struct str set;			/* of the conversation; p == NULL: none */
	const struct llm_call *io;	/* http NULL: no service is called */
};

static int seek(const struct seek *k, const struct retrieve_options *options,
		struct arena *a, struct retrieve_found *found, struct err *e)
{
	struct retrieve_ask q = {
		.by = k->by, .io = k->io, .min_score = options->min_score,
		.max_ranked = MIN(options->max_ranked, (size_t)LIM_FOUND),
		.ask = {
			.mode = SEARCH_FUSED,
			.text = k->text,
			.max = options->max ? MIN(options->max, (size_t)LIM_FOUND)
				: PASSAGES,
		},
	};
	struct retrieve_bases bases;

	if (retrieve_bases(k->by, k->workspace, k->agent, k->set, a, &bases, e))
		return -1;
	q.bases = bases.v;
	q.n_bases = bases.n;
	q.more = bases.more;
	if (k->io->http && options->ranks && options->ranker.p &&
	    embed_service(k->by, stored_service_within(k->workspace), options->ranker,
			  LLM_CAN_RERANK, a, &q.ranker, e))
		return -1;
	if (retrieve_find(&q, a, found, e))
		return -1;
	keep_fitting(found);
	return 0;
}

int context_passages(const struct caller *by, const struct workspace *w,
		     const struct agent *agent, struct str text,
		     const struct llm_call *io, struct retrieve_found *out, struct err *e)
{
	const struct retrieve_options options = retrieve_options_of(agent);

	return seek(&(struct seek){
		.by = by, .workspace = w, .agent = agent, .text = text, .io = io,
	}, &options, by->arena, out, e);
}

/* A preview calls no service, so it searches words only. */
static int retrieve(struct context *cx, const struct retrieve_options *options,
		    struct retrieve_found *found, struct err *e)
{
	const struct turn_request *in = &cx->run->in;
	const struct llm_call io = {
		.http = cx->relay->sink ? cx->run->deps->http : NULL,
		.abort = cx->tool_ctx.turn.abort,
	};
	struct seek k = {
		.by = &cx->tool_ctx.turn.by, .workspace = in->target.workspace,
		.agent = in->target.agent, .text = question(cx), .io = &io,
	};

	/* An embedding service is waited for: others begin meanwhile. */
	hold_line_leave(&cx->run->place);
	/* Bases are chosen for a conversation that exists. */
	if (!cx->run->created_conversation &&
	    retrieve_set(k.by, &cx->run->conversation_id, cx->arena, &k.set, e))
		return -1;
	return seek(&k, options, cx->arena, found, e);
}

void context_knowledge(struct context *cx)
{
	const struct caller *by = &cx->tool_ctx.turn.by;
	struct retrieve_options options;
	struct retrieve_found found = { .n = 0 };
	struct err e = ERR_INIT;

	if (cx->outer || cx->knowledge.looked_up)
		return;
	cx->knowledge.looked_up = true;
	options = retrieve_options_of(cx->run->in.target.agent);
	if (!options.enabled || !by->db || !policy_may(by->who, PERM_KNOWLEDGE_READ) ||
	    cx->run->in.options.try_tool || !str_trim(question(cx)).n)
		return;
	/* Then an answer without any source is checked for made-up citations, too. */
	passages_note_search(cx->cites.all);
	if (retrieve(cx, &options, &found, &e)) {
		log_err("no passages for a turn", &e);
		found = (struct retrieve_found){ .notice =
			"The knowledge bases could not be searched." };
	}
	if (found.notice && cx->relay->sink)
		relay_warn(cx->relay, "knowledge", found.notice);
	write_all(cx, &found);
}
