/* SPDX-License-Identifier: MIT */
/*
 * A conversation's thread as a tree with a chosen branch at every fork, beside
 * the one that the store keeps: what is done here is done to both, and
 * same_thread compares them.
 */
#ifndef UNIT_THREAD_TREE_H
#define UNIT_THREAD_TREE_H

#include "store/thread.h"
#include "store_lab.h"

enum { NODES = 2000 };

struct node {
	int parent;		/* -1: it begins the thread */
	int chosen;		/* the child that is in the thread; -1: none */
	int head;		/* first row of the answer that it belongs to */
	int64_t seq, role;
	bool step;
};

struct tree {
	struct uuid id;
	struct node v[NODES];
	int n, chosen;		/* chosen: the first of the thread; -1: none */
	int64_t last_seq;
};

/* A new conversation of ann's. */
void tree_new(struct tree *t, const char *title);

/* Only here: a row behind parent (-1: the first), which becomes chosen. */
int tree_add(struct tree *t, int parent, int64_t role, bool step);

/* The thread's rows, by their places in t->v; how many. path has NODES. */
int tree_path(const struct tree *t, int *path);

/* Which of how many it is among what follows its parent. */
void tree_place(const struct tree *t, int node, int *index, int *count);

/* Steps, then the answer, of a turn that was begun after node. */
void tree_answer(struct tree *t, int node, const struct uuid *turn_id,
		 int64_t index, int64_t count, int steps);

/*
 * Whole turns, with so many steps. edit: node is a user message; regenerate:
 * one, or a row that answers it; choose: the first row of a variant. correct: an
 * answer, which no turn replaces.
 */
void tree_say(struct tree *t, int steps);
void tree_edit(struct tree *t, int node, int steps);
void tree_regenerate(struct tree *t, int node, int steps);
void tree_correct(struct tree *t, int node);
void tree_choose(struct tree *t, int head);

struct thread_correction correction_of(const struct uuid *id, int64_t seq,
				       const char *name);
struct turn_replace redo_of(const struct uuid *id, int64_t seq, const char *edit);

/* Pages in both directions, history and counters are the tree's. */
void same_thread(const struct tree *t);

/* The list at a row of the thread has what the tree has there. */
void same_variants(const struct tree *t, int node);

#endif
