/* SPDX-License-Identifier: MIT */
#include "event/pack.h"

#include <stddef.h>

#include "base/banned.h"

/* Members of a record, in order. Flags are bits of its first number. */
enum member_type { TEXT, NUMBER, FLAG };
static const struct {
	enum member_type type;
	size_t offset;
} members[] = {
#define MEMBER(type, name) { type, offsetof(struct turn_event, name) },
#include "event/event.def"
};

/* -- writing ---------------------------------------------------------------- */

static size_t number_bytes(uint64_t v)
{
	size_t n = 1;

	while (v >>= 7)
		n++;
	return n;
}

/* Seven bits per byte, least significant first. */
static void add_number(struct buf *b, uint64_t v)
{
	char text[10];
	size_t n = 0;

	do {
		text[n] = (char)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
		n++;
		v >>= 7;
	} while (v);
	buf_add(b, text, n);
}

static void add_text(struct buf *b, struct str s)
{
	add_number(b, s.n);
	buf_addstr(b, s);
}

static const void *member_of(const struct turn_event *ev, size_t i)
{
	return (const char *)ev + members[i].offset;
}

static uint64_t number_of(const struct turn_event *ev, size_t i)
{
	const int64_t *v = member_of(ev, i);

	return *v > 0 ? (uint64_t)*v : 0;
}

static uint64_t flags_of(const struct turn_event *ev)
{
	uint64_t flags = 0;
	unsigned bit = 0;

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (members[i].type == FLAG)
			flags |= (uint64_t)*(const bool *)member_of(ev, i)
				<< bit++;
	return flags;
}

static size_t member_bytes(const struct turn_event *ev, size_t i)
{
	const struct str *text = member_of(ev, i);

	switch (members[i].type) {
	case TEXT:
		return number_bytes(text->n) + text->n;
	case NUMBER:
		return number_bytes(number_of(ev, i));
	case FLAG:
		break;
	}
	return 0;
}

static void add_members(struct buf *out, const struct turn_event *ev)
{
	uint64_t flags = flags_of(ev);
	size_t n = number_bytes(flags);

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		n += member_bytes(ev, i);
	add_number(out, n);
	add_number(out, flags);
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (members[i].type == NUMBER)
			add_number(out, number_of(ev, i));
		else if (members[i].type == TEXT)
			add_text(out, *(const struct str *)member_of(ev, i));
}

bool pack_add(struct buf *out, uint32_t prev, const struct turn_event *ev)
{
	const struct turn_event_row *row = &event_table[ev->type];
	size_t before = out->n;

	if (!row->letter)
		return false;
	buf_addc(out, row->letter);
	add_number(out, ev->seq - prev);
	if (row->coalesced)
		add_text(out, ev->text);
	else
		add_members(out, ev);
	if (buf_ok(out))
		return true;
	/* A record is whole or not there: readers stop at the first that is not. */
	out->n = before;
	if (out->size)
		out->p[before] = '\0';
	return false;
}

/* -- reading ---------------------------------------------------------------- */

static bool take_number(struct str *s, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; s->n && shift < 64; shift += 7) {
		unsigned char c = (unsigned char)*s->p;

		s->p++;
		s->n--;
		*v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return true;
	}
	return false;
}

static bool take_text(struct str *s, struct str *out)
{
	uint64_t n;

	if (!take_number(s, &n) || n > s->n)
		return false;
	*out = (struct str){ s->p, (size_t)n };
	s->p += n;
	s->n -= (size_t)n;
	return true;
}

/* Takes the members; a record of an earlier version may lack the last ones. */
static bool take_members(struct str s, struct turn_event *ev)
{
	uint64_t flags, v;
	unsigned bit = 0;

	if (!take_number(&s, &flags))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		void *at = (char *)ev + members[i].offset;

		if (members[i].type == FLAG) {
			*(bool *)at = flags >> bit++ & 1;
		} else if (s.n == 0) {
			continue;
		} else if (members[i].type == TEXT) {
			if (!take_text(&s, at))
				return false;
		} else {
			if (!take_number(&s, &v))
				return false;
			*(int64_t *)at = (int64_t)v;
		}
	}
	return true;
}

static bool type_of(char letter, enum turn_event_type *out)
{
	for (int i = 0; letter && i < TURN_EV__MAX; i++)
		if (event_table[i].letter == letter) {
			*out = (enum turn_event_type)i;
			return true;
		}
	return false;
}

bool pack_next(struct pack_reader *r, struct turn_event *ev)
{
	enum turn_event_type type;
	uint64_t distance;
	struct str body;

	if (r->data.n == 0 || !type_of(*r->data.p, &type))
		return false;
	r->data.p++;
	r->data.n--;
	if (!take_number(&r->data, &distance) || !take_text(&r->data, &body))
		return false;
	/* A row says the number of its first event itself: those before it may be missing. */
	r->seq = r->first ? r->first : r->seq + (uint32_t)distance;
	r->first = 0;
	*ev = (struct turn_event){ .type = type, .seq = r->seq };
	if (event_table[type].coalesced)
		ev->text = body;
	else if (!take_members(body, ev))
		return false;
	return true;
}
