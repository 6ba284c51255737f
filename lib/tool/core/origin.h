/*
 * Origins: where the text of a result came from, such as an MCP server, a web
 * host, a dataset, a tool. They are stored with the result and shown to the user
 * with approvals. Plain memory without pointers, because the arena of a call ends
 * before that of its turn, and the calls of a step run in separate threads.
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
 * Adds one as the latest; an existing one moves to the end. name is untrusted
 * text, so it is neutralised and cut. If to is NULL, nothing happens.
 */
void origins_add(struct origins *to, const char *kind, struct str name);

/* Adds all of from; from may be NULL. */
void origins_join(struct origins *to, const struct origins *from);

/* Writes [{"kind","name"}]. */
void origins_write(struct jw *w, const struct origins *o);

/* Adds what origins_write wrote; ignores anything else in list. */
void origins_read(struct origins *to, const json_t *list);

/* The same from text. */
void origins_parse(struct origins *to, struct str text);

#endif
