/* SPDX-License-Identifier: MIT */
/*
 * Where the user is: the context type of a message, the project, and what they look at
 * in it (C22, C23, D4). It decides which tools are offered (tool/core/pool.h) and what
 * the model is told (entity/pack.h).
 */
#ifndef CONTEXT_PLACE_H
#define CONTEXT_PLACE_H

#include "store/conversation.h"
#include "context/request.h"

struct context;
struct entity_packs;

/*
 * Whether the caller may be there. ERR_INVALID_FIELD (contextType, projectId, focusId) for
 * a context type that there is none of, or without the project that it needs, and for what
 * they do not see.
 */
int place_check(const struct caller *by, const struct conversation_context *c,
		struct err *e) MUST_CHECK;

/*
 * The same, and reads what a turn there would tell the model, so that the database has it in
 * memory, and of a project packs, too.
 */
int place_warm(const struct caller *by, struct entity_packs *packs,
	       const struct conversation_context *c, struct err *e) MUST_CHECK;

/* Whether the context type of this name is about one project. */
bool place_of_project(struct str context_type);

/*
 * The same as place_check for what a message says that is about to be stored; also reads
 * what is told of the place.
 */
int context_place_new(struct turn_run *t, struct err *e) MUST_CHECK;

/*
 * Reads it for a stored message, once, which has its conversation's place where it says
 * none. What is gone or out of sight since then is left out, and the user told. Not in
 * nested agents.
 */
void context_place(struct context *cx);

/* The context type of a turn, and its scope: global, project or entity (D4). */
const char *place_type_name(const struct turn_options *o);
const char *place_scope_name(const struct turn_options *o);

/* What the context type asks of the model; empty: nothing. */
struct str place_scope(const struct context *cx);

#endif
