/* SPDX-License-Identifier: MIT */
#include "base/lang.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/util.h"

#include "base/banned.h"

struct lang_row {
	const char *english, *text;
};

struct lang {
	const char *tag;
	bool rtl;
	const struct lang_row *rows;	/* in the order of strcmp */
	size_t n;
};

#include "base/lang_made.def"

static int compare(const void *text, const void *row)
{
	const struct str *s = text;
	const char *english = ((const struct lang_row *)row)->english;
	const int order = strncmp(s->p, english, s->n);

	return order ? order : -(english[s->n] != '\0');
}

/* NULL: it is not translated. */
static const struct lang_row *find_text(const struct lang *w, struct str text)
{
	return w && text.n ? bsearch(&text, w->rows, w->n, sizeof(*w->rows), compare) : NULL;
}

const char *lang_text(const struct lang *w, const char *text)
{
	const struct lang_row *row = find_text(w, str_of(text));

	return row ? row->text : text;
}

struct str lang_str(const struct lang *w, struct str text)
{
	const struct lang_row *row = find_text(w, text);

	return row ? str_of(row->text) : text;
}

/* -- languages ----------------------------------------------------------------------- */

/* Whether the range or what is left of it names a language; *out is it. */
static bool look_up(struct str range, const struct lang **out)
{
	while (range.n) {
		size_t cut = range.n;

		for (size_t i = 0; i < ARRAY_LEN(languages); i++)
			if (strlen(languages[i].tag) == range.n &&
			    strncasecmp(languages[i].tag, range.p, range.n) == 0) {
				*out = &languages[i];
				return true;
			}
		if (range.n == 2 && strncasecmp(range.p, "en", 2) == 0) {
			*out = NULL;
			return true;
		}
		while (cut && range.p[cut - 1] != '-')
			cut--;
		range.n = cut ? cut - 1 : 0;
	}
	return false;
}

/* "0.8" as 800; what is no weight is 0. */
static int weight_of(struct str params)
{
	struct str name = str_trim(str_cut(&params, '='));
	int weight = 0, unit = 1000;

	params = str_trim(params);
	if (!name.n)
		return 1000;
	if (name.n != 1 || (*name.p != 'q' && *name.p != 'Q'))
		return 0;
	for (size_t i = 0; i < params.n && i < 5; i++) {
		if (i == 1 && params.p[i] == '.')
			continue;
		if (params.p[i] < '0' || params.p[i] > '9')
			return 0;
		weight += (params.p[i] - '0') * unit;
		unit /= 10;
	}
	return weight;
}

const struct lang *lang_pick(struct str accepted)
{
	const struct lang *best = NULL, *found;
	int most = 0;

	while (accepted.n) {
		struct str params = str_cut(&accepted, ',');
		const struct str range = str_trim(str_cut(&params, ';'));
		const int weight = weight_of(str_trim(params));

		if (weight > most && range.n <= LIM_LANGUAGE_BYTES && look_up(range, &found)) {
			best = found;
			most = weight;
		}
	}
	return best;
}

const char *lang_tag(const struct lang *w)
{
	return w ? w->tag : "en";
}

const char *lang_direction(const struct lang *w)
{
	return w && w->rtl ? "rtl" : "ltr";
}

bool lang_choice(size_t i, const char **tag, const char **name)
{
	const struct lang *w = i && i <= ARRAY_LEN(languages) - PSEUDO_LOCALES
		? &languages[i - 1] : NULL;

	if (i && !w)
		return false;
	*tag = lang_tag(w);
	/* TRANSLATORS: the name of your language in your language, such as "Deutsch". */
	*name = lang_text(w, N_("English"));
	return true;
}
