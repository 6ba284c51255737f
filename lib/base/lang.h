/* SPDX-License-Identifier: MIT */
/*
 * Texts for people in their language. The English text in the code is the key; the
 * catalogues are GNU gettext's (po/, docs/translating.md), from which po/tables.mjs makes
 * constant tables.
 *
 * Not gettext(3): it takes the language from the process or thread (setlocale, uselocale),
 * only for locales that are installed on the machine, and while LANGUAGE, which would
 * choose without, is an environment variable. A worker answers users of different
 * languages one after the other, and what it logs or sends to a model stays English. So
 * the language is an argument: of a request in struct caller, of an error in struct err.
 * For the same reason no text depends on a number here: "Sources: %zu" needs no plural.
 *
 * Any thread.
 */
#ifndef BASE_LANG_H
#define BASE_LANG_H

#include "base/str.h"
#include "base/util.h"

/* A language other than English, which is NULL. Constant. */
struct lang;

/* Marks a text in a table; lang_text translates it where it is shown. */
#define N_(text) text

/* The text in that language; as it is if it is not translated. Borrowed. */
const char *lang_text(const struct lang *w, const char *text) FORMAT_ARG(2);

/* The same for a text that is part of another. */
struct str lang_str(const struct lang *w, struct str text);

/*
 * The language that the reader likes best of those that there are: an Accept-Language
 * header (RFC 9110, 12.5.4; "de-CH" also finds de, RFC 4647, 3.4), or a single tag. What
 * cannot be read is passed over. English if there is none of them.
 */
const struct lang *lang_pick(struct str accepted);

/* For <html lang>: "en", "de". */
const char *lang_tag(const struct lang *w);

/* For <html dir>: "ltr" or "rtl". */
const char *lang_direction(const struct lang *w);

/*
 * The i-th language that people choose from, beginning with English: its tag and its own
 * name. False at the end. Pseudo-locales, which only tests ask for, are not among them.
 */
bool lang_choice(size_t i, const char **tag, const char **name);

#endif
