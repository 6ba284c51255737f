/* SPDX-License-Identifier: MIT */
#include "prompt/part.h"

#include "base/log.h"
#include "base/utf8.h"
#include "llm/llm.h"
#include "prompt/untrusted.h"
#include "resource/author.h"

#include "base/banned.h"

#define WHOLE PART_WHOLE
const struct part_row part_rows[PART__MAX] = {
#define PART(id, layer, kind, min, max, priority, fill, what) \
	[PART_##id] = { layer, PART_IS_##kind, min, max, priority, fill, what },
#define PART_OF_TURN(id, layer, min, max, priority, what) \
	[PART_##id] = { layer, PART_IS_OF_TURN, min, max, priority, NULL, what },
#include "prompt/part.def"
#undef PART
#undef PART_OF_TURN
};
#undef WHOLE

static const char cut_note[] = "\n[The rest was left out: no room for it.]";

void part_allocate(int64_t window, struct part_share share[PART__MAX])
{
	int64_t need[PART__MAX];

	for (int i = 0; i < PART__MAX; i++) {
		const struct part_row *row = &part_rows[i];

		need[i] = row->max && row->min != PART_WHOLE
			? MIN(share[i].want, row->max) : share[i].want;
		share[i].tokens = MIN(need[i], row->min);
		window -= share[i].tokens;
	}
	for (int p = PART_PRIORITY_MAX; p >= 0; p--)
		for (int i = 0; i < PART__MAX; i++) {
			int64_t more = MIN(need[i] - share[i].tokens,
					   MAX(window, 0));

			if (part_rows[i].priority != p)
				continue;
			share[i].tokens += more;
			window -= more;
		}
}

static bool is_enveloped(const struct part_row *row)
{
	return row->kind == PART_IS_DATA || row->kind == PART_IS_OWN;
}

/* The untrusted text as it is sent in the envelope, so that its size is exact. */
static struct str clean(const struct part_input *in, const struct part_row *row,
			struct str text)
{
	struct buf b = BUF_INIT(2 * text.n + 4096);
	struct str s;

	untrusted_clean(row->kind == PART_IS_DATA ? in->envelope : NULL, text, &b);
	s = arena_str(in->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

/* The text as sent. */
static struct str sent(const struct part_input *in, const struct part_row *row,
		       const struct part_text *t, struct str text)
{
	struct buf b = BUF_INIT(2 * text.n + 4096);
	struct untrusted same;
	struct str s;

	if (!is_enveloped(row))
		return text;
	untrusted_init_same(&same, t->text);
	untrusted_wrap(row->kind == PART_IS_OWN ? &same : in->envelope,
		       str_of(t->name), text, &b);
	s = arena_str(in->arena, buf_str(&b));
	buf_release(&b);
	return s;
}

/* The longest beginning of the text that fits into these tokens; may be empty. */
static struct str cut(const struct part_input *in, const struct part_row *row,
		      const struct part_text *t, int64_t tokens)
{
	size_t around = utf8_chars(sent(in, row, t, STR(cut_note)));
	size_t room = (size_t)tokens * 4;
	struct str head;

	if (room <= around)
		return STR("");
	head = utf8_head(t->text, room - around);
	return sent(in, row, t, str_of(arena_printf(in->arena, "%.*s%s",
						    STR_ARG(head), cut_note)));
}

static void add(const struct part_input *in, const struct part_row *row,
		const struct part_text *t, struct part_share *s,
		struct prompt_blocks *out)
{
	struct str text;

	if (!s->want)
		return;
	s->cut = s->tokens < s->want;
	if (s->cut)
		log_warn("a part of the context was cut", "part", row->layer,
			 "name", t->name);
	text = s->cut ? cut(in, row, t, s->tokens) : sent(in, row, t, t->text);
	s->tokens = llm_estimate_tokens(text);
	prompt_add(out, in->arena, row->layer, t->name, t->version, text);
}

int part_compose(const struct part_input *in, int64_t window,
		 struct part_share share[PART__MAX], struct prompt_blocks *out,
		 struct err *e)
{
	struct part_text text[PART__MAX] = { { .name = NULL } };

	for (int i = 0; i < PART__MAX; i++) {
		const struct part_row *row = &part_rows[i];

		if (!row->fill)
			continue;
		if (row->fill(in, &text[i], e) < 0)
			return -1;
		if (!str_trim(text[i].text).n)
			continue;
		if (is_enveloped(row))
			text[i].text = clean(in, row, text[i].text);
		share[i].want = llm_estimate_tokens(sent(in, row, &text[i],
							 text[i].text));
	}
	part_allocate(window, share);
	for (int stable = 1; stable >= 0; stable--)
		for (int i = 0; i < PART__MAX; i++)
			if (part_rows[i].fill && stable ==
			    (part_rows[i].kind == PART_IS_STABLE ||
			     part_rows[i].kind == PART_IS_OWN))
				add(in, &part_rows[i], &text[i], &share[i], out);
	return 0;
}

void part_note(const struct part_input *in, enum origin_entry entry,
	       const char *what, struct str name, const struct author *by)
{
	if (!by->trusted)
		origins_add(in->from, entry, author_label(by, what, name,
							  in->arena));
}

void part_print_list(struct buf *out)
{
	static const char *const kinds[] = {
		[PART_IS_STABLE] = "stable", [PART_IS_CHANGING] = "changing",
		[PART_IS_OWN] = "own", [PART_IS_DATA] = "data",
		[PART_IS_OF_TURN] = "turn",
	};

	for (int i = 0; i < PART__MAX; i++) {
		const struct part_row *r = &part_rows[i];

		buf_addf(out, "%s\t%s\t", r->layer, kinds[r->kind]);
		if (r->min == PART_WHOLE)
			buf_adds(out, "whole");
		else
			buf_addf(out, "%lld", (long long)r->min);
		buf_addf(out, "\t%lld\t%d\t%s\n", (long long)r->max,
			 r->priority, r->what);
	}
}
