/* SPDX-License-Identifier: MIT */
/*
 * catalogue.h - the datasets as list_datasets described them, with what the
 * rules need to know about each column. Nothing in here knows any dataset.
 */
#ifndef DEMO_CATALOGUE_H
#define DEMO_CATALOGUE_H

#include "base/json.h"
#include "demo-llm/words.h"

enum column_kind { COLUMN_TEXT, COLUMN_NUMBER, COLUMN_DATE, COLUMN_BOOL };

struct column {
	const char *name, *label;	/* label: words with blanks */
	const char *description;
	enum column_kind kind;
	struct words words;		/* of the name */
	const char **value;		/* declared values */
	struct words *value_words;
	size_t n_values;
	bool flag;			/* text, its values are yes and no */
	bool key;			/* id or something_id */
	bool bulky;			/* long text by its name */
};

struct dataset {
	const char *name, *one, *many;	/* one ticket, many tickets */
	const char *description;
	struct words words;		/* of the name */
	struct words about;		/* of the description */
	struct column *column;
	size_t n;
};

struct catalogue {
	struct arena *a;
	struct dataset *dataset;
	size_t n;
};

/*
 * Reads the result of list_datasets (JSON, or text with the JSON in it).
 * False when it is none. Everything in the arena.
 */
bool catalogue_read(struct catalogue *c, struct arena *a, const char *text);

/* An identifier or value as words: "in_progress" is "in progress". */
const char *label_text(struct arena *a, const char *name);

/* The JSON object in a tool result, kept in the arena, or NULL. */
json_t *result_json(struct arena *a, const char *text);

/* The column of that exact name, or NULL. */
struct column *column_named(const struct dataset *d, const char *name);

/*
 * The column whose name the words at i begin with (by rough stem; "department"
 * finds department before department_id), or NULL; *used: how many words.
 */
struct column *column_at(const struct dataset *d, const struct words *w,
			 size_t i, size_t *used);

/* The first column that has one of the words (blank-separated) in its name,
 * compared by rough stem, in the order of the words; text before keys. */
struct column *column_like(const struct dataset *d, const char *stems);

/*
 * Do the words at i spell one of the column's declared values, or a usual
 * synonym of one ("notebook" for laptop, "offen" for open)? Returns how many
 * words and sets *value, or 0. Columns of yes and no never match.
 */
size_t value_at(const struct column *c, const struct words *w, size_t i,
		const char **value);

/* The column that tells what a row is called: name, title, ...; or NULL. */
struct column *column_title(const struct dataset *d);

/* Is the word at i the dataset's noun? */
bool demo_dataset_is(const struct dataset *d, const struct words *w, size_t i);

/* Does the dataset look like persons? */
bool demo_dataset_is_people(const struct dataset *d);

/*
 * Another dataset that the key column refers to by its name: department_id
 * refers to departments when that has an id and a title. NULL when none.
 */
struct dataset *demo_dataset_of_key(const struct catalogue *c,
				    const struct column *key);

#endif
