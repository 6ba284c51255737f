/* SPDX-License-Identifier: MIT */
/*
 * Whose words are in a context: where the text of others came from, such as an MCP
 * server, a web host, a dataset, a colleague's prompt. Origins are stored with the
 * row that brought them and shown to the user with approvals. origin.def has all
 * entries of such text. Plain memory without pointers, because the arena of a call
 * ends before that of its turn, and the calls of a step run in separate threads.
 */
#ifndef PROMPT_ORIGIN_H
#define PROMPT_ORIGIN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

enum {
	ORIGINS = 8,		/* the latest; older ones are forgotten */
	ORIGIN_KIND_BYTES = 16,
	ORIGIN_NAME_BYTES = 121,
};

enum origin_entry {
#define ENTRY(id, kind, whose, form, what) ORIGIN_##id,
#include "prompt/origin.def"
	ORIGIN__MAX
};

struct origin {
	char kind[ORIGIN_KIND_BYTES];	/* "mcp", "web", "dataset", … */
	char name[ORIGIN_NAME_BYTES];	/* valid UTF-8; may be empty */
};

struct origins {		/* n > 0: there is text of others */
	struct origin v[ORIGINS];
	size_t n;
};

/*
 * Adds one as the latest; an existing one moves to the end. name is untrusted
 * text, so it is neutralised and cut. Nothing happens if to is NULL, or if the
 * entry's texts are OURS or the caller's OWN.
 */
void origins_add(struct origins *to, enum origin_entry entry, struct str name);

/* Adds all of from; from may be NULL. */
void origins_join(struct origins *to, const struct origins *from);

/* Whether there is one of the entry's kind and this name, as origins_add has it. */
bool origins_has(const struct origins *o, enum origin_entry entry,
		 struct str name);

/* Writes [{"kind","name"}]. */
void origins_write(struct jw *w, const struct origins *o);

/* The same as text, in a; p == NULL: there are none. */
struct str origins_text(const struct origins *o, struct arena *a);

/* Adds what origins_write wrote; ignores anything else in list. */
void origins_read(struct origins *to, const json_t *list);

/* The same from text. */
void origins_parse(struct origins *to, struct str text);

/* The words that people read before the name; "" for an unknown kind. */
const char *origin_words(const struct origin *o);

/* For `list origins`: one line per entry. */
void origin_print_list(struct buf *out);

#endif
