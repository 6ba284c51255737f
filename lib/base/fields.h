/* SPDX-License-Identifier: MIT */
/*
 * Request bodies: an object is declared as a table of fields and read strictly into
 * a plain struct. Handlers see only values of the right type and size; absent ones
 * are zero.
 */
#ifndef APP_FIELDS_H
#define APP_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"

enum field_type {
	FIELD_TEXT,	/* struct str; p == NULL: absent or null */
	FIELD_SLUG,	/* struct str, as a workspace or agent id */
	FIELD_UUID,	/* struct uuid; nil: absent or null */
	FIELD_JSON,	/* json_t *, any value, borrowed; NULL: absent */
	FIELD_OBJECT,	/* json_t *, an object, borrowed; NULL: absent */
	FIELD_TEXTS,	/* json_t *, an array of strings, borrowed; NULL: absent. If
			   max is set, of at most so many, of a line each */
	FIELD_LIST,	/* json_t *, an array, borrowed; NULL: absent or null */
	FIELD_BOOL,	/* int: 1, -1 for false; 0: absent or null */
	FIELD_INT,	/* int64_t; 0: absent or null */
	FIELD_REAL,	/* double; 0: absent or null */
	FIELD_TIME,	/* int64_t, microseconds since 1970; 0: absent or null */
	FIELD_DATE,	/* struct str, "2027-01-31"; p == NULL: absent or null */
};

enum {
	FIELD_REQUIRED = 1,	/* must be present and not null */
	FIELD_NULLABLE = 2,	/* null is a value; see given_offset */
	FIELD_FILLED = 4,	/* text: not only blanks; JSON: not null */
	FIELD_LINE = 8,		/* text: no control characters */
};

struct field {
	const char *key;
	enum field_type type;
	unsigned flags;
	size_t offset;		/* of the member */
	size_t max_chars;	/* text, or each of an array: code points; 0 = any */
	int64_t min, max;	/* of a number; of an array of strings: 0, their number */
	/*
	 * Offset of a bool (not the first member) that tells if the key was
	 * present; 0 = not needed.
	 */
	size_t given_offset;
};

/*
 * Reads body into *out (size_bytes), which is cleared first. Text points into body.
 * An undeclared key: ERR_UNKNOWN_FIELD with the nearest declared one; an invalid
 * value: ERR_INVALID_FIELD; both name the field. A body that is not an object:
 * ERR_INVALID_JSON.
 */
int fields_read(const struct field *fields, size_t n, const json_t *body,
		void *out, size_t size_bytes, struct err *e) MUST_CHECK;

/*
 * Reads the declared members of an object and ignores others (o NULL: empty object)
 * into *out, which is not cleared. Errors as above.
 */
int fields_pick(const struct field *fields, size_t n, const json_t *o,
		void *out, struct err *e) MUST_CHECK;

/* A slug: [a-z0-9][a-z0-9_-]*, at most LIM_SLUG_BYTES. */
bool slug_valid(struct str s);

#endif
