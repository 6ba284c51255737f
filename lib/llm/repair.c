/* SPDX-License-Identifier: MIT */
#include "llm/repair.h"

#include <ctype.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "llm/decoder.h"

#include "base/banned.h"

/*
 * Private characters of plane 16: U+10Dxxx for the surrogate U+Dxxx, U+10EFxx
 * for the byte xx. They occur only in documents that were repaired.
 */
#define PRIVATE_SURROGATE 0x100000u
#define PRIVATE_BYTE 0x10ef00u

enum {
	ARGS_WRAPS = 3,		/* strings around arguments that are opened */
	MARK_BYTES = 40,	/* of a tag around them */
	INTRO_BYTES = 400,	/* of a sentence before them */
};

static bool is_private(unsigned c)
{
	return (c >= PRIVATE_SURROGATE + 0xd800 &&
		c < PRIVATE_SURROGATE + 0xe000) ||
		(c >= PRIVATE_BYTE && c <= PRIVATE_BYTE + 0xff);
}

/* The character of four bytes at p. */
static unsigned four_bytes(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (u[0] & 7u) << 18 | (u[1] & 63u) << 12 | (u[2] & 63u) << 6 |
		(u[3] & 63u);
}

static unsigned surrogate_pair(unsigned high, unsigned low)
{
	return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
}

static void add_char(struct buf *out, unsigned c)
{
	char u[4];
	unsigned n = 4;

	if (c < 0x80) {
		u[0] = (char)c;
		n = 1;
	} else if (c < 0x800) {
		u[0] = (char)(0xc0 | c >> 6);
		n = 2;
	} else if (c < 0x10000) {
		u[0] = (char)(0xe0 | c >> 12);
		n = 3;
	} else {
		u[0] = (char)(0xf0 | c >> 18);
	}
	for (unsigned i = 1; i < n; i++)
		u[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
	buf_add(out, u, n);
}

static bool is_high(int u) { return u >= 0xd800 && u < 0xdc00; }
static bool is_low(int u) { return u >= 0xdc00 && u < 0xe000; }

/* One escape at s.p[i]; returns its length in the source. */
static size_t repair_escape(struct buf *out, struct str s, size_t i)
{
	int u = -1, lo = -1;

	if (s.n - i >= 6 && s.p[i + 1] == 'u')
		u = hex4(s.p + i + 2);
	if (s.n - i >= 12 && s.p[i + 6] == '\\' && s.p[i + 7] == 'u')
		lo = hex4(s.p + i + 8);
	if (is_high(u) && is_low(lo)) {
		if (is_private(surrogate_pair((unsigned)u, (unsigned)lo)))
			buf_adds(out, "\xef\xbf\xbd");
		else
			buf_add(out, s.p + i, 12);
		return 12;
	}
	if (is_high(u) || is_low(u)) {
		add_char(out, PRIVATE_SURROGATE + (unsigned)u);
		return 6;
	}
	if (u == 0) {
		buf_adds(out, "\xef\xbf\xbd");	/* P-C9 */
		return 6;
	}
	u = (int)MIN(s.n - i, 2);
	buf_add(out, s.p + i, (size_t)u);
	return (size_t)u;
}

static void repair(struct buf *out, struct str s)
{
	bool in_string = false;
	size_t i = 0;

	while (i < s.n) {
		unsigned char c = (unsigned char)s.p[i];
		size_t n = 1;

		in_string ^= c == '"';

		if (c == '\\') {
			i += repair_escape(out, s, i);
			continue;
		}
		if (c == 0) {
			buf_adds(out, "\xef\xbf\xbd");
			i++;
			continue;
		}
		if (c < ' ' && in_string) {	/* a line end that was not escaped */
			buf_addf(out, "\\u%04x", c);
			i++;
			continue;
		}
		if (c >= 0x80) {
			n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
			if (n > s.n - i || !utf8_valid((struct str){ s.p + i, n })) {
				add_char(out, PRIVATE_BYTE + c);
				i++;
				continue;
			}
			/* The sender's own must not be taken for ours. */
			if (n == 4 && is_private(four_bytes(s.p + i))) {
				buf_adds(out, "\xef\xbf\xbd");
				i += 4;
				continue;
			}
		}
		buf_add(out, s.p + i, n);
		i += n;
	}
}

struct str repair_unfenced(struct str s)
{
	const char *const marks[] = { "```", "~~~" };

	s = str_trim(s);
	if (str_starts(s, STR("\xef\xbb\xbf")))	/* a byte order mark */
		s = str_trim((struct str){ s.p + 3, s.n - 3 });
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		const struct str mark = str_of(marks[i]);
		struct str in = s;
		size_t n = mark.n;

		if (!str_starts(s, mark))
			continue;
		if (memchr(s.p, '\n', s.n)) {
			str_cut(&in, '\n');	/* "```json" */
		} else {		/* ```json {…} ``` */
			while (n < s.n && isalnum((unsigned char)s.p[n]))
				n++;
			while (n < s.n && s.p[n] == ' ')
				n++;
			if (n == s.n || !strchr("{[\"", s.p[n]))
				n = mark.n;
			in = (struct str){ s.p + n, s.n - n };
		}
		in = str_trim(in);
		if (in.n >= mark.n &&
		    memcmp(in.p + in.n - mark.n, mark.p, mark.n) == 0)
			in.n -= mark.n;
		return str_trim(in);
	}
	return s;
}

