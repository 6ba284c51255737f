/*
 * What a request that starts a turn may say beside its text: the rows of
 * turn_options.def, as a struct and as a table, and how they are kept.
 */
#ifndef TURN_OPTIONS_H
#define TURN_OPTIONS_H

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

/* All zero: nothing is said. */
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
	TURN_OPTION_MESSAGE, TURN_OPTION_TURN, TURN_OPTION_PAGE,
	TURN_OPTION_META,
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
extern const struct turn_option turn_options[N_TURN_OPTIONS];

/*
 * The metadata of a user message (a JSON object as text, or empty) with what of
 * v is kept with the message. In a, or meta itself.
 */
struct str turn_options_meta(struct arena *a, struct str meta,
			     const struct turn_options *v);

/* What of v is kept with the message, for its row. Borrows, or in a. */
struct message_options turn_options_kept(struct arena *a,
					 const struct turn_options *v);

/* Fills what v leaves unsaid with what was said with the message. As above. */
void turn_options_recall(struct arena *a, struct turn_options *v,
			 const struct message_options *m);

/* The same for what stands in its metadata only. In a. */
void turn_options_recall_meta(struct arena *a, struct turn_options *v,
			      struct str meta);

/*
 * Checks v, and writes what of it is kept with the turn: turn.client, in a;
 * p == NULL when nothing is. said: what is kept with the message is there.
 * ERR_INVALID_FIELD, ERR_TOO_BIG (field "client").
 */
int turn_options_text(const struct turn_options *v, bool said, struct arena *a,
		      struct str *out, struct err *e) MUST_CHECK;

/*
 * Fills what v leaves unsaid with what such a text says; the tools of a page
 * are not in it (turn_options_tools). Texts in a.
 */
void turn_options_fill(struct str text, struct arena *a,
		       struct turn_options *v);

/* Puts the page's tools of such a text into ctx (tool_page_load). In a. */
void turn_options_tools(struct str text, struct arena *a,
			struct tool_ctx *ctx);

#endif
