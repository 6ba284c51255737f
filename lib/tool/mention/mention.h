/* SPDX-License-Identifier: MIT */
/*
 * Mentions: what a user points at with @ in a message (A27). A row of
 * mention.def is one kind of item: how to find some by the typed text, and how
 * to look one up. Both see what the caller sees, by the rights and guards of
 * query_data for datasets: an item that the caller may not see does not exist
 * for them.
 *
 * A reference names an item: "record:tickets/42", "person:anna",
 * "dataset:tickets". The part after the colon is percent-encoded, so it has no
 * blanks; with @ in front it is the handle in the message.
 */
#ifndef TOOL_MENTION_H
#define TOOL_MENTION_H

#include "tool/core/tool.h"

struct db;

struct mention_item {
	const char *type;	/* name of its row of mention.def */
	struct str ref;
	struct str label;	/* one line of anybody's text, never empty */
	struct str description;	/* the same; p == NULL: none */
	struct str source;	/* name of the dataset; p == NULL: no dataset's */
	struct str href;	/* its own page; p == NULL: none */
	struct str text;	/* looked up: what the model is told; untrusted */
};

struct mention_list {
	struct mention_item *v;
	size_t n, max;
	bool more;		/* there may be others */
};

/* What is asked for; all borrowed. */
struct mention_ask {
	const struct tool_ctx *ctx;	/* caller, workspace, env, arena */
	struct db *db;			/* our own */
	struct str q;			/* what was typed; may be empty */
	struct str dataset;	/* rows of this one only; p == NULL: everything */
};

/*
 * Finds at most max items, grouped by row of the table; a source that fails is
 * logged and left out. Texts in the ctx's arena.
 */
void mention_find(const struct mention_ask *ask, size_t max,
		  struct mention_list *out);

/*
 * Looks one up, with its text. ERR_NOT_FOUND if there is none for this caller,
 * whatever the reason; another error if its source fails now.
 */
int mention_look(const struct mention_ask *ask, struct str ref,
		 struct mention_item *out, struct err *e) MUST_CHECK;

/* Whether ref has the form of one: at most LIM_MENTION_REF_BYTES, no blanks. */
bool mention_is_ref(struct str ref);

/* The handle of ref: the part after its colon. */
struct str mention_handle(struct str ref);

/* Writes {ref, type, handle, label, description, source, href}. */
void mention_write(struct jw *w, const struct mention_item *m);

/* For `list mentions`: a line each. */
void mention_print_list(struct buf *out);

/* -- for the rows of the table ------------------------------------------------ */

typedef void mention_find_fn(const struct mention_ask *ask,
			     struct mention_list *out);
typedef int mention_look_fn(const struct mention_ask *ask, struct str id,
			    struct mention_item *out, struct err *e);

#define MENTION(id, name, what) \
	mention_find_fn mention_##id##_find; \
	mention_look_fn mention_##id##_look;
#include "tool/mention/mention.def"
#undef MENTION

/* Adds one; false when there is no room, which sets more. */
bool mention_add(struct mention_list *l, const struct mention_item *m);

/* A text as one line of at most LIM_MENTION_LABEL_CHARS, in a; may be empty. */
struct str mention_line(struct arena *a, struct str text);

/* The decoded parts of an id, at most max, in a; 0: it is malformed. */
size_t mention_parts(struct arena *a, struct str id, struct str *out, size_t max);

#endif