static json_t *load_nearly(struct str s, bool *repaired);

/* Opens a value that came as its text in a JSON string. Takes j; NULL is kept. */
static json_t *opened(json_t *j, bool *repaired)
{
	for (int i = 0; i < ARGS_WRAPS && json_string_length(j); i++) {
		struct buf b = BUF_INIT(LIM_TOOL_ARGS_BYTES);

		buf_add(&b, json_string_value(j), json_string_length(j));
		json_decref(j);
		j = repair_load(repair_unfenced(buf_str(&b)), repaired);
		if (!j)
			j = load_nearly(buf_str(&b), repaired);
		buf_release(&b);
	}
	return j;
}

/* What stands for no arguments: {}, null, "". */
static bool is_none(const json_t *j)
{
	return json_is_null(j) ||
		(json_is_object(j) && !json_object_size(j)) ||
		(json_is_string(j) && !json_string_length(j));
}

/* The length of the value with which s begins, if it can be one of several. */
static size_t value_extent(struct str s)
{
	if (str_starts(s, STR("null")))
		return 4;
	if (s.p[0] != '"')
		return s.p[0] == '{' ? jx_extent(s) : 0;
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == '"')
			return i + 1;
	}
	return 0;
}

/*
 * The one object of several values in a row: an empty one stands for arguments that
 * were not there yet (Claude at Bedrock, through gateways), and some servers send the
 * whole once more after its pieces. NULL if there are two that differ, or if anything
 * but closing brackets follows.
 */
static json_t *one_of_several(struct str s, bool *repaired)
{
	json_t *one = NULL;
	size_t n;

	for (; s.n; s = str_trim((struct str){ s.p + n, s.n - n })) {
		bool fixed = false;
		json_t *j = NULL;

		/* A bracket too many, from a list that the server has opened. */
		if (one && strspn(s.p, "]} \n") >= s.n)
			break;
		n = value_extent(s);
		if (n)
			j = opened(repair_load((struct str){ s.p, n }, &fixed),
				   &fixed);
		if (!is_none(j) && (!json_is_object(j) ||
				    (!is_none(one) && one && !json_equal(one, j)))) {
			json_decref(j);
			json_decref(one);
			return NULL;
		}
		if (one && is_none(j)) {
			json_decref(j);
			continue;
		}
		json_decref(one);
		one = j;
		*repaired = fixed;
	}
	return one;
}

/* -- objects that are nearly JSON --- */

/* The length of what separates values: blanks, and comments of JavaScript and Python. */
static size_t gap_extent(struct str s)
{
	size_t i = 0;

	while (i < s.n) {
		struct str rest = { s.p + i, s.n - i };
		const char *end;

		if (strchr(" \t\r\n", *rest.p) && *rest.p) {
			i++;
			continue;
		}
		if (str_starts(rest, STR("/*"))) {
			end = memmem(rest.p + 2, rest.n - 2, "*/", 2);
			if (!end)
				return s.n;
			i += (size_t)(end + 2 - rest.p);
			continue;
		}
		if (*rest.p != '#' && !str_starts(rest, STR("//")))
			break;
		end = memchr(rest.p, '\n', rest.n);
		i = end ? (size_t)(end - s.p) : s.n;
	}
	return i;
}

/* Rewrites the string at the start of s; returns its length, 0: it does not end. */
static size_t rewrite_string(struct buf *out, struct str s)
{
	const char quote = s.p[0];

	buf_addc(out, '"');
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] == quote) {
			buf_addc(out, '"');
			return i + 1;
		}
		if (s.p[i] == '\\' && i + 1 < s.n) {
			if (s.p[++i] != '\'')
				buf_addc(out, '\\');
		} else if (s.p[i] == '"') {
			buf_addc(out, '\\');
		}
		buf_addc(out, s.p[i]);
	}
	return 0;
}

