/* SPDX-License-Identifier: MIT */
#include "tool/mention/mention.h"

#include <string.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "prompt/untrusted.h"

#include "base/banned.h"

static const struct mention_row {
	const char *name, *what;
	mention_find_fn *find;
	mention_look_fn *look;
} rows[] = {
#define MENTION(id, name, what) \
	{ name, what, mention_##id##_find, mention_##id##_look },
#include "tool/mention/mention.def"
#undef MENTION
};

bool mention_add(struct mention_list *l, const struct mention_item *m)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_eq(l->v[i].ref, m->ref))
			return true;
	if (l->n == l->max) {
		l->more = true;
		return false;
	}
	l->v[l->n++] = *m;
	return true;
}

void mention_find(const struct mention_ask *ask, size_t max,
		  struct mention_list *out)
{
	*out = (struct mention_list){
		.v = arena_zalloc(ask->ctx->arena, max + 1, sizeof(*out->v)),
	};
	/* Each source has its share, plus what earlier ones left over. */
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t from = out->n;

		out->max = ask->dataset.p ? max
			: max * (i + 1) / ARRAY_LEN(rows);
		rows[i].find(ask, out);
		for (size_t k = from; k < out->n; k++)
			out->v[k].type = rows[i].name;
	}
}

/* The row of a reference, and its id. */
static const struct mention_row *row_of(struct str ref, struct str *id)
{
	struct str rest = ref, name = str_cut(&rest, ':');

	*id = rest;
	for (size_t i = 0; rest.n && i < ARRAY_LEN(rows); i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

bool mention_is_ref(struct str ref)
{
	struct str id;

	if (ref.n > LIM_MENTION_REF_BYTES || !row_of(ref, &id))
		return false;
	for (size_t i = 0; i < id.n; i++)
		if (id.p[i] <= ' ' || id.p[i] >= 0x7f ||
		    strchr("\"<>\\^`{|}@", id.p[i]))
			return false;
	return true;
}

struct str mention_handle(struct str ref)
{
	str_cut(&ref, ':');
	return ref;
}

int mention_look(const struct mention_ask *ask, struct str ref,
		 struct mention_item *out, struct err *e)
{
	struct str id;
	const struct mention_row *row = row_of(ref, &id);

	*out = (struct mention_item){ .ref = ref };
	if (!row)
		return err_set(e, ERR_NOT_FOUND, "no such sort of mention");
	out->type = row->name;
	return row->look(ask, id, out, e);
}

void mention_write(struct jw *w, const struct mention_item *m)
{
	jw_obj(w);
	jw_kstr(w, "ref", m->ref);
	jw_kstrz(w, "type", m->type);
	jw_kstr(w, "handle", mention_handle(m->ref));
	jw_kstr(w, "label", m->label);
	jw_kstr(w, "description", m->description);
	jw_kstr(w, "source", m->source);
	jw_kstr(w, "href", m->href);
	jw_end_obj(w);
}

void mention_print_list(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		buf_addf(out, "%s\t%s\n", rows[i].name, rows[i].what);
}

struct str mention_line(struct arena *a, struct str text)
{
	struct buf clean = BUF_INIT(4 * text.n + 64);
	struct str s, head;
	char *p;

	untrusted_clean(NULL, text, &clean);
	s = arena_str(a, str_trim(buf_str(&clean)));
	buf_release(&clean);
	head = utf8_head(s, LIM_MENTION_LABEL_CHARS);
	p = head.n < s.n ? arena_printf(a, "%.*s…", STR_ARG(head))
		: arena_memdup(a, s.p, s.n);
	for (char *c = p; *c; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
	return str_of(p);
}

/* One part of an id; false for a broken escape, a NUL or bad UTF-8. */
static bool decode(struct arena *a, struct str s, struct str *out)
{
	char *p = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		int hi, lo;

		if (s.p[i] != '%') {
			p[n++] = s.p[i];
			continue;
		}
		if (s.n - i < 3)
			return false;
		hi = hex_digit(s.p[i + 1]);
		lo = hex_digit(s.p[i + 2]);
		if (hi < 0 || lo < 0 || !(hi | lo))
			return false;
		p[n++] = (char)(hi << 4 | lo);
		i += 2;
	}
	p[n] = '\0';
	*out = (struct str){ p, n };
	return n && utf8_valid(*out);
}

size_t mention_parts(struct arena *a, struct str id, struct str *out, size_t max)
{
	size_t n = 0;

	while (id.p) {
		struct str part = str_cut(&id, '/');

		if (n == max || !decode(a, part, &out[n++]))
			return 0;
	}
	return n;
}
