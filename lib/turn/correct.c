/* SPDX-License-Identifier: MIT */
/*
 * Correcting an answer by hand. The answer's steps stay with it, so the text of others that
 * their results have is not in the thread any more; what the user leaves of the answer may
 * be made of it. Rejected: changing the row, of which others have copies, and whose record
 * would tell of a model what a person wrote.
 */
#include "turn/correct.h"

#include "base/json.h"
#include "base/limits.h"
#include "prompt/origin.h"
#include "context/quote.h"

#include "base/banned.h"

/* Rows of an answer that are read at once: most have few steps. */
enum { ROWS = 10, META_BYTES = 1048576 };

/*
 * Adds the origins of what the answer was made from: of its own row, its steps and their
 * results, from the last one back to the user's message.
 */
static int read_origins(struct db *db, const struct owner *o,
			const struct thread_correction *c, struct origins *from,
			struct arena *a, struct err *e)
{
	struct message_page page;
	int64_t before = c->seq + 1;

	do {
		if (message_list(db, o, &c->conversation_id, NEWEST_FIRST, before,
				 ROWS, a, &page, e))
			return -1;
		for (size_t i = 0; i < page.n; i++) {
			const json_t *meta = page.items[i].meta.n
				? jx_keep(a, jx_try(page.items[i].meta)) : NULL;

			if (page.items[i].role == ROLE_USER)
				return 0;
			if (jx_arr(meta, "origins"))
				origins_read(from, jx_arr(meta, "origins"));
			else if (jx_bool(meta, "untrusted", false))
				origins_add(from, ORIGIN_TOOL_RESULT,
					    jx_str(meta, "toolName"));
		}
		before = page.next_seq;
	} while (page.more);
	return 0;
}

static bool has_source(const json_t *sources, int number)
{
	const json_t *s;
	size_t i;

	json_array_foreach((json_t *)sources, i, s)
		if (jx_int(s, "number", 0) == number)
			return true;
	return false;
}

/* The numbers that the text cites and that do (known) or do not name a source. */
static void write_numbers(struct jw *w, const struct quote_marks *marks,
			  const json_t *sources, bool known)
{
	int n = 0;

	jw_arr(w);
	for (int i = 0; i <= QUOTE_NUMBER_MAX; i++)
		if (marks->cited[i] && has_source(sources, i) == known &&
		    (known || n++ < QUOTE_MARKED))
			jw_int(w, i);
	jw_end_arr(w);
}

/* What the answer says of its sources, and which of them the new text cites. */
static void write_citations(struct jw *w, const json_t *meta, struct str text,
			    struct arena *a)
{
	const json_t *sources = jx_arr(meta, "sources");
	struct quote_marks *marks = arena_new(a, struct quote_marks);

	if (!json_array_size(sources))
		return;
	jw_key(w, "sources");
	jw_json(w, sources);
	quote_find(text, a, marks);
	jw_key(w, "citations");
	jw_obj(w);
	jw_key(w, "cited");
	write_numbers(w, marks, sources, true);
	jw_key(w, "unknown");
	write_numbers(w, marks, sources, false);
	/* Quotations are the user's to check. */
	jw_key(w, "notFound");
	jw_arr(w);
	jw_end_arr(w);
	jw_end_obj(w);
}

/* origins come first: readers of a row look for them there (context/history.c). */
static struct str write_meta(const struct origins *from, const json_t *old,
			     struct str text, struct arena *a)
{
	static const char *const kept[] = { "agentId", "agentName",
					    "context_document_ids" };
	struct buf b = BUF_INIT(META_BYTES);
	struct jw w = jw_on(&b);
	struct str out;

	jw_obj(&w);
	if (from->n) {
		jw_key(&w, "origins");
		origins_write(&w, from);
	}
	jw_kbool(&w, "corrected", true);
	jw_kstrz(&w, "finish_reason", "stop");
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (json_object_get(old, kept[i])) {
			jw_key(&w, kept[i]);
			jw_json(&w, json_object_get(old, kept[i]));
		}
	write_citations(&w, old, text, a);
	jw_end_obj(&w);
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

int turn_correct(struct db *db, const struct owner *o,
		 struct thread_correction *c, struct arena *a, struct err *e)
{
	struct origins from = { .n = 0 };
	struct message old;

	if (message_get(db, o, &c->conversation_id, c->seq, a, &old, e) ||
	    read_origins(db, o, c, &from, a, e))
		return -1;
	c->answer.finish_reason = STR("stop");
	c->answer.meta = write_meta(&from, old.meta.n ? jx_keep(a, jx_try(old.meta)) : NULL,
				    c->answer.content, a);
	if (thread_correct(db, o, c, e))
		return -1;
	return message_get(db, o, &c->conversation_id, c->answer.seq, a, &c->answer, e);
}
