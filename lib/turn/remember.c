/* SPDX-License-Identifier: MIT */
/* After a turn: whether its conversation is summed up anew (memory/fold.h). */
#include "context/context.h"
#include "context/remember.h"
#include "context/setting.h"
#include "memory/fold.h"
#include "base/utf8.h"
#include "turn/after.h"

#include "base/banned.h"

/*
 * The messages of the history that stay whole once there is a summary: 12 of 20, 8 to 12 of
 * which are sent (D12); more only while the next summary is late.
 */
static int64_t remember_keep(const struct turn_run *t)
{
	return MAX(context_setting(t, SETTING_HISTORY_MESSAGES).number * 3 / 5, 2);
}

/* Why older messages are to be folded after this turn (D16); 0: they are not. */
static int64_t why(const struct turn_run *t)
{
	const struct context *cx = t->context;
	/* With this turn's message and answer. */
	const int64_t messages = cx->memory.messages + 2;
	const int64_t chars = cx->memory.chars + (int64_t)utf8_chars(t->in.content) +
		(int64_t)utf8_chars(t->answer.content);

	if (messages <= remember_keep(t))
		return 0;
	if (messages >= 2 * context_setting(t, SETTING_SUMMARY_TURNS).number)
		return MEMORY_TURNS;
	if (chars >= context_setting(t, SETTING_SUMMARY_CHARACTERS).number)
		return MEMORY_CHARACTERS;
	/* The next turn would be sent less than all of them, or more than it should be. */
	return cx->memory.m.upto_seq || cx->share[PART_HISTORY].cut ||
		messages > context_setting(t, SETTING_HISTORY_MESSAGES).number
		? MEMORY_BUDGET : 0;
}

bool remember_due(const struct turn_run *t)
{
	return context_remembers(t) && (t->context->memory.changed || why(t));
}

void remember_write_wish(struct turn_run *t, struct jw *w)
{
	const char *service = context_setting(t, SETTING_SUMMARY_SERVICE).text;
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
