/* SPDX-License-Identifier: MIT */
/* After a turn: whether a model is asked what to remember of its user (memory/personal.h). */
#include "context/recall.h"
#include "context/setting.h"
#include "memory/personal.h"
#include "turn/after.h"

#include "base/banned.h"

enum { LEAST_BYTES = 8 };

/* A message of the user that no turn before was about. */
bool recall_due(const struct turn_run *t)
{
	const enum turn_verb verb = t->in.verb;

	return context_recall_mode(t) != PERSONAL_OFF && !t->in.program.p &&
		(verb == TURN_RESUME || t->in.content.n >= LEAST_BYTES) &&
		verb != TURN_CONTINUE;
}

void recall_write_wish(struct turn_run *t, struct jw *w)
{
	const char *service = context_setting(t, SETTING_SUMMARY_SERVICE).text;

	if (!recall_due(t))
		return;
	jw_key(w, "personal");
	personal_wish_write(w, &(struct personal_wish){
		.keep = context_recall_mode(t) == PERSONAL_KEEP, .service = str_of(service),
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
