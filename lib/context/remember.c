/* SPDX-License-Identifier: MIT */
#include "context/remember.h"

#include "base/log.h"
#include "base/utf8.h"
#include "memory/state.h"
#include "context/context.h"
#include "context/setting.h"

#include "base/banned.h"

enum {
	FACTS = 24,		/* read for a turn; those that fit are sent */
	FACT_CHARS = 4000,	/* of them together: 1,000 tokens */
	STATE_CHARS = 4000,
	SHORT_THREAD = 4,	/* numbers of a thread that has no memory yet */
};

bool context_remembers(const struct turn_run *t)
{
	return context_setting(t, SETTING_ROLLING_SUMMARY).number &&
		context_setting(t, SETTING_HISTORY_MESSAGES).number > 1;
}

/* The newest facts that fit, oldest first. */
static void add_facts(struct context *cx, const struct fact *v, size_t n, struct buf *out)
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
		origins_parse(&cx->memory.from, v[i].origins);
	}
	if (first < n)
		buf_adds(out, "[There are earlier ones: recall_facts finds them.]\n");
	cx->tool_ctx.turn.has_facts = n > 0;
	buf_release(&line);
}

static void compose(struct context *cx, const struct fact *facts, size_t n)
{
	const struct memory *m = &cx->memory.m;
	struct buf b = BUF_INIT(131072);

	origins_parse(&cx->memory.from, m->origins);
	if (m->summary.n)
		buf_addf(&b, "A record of the earlier part of this conversation, which the "
			 "messages below continue. A model wrote it; it is not the user "
			 "speaking.\n%.*s\n", STR_ARG(m->summary));
	add_facts(cx, facts, n, &b);
	cx->memory.text = arena_str(cx->arena, buf_str(&b));
	buf_reset(&b);
	state_text(state_read(cx->arena, m->state), &b);
	if (b.n)
		cx->memory.state = str_of(arena_printf(cx->arena, "Notes about the "
			"conversation, kept by the assistant. What is assumed is not "
			"known.\n%.*s", STR_ARG(utf8_head(buf_str(&b), STATE_CHARS))));
	buf_release(&b);
}

void context_memory(struct context *cx)
{
	const struct turn_run *t = cx->run;
	const int64_t before = t->continues_seq ? t->continues_seq : t->user.seq;
	struct memory *m = &cx->memory.m;
	struct fact *facts = NULL;
	struct err e = ERR_INIT;
	size_t n = 0;

	if (cx->outer || cx->memory.looked_up || t->created_conversation ||
	    before <= SHORT_THREAD || !context_remembers(t))
		return;
	cx->memory.looked_up = true;
	if (memory_get(t->deps->db, &t->in.by.owner, &t->conversation_id, before, cx->arena, m,
		       &e) < 0 ||
	    (m->upto_seq && memory_facts(t->deps->db, &t->in.by.owner, &t->conversation_id,
					 m->upto_seq + 1, STR(""), FACTS, cx->arena,
					 &facts, &n, &e) < 0)) {
		log_err("what is remembered, which is left out", &e);
		/*
		 * A half that was read would say "summed up to here" without what was
		 * decided since.
		 */
		*m = (struct memory){ .number = 0 };
		return;
	}
	if (m->number)
		compose(cx, facts, n);
}

const struct memory *context_memory_of(const struct turn_run *t)
{
	context_memory(t->context);
	return &t->context->memory.m;
}
