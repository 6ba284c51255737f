/*
 * After the response: a model gives a title to a conversation whose title is
 * only its first words. On failure it keeps that title.
 */
#include "turn/title.h"

#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "db/db.h"
#include "store/conversation.h"
#include "turn/after.h"
#include "turn/ask.h"
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
		/* Bytes that continue no character are not counted, but take room. */
		if (((c & 0xc0) != 0x80 && chars++ >= TITLE_CHARS) ||
		    n >= 4 * TITLE_CHARS) {
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

static int ask(const struct after_work *w, struct prompt_reply *r, struct err *e)
{
	struct buf b = BUF_INIT(65536);
	struct prompt_ask q = {
		.service = w->service, .kind = USAGE_TITLE, .layer = "title", .prompt = &prompt_title,
		.max_output_tokens = TITLE_TOKENS,
		.max_bytes = TITLE_REPLY_BYTES, .deadline_ms = TITLE_MS,
		.aside = true, .stream = true, .stop = w->stop,
		.abort = w->abort,
	};
	int rc;

	excerpt(&b, "User", w->question);
	excerpt(&b, "Assistant", w->answer);
	q.input = buf_str(&b);
	rc = turn_ask(w->deps, &w->place.turn_id, &q, w->arena, r, e);
	buf_release(&b);
	r->usage.workspace_id = w->place.workspace_id;
	r->usage.agent_id = w->place.agent_id;
	r->usage.conversation_id = w->place.conversation_id;
	r->usage.turn_id = w->place.turn_id;
	r->usage.turn_number = w->place.turn_number;
	prompt_ask_record(w->deps->db, &w->owner, r);
	return rc;
}

bool title_due(const struct turn_run *t)
{
	return turn_setting(t, SETTING_TITLE_BY_MODEL).number && t->loop->titled &&
		t->loop->opens;
}

/* Whether it is still called by the first words of this turn. */
static bool untitled(const struct after_work *w)
{
	const struct conversation *c = w->now;

	return !c || (c->title_by == TITLE_FIRST_MESSAGE &&
		      str_eq(c->title, turn_first_title(w->arena, w->question)));
}

/* Pages learn it from the thread that tells here, or from the store. */
static void tell(const struct after_work *w, struct str title)
{
	const struct notice_row row = {
		.owner = w->owner,
		.notice = {
			.kind = NOTICE_TITLE, .title = title,
			.conversation_id = w->place.conversation_id,
			.done = -1, .total = -1, .created_us = clock_now_us(),
		},
	};
	struct err e = ERR_INIT;

	if (w->deps->notify)
		notify_title(w->deps->notify, &w->owner,
			     &w->place.conversation_id, title);
	else if (notice_store(w->deps->db, &row, 1, &e) < 0)
		log_err("notice of a title", &e);
}

/* A second run finds the title, or asks once more if there is none. */
int title_run(const struct after_work *w, struct err *e)
{
	struct prompt_reply r;
	struct str title;
	bool changed = false;

	if (!untitled(w))
		return 1;
	if (ask(w, &r, e) < 0) {
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
		tell(w, title);
	return 1;
}
