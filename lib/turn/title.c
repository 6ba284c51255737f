/* SPDX-License-Identifier: MIT */
/*
 * After the response: a model gives a title to a conversation whose title is
 * only its first words. On failure it keeps that title.
 */
#include "turn/title.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "db/db.h"
#include "llm/repair.h"
#include "store/conversation.h"
#include "turn/after.h"
#include "turn/ask.h"
#include "turn/loop.h"
#include "event/notify.h"
#include "context/setting.h"

#include "base/banned.h"

enum { TITLE_CHARS = 60 };

/*
 * A title from the first message (E19): its first words on one line, at most
 * TITLE_CHARS characters, cut between words.
 */
struct str turn_first_title(struct arena *a, struct str content)
{
	char *out = arena_alloc(a, MIN(content.n, 4 * TITLE_CHARS) + 8);
	size_t n = 0, chars = 0, last_space = 0;
	bool space = false, cut = false;

	for (size_t i = 0; i < content.n; i++) {
		unsigned char c = (unsigned char)content.p[i];

		if (c <= ' ' || c == 0x7f) {
			space = n > 0;
			continue;
		}
		if (space) {
			last_space = n;
			out[n++] = ' ';
			chars++;
			space = false;
		}
		/* Bytes that continue no character are not counted, but take room. */
		if (((c & 0xc0) != 0x80 && chars++ >= TITLE_CHARS) ||
		    n >= 4 * TITLE_CHARS) {
			cut = true;
			break;
		}
		out[n++] = (char)c;
	}
	if (cut) {
		/*
		 * Not far back: a text with one early blank, or a script without blanks, is
		 * cut anywhere.
		 */
		if (last_space > n / 2)
			n = last_space;
		while (n && out[n - 1] == ' ')
			n--;
		memcpy(out + n, "…", 3);
		n += 3;
	}
	out[n] = '\0';
	return (struct str){ out, n };
}

enum {
	TITLE_TOKENS = 1000,		/* reasoning models need room */
	TITLE_MS = 30000,
	TITLE_REPLY_BYTES = 16384,	/* with reasoning */
};

/* What models put around a title: quotes of all languages, Markdown, tags, a period. */
static const char *const wrappings[] = {
	"\"", "'", "`", "*", "_", "#", " ", "\t", "“", "”", "„", "‟", "‘", "’", "‚",
	"«", "»", "‹", "›", "「", "」", "『", "』", "《", "》", "＂", "｢", "｣",
	"- ", "• ", "<title>", "</title>", "<answer>", "</answer>",
};

/* The length of the wrapping at the start (or end) of s; 0: none. */
static size_t wrapping(struct str s, bool end)
{
	for (size_t i = 0; i < ARRAY_LEN(wrappings); i++) {
		struct str w = str_of(wrappings[i]);

		if (s.n >= w.n && memcmp(end ? s.p + s.n - w.n : s.p, w.p,
					 w.n) == 0)
			return w.n;
	}
	return 0;
}

static struct str unwrapped(struct str s)
{
	const struct str stop = STR("。");
	size_t n;

	for (n = wrapping(s, false); n; n = wrapping(s, false))
		s.p += n, s.n -= n;
	for (;;) {
		n = wrapping(s, true);
		if (!n && s.n && s.p[s.n - 1] == '.')
			n = 1;
		if (!n && s.n > stop.n &&
		    memcmp(s.p + s.n - stop.n, stop.p, stop.n) == 0)
			n = stop.n;
		if (!n)
			return s;
		s.n -= n;
	}
}

/* The object with a title that stands between other words, or NULL. In a. */
static const json_t *titled(struct arena *a, struct str s)
{
	const char *start = s.n ? memchr(s.p, '{', s.n) : NULL;
	const char *end = s.n ? memrchr(s.p, '}', s.n) : NULL;
	bool plain, repaired;
	const json_t *j;

	if (!start || !end || end < start)
		return NULL;
	j = jx_keep(a, repair_args((struct str){ start, (size_t)(end + 1 - start) },
				   &plain, &repaired));
	return json_is_string(json_object_get(j, "title")) ? j : NULL;
}

