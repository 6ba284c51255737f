/* SPDX-License-Identifier: MIT */
#include "context/cite.h"

#include "domain/retrieve.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "store/source.h"
#include "tool/core/passage.h"
#include "event/relay.h"
#include "turn/loop.h"
#include "context/quote.h"

#include "base/banned.h"

enum {
	UNFOUND_CHARS = 300,	/* stored of a quotation */
	EVENT_BYTES = 65536,
};

void cite_tell(struct turn_loop *l)
{
	const struct source *s;

	if (l->nested || !l->sink)
		return;		/* a nested agent's are emitted by its turn */
	for (; (s = passages_at(l->passages, l->n_cites_told)); l->n_cites_told++) {
		struct buf b = BUF_INIT(EVENT_BYTES);
		struct jw w = jw_on(&b);
		struct turn_event ev = { .type = TURN_EV_SOURCE };

		jw_obj(&w);
		passages_write_members(&w, s, LIM_SOURCE_SHOWN_CHARS);
		jw_end_obj(&w);
		ev.args = buf_str(&b);
		loop_emit(l, &ev);
		buf_release(&b);
	}
}

int cite_store(struct turn_loop *l, struct err *e)
{
	struct turn_run *t = l->run;
	struct source v[LIM_SOURCES];
	const struct source *s;
	size_t n = 0;

	if (l->nested)
		return 0;
	while ((s = passages_at(l->passages, l->n_cites_stored + n)))
		v[n++] = *s;
	if (n && store_source_put(t->deps->db, &l->owner, &t->conversation_id,
				  &t->id, v, n, e))
		return -1;
	l->n_cites_stored += n;
	return 0;
}

void cite_load(struct turn_loop *l)
{
	const struct turn_run *t = l->run;
	const struct uuid *of = t->resumed ? &t->id
		: uuid_is_nil(&t->continues) ? NULL : &t->continues;
	struct source *v;
	struct err e = ERR_INIT;
	size_t n;

	if (!of || l->nested || passages_at(l->passages, 0))
		return;
	if (store_source_list(t->deps->db, &l->owner, of, l->arena, &v, &n, &e)) {
		log_err("sources of a turn that continues", &e);
		return;
	}
	if (n)	/* the continued answer may cite passages that are not visible
		   any more */
		passages_reserve(l->passages, v[n - 1].no);
	if (retrieve_seen(&l->tool_ctx.turn.by, NULL, NULL, v, &n, l->arena, &e)) {
		log_err("sources of a turn that continues", &e);
		return;
	}
	for (size_t i = 0; i < n; i++)
		passages_restore(l->passages, &v[i]);
	if (t->resumed)
		l->n_cites_told = l->n_cites_stored = n;
}

/* -- the answer ----------------------------------------------------------------- */

static size_t count(const struct turn_loop *l)
{
	size_t n = 0;

	while (passages_at(l->passages, n))
		n++;
	return n;
}

static bool is_checked(const struct turn_loop *l)
{
	return passages_searched(l->passages) || passages_at(l->passages, 0);
}

/*
 * The untrusted texts and the user's texts in the context: quotations may come
 * from them, too. The model's own words are no source.
 */
static size_t texts_of(const struct turn_loop *l, struct str *out)
{
	const struct source *s;
	size_t n = 0;

	for (size_t i = 0; (s = passages_at(l->passages, i)); i++) {
		out[n++] = s->text;
		out[n++] = s->title;
	}
	for (size_t i = 0; i < l->n_messages; i++)
		if (l->messages[i].role != LLM_ASSISTANT)
			out[n++] = l->messages[i].text;
	return n;
}

void cite_check(struct turn_loop *l)
{
	struct str text = buf_str(&l->step.text), *texts;

	cite_tell(l);
	if (!is_checked(l))
		return;
	l->marks = arena_new(l->arena, struct quote_marks);
	quote_find(arena_str(l->arena, text), l->arena, l->marks);
	if (!l->marks->n)
		return;
	texts = arena_zalloc(l->arena, 2 * count(l) + l->n_messages + 1,
			     sizeof(*texts));
	quote_check(l->marks, texts, texts_of(l, texts));
}

static void write_documents(const struct turn_loop *l, struct jw *w)
{
	const struct source *s, *before;

	jw_key(w, "context_document_ids");
	jw_arr(w);
	for (size_t i = 0; (s = passages_at(l->passages, i)); i++) {
		size_t k = 0;

		if (uuid_is_nil(&s->document_id))
			continue;
		while ((before = passages_at(l->passages, k)) != s &&
		       !uuid_eq(&before->document_id, &s->document_id))
			k++;
		if (before == s)
			jw_uuid(w, &s->document_id);
	}
	jw_end_arr(w);
}

static void write_sources(const struct turn_loop *l, struct jw *w)
{
	const struct source *s;

	if (!passages_at(l->passages, 0))
		return;
	jw_key(w, "sources");
	jw_arr(w);
	for (size_t i = 0; (s = passages_at(l->passages, i)); i++) {
		jw_obj(w);
		passages_write_place(w, s);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static bool is_source(const struct turn_loop *l, int number)
{
	const struct source *s;

	for (size_t i = 0; (s = passages_at(l->passages, i)); i++)
		if (s->no == number)
			return true;
	return false;
}

/* Writes the citation numbers that do (known) or do not name a source. */
static void write_numbers(const struct turn_loop *l, struct jw *w, bool known)
{
	int n = 0;

	jw_arr(w);
	for (int i = 0; i <= QUOTE_NUMBER_MAX; i++)
		if (l->marks->cited[i] && is_source(l, i) == known &&
		    (known || n++ < QUOTE_MARKED))
			jw_int(w, i);
	jw_end_arr(w);
}

void cite_write_meta(const struct turn_loop *l, struct jw *w)
{
	write_documents(l, w);
	write_sources(l, w);
	if (!l->marks)
		return;
	jw_key(w, "citations");
	jw_obj(w);
	jw_key(w, "cited");
	write_numbers(l, w, true);
	jw_key(w, "unknown");
	write_numbers(l, w, false);
	jw_key(w, "notFound");
	jw_arr(w);
	for (size_t i = 0; i < l->marks->n; i++)
		jw_str(w, utf8_head(l->marks->v[i], UNFOUND_CHARS));
	jw_end_arr(w);
	jw_end_obj(w);
}
