/* SPDX-License-Identifier: MIT */
#include "context/recall.h"

#include "base/log.h"
#include "memory/personal.h"
#include "context/context.h"
#include "context/setting.h"

#include "base/banned.h"

/* Of sentences: the parts of part.def have 800 and 400 tokens. */
enum { OWN_CHARS = 3000, OTHER_CHARS = 1400 };

int64_t context_recall_mode(const struct turn_run *t)
{
	return context_setting(t, SETTING_PERSONAL_MEMORY_ALLOWED).number
		? context_setting(t, SETTING_PERSONAL_MEMORY).number : PERSONAL_OFF;
}

static int read_all(struct context *cx, struct err *e)
{
	const struct turn_run *t = cx->run;
	const struct str question = t->in.content.n ? t->in.content : t->user.content;
	struct personal *v;
	struct str own, other;
	size_t n;

	if (personal_list(t->deps->db, &t->in.by.owner, cx->arena, &v, &n, e) < 0 ||
	    personal_text(v, n, question, true, OWN_CHARS, cx->arena, &cx->recalled.from, &own,
			  e) < 0 ||
	    personal_text(v, n, question, false, OTHER_CHARS, cx->arena, &cx->recalled.from,
			  &other, e) < 0)
		return -1;
	if (own.n)
		cx->recalled.own = str_of(arena_printf(cx->arena, "What the user wants "
			"assistants to know in all conversations. Use it where it helps; "
			"do not recite it.\n%.*s", STR_ARG(own)));
	cx->recalled.text = other;
	return 0;
}

void context_recall(struct context *cx)
{
	struct err e = ERR_INIT;

	if (cx->outer || cx->recalled.looked_up || context_recall_mode(cx->run) == PERSONAL_OFF)
		return;
	cx->recalled.looked_up = true;
	if (read_all(cx, &e) < 0) {
		log_err("what is remembered of the user, which is left out", &e);
		cx->recalled.own = cx->recalled.text = (struct str){ NULL, 0 };
		cx->recalled.from.n = 0;
	}
}
