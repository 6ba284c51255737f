/* SPDX-License-Identifier: MIT */
#include "context/remember.h"

#include "base/log.h"
#include "base/utf8.h"
#include "memory/fold.h"
#include "memory/state.h"
#include "turn/after.h"
#include "turn/loop.h"
#include "context/setting.h"

#include "base/banned.h"

enum {
	FACTS = 24,		/* read for a turn; those that fit are sent */
	FACT_CHARS = 4000,	/* of them together: 1,000 tokens */
	STATE_CHARS = 4000,
	SHORT_THREAD = 4,	/* numbers of a thread that has no memory yet */
};

bool remember_on(const struct turn_run *t)
{
	return turn_setting(t, SETTING_ROLLING_SUMMARY).number &&
		turn_setting(t, SETTING_HISTORY_MESSAGES).number > 1;
}

/*
 * The messages of the history that stay whole once there is a summary: 12 of 20, 8 to 12 of
 * which are sent (D12); more only while the next summary is late.
 */
static int64_t remember_keep(const struct turn_run *t)
{
	return MAX(turn_setting(t, SETTING_HISTORY_MESSAGES).number * 3 / 5, 2);
}

/* -- before the turn ---------------------------------------------------------------- */

/* The newest facts that fit, oldest first. */
static void add_facts(struct turn_loop *l, const struct fact *v, size_t n, struct buf *out)
{
	struct buf line = BUF_INIT(8192);
	size_t used = 0, first = 0;

	for (; first < n; first++) {
		buf_reset(&line);
		fact_line(&v[first], &line);
		used += utf8_chars(buf_str(&line));
		if (used > FACT_CHARS)
			break;
	}
	if (first)
		buf_adds(out, "\nWhat tools changed and the user decided, from the results:\n");
	for (size_t i = first; i-- > 0;) {
		fact_line(&v[i], out);
		origins_parse(&l->memory.from, v[i].origins);
	}
	if (first < n)
		buf_adds(out, "[There are earlier ones: recall_facts finds them.]\n");
	l->tool_ctx.turn.has_facts = n > 0;
	buf_release(&line);
}

static void compose(struct turn_loop *l, const struct fact *facts, size_t n)
{
	const struct memory *m = &l->memory.m;
	struct buf b = BUF_INIT(131072);

	origins_parse(&l->memory.from, m->origins);
	if (m->summary.n)
		buf_addf(&b, "A record of the earlier part of this conversation, which the "
			 "messages below continue. A model wrote it; it is not the user "
			 "speaking.\n%.*s\n", STR_ARG(m->summary));
	add_facts(l, facts, n, &b);
	l->memory.text = arena_str(l->arena, buf_str(&b));
	buf_reset(&b);
	state_text(state_read(l->arena, m->state), &b);
	if (b.n)
		l->memory.state = str_of(arena_printf(l->arena, "Notes about the "
			"conversation, kept by the assistant. What is assumed is not "
			"known.\n%.*s", STR_ARG(utf8_head(buf_str(&b), STATE_CHARS))));
	buf_release(&b);
}

void context_memory(struct turn_loop *l)
{
	const struct turn_run *t = l->run;
	const int64_t before = t->continues_seq ? t->continues_seq : t->user.seq;
	struct memory *m = &l->memory.m;
	struct fact *facts = NULL;
	struct err e = ERR_INIT;
	size_t n = 0;

	if (l->nested || l->memory.looked_up || t->created_conversation ||
	    before <= SHORT_THREAD || !remember_on(t))
		return;
	l->memory.looked_up = true;
	if (memory_get(t->deps->db, &l->owner, &t->conversation_id, before, l->arena, m,
		       &e) < 0 ||
	    (m->upto_seq && memory_facts(t->deps->db, &l->owner, &t->conversation_id,
					 m->upto_seq + 1, STR(""), FACTS, l->arena,
					 &facts, &n, &e) < 0)) {
		log_err("what is remembered, which is left out", &e);
		*m = (struct memory){ .number = 0 };
		return;
	}
	if (m->number)
		compose(l, facts, n);
}

const struct memory *turn_memory(const struct turn_run *t)
{
	context_memory(t->loop);
	return &t->loop->memory.m;
}

/* -- after it ------------------------------------------------------------------------- */

/* Why older messages are to be folded after this turn (D16); 0: they are not. */
static int64_t why(const struct turn_run *t)
{
	const struct turn_loop *l = t->loop;
	/* With this turn's message and answer. */
	const int64_t messages = l->memory.messages + 2;
	const int64_t chars = l->memory.chars + (int64_t)utf8_chars(t->in.content) +
		(int64_t)utf8_chars(t->answer.content);

	if (messages <= remember_keep(t))
		return 0;
	if (messages >= 2 * turn_setting(t, SETTING_SUMMARY_TURNS).number)
		return MEMORY_TURNS;
	if (chars >= turn_setting(t, SETTING_SUMMARY_CHARACTERS).number)
		return MEMORY_CHARACTERS;
	/* The next turn would be sent less than all of them, or more than it should be. */
	return l->memory.m.upto_seq || l->share[PART_HISTORY].cut ||
		messages > turn_setting(t, SETTING_HISTORY_MESSAGES).number
		? MEMORY_BUDGET : 0;
}

bool remember_due(const struct turn_run *t)
{
	return remember_on(t) && (t->loop->memory.changed || why(t));
}

void remember_write_wish(struct turn_run *t, struct jw *w)
{
	const char *service = turn_setting(t, SETTING_SUMMARY_SERVICE).text;
	const struct fold_wish f = {
		.why = why(t), .keep = remember_keep(t), .service = str_of(service),
	};

	if (!remember_due(t))
		return;
	jw_key(w, "memory");
	fold_wish_write(w, &f);
}

/* Only asks for the job, so a second run is harmless. */
int remember_run(const struct after_work *w, struct err *e)
{
	if (fold_ask(w->deps->db, &w->owner, &w->place.conversation_id, w->args, e) < 0)
		return -1;
	if (w->asked)
		*w->asked = true;
	return 1;
}
