/* SPDX-License-Identifier: MIT */
/*
 * JSON. Jansson reads and holds documents (jx_*); what we send in streams and
 * record lists is written straight into a buffer (jw_*), without a tree:
 * a page of a thread and every token of a stream go through here.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/uuid.h"

/* Seeds Jansson's hash. main, once, before threads. */
void jx_seed(void);

/* Hands an owned reference over and clears the variable. */
static inline json_t *jx_move(json_t **j)
{
	json_t *r = *j;

	*j = NULL;
	return r;
}

/*
 * Reading. One function in json.c calls Jansson's parser, behind these; nothing
 * else may (tests/check/banned.py). It takes any JSON value at the top and holds
 * three caps, which are checked before anything is parsed: LIM_UPSTREAM_BYTES,
 * LIM_JSON_DEPTH (Jansson's own cap of 2048 levels is more than the stack of a
 * worker holds) and LIM_JSON_VALUES (an empty object takes two bytes of text and
 * more than 200 of memory). All are safe in any thread.
 *
 * Strict reading, for what clients send: valid UTF-8, no duplicate keys.
 * Returns a new reference, or NULL with ERR_INVALID_UTF8, ERR_INVALID_JSON
 * (public text has the position, or the cap).
 */
json_t *jx_load(struct str s, struct err *e) MUST_CHECK;

/*
 * The same, for what programs send again with each request: text that was cut within a
 * character (a lone surrogate, as an escape) and \u0000 are U+FFFD, instead of an error
 * that would end the conversation.
 */
json_t *jx_load_repaired(struct str s, struct err *e) MUST_CHECK;

/*
 * Lenient reading, for providers, MCP servers and the like: faults for which
 * Jansson would refuse the whole document (lone surrogates, bad UTF-8, NUL,
 * integers beyond 64 bits) are repaired (P-C9 to P-C11). Returns a new
 * reference, or NULL with ERR_UPSTREAM_PROTOCOL.
 */
json_t *jx_load_lenient(struct str s, struct err *e) MUST_CHECK;

/*
 * Reads text that may be JSON or prose: from a tool, from the page, or stored
 * text. The last of duplicate keys counts. Returns a new reference, or NULL if s
 * is not JSON or exceeds a cap; then it counts as prose.
 */
json_t *jx_try(struct str s) MUST_CHECK;

/*
 * Length of the object or array with which s begins; 0 if it begins with
 * neither, or if it is not closed. For JSON that is followed by prose.
 */
size_t jx_extent(struct str s);

/*
 * Appends j as compact JSON. Strings in j must be UTF-8 (Jansson's rule). Reals are the
 * shortest decimals that read back the same, and stay reals: 0.7, 1.0.
 * jx_dump_sorted sorts object keys: for comparing and hashing.
 */
void jx_dump(struct buf *out, const json_t *j);
void jx_dump_sorted(struct buf *out, const json_t *j);

/* j as compact text in the arena. */
char *jx_text(struct arena *a, const json_t *j);

/* Reference released when the arena is reset. Takes the reference. */
json_t *jx_keep(struct arena *a, json_t *j);

/*
 * Members of an object, lenient: a wrong type, null, absence or a number beyond
 * 64 bit give the default. Results are borrowed. jx_str: "" view with p == NULL when absent.
 */
struct str jx_str(const json_t *obj, const char *key);
int64_t jx_int(const json_t *obj, const char *key, int64_t dflt);
bool jx_bool(const json_t *obj, const char *key, bool dflt);
json_t *jx_obj(const json_t *obj, const char *key);
json_t *jx_arr(const json_t *obj, const char *key);

/* Whether the array (NULL: no) has the string. */
bool jx_lists(const json_t *array, struct str s);

/* The first object of the array (NULL: none) whose member is this text, not empty; or NULL. */
json_t *jx_find(const json_t *array, const char *key, struct str text);

/*
 * What a JSON pointer (RFC 6901) names, or NULL. "" is the whole. Borrowed.
 */
json_t *jx_pointer(const json_t *j, const char *pointer);

/* New JSON string from a view; bad bytes are replaced. Never NULL. */
json_t *jx_string(struct str s);

/*
 * The writer. It puts a comma between two values by itself. Misuse (a key outside
 * an object) is not checked; tests read the output with Jansson.
 */
struct jw {
	struct buf *b;
	bool comma;	/* the next element needs one in front */
};

static inline struct jw jw_on(struct buf *b)
{
	return (struct jw){ .b = b };
}

void jw_obj(struct jw *w);	/* { */
void jw_end_obj(struct jw *w);	/* } */
void jw_arr(struct jw *w);	/* [ */
void jw_end_arr(struct jw *w);	/* ] */
void jw_key(struct jw *w, const char *key);	/* key is plain ASCII */
void jw_str(struct jw *w, struct str s);	/* valid UTF-8 */
void jw_int(struct jw *w, int64_t v);
void jw_real(struct jw *w, double v);	/* as str_of_real; not finite: 0 */
void jw_rounded(struct jw *w, double v);	/* a measure: 6 digits */
void jw_bool(struct jw *w, bool v);
void jw_null(struct jw *w);
void jw_raw(struct jw *w, struct str json);	/* one JSON value as text */
void jw_json(struct jw *w, const json_t *j);	/* NULL writes null */
void jw_uuid(struct jw *w, const struct uuid *u);
void jw_time(struct jw *w, int64_t us);		/* ISO-8601 UTC, ms */

/*
 * key and value in one: jw_kstr(w, "name", s). s.p == NULL writes null; so do _if for
 * a number that is not known, and for the UUID of zeros.
 */
void jw_kstr(struct jw *w, const char *key, struct str s);
void jw_kstr_given(struct jw *w, const char *key, struct str s); /* s.p == NULL: no member */
void jw_kstrz(struct jw *w, const char *key, const char *s);
void jw_kint(struct jw *w, const char *key, int64_t v);
void jw_kint_if(struct jw *w, const char *key, bool known, int64_t v);
void jw_kreal(struct jw *w, const char *key, double v);
void jw_kbool(struct jw *w, const char *key, bool v);
void jw_kuuid(struct jw *w, const char *key, const struct uuid *u);
void jw_kuuid_if(struct jw *w, const char *key, const struct uuid *u);
void jw_ktime(struct jw *w, const char *key, int64_t us);

#endif
