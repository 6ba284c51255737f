/* SPDX-License-Identifier: MIT */
/*
 * quote.c - one rule for all questions: the sentence of the passages that has most
 * of the question's words, those in the headings above it at half; a question for
 * a quantity prefers sentences with a number. Of equal ones the first counts, since
 * passages come best first. Below half of the words nothing is said.
 */
#include "demo-llm/quote.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

#define ASKED_MAX 24		/* words of the question that count */
#define HERE 4			/* points of a word in the sentence */
#define ABOVE 2			/* … in its heading or title */
#define NUMBER 3		/* of a number that is asked for */

struct asked {
	const struct word *v[ASKED_MAX];
	size_t n;
	bool quantity;
};

struct quotation {
	struct str sentence;
	const json_t *passage;
	int points, words;
};

static struct asked read_asked(const struct words *w)
{
	struct asked q = { .n = 0 };

	for (size_t i = 0; i < w->n && q.n < ASKED_MAX; i++)
		if (!is_stop_word(w->w[i].low))
			q.v[q.n++] = &w->w[i];
	q.quantity = words_have(w, "how many") || words_have(w, "how much") ||
		words_have(w, "how long") || words_have(w, "how often") ||
		words_have(w, "how far");
	return q;
}

static bool has_word(const struct words *w, const struct word *x)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->w[i].stem, x->stem) || !strcmp(w->w[i].one, x->one))
			return true;
	return false;
}

static bool has_number(const struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->w[i].number || word_count(w, i) >= 0)
			return true;
	return false;
}

static const char *dup_text(struct arena *a, struct str s)
{
	return s.p ? arena_memdup(a, s.p, s.n) : "";
}

static void weigh(struct arena *a, const struct asked *q, struct str sentence,
		  const struct words *above, const json_t *passage,
		  struct quotation *best)
{
	struct words w = words_of(a, dup_text(a, sentence));
	struct quotation it = { .sentence = sentence, .passage = passage };

	for (size_t i = 0; i < q->n; i++) {
		bool here = has_word(&w, q->v[i]);

		it.points += here ? HERE : has_word(above, q->v[i]) ? ABOVE : 0;
		it.words += here || has_word(above, q->v[i]);
	}
	if (it.points && q->quantity && has_number(&w))
		it.points += NUMBER;
	if (it.points > best->points)
		*best = it;
}

/* The end of the sentence that begins at s: behind a full stop, or its line. */
static size_t sentence_end(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char next = i + 1 < s.n ? s.p[i + 1] : ' ';

		if (s.p[i] == '\n' && (s.p[0] == '|' || next == '\n' ||
				       strchr("-*#|", next)))
			return i + 1;
		if (strchr(".!?", s.p[i]) && isspace((unsigned char)next))
			return i + 1;
	}
	return s.n;
}

static void weigh_passage(struct arena *a, const struct asked *q,
			  const json_t *passage, struct quotation *best)
{
	struct str s = jx_str(passage, "text"), head = STR("");
	const char *titles = arena_printf(
		a, "%s %s", dup_text(a, jx_str(passage, "title")),
		dup_text(a, jx_str(passage, "heading")));

	while (s.n) {
		size_t n = sentence_end(s);
		struct str sentence = str_trim((struct str){ s.p, n });
		bool row = sentence.n && sentence.p[0] == '|';
		struct words above = words_of(a, arena_printf(
			a, "%s %s", titles, row ? dup_text(a, head) : ""));

		/* The first row of a table is the heading of the others. */
		if (row && !head.n)
			head = sentence;
		else if (!row)
			head = STR("");
		if (sentence.n && !str_eq(sentence, head))
			weigh(a, q, sentence, &above, passage, best);
		s.p += n;
		s.n -= n;
	}
}

