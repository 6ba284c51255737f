/* SPDX-License-Identifier: MIT */
/*
 * project.h - the conversational mode in projects: what is open in one and what blocks
 * it, tasks from that, a new task or project, a document in another place. The project
 * is the one that the prompt says the user is in, or one of its list that the question
 * names.
 */
#ifndef DEMO_PROJECT_H
#define DEMO_PROJECT_H

#include "demo-llm/act.h"

/* As act(): whether the request in w is about a project, and what is next. */
enum act project_act(const struct ask *a, const struct words *w, struct deeds done,
		     struct plan *p, struct out *say);

#endif
