/*
 * Whose text a result brought: an MCP server, a web host, a dataset, a tool. It
 * is stored with the result and shown to the user where a call is to be
 * approved. Plain memory without pointers: a call's arena ends before its turn's
 * does, and calls of one step run in threads of their own.
 */
#ifndef TOOL_ORIGIN_H
#define TOOL_ORIGIN_H

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

enum {
	ORIGINS = 8,		/* the latest; older ones are forgotten */
	ORIGIN_KIND_BYTES = 16,
	ORIGIN_NAME_BYTES = 121,
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
 * Adds one, as the latest; one that is there moves to the end. name is anybody's
 * text: neutralised and cut. to may be NULL, then nothing happens.
 */
void origins_add(struct origins *to, const char *kind, struct str name);

/* Adds all of from; from may be NULL. */
void origins_join(struct origins *to, const struct origins *from);

/* Writes [{"kind","name"}]. */
void origins_write(struct jw *w, const struct origins *o);

/* Adds what origins_write wrote; anything else in list is passed over. */
void origins_read(struct origins *to, const json_t *list);

/* The same from text. */
void origins_parse(struct origins *to, struct str text);

#endif