/* In one line, and where it stands. */
static void say_it(struct arena *a, const struct quotation *best, struct out *say)
{
	struct str heading = jx_str(best->passage, "heading");
	int64_t page = jx_int(best->passage, "page", 0);
	int64_t number = jx_int(best->passage, "number", 0);

	out_puts(say, "\"");
	for (size_t i = 0; i < best->sentence.n; i++) {
		char c = best->sentence.p[i];

		out_add(say, c == '\n' ? " " : &c, 1);
	}
	out_puts(say, "\"");
	if (number)
		out_printf(say, " [%lld]", (long long)number);
	out_printf(say, "\n\n%s", dup_text(a, jx_str(best->passage, "title")));
	if (heading.n)
		out_printf(say, ", %s", dup_text(a, heading));
	if (page)
		out_printf(say, ", page %lld", (long long)page);
	out_puts(say, ".");
}

static bool says_best(struct arena *a, const struct asked *q,
		      const struct quotation *best, struct out *say)
{
	if (!best->points || 2 * best->words < (int)q->n)
		return false;
	say_it(a, best, say);
	return true;
}

#define MARK "[UNTRUSTED-DATA "
#define END_MARK "\n[/UNTRUSTED-DATA "

const char *demo_own_words(struct arena *a, const char *text)
{
	const char *files = strstr(text, "\n\n" MARK);

	return files ? arena_memdup(a, text, (size_t)(files - text)) : text;
}

/* The number behind the word in the line at s, or 0. */
static int64_t number_behind(const char *s, const char *word)
{
	const char *at = strstr(s, word), *end = strchr(s, '\n');

	return at && (!end || at < end) ? strtol(at + strlen(word), NULL, 10) : 0;
}

/* The files that stand behind a message's own words, as a search gives passages. */
static json_t *files_of(struct arena *a, const char *text)
{
	json_t *list = jx_keep(a, json_array());
	const char *s = text;

	while ((s = strstr(s, "\n\n" MARK))) {
		const char *name = strstr(s, "source=\""), *quote, *end;

		quote = name ? strstr(name, "\"]\n") : NULL;
		end = quote ? strstr(quote, END_MARK) : NULL;
		if (!end)
			break;
		name += strlen("source=\"");
		s = end + 1;
		end = strstr(s, "]\n");
		end = end ? end + 2 : s;
		json_array_append_new(list, json_pack(
			"{s:s%, s:s%, s:I, s:I}", "title", name,
			(size_t)(quote - name), "text", quote + 3,
			(size_t)(s - 1 - (quote + 3)), "number",
			(json_int_t)number_behind(end, "[Source "), "page",
			(json_int_t)number_behind(end, ", page ")));
	}
	return list;
}

bool demo_quote_file(const struct ask *a, long from, long to,
		     const struct words *w, bool all, struct out *say)
{
	const struct asked q = read_asked(w);
	struct quotation best = { .points = 0 };
	const json_t *file;
	size_t i;

	for (long m = to; m >= from; m--) {
		if (a->msgs[m].role != ROLE_USER)
			continue;
		json_array_foreach(files_of(a->a, a->msgs[m].text), i, file)
			weigh_passage(a->a, &q, file, &best);
	}
	return (!all || best.words == (int)q.n) && says_best(a->a, &q, &best, say);
}

enum act quote(const struct ask *a, const char *text, const struct words *w,
	       struct deeds done, struct plan *p, struct out *say)
{
	const char *tool = ask_tool(a, "search_knowledge");
	const struct asked q = read_asked(w);
	struct quotation best = { .points = 0 };
	const struct done *d = NULL;
	const json_t *passage;
	size_t i;

	for (i = 0; i < done.n && !d; i++)
		if (demo_tool_is(done.v[i].name, "search_knowledge"))
			d = &done.v[i];
	if (!d && (!tool || !q.n))
		return ACT_NONE;
	if (!d) {
		plan_call(p, NULL, tool, jx_keep(a->a, json_pack("{s:s}", "query",
								 text)));
		return ACT_CALL;
	}
	json_array_foreach(jx_arr(result_json(a->a, d->result->text), "passages"),
			   i, passage)
		weigh_passage(a->a, &q, passage, &best);
	return says_best(a->a, &q, &best, say) ? ACT_SAID : ACT_NONE;
}
