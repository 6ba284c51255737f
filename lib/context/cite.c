/* SPDX-License-Identifier: MIT */
#include "context/cite.h"

#include "knowledge/retrieve.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "store/source.h"
#include "tool/core/passage.h"
#include "event/relay.h"
#include "context/context.h"
#include "context/quote.h"

#include "base/banned.h"

enum {
	UNFOUND_CHARS = 300,	/* stored of a quotation */
	EVENT_BYTES = 65536,
};

void cite_tell(struct context *cx)
{
	const struct source *s;

	if (cx->outer || !cx->relay->sink)
		return;		/* a nested agent's are emitted by its turn */
	for (; (s = passages_at(cx->cites.all, cx->cites.n_announced)); cx->cites.n_announced++) {
		struct buf b = BUF_INIT(EVENT_BYTES);
		struct jw w = jw_on(&b);
		struct turn_event ev = { .type = TURN_EV_SOURCE };

		jw_obj(&w);
		passages_write_members(&w, s, LIM_SOURCE_SHOWN_CHARS);
		jw_end_obj(&w);
		ev.args = buf_str(&b);
		relay_emit(cx->relay, &ev);
		buf_release(&b);
	}
}

int cite_store(struct context *cx, struct err *e)
{
	struct turn_run *t = cx->run;
	struct source v[LIM_SOURCES];
	const struct source *s;
	size_t n = 0;

	if (cx->outer)
		return 0;
	while ((s = passages_at(cx->cites.all, cx->cites.n_stored + n)))
		v[n++] = *s;
	if (n && store_source_put(t->deps->db, &t->in.by.owner, &t->conversation_id,
				  &t->id, v, n, e))
		return -1;
	cx->cites.n_stored += n;
	return 0;
}

void cite_load(struct context *cx)
{
	const struct turn_run *t = cx->run;
	const struct uuid *of = t->resumed ? &t->id
		: uuid_is_nil(&t->continues) ? NULL : &t->continues;
	struct source *v;
	struct err e = ERR_INIT;
	size_t n;

	if (!of || cx->outer || passages_at(cx->cites.all, 0))
		return;
	if (store_source_list(t->deps->db, &t->in.by.owner, of, cx->arena, &v, &n, &e)) {
		log_err("sources of a turn that continues", &e);
		return;
	}
	if (n)	/* the continued answer may cite passages that are not visible
		   any more */
		passages_reserve(cx->cites.all, v[n - 1].no);
	if (retrieve_seen(&cx->tool_ctx.turn.by, NULL, NULL, v, &n, cx->arena, &e)) {
		log_err("sources of a turn that continues", &e);
		return;
	}
	for (size_t i = 0; i < n; i++)
		passages_restore(cx->cites.all, &v[i]);
	/* A continuation is a turn of its own, which tells and stores its sources itself. */
	if (t->resumed)
		cx->cites.n_announced = cx->cites.n_stored = n;
}

/* -- the answer ----------------------------------------------------------------- */

static size_t count(const struct context *cx)
{
	size_t n = 0;

	while (passages_at(cx->cites.all, n))
		n++;
	return n;
}

static bool is_checked(const struct context *cx)
{
	return passages_searched(cx->cites.all) || passages_at(cx->cites.all, 0);
}

/*
 * The untrusted texts and the user's texts in the context: quotations may come
 * from them, too. The model's own words are no source.
 */
static size_t texts_of(const struct context *cx, struct str *out)
{
	const struct source *s;
	size_t n = 0;

	for (size_t i = 0; (s = passages_at(cx->cites.all, i)); i++) {
		out[n++] = s->text;
		out[n++] = s->title;
	}
	for (size_t i = 0; i < cx->n_messages; i++)
		if (cx->messages[i].role != LLM_ASSISTANT)
			out[n++] = cx->messages[i].text;
	return n;
}

void cite_check(struct context *cx, struct str answer)
{
	struct str *texts;

	/* Before the text is judged: pages need the sources to show the marks. */
	cite_tell(cx);
	if (!is_checked(cx))
		return;
	cx->cites.marks = arena_new(cx->arena, struct quote_marks);
	quote_find(arena_str(cx->arena, answer), cx->arena, cx->cites.marks);
	if (!cx->cites.marks->n)
		return;
	texts = arena_zalloc(cx->arena, 2 * count(cx) + cx->n_messages + 1,
			     sizeof(*texts));
	quote_check(cx->cites.marks, texts, texts_of(cx, texts));
}

static void write_documents(const struct context *cx, struct jw *w)
{
	const struct source *s, *before;

	jw_key(w, "context_document_ids");
	jw_arr(w);
	for (size_t i = 0; (s = passages_at(cx->cites.all, i)); i++) {
		size_t k = 0;

		if (uuid_is_nil(&s->document_id))
			continue;
		while ((before = passages_at(cx->cites.all, k)) != s &&
		       !uuid_eq(&before->document_id, &s->document_id))
			k++;
		if (before == s)
			jw_uuid(w, &s->document_id);
	}
	jw_end_arr(w);
}

static void write_sources(const struct context *cx, struct jw *w)
{
	const struct source *s;

	if (!passages_at(cx->cites.all, 0))
		return;
	jw_key(w, "sources");
	jw_arr(w);
	for (size_t i = 0; (s = passages_at(cx->cites.all, i)); i++) {
		jw_obj(w);
		passages_write_place(w, s);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static bool is_source(const struct context *cx, int number)
{
	const struct source *s;

	for (size_t i = 0; (s = passages_at(cx->cites.all, i)); i++)
		if (s->no == number)
			return true;
	return false;
}

/* Writes the citation numbers that do (known) or do not name a source. */
static void write_numbers(const struct context *cx, struct jw *w, bool known)
{
	int n = 0;

	jw_arr(w);
	for (int i = 0; i <= QUOTE_NUMBER_MAX; i++)
		if (cx->cites.marks->cited[i] && is_source(cx, i) == known &&
		    (known || n++ < QUOTE_MARKED))
			jw_int(w, i);
	jw_end_arr(w);
}

void cite_write_meta(const struct context *cx, struct jw *w)
{
	write_documents(cx, w);
	write_sources(cx, w);
	if (!cx->cites.marks)
		return;
	jw_key(w, "citations");
	jw_obj(w);
	jw_key(w, "cited");
	write_numbers(cx, w, true);
	jw_key(w, "unknown");
	write_numbers(cx, w, false);
	jw_key(w, "notFound");
	jw_arr(w);
	for (size_t i = 0; i < cx->cites.marks->n; i++)
		jw_str(w, utf8_head(cx->cites.marks->v[i], UNFOUND_CHARS));
	jw_end_arr(w);
	jw_end_obj(w);
}