/* Rewrites a name: a literal of Python, or a key without quotes. Returns its length. */
static size_t rewrite_name(struct buf *out, struct str s)
{
	static const struct {
		const char *name, *is;
	} known[] = {
		{ "True", "true" }, { "False", "false" }, { "None", "null" },
	};
	struct str name = { s.p, 0 }, rest;

	while (name.n < s.n && (isalnum((unsigned char)s.p[name.n]) || s.p[name.n] == '_'))
		name.n++;
	rest = (struct str){ s.p + name.n, s.n - name.n };
	if (rest.n > gap_extent(rest) && rest.p[gap_extent(rest)] == ':') {
		buf_json(out, name);
		return name.n;
	}
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_is(name, known[i].name)) {
			buf_adds(out, known[i].is);
			return name.n;
		}
	buf_addstr(out, name);
	return name.n;
}

/*
 * Rewrites the object at the start of s, as JavaScript and Python write it, to JSON: other
 * quotes, no quotes around keys, a comma before a bracket, comments, True and None.
 * Returns its length; 0: it does not end.
 */
static size_t rewrite_object(struct buf *out, struct str s)
{
	size_t depth = 0, i = 0, n;

	while (i < s.n) {
		struct str rest = { s.p + i, s.n - i };
		const char c = *rest.p;

		n = gap_extent(rest);
		if (n) {
			buf_addc(out, ' ');
		} else if (c == '"' || c == '\'') {
			n = rewrite_string(out, rest);
			if (!n)
				return 0;
		} else if (isalpha((unsigned char)c) || c == '_') {
			n = rewrite_name(out, rest);
		} else {
			struct str after = { rest.p + 1, rest.n - 1 };
			size_t gap = c == ',' ? gap_extent(after) : 0;

			n = 1;
			if (c != ',' || gap == after.n || !strchr("}]", after.p[gap]))
				buf_addc(out, c);
			depth += c == '{' || c == '[';
			depth -= c == '}' || c == ']';
			if (!depth)
				return i + 1;
		}
		i += n;
	}
	return 0;
}

/* The length of a mark at the start of s: a fence with its language, a tag; 0: none. */
static size_t mark_extent(struct str s)
{
	size_t n = 3;
	const char *end;

	if (str_starts(s, STR("```")) || str_starts(s, STR("~~~"))) {
		while (n < s.n && isalnum((unsigned char)s.p[n]))
			n++;
		return n;
	}
	end = s.n && s.p[0] == '<' ? memchr(s.p, '>', MIN(s.n, MARK_BYTES)) : NULL;
	return end ? (size_t)(end + 1 - s.p) : 0;
}

/* Whether there is nothing but marks, blanks and closing brackets. */
static bool only_marks(struct str s)
{
	while (s.n) {
		size_t n = strchr("]} \t\r\n", *s.p) && *s.p ? 1 : mark_extent(s);

		if (!n)
			return false;
		s = (struct str){ s.p + n, s.n - n };
	}
	return true;
}

/*
 * Whether an object may follow this: a mark, or a sentence that introduces it. Not what
 * may be a part of the object: a quote, or one word and a colon, which is a key.
 */
static bool introduces(struct str s)
{
	s = str_trim(s);
	if (s.n > INTRO_BYTES || (s.n && memchr(s.p, '"', s.n)))
		return false;
	while (s.n && (mark_extent(s) || *s.p == '[')) {
		size_t n = MAX(mark_extent(s), 1);

		s = str_trim((struct str){ s.p + n, s.n - n });
	}
	/* A sentence before a fence or a tag. */
	for (size_t i = 0; i < s.n; i++) {
		struct str rest = { s.p + i, s.n - i };

		if (mark_extent(rest) == rest.n)
			s.n = i;
	}
	s = str_trim(s);
	return !s.n || (!memchr(s.p, '[', s.n) && !memchr(s.p, ']', s.n) &&
			s.p[s.n - 1] != '=' && s.p[s.n - 1] != ',' &&
			(s.p[s.n - 1] != ':' || memchr(s.p, ' ', s.n)));
}

/*
 * The one object in text that is nearly JSON. NULL if there are several, or if words
 * follow, which may take it back.
 */
static json_t *load_nearly(struct str s, bool *repaired)
{
	struct buf b = BUF_INIT(LIM_TOOL_ARGS_BYTES);
	const char *start = s.n ? memchr(s.p, '{', s.n) : NULL;
	size_t before = start ? (size_t)(start - s.p) : 0, n = 0;
	struct str rest = { start, s.n - before };
	json_t *j = NULL;

	if (start && introduces((struct str){ s.p, before }))
		n = rewrite_object(&b, rest);
	if (n && buf_ok(&b) && only_marks((struct str){ rest.p + n, rest.n - n }))
		j = repair_load(buf_str(&b), repaired);
	buf_release(&b);
	return j;
}

