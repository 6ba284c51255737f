/* SPDX-License-Identifier: MIT */
#include "context/recall.h"

#include "base/log.h"
#include "memory/personal.h"
#include "turn/after.h"
#include "turn/loop.h"
#include "context/setting.h"

#include "base/banned.h"

/* Of sentences: the parts of part.def have 800 and 400 tokens. */
enum { OWN_CHARS = 3000, OTHER_CHARS = 1400, LEAST_BYTES = 8 };

/* enum personal_mode of this turn. */
static int64_t mode(const struct turn_run *t)
{
	return turn_setting(t, SETTING_PERSONAL_MEMORY_ALLOWED).number
		? turn_setting(t, SETTING_PERSONAL_MEMORY).number : PERSONAL_OFF;
}

/* -- before the turn ---------------------------------------------------------------- */

static int read_all(struct turn_loop *l, struct err *e)
{
	const struct turn_run *t = l->run;
	const struct str said = t->in.content.n ? t->in.content : t->user.content;
	struct personal *v;
	struct str own, other;
	size_t n;

	if (personal_list(t->deps->db, &l->owner, l->arena, &v, &n, e) < 0 ||
	    personal_text(v, n, said, true, OWN_CHARS, l->arena, &l->recalled.from, &own,
			  e) < 0 ||
	    personal_text(v, n, said, false, OTHER_CHARS, l->arena, &l->recalled.from,
			  &other, e) < 0)
		return -1;
	if (own.n)
		l->recalled.own = str_of(arena_printf(l->arena, "What the user wants "
			"assistants to know in all conversations. Use it where it helps; "
			"do not recite it.\n%.*s", STR_ARG(own)));
	l->recalled.text = other;
	return 0;
}

void context_recall(struct turn_loop *l)
{
	struct err e = ERR_INIT;

	if (l->nested || l->recalled.looked_up || mode(l->run) == PERSONAL_OFF)
		return;
	l->recalled.looked_up = true;
	if (read_all(l, &e) < 0) {
		log_err("what is remembered of the user, which is left out", &e);
		l->recalled.own = l->recalled.text = (struct str){ NULL, 0 };
		l->recalled.from.n = 0;
	}
}

/* -- after it ------------------------------------------------------------------------- */

/* A message of the user that no turn before was about. */
bool recall_due(const struct turn_run *t)
{
	const enum turn_verb verb = t->in.verb;

	return mode(t) != PERSONAL_OFF && !t->in.program.p &&
		(verb == TURN_RESUME || t->in.content.n >= LEAST_BYTES) &&
		verb != TURN_CONTINUE;
}

void recall_write_wish(struct turn_run *t, struct jw *w)
{
	const char *service = turn_setting(t, SETTING_SUMMARY_SERVICE).text;

	if (!recall_due(t))
		return;
	jw_key(w, "personal");
	personal_wish_write(w, &(struct personal_wish){
		.keep = mode(t) == PERSONAL_KEEP, .service = str_of(service),
	});
}

/* Only asks for the job, so a second run is harmless. */
int recall_run(const struct after_work *w, struct err *e)
{
	if (personal_ask(w->deps->db, &w->owner, &w->place.turn_id, w->args, e) < 0)
		return -1;
	if (w->asked)
		*w->asked = true;
	return 1;
}
