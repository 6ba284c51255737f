/* SPDX-License-Identifier: MIT */
/*
 * words.h - a question as words, with the little grammar the rules need:
 * singular forms, rough stems, quoted text, numbers, capitals.
 */
#ifndef DEMO_WORDS_H
#define DEMO_WORDS_H

#include "base/arena.h"
#include "base/str.h"

struct word {
	struct str src;		/* as written, a view of the question */
	const char *low;	/* lower case (ASCII) */
	const char *one;	/* lower case singular: "people" is "person" */
	const char *stem;	/* rough: "assigned", "assignee": "assign" */
	bool cap;		/* begins with a capital, ASCII or not */
	bool caps;		/* all capitals, two or more: an acronym */
	bool quoted;		/* was in quotes: src is what is inside */
	bool possessive;	/* had 's */
	bool number;		/* digits only (with one dot) */
	bool used;		/* some rule has understood it */
};

struct words {
	struct arena *a;
	struct word *w;
	size_t n;
};

/* Splits text (kept by the caller while the words are used). */
struct words words_of(struct arena *a, const char *text);

/* The words of an identifier: "assigned_to" is "assigned", "to". */
struct words words_of_name(struct arena *a, const char *name);

/* Is the word at i one of the blank-separated lower-case words in set? */
bool word_in(const struct words *w, size_t i, const char *set);

/* Index of the first word that is in set, or -1. */
long words_find(const struct words *w, const char *set);

/* Do the words from i on begin with the phrase (lower case, blanks)? Returns
 * the number of words it has, or 0. */
size_t words_at(const struct words *w, size_t i, const char *phrase);

/* True when the phrase is anywhere. */
bool words_have(const struct words *w, const char *phrase);

/* Marks n words from i on as understood. */
void words_use(struct words *w, size_t i, size_t n);

/* The text from the first to the last of n words at i, as written. */
const char *words_text(const struct words *w, size_t i, size_t n);

/* "2", "two": a count at i, or -1. */
long word_count(const struct words *w, size_t i);

/* Plural of a lower-case English noun, in the arena. */
const char *plural_of(struct arena *a, const char *noun);

/* Words that never are a name or a value: articles, verbs, question words. */
bool is_stop_word(const char *low);

#endif
