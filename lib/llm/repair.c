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

enum { ARGS_WRAPS = 3 };	/* strings around arguments that are opened */

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

/* Opens a value that came as its text in a JSON string. Takes j; NULL is kept. */
static json_t *opened(json_t *j, bool *repaired)
{
	for (int i = 0; i < ARGS_WRAPS && json_string_length(j); i++) {
		struct buf b = BUF_INIT(LIM_TOOL_ARGS_BYTES);

		buf_add(&b, json_string_value(j), json_string_length(j));
		json_decref(j);
		j = repair_load(repair_unfenced(buf_str(&b)), repaired);
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

json_t *repair_args(struct str s, bool *plain, bool *repaired)
{
	struct str inner = repair_unfenced(s);
	json_t *j = repair_load(inner, repaired);

	*plain = inner.p == s.p && inner.n == s.n && json_is_object(j) &&
		!*repaired;
	j = j ? opened(j, repaired) : one_of_several(inner, repaired);
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
