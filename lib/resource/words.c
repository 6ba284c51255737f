/* SPDX-License-Identifier: MIT */
/* What a list is searched for, and the texts in which it is (SEARCHED). */
#include "resource/rows.h"

#include <ctype.h>
#include <string.h>

#include "base/fold.h"
#include "base/utf8.h"
#include "resource/author.h"

#include "base/banned.h"

static const bool searched[RESOURCE__MAX + 1] = {
#define SEARCHED(id, ...) [RESOURCE_##id] = true,
#include "resource/resource.def"
};

bool resource_is_searched(const struct resource *r)
{
	return searched[r - resources];
}

/* -- what is looked for --------------------------------------------------------- */

static bool among(const struct resource_words *words, struct str word)
{
	for (size_t i = 0; i < words->n; i++)
		if (str_eq(words->v[i], word))
			return true;
	return false;
}

int resource_words(struct str q, struct arena *a, struct resource_words *out,
		   struct err *e)
{
	struct str rest, word;

	*out = (struct resource_words){ .n = 0 };
	if (utf8_chars(q) > LIM_FIND_CHARS)
		return err_field(e, ERR_INVALID_FIELD, "q",
				 "q may have at most %d characters.", LIM_FIND_CHARS);
	rest = out->all = utf8_fold(a, q);
	while (rest.n) {
		const bool last = out->n + 1 == LIM_FIND_WORDS;

		word = last ? rest : str_cut(&rest, ' ');
		if (!among(out, word))
			out->v[out->n++] = word;
		if (last)
			break;
	}
	return 0;
}

static const char *place_of(struct str text, struct str word)
{
	return memmem(text.p, text.n, word.p, word.n);
}

bool resource_has_words(const struct resource_words *words, struct str folded)
{
	for (size_t i = 0; i < words->n; i++)
		if (!place_of(folded, words->v[i]))
			return false;
	return true;
}

/* Whether a word of the line begins so. */
static bool begins_a_word(struct str line, struct str word)
{
	const char *p = line.p, *end = line.p + line.n, *at;

	while ((at = place_of((struct str){ p, (size_t)(end - p) }, word))) {
		if (at == line.p || (!isalnum((unsigned char)at[-1]) &&
				     (unsigned char)at[-1] < 0x80))
			return true;
		p = at + 1;
	}
	return false;
}

int resource_rank(const struct resource_words *words, struct str line)
{
	size_t begun = 0;

	if (!resource_has_words(words, line))
		return 3;
	if (str_starts(line, words->all))
		return 0;
	for (size_t i = 0; i < words->n; i++)
		begun += begins_a_word(line, words->v[i]);
	return begun == words->n ? 1 : 2;
}

/* -- in which texts --------------------------------------------------------------- */

/* All texts of a value, as one line. */
static void add_texts(struct buf *b, const json_t *v, struct arena *a)
{
	const json_t *one;
	const char *key;
	size_t i;

	if (json_is_string(v)) {
		buf_addstr(b, utf8_fold(a, (struct str){ json_string_value(v),
							 json_string_length(v) }));
		buf_addc(b, ' ');
	}
	json_object_foreach((json_t *)v, key, one)
		add_texts(b, one, a);
	json_array_foreach(v, i, one)
		add_texts(b, one, a);
}

static void add_value(struct buf *b, const struct resource_field *f,
		      const struct db_val *v, struct arena *a)
{
	json_t *j;

	if (v->null)
		return;
	if (f->type != TYPE_LIST && f->type != TYPE_PROPS) {
		buf_addstr(b, utf8_fold(a, v->s));
		return;
	}
	j = jx_try(v->s);
	add_texts(b, j, a);
	json_decref(j);
}

struct str resource_folded(const struct resource *r, const struct resource_row *row,
			   struct arena *a)
{
	struct buf b = BUF_INIT(LIM_FOLDED_BYTES);
	bool authored = false;
	struct str out;

	for (size_t i = 0; i < r->n_fields; i++)
		if (r->fields[i].flags & RESOURCE_FOUND) {
			add_value(&b, &r->fields[i], &row->v[i], a);
			buf_addc(&b, '\n');
			authored |= r->fields[i].flags & RESOURCE_AUTHORED;
		}
	if (authored)
		buf_addstr(&b, utf8_fold(a, author_login(r, row, a)));
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

struct str resource_folded_of(const struct resource *r, const json_t *record,
			      struct arena *a)
{
	struct buf b = BUF_INIT(LIM_FOLDED_BYTES);
	struct str out;

	for (size_t i = 0; i < r->n_fields; i++)
		if (r->fields[i].flags & RESOURCE_FOUND) {
			add_texts(&b, json_object_get(record, r->fields[i].key), a);
			buf_addc(&b, '\n');
		}
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}