json_t *repair_args(struct str s, bool *plain, bool *repaired)
{
	struct str inner = repair_unfenced(s);
	json_t *j = repair_load(inner, repaired);

	*plain = inner.p == s.p && inner.n == s.n && json_is_object(j) &&
		!*repaired;
	j = j ? opened(j, repaired) : one_of_several(inner, repaired);
	if (!j)
		j = load_nearly(s, repaired);
	if (json_array_size(j) == 1) {	/* gpt-oss: [{…}] */
		json_t *only = json_incref(json_array_get(j, 0));

		json_decref(j);
		j = only;
	}
	if (json_is_object(j))
		return j;
	json_decref(j);
	return NULL;
}

json_t *repair_load(struct str s, bool *repaired)
{
	struct buf b = BUF_INIT(LIM_UPSTREAM_BYTES);
	struct err e = ERR_INIT;
	json_t *j = jx_try(s);

	*repaired = false;
	if (j)
		return j;
	repair(&b, s);
	if (buf_ok(&b))
		j = jx_load_lenient(buf_str(&b), &e);
	*repaired = j != NULL;
	buf_release(&b);
	return j;
}

void repair_flush(struct buf *out, struct dec_carry *carry)
{
	if (carry->n || carry->surrogate)
		buf_adds(out, "\xef\xbf\xbd");
	*carry = (struct dec_carry){ .n = 0 };
}

static void join_surrogate(struct buf *out, unsigned u, struct dec_carry *c)
{
	if (is_low((int)u) && c->surrogate) {
		add_char(out, surrogate_pair(c->surrogate, u));
		*c = (struct dec_carry){ .n = 0 };
		return;
	}
	repair_flush(out, c);
	if (is_high((int)u))
		c->surrogate = u;
	else
		buf_adds(out, "\xef\xbf\xbd");
}

static void join_byte(struct buf *out, unsigned char b, struct dec_carry *c)
{
	struct str s = { c->bytes, 0 };

	if (c->surrogate)
		repair_flush(out, c);
	c->bytes[c->n++] = (char)b;
	s.n = c->n;
	if (utf8_valid(s)) {
		buf_addstr(out, s);
		c->n = 0;
	} else if (utf8_complete(s) != 0) {	/* can never become valid */
		c->n--;
		repair_flush(out, c);
		s.n = 1;
		c->bytes[0] = (char)b;
		c->n = utf8_complete(s) == 0;
		if (!c->n)
			buf_adds(out, "\xef\xbf\xbd");
	}
}

void repair_join(struct buf *out, struct str s, struct dec_carry *carry)
{
	const unsigned char *p = (const unsigned char *)s.p;

	for (size_t i = 0; i < s.n;) {
		size_t n = p[i] < 0x80 ? 1 : p[i] < 0xe0 ? 2 : p[i] < 0xf0 ? 3 : 4;
		unsigned c = 0;

		if (n == 4)
			c = four_bytes(s.p + i);
		if (is_private(c) && c < PRIVATE_BYTE) {
			join_surrogate(out, c - PRIVATE_SURROGATE, carry);
		} else if (is_private(c)) {
			join_byte(out, (unsigned char)(c - PRIVATE_BYTE), carry);
		} else {
			repair_flush(out, carry);
			buf_add(out, s.p + i, n);
		}
		i += n;
	}
}

static struct str joined(struct buf *out, struct str s)
{
	struct dec_carry carry = { .n = 0 };

	buf_reset(out);
	repair_join(out, s, &carry);
	repair_flush(out, &carry);
	return buf_str(out);
}

json_t *repair_copy(const json_t *j)
{
	struct buf b = BUF_INIT(LIM_UPSTREAM_BYTES);
	json_t *out, *v;
	const char *key;
	size_t i;

	if (json_is_string(j)) {
		out = jx_string(joined(&b, (struct str){
			json_string_value(j), json_string_length(j) }));
	} else if (json_is_object(j)) {
		out = json_object();
		json_object_foreach((json_t *)j, key, v) {
			json_t *copy = repair_copy(v);

			json_object_set_new(out, joined(&b, str_of(key)).p,
					    copy);
		}
	} else if (json_is_array(j)) {
		out = json_array();
		json_array_foreach((json_t *)j, i, v)
			json_array_append_new(out, repair_copy(v));
	} else {
		out = json_copy((json_t *)j);
	}
	buf_release(&b);
	return out;
}
