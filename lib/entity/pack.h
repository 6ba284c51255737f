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
 * Copies of what was told of projects, in the memory of a process: at most 8 MiB, each at
 * most 5 minutes old, 60 seconds with a focus (C15). One is told again only if a statement,
 * which has the access in it, says that nothing was committed in the project since, by
 * whatever process. NULL is fine for free. Any thread.
 */
struct entity_packs;
struct entity_packs *entity_packs_new(void);
void entity_packs_free(struct entity_packs *p);

/*
 * project NULL: the projects that the caller sees, those changed last. focus: something
 * in the project; NULL: nothing. kept: the copies to use; NULL: none. In by's arena; blocks.
 */
int entity_pack(const struct caller *by, struct entity_packs *kept,
		const struct uuid *project, const struct uuid *focus,
		struct entity_pack *out, struct err *e) MUST_CHECK;

#endif
