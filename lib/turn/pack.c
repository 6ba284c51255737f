#include "turn/pack.h"

#include "base/banned.h"

/* What is stored must be readable by the next version: never change a letter. */
static const char letters[TURN_EV__MAX] = {
	[TURN_EV_SESSION] = 's',
	[TURN_EV_USER_MESSAGE] = 'u',
	[TURN_EV_TOKEN] = 't',
	[TURN_EV_TOKEN_RESET] = 'x',
	[TURN_EV_REASONING] = 'r',
	[TURN_EV_TOOL_CALL] = 'c',
	[TURN_EV_TOOL_RESULT] = 'o',
	[TURN_EV_TOOL_PROGRESS] = 'p',
	[TURN_EV_TITLE] = 'n',
	[TURN_EV_WARNING] = 'w',
	[TURN_EV_SUGGESTED_ACTION] = 'a',
};

enum { RESULT_JSON = 1, IS_ERROR = 2 };

/* -- writing ---------------------------------------------------------------- */

static size_t number_bytes(uint64_t v)
{
	size_t n = 1;

	while (v >>= 7)
		n++;
	return n;
}

/* Seven bits a byte, the low ones first. */
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

static void add_members(struct buf *out, const struct turn_event *ev)
{
	const struct str members[] = {
		ev->text, ev->code, ev->call_id, ev->tool_name, ev->args,
		ev->result,
	};
	uint64_t flags = (ev->result_json ? RESULT_JSON : 0) |
			 (ev->is_error ? IS_ERROR : 0);
	uint64_t ms = ev->duration_ms > 0 ? (uint64_t)ev->duration_ms : 0;
	size_t n = number_bytes(flags) + number_bytes(ms);

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		n += number_bytes(members[i].n) + members[i].n;
	add_number(out, n);
	add_number(out, flags);
	add_number(out, ms);
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		add_text(out, members[i]);
}

bool pack_add(struct buf *out, uint32_t prev, const struct turn_event *ev)
{
	size_t before = out->n;

	if (!letters[ev->type])
		return false;
	buf_addc(out, letters[ev->type]);
	add_number(out, ev->seq - prev);
	if (turn_event_rows[ev->type].coalesced)
		add_text(out, ev->text);
	else
		add_members(out, ev);
	if (buf_ok(out))
		return true;
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

static bool take_members(struct str s, struct turn_event *ev)
{
	struct str *const members[] = {
		&ev->text, &ev->code, &ev->call_id, &ev->tool_name, &ev->args,
		&ev->result,
	};
	uint64_t flags, ms;

	if (!take_number(&s, &flags) || !take_number(&s, &ms))
		return false;
	ev->result_json = flags & RESULT_JSON;
	ev->is_error = flags & IS_ERROR;
	ev->duration_ms = (int64_t)ms;
	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (!take_text(&s, members[i]))
			return false;
	return true;
}

static bool type_of(char letter, enum turn_event_type *out)
{
	for (int i = 0; letter && i < TURN_EV__MAX; i++)
		if (letters[i] == letter) {
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
	r->seq = r->first ? r->first : r->seq + (uint32_t)distance;
	r->first = 0;
	*ev = (struct turn_event){ .type = type, .seq = r->seq };
	if (turn_event_rows[type].coalesced)
		ev->text = body;
	else if (!take_members(body, ev))
		return false;
	return true;
}
