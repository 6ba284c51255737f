/* SPDX-License-Identifier: MIT */
/*
 * act.h - the conversational mode beside its questions: requests to do
 * something with a tool that is offered for it (create_ticket, set_field), and
 * a question back to the user (ask_user) where a dataset is all that was named.
 */
#ifndef DEMO_ACT_H
#define DEMO_ACT_H

#include "demo-llm/catalogue.h"
#include "demo-llm/plan.h"

/* A tool call of this turn with what came back. */
struct done {
	const char *name;
	json_t *args;
	const struct msg *result;
};

struct deeds {		/* the finished calls of this turn, in order */
	const struct done *v;
	size_t n;
};

/* Whether a tool is called want, or ends in it ("demo_create_ticket"). */
bool demo_tool_is(const char *name, const char *want);

enum act {
	ACT_NONE,	/* it asks for nothing that can be done here */
	ACT_CALL,	/* p has a tool call */
	ACT_SAID,	/* say has the answer */
};

/* The request in w, of which done has happened so far. */
enum act act(const struct ask *a, const struct words *w, struct deeds done,
	     struct plan *p, struct out *say);

/*
 * Asks the user back when w names a dataset and nothing else, and ask_user is
 * offered: true when p has the call.
 */
bool act_ask_back(const struct ask *a, const struct catalogue *c,
		  const struct words *w, struct plan *p);

/*
 * What the user chose when they were asked back in this turn, or NULL: it takes
 * the place of the question. "" when they did not choose.
 */
const char *act_choice(struct arena *a, struct deeds done);

#endif
