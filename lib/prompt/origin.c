/* SPDX-License-Identifier: MIT */
#include "prompt/origin.h"

#include <string.h>

#include "base/utf8.h"
#include "prompt/untrusted.h"

#include "base/banned.h"

enum {
	KIND_NONE,
#define KIND(id, name, words) KIND_##id,
#include "prompt/origin.def"
	KIND__MAX
};

static const struct {
	const char *name, *words;
} kinds[KIND__MAX] = {
#define KIND(id, name, words) [KIND_##id] = { name, words },
#include "prompt/origin.def"
};

static const struct {
	const char *id, *whose, *form, *what;
	int kind;
} entries[ORIGIN__MAX] = {
#define ENTRY(id, kind, whose, form, what) \
	[ORIGIN_##id] = { #id, #whose, #form, what, KIND_##kind },
#include "prompt/origin.def"
};

static void copy(char *to, size_t size, struct str s)
{
	s.n = MIN(s.n, size - 1);
	s.n = utf8_complete(s);
	if (s.n)
		memcpy(to, s.p, s.n);
	to[s.n] = '\0';
}

static bool same(const struct origin *a, const struct origin *b)
{
	return !strcmp(a->kind, b->kind) && !strcmp(a->name, b->name);
}

static void add_origin(struct origins *to, const struct origin *o)
{
	size_t at = 0;

	while (at < to->n && !same(&to->v[at], o))
		at++;
	if (at == to->n && to->n == ORIGINS)
		at = 0;
	if (at < to->n) {	/* makes room at the end */
		memmove(&to->v[at], &to->v[at + 1],
			(to->n - at - 1) * sizeof(to->v[0]));
		to->n--;
	}
	to->v[to->n++] = *o;
}

static struct origin make(const char *kind, struct str name)
{
	struct buf clean = BUF_INIT(16384);
	struct origin o = { .kind = "" };

	if (name.n > ORIGIN_NAME_BYTES)
		name.n = ORIGIN_NAME_BYTES;
	name.n = utf8_complete(name);
	untrusted_clean(NULL, name, &clean);
	copy(o.kind, sizeof(o.kind), str_of(kind));
	copy(o.name, sizeof(o.name), buf_str(&clean));
	buf_release(&clean);
	return o;
}

void origins_add(struct origins *to, enum origin_entry entry, struct str name)
{
	struct origin o;

	if (!to || entries[entry].kind == KIND_NONE)
		return;
	o = make(kinds[entries[entry].kind].name, name);
	add_origin(to, &o);
}

bool origins_has(const struct origins *o, enum origin_entry entry,
		 struct str name)
{
	struct origin one = make(kinds[entries[entry].kind].name, name);

	for (size_t i = 0; i < o->n; i++)
		if (same(&o->v[i], &one))
			return true;
	return false;
}

void origins_join(struct origins *to, const struct origins *from)
{
	for (size_t i = 0; from && i < from->n; i++) {
		const struct origin o = from->v[i];	/* may be one of to */

		add_origin(to, &o);
	}
}

void origins_write(struct jw *w, const struct origins *o)
{
	jw_arr(w);
	for (size_t i = 0; i < o->n; i++) {
		jw_obj(w);
		jw_kstrz(w, "kind", o->v[i].kind);
		jw_kstrz(w, "name", o->v[i].name);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

struct str origins_text(const struct origins *o, struct arena *a)
{
	struct buf b = BUF_INIT(65536);
	struct jw w = jw_on(&b);
	struct str text = { NULL, 0 };

	if (o->n) {
		origins_write(&w, o);
		text = arena_str(a, buf_str(&b));
	}
	buf_release(&b);
	return text;
}

void origins_read(struct origins *to, const json_t *list)
{
	const json_t *o;
	size_t i;

	json_array_foreach((json_t *)list, i, o) {
		struct str kind = jx_str(o, "kind");

		if (kind.n) {
			struct origin one = make(kind.p, jx_str(o, "name"));

			add_origin(to, &one);
		}
	}
}

void origins_parse(struct origins *to, struct str text)
{
	struct err ignored = ERR_INIT;
	json_t *j = text.n ? jx_load_lenient(text, &ignored) : NULL;

	origins_read(to, j);
	json_decref(j);
}

const char *origin_words(const struct origin *o)
{
	for (size_t i = KIND_NONE + 1; i < KIND__MAX; i++)
		if (!strcmp(o->kind, kinds[i].name))
			return kinds[i].words;
	return "";
}

void origin_print_list(struct buf *out)
{
	for (int i = 0; i < ORIGIN__MAX; i++) {
		const char *kind = kinds[entries[i].kind].name;

		buf_addf(out, "%s\t%s\t%s\t%s\t%s\n", entries[i].id,
			 kind ? kind : "-", entries[i].whose, entries[i].form,
			 entries[i].what);
	}
}
