/* SPDX-License-Identifier: MIT */
/*
 * What a request that starts a turn may contain beside its text: the rows of
 * turn_options.def as a struct and as a table, and how they are stored.
 */
#ifndef CONTEXT_OPTIONS_H
#define CONTEXT_OPTIONS_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "store/message.h"

struct tool_ctx;

#define TURN_OPTION_C_BOOL int
#define TURN_OPTION_C_TEXT struct str
#define TURN_OPTION_C_OBJECT json_t *
#define TURN_OPTION_C_TEXTS json_t *
#define TURN_OPTION_C_LIST json_t *

/* All zero: nothing set. */
struct turn_options {
#define ROW(F, SEP, member, key, type, max_chars, kept, form) \
	TURN_OPTION_C_##type member;
	TURN_OPTIONS(ROW, , )
#undef ROW
};

enum turn_option_type {
	TURN_OPTION_BOOL, TURN_OPTION_TEXT, TURN_OPTION_OBJECT,
	TURN_OPTION_TEXTS,
	TURN_OPTION_LIST,
};
enum turn_option_kept {
	TURN_OPTION_MESSAGE, TURN_OPTION_PLACE, TURN_OPTION_TURN,
	TURN_OPTION_PAGE, TURN_OPTION_META,
};

struct turn_option {
	const char *key;
	enum turn_option_type type;
	size_t offset;			/* in struct turn_options */
	enum turn_option_kept kept;
	const char *form;		/* "" = none */
};

enum { N_TURN_OPTIONS = 0
#define ROW(F, SEP, member, key, type, max_chars, kept, form) + 1
	TURN_OPTIONS(ROW, , )
#undef ROW
};
extern const struct turn_option options_rows[N_TURN_OPTIONS];

/*
 * Adds the options of v that are kept with the message to its metadata (a JSON
 * object as text, or empty). In a, or meta itself.
 */
struct str options_meta(struct arena *a, struct str meta,
			const struct turn_options *v);

/*
 * Whether two such metadata are of equal requests: mentions and attachments, which
 * are stored with details that may have changed, count by reference and id.
 */
bool options_same(struct arena *a, struct str one, struct str other);

/* The options of v that are columns of the message. Borrows, or in a. */
struct message_options options_kept(struct arena *a,
				    const struct turn_options *v);

/* Sets the unset options of v from the columns of the message. Borrows, or in a. */
void options_recall(struct arena *a, struct turn_options *v,
		    const struct message_options *m);

/* Sets the unset options of v from the message's metadata. In a. */
void options_recall_meta(struct arena *a, struct turn_options *v,
			 struct str meta);

/*
 * Checks v and writes the options kept with the turn as the text of
 * turn.client, in a; p == NULL if there are none. whole: v also has the options
 * kept with the message. ERR_INVALID_FIELD, ERR_TOO_BIG (field "client").
 */
int options_text(const struct turn_options *v, bool whole, struct arena *a,
		 struct str *out, struct err *e) MUST_CHECK;

/*
 * Sets the unset options of v from the text of turn.client, except the page's
 * tools (options_tools). Texts in a.
 */
void options_fill(struct str text, struct arena *a,
		  struct turn_options *v);

/* Loads the page's tools from that text into ctx (tool_page_load). In a. */
void options_tools(struct str text, struct arena *a,
		   struct tool_ctx *ctx);

#endif
