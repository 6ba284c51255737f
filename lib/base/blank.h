/* SPDX-License-Identifier: MIT */
/*
 * Blanks in the text of a prompt, which the user fills in before it is sent:
 *
 *   {{Name}}                              any text
 *   {{Tone: choice: friendly | formal}}   one of these
 *   {{Until: date}}                       a day
 *   {{Ticket: record: tickets}}           a record of the dataset
 *
 * The same name again is the same blank; its type is given at the first place,
 * and may be repeated in the same words. \{{ is not a blank but a literal {{.
 */
#ifndef BASE_BLANK_H
#define BASE_BLANK_H

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"

enum blank_type { BLANK_TEXT, BLANK_CHOICE, BLANK_DATE, BLANK_RECORD };

struct blank {
	struct str name;		/* as written, trimmed */
	enum blank_type type;
	const struct str *choices;	/* of a choice; at least one */
	size_t n_choices;
	struct str dataset;		/* of a record */
};

/*
 * The blanks of valid UTF-8, in the order in which they come, each once; borrowed
 * from it and in a. ERR_INVALID_FIELD of the field "body": what is wrong with the first
 * broken one, and its line and column.
 */
int blank_parse(struct str text, struct arena *a,
		struct blank **out, size_t *n, struct err *e) MUST_CHECK;

/*
 * Appends a text that was parsed with values in place of its blanks, in the order
 * of v, and {{ in place of \{{.
 */
void blank_fill(struct str text, const struct blank *v,
		const struct str *values, size_t n, struct buf *out);

/* Whether text is body with anything in place of its blanks; spaces do not count. */
bool blank_filled(struct str text, struct str body);

/* An array of {"name", "type", "choices", "dataset"}. */
void blank_write(struct jw *w, const struct blank *v, size_t n);

#endif
