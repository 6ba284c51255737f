/* SPDX-License-Identifier: MIT */
/*
 * The tree of a project's documents (D45, D68). Each document has the one above it and
 * its place there in its own row, so none can be lost or be in two places; a change of
 * the tree moves project.tree_version, and is made from the tree as it was read, so two
 * at once cannot make a circle. Neither moves the version of a document or project.
 */
#ifndef ENTITY_TREE_H
#define ENTITY_TREE_H

#include "resource/call.h"

struct tree_node {
	struct uuid id;
	struct uuid under_id;		/* nil: at the top */
	int64_t place;
	struct str title, description;	/* description p == NULL: none */
	struct str type_key, state_key;
	int64_t length;			/* of the content, in characters */
	int64_t updated_us, version;
	/* in the tree; NULL: none */
	struct tree_node *above, *first, *last, *next;
	size_t depth;			/* 1: at the top */
	int64_t order;			/* among those above it: from 0 on */
};

struct tree {
	int64_t version;
	struct tree_node *v;		/* by place */
	size_t n;
	struct tree_node *first, *last;	/* at the top */
};

/* Reads the tree of a project that the caller sees. In by's arena. ERR_NOT_FOUND. */
int tree_read(const struct caller *by, const struct uuid *project, struct tree *out,
	      struct err *e) MUST_CHECK;

/* The document with the id; NULL: none. */
struct tree_node *tree_find(const struct tree *t, const struct uuid *id);

/* Writes [{id, order, title, …, children}, …] of these siblings. */
void tree_write(struct jw *w, const struct tree_node *first);

enum { TREE_ANY = -1 };	/* a tree of any version */

/*
 * Moves a document of the project under another one (NULL: to the top), to a position
 * from 0 on among those there (beyond the last one: to the end), if the tree still has
 * the version that the caller has read (TREE_ANY: whatever it has). ERR_NOT_FOUND;
 * ERR_FORBIDDEN; ERR_PRECONDITION; ERR_INVALID_FIELD naming parentId if that is none of
 * the project's documents, the document itself or below it, or deeper than
 * LIM_TREE_DEPTH. *version: of the tree then.
 */
int tree_move(const struct caller *by, const struct uuid *project,
	      const struct uuid *document, const struct uuid *under, size_t position,
	      int64_t read, int64_t *version, struct err *e) MUST_CHECK;

#endif