/* The text in the JSON that some models answer with: {"title": …}, ["…"], "…". */
static struct str in_json(struct arena *a, struct str s)
{
	const json_t *j = jx_keep(a, jx_try(s)), *v;

	if (!j)
		j = titled(a, s);
	v = j;
	if (json_is_object(j)) {
		v = json_object_get(j, "title");
		if (!v)
			v = json_object_iter_value(
				json_object_iter((json_t *)j));
	} else if (json_is_array(j)) {
		v = json_array_get(j, 0);
	}
	return json_is_string(v) ? (struct str){ json_string_value(v),
		json_string_length(v) } : s;
}

/* The first line that has words; not one that announces the title. */
static struct str first_line(struct str s)
{
	struct str line = { s.p, 0 };

	while (s.n) {
		line = str_trim(str_cut(&s, '\n'));
		if (line.n && !str_starts(line, STR("```")) &&
		    !(line.p[line.n - 1] == ':' && str_trim(s).n))
			break;
	}
	return line;
}

/* Without "Title:", which models also say in the user's language. */
static struct str unlabelled(struct str s)
{
	static const char *const labels[] = {
		"title", "titel", "titre", "título", "titulo", "titolo", "tytuł",
		"název", "cím", "başlık", "Заголовок", "Название", "标题", "標題",
		"タイトル", "제목",
	};

	for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
		struct str rest = s;
		size_t n = strlen(labels[i]);

		if (s.n < n || strncasecmp(s.p, labels[i], n) != 0)
			continue;
		rest = str_trim((struct str){ s.p + n, s.n - n });
		if (str_starts(rest, STR(":")))
			return unwrapped((struct str){ rest.p + 1, rest.n - 1 });
		if (str_starts(rest, STR("：")))
			return unwrapped((struct str){ rest.p + 3, rest.n - 3 });
	}
	return s;
}

/*
 * A model's text as a title: its first non-empty line without fence, JSON, quotes,
 * markdown and final period, shortened like a first message (turn_first_title).
 */
struct str title_clean(struct arena *a, struct str s)
{
	struct str title;

	s = unlabelled(unwrapped(first_line(in_json(a, repair_unfenced(s)))));
	title = turn_first_title(a, s);
	return utf8_valid(title) ? title : (struct str){ NULL, 0 };
}

bool title_due(const struct turn_run *t)
{
	return context_setting(t, SETTING_TITLE_BY_MODEL).number && t->loop->begun.titled &&
		t->loop->begun.opens && !t->in.program.p;
}

/* Whether it is still called by the first words of this turn. */
static bool untitled(const struct after_work *w)
{
	const struct conversation *c = w->now;

	return !c || (c->title_by == TITLE_FIRST_MESSAGE &&
		      str_eq(c->title, turn_first_title(w->arena, w->question)));
}

/* A second run finds the title, or asks once more if there is none. */
int title_run(const struct after_work *w, struct err *e)
{
	struct prompt_ask q = {
		.kind = USAGE_TITLE, .layer = "title", .prompt = &prompt_title,
		.max_output_tokens = TITLE_TOKENS, .max_bytes = TITLE_REPLY_BYTES,
		.deadline_ms = TITLE_MS,
	};
	struct prompt_reply r;
	struct str title;
	bool changed = false;

	if (!untitled(w))
		return 1;
	if (turn_ask_after(w, &q, &r, e) < 0) {
		if (e->code != ERR_CANCELLED)
			return -1;
		err_clear(e);
		return !r.interrupted;
	}
	title = title_clean(w->arena, r.text);
	if (title.n && conversation_rename(w->deps->db, &w->owner,
					   &w->place.conversation_id, title,
					   TITLE_MODEL, &changed, e) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);		/* it was deleted */
	}
	if (changed)
		notify_or_store(w->deps->notify, w->deps->db, &w->owner, &(struct notice){
			.kind = NOTICE_TITLE, .title = title,
			.conversation_id = w->place.conversation_id });
	return 1;
}
