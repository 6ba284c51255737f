/* SPDX-License-Identifier: MIT */
/*
 * What the model is told of where the user is (D5 to D9, C16 to C21): a project and what
 * is in it, one thing in it that they look at, or their projects. Read with one statement
 * that has the access in it.
 */
#ifndef ENTITY_PACK_H
#define ENTITY_PACK_H

#include "resource/call.h"

struct entity_pack {
	bool there;		/* the caller sees the project, and the focus in it */
	bool own;		/* all of it is their text: of nobody else, no file */
	struct str focus_kind;	/* "task"; empty: there is none */
	struct str text;	/* Markdown; empty: there is nothing to tell */
};

/*
 * project NULL: the projects that the caller sees, those changed last. focus: something
 * in the project; NULL: nothing. In by's arena; blocks.
 */
int entity_pack(const struct caller *by, const struct uuid *project,
		const struct uuid *focus, struct entity_pack *out,
		struct err *e) MUST_CHECK;

#endif
