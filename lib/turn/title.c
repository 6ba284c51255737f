/*
 * After the response: a model gives a title to a conversation whose title is
 * only its first words. On failure it keeps that title.
 */
#include "turn/title.h"

#include <string.h>
#include <strings.h>

#include "agent/auto.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "db/db.h"
#include "turn/after.h"
#include "turn/ask.h"
#include "turn/finish.h"
#include "turn/loop.h"
#include "turn/notify.h"
#include "turn/setting.h"

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
		if ((c & 0xc0) != 0x80 && chars++ >= TITLE_CHARS) {
			cut = true;
			break;
		}
		out[n++] = (char)c;
	}
	if (cut) {
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
	TITLE_EXCERPT_CHARS = 1500,	/* of question and answer each */
	TITLE_REPLY_BYTES = 4096,
};

static bool is_wrapping(char c)
{
	return strchr("\"'`*_# ", c) && c;
}

/*
 * A model's text as a title: its first non-empty line without quotes, markdown
 * and final period, shortened like a first message (turn_first_title).
 */
struct str title_clean(struct arena *a, struct str s)
{
	struct str title;

	s = str_trim(s);
	while (s.n && s.p[0] == '\n')
		s.p++, s.n--;
	s = str_cut(&(struct str){ s.p, s.n }, '\n');
	if (s.n >= 6 && strncasecmp(s.p, "title:", 6) == 0)
		s.p += 6, s.n -= 6;
	while (s.n && is_wrapping(s.p[0]))
		s.p++, s.n--;
	while (s.n && (is_wrapping(s.p[s.n - 1]) || s.p[s.n - 1] == '.'))
		s.n--;
	title = turn_first_title(a, s);
	return utf8_valid(title) ? title : (struct str){ NULL, 0 };
}

static void excerpt(struct buf *b, const char *who, struct str s)
{
	buf_addf(b, "%s: %.*s\n\n", who, STR_ARG(utf8_head(s, TITLE_EXCERPT_CHARS)));
}

static void choose_service(struct turn_run *t, struct llm_ask *q)
{
	const struct auto_facts f = {
		.task = AUTO_TITLE, .who = t->in.by.who,
		.tokens = 2 * TITLE_EXCERPT_CHARS / 4,
		.now_us = clock_now_us(),
	};
	struct auto_choice c = auto_choose(t->in.by.conf,
					   t->in.target.workspace, &f,
					   t->arena);

	if (c.service)
		q->service = c.service;
}

static int ask(struct turn_run *t, struct str *title, struct err *e)
{
	struct buf b = BUF_INIT(65536);
	struct llm_ask q = {
		.deps = t->deps, .service = t->in.target.service,
		.kind = USAGE_TITLE, .layer = "title", .prompt = &prompt_title,
		.max_output_tokens = TITLE_TOKENS,
		.max_bytes = TITLE_REPLY_BYTES, .deadline_ms = TITLE_MS,
		.aside = true, .stream = true,
		.id = &t->id, .abort = t->loop->abort,
	};
	struct llm_reply r;
	int rc;

	if (t->in.target.automatic)
		choose_service(t, &q);
	excerpt(&b, "User", t->in.content);
	excerpt(&b, "Assistant", t->answer.content);
	q.input = buf_str(&b);
	rc = turn_ask(&q, t->arena, &r, e);
	buf_release(&b);
	turn_usage_place(&r.usage, t->loop);
	turn_ask_record(t->deps->db, &t->loop->owner, &r);
	if (rc == 0)
		*title = title_clean(t->arena, r.text);
	return rc;
}

bool title_due(const struct turn_run *t)
{
	return turn_setting(t, SETTING_TITLE_BY_MODEL).number && t->loop->titled &&
		t->loop->opens;
}

int title_run(struct turn_run *t, struct err *e)
{
	bool changed = false;
	struct str title;

	if (ask(t, &title, e) < 0)
		return -1;
	if (title.n && conversation_rename(t->deps->db, &t->loop->owner,
					   &t->conversation_id, title,
					   TITLE_MODEL, &changed, e) < 0)
		return -1;
	if (changed)
		notify_title(t->deps->notify, &t->loop->owner,
			     &t->conversation_id, title);
	return 0;
}
