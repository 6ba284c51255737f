/* SPDX-License-Identifier: MIT */
/* See mail_head.h. */
#include "extract/mail_head.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"

#include "base/banned.h"

enum { NAME_BYTES = 80, HEAD_BYTES = 65536, SECTIONS = 64 };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct str mail_field(struct str head, const char *name)
{
	struct str rest = head;
	size_t n = strlen(name);

	while (rest.p) {
		struct str line = str_cut(&rest, '\n');
		size_t colon = n;

		if (line.n <= n || strncasecmp(line.p, name, n) != 0)
			continue;
		while (colon < line.n && (line.p[colon] == ' ' || line.p[colon] == '\t'))
			colon++;
		if (colon == line.n || line.p[colon] != ':')
			continue;
		while (rest.n && (rest.p[0] == ' ' || rest.p[0] == '\t')) {
			struct str more = str_cut(&rest, '\n');

			line.n = (size_t)(more.p + more.n - line.p);
		}
		return str_trim((struct str){ line.p + colon + 1, line.n - colon - 1 });
	}
	return (struct str){ NULL, 0 };
}

/* Whether a line begins with "name:". */
static bool is_field(struct str line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] > ' ' && line.p[n] < 0x7f && line.p[n] != ':')
		n++;
	return n && n < line.n && line.p[n] == ':';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Whether s has "HH:MM" and a year of this or the last century, and a month. */
static bool has_time(struct str s)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	bool clock = false, year = false, month = false;

	for (size_t i = 0; i + 5 <= s.n; i++) {
		const char *p = s.p + i;

		clock |= is_digit(p[0]) && is_digit(p[1]) && p[2] == ':' &&
			is_digit(p[3]) && is_digit(p[4]);
		for (size_t m = 0; m < 36; m += 3)
			month |= p[0] == ' ' && !memcmp(p + 1, months + m, 3);
		year |= p[0] == ' ' && (!memcmp(p + 1, "19", 2) ||
					!memcmp(p + 1, "20", 2)) &&
			is_digit(p[3]) && is_digit(p[4]);
	}
	return clock && year && month;
}

bool mail_is_mark(struct str line)
{
	return str_starts(line, STR("From ")) && has_time(line);
}

bool extract_is_mail(struct str s)
{
	static const char *const by_programs[] = {
		"Message-ID", "MIME-Version", "Received",
	};
	struct str rest = { s.p, MIN(s.n, HEAD_BYTES) }, head;
	bool broken = false, sent = false, marked = false;

	if (str_starts(rest, STR("From ")))
		marked = mail_is_mark(str_cut(&rest, '\n'));
	head = rest;
	for (bool first = true; rest.n; first = false) {
		struct str line = str_cut(&rest, '\n');

		if (!str_trim(line).n || mail_is_mark(line)) {
			head.n = (size_t)(line.p - head.p);
			break;
		}
		if (is_field(line))
			continue;
		if (first)
			return false;
		broken |= line.p[0] != ' ' && line.p[0] != '\t';
	}
	for (size_t i = 0; i < ARRAY_LEN(by_programs); i++)
		sent |= mail_field(head, by_programs[i]).n > 0;
	return mail_field(head, "From").n &&
		(sent || marked || (!broken && mail_field(head, "Date").n));
}

/* -- encodings --- */

void mail_from_base64(struct str s, struct buf *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0;
	int n = 0;

	for (size_t i = 0; i < s.n; i++) {
		const char *d = s.p[i] ? strchr(digits, s.p[i]) : NULL;

		/* Some programs encode in pieces, each with its own end. */
		if (s.p[i] == '=') {
			bits = 0;
			n = 0;
		}
		if (!d)
			continue;
		bits = bits << 6 | (unsigned)(d - digits);
		n += 6;
		if (n < 8)
			continue;
		n -= 8;
		buf_addc(out, (char)(bits >> n & 0xff));
		bits &= (1u << n) - 1;
	}
}

void mail_from_quoted(struct str s, bool word, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		size_t end = i + 1;
		int high, low;

		if (word && s.p[i] == '_') {
			buf_addc(out, ' ');
			continue;
		}
		if (s.p[i] != '=' || i + 1 >= s.n) {
			buf_addc(out, s.p[i]);
			continue;
		}
		/* A line end that is not one, also with blanks that a server has added. */
		while (end < s.n && (s.p[end] == ' ' || s.p[end] == '\t' ||
				     s.p[end] == '\r'))
			end++;
		if (end < s.n && s.p[end] == '\n') {
			i = end;
			continue;
		}
		high = i + 2 < s.n ? hex_digit(s.p[i + 1]) : -1;
		low = i + 2 < s.n ? hex_digit(s.p[i + 2]) : -1;
		if (high < 0 || low < 0) {
			buf_addc(out, '=');
			continue;
		}
		buf_addc(out, (char)(high << 4 | low));
		i += 2;
	}
}

static const char *name_of(struct str s, char out[NAME_BYTES])
{
	snprintf(out, NAME_BYTES, "%.*s", (int)MIN(s.n, NAME_BYTES - 1),
		 s.p ? s.p : "");
	return out;
}

/* An encoded word (RFC 2047), or several: a character may be in parts of two. */
struct words {
	struct buf bytes;
	char charset[NAME_BYTES];
};

static void end_words(struct words *w, struct buf *out)
{
	if (w->bytes.n)
		extract_plain_convert(buf_str(&w->bytes), w->charset, out);
	buf_reset(&w->bytes);
}

/* Reads the encoded word that s begins with; its bytes, or 0. */
static size_t add_word(struct words *w, struct str s, struct buf *out)
{
	struct str rest = { s.p + 2, s.n - 2 }, charset, kind, text;
	char name[NAME_BYTES];

	charset = str_cut(&rest, '?');
	kind = str_cut(&rest, '?');
	text = str_cut(&rest, '?');
	if (!rest.n || rest.p[0] != '=' || kind.n != 1 || !charset.n)
		return 0;
	charset = str_cut(&charset, '*');	/* a language follows (RFC 2231) */
	name_of(charset, name);
	if (strcasecmp(name, w->charset) != 0)
		end_words(w, out);
	memcpy(w->charset, name, sizeof(name));
	if (kind.p[0] == 'B' || kind.p[0] == 'b')
		mail_from_base64(text, &w->bytes);
	else
		mail_from_quoted(text, true, &w->bytes);
	return (size_t)(rest.p + 1 - s.p);
}

/* Appends what is no encoded word, with each line end and its blanks as one blank. */
static void add_plain(struct str s, struct buf *out)
{
	struct buf line = BUF_INIT(s.n + 1);

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '\r' && s.p[i] != '\n') {
			buf_addc(&line, s.p[i]);
			continue;
		}
		while (i + 1 < s.n && is_blank(s.p[i + 1]))
			i++;
		buf_addc(&line, ' ');
	}
	extract_plain_convert(buf_str(&line), NULL, out);
	buf_release(&line);
}

/* Blanks between two encoded words are not part of the text. */
static bool all_blank(struct str s)
{
	return !str_trim(s).n;
}

void mail_decode(struct str s, struct buf *out)
{
	struct words w = { .bytes = BUF_INIT(s.n + 1) };
	bool after_word = false;

	while (s.n) {
		const char *p = memmem(s.p, s.n, "=?", 2);
		struct str before = { s.p, p ? (size_t)(p - s.p) : s.n };
		size_t n = 0;

		if (p && (!before.n || !after_word || all_blank(before))) {
			if (!after_word || !all_blank(before))
				add_plain(before, out);
			n = add_word(&w, (struct str){ p, s.n - before.n }, out);
		} else {
			end_words(&w, out);
			add_plain(before, out);
			if (p)
				n = add_word(&w, (struct str){ p, s.n - before.n }, out);
		}
		s = (struct str){ s.p + before.n, s.n - before.n };
		after_word = n > 0;
		if (!n && p) {
			end_words(&w, out);
			add_plain((struct str){ s.p, 2 }, out);
			n = 2;
		}
		s = (struct str){ s.p + n, s.n - n };
	}
	end_words(&w, out);
	buf_release(&w.bytes);
}

/* -- parameters --- */

static void skip_blanks(struct str *s)
{
	int deep = 0;

	/* Comments are in brackets. */
	while (s->n && (is_blank(s->p[0]) || s->p[0] == '(' || deep)) {
		if (deep && s->p[0] == '\\' && s->n > 1) {
			s->p++;
			s->n--;
		} else if (s->p[0] == '(') {
			deep++;
		} else if (s->p[0] == ')') {
			deep--;
		}
		s->p++;
		s->n--;
	}
}

/* The next "name=value" after a semicolon, unquoted to value; false: there is none. */
static bool next_parameter(struct str *s, struct str *name, struct buf *value)
{
	bool quoted = false;

	buf_reset(value);
	for (; s->n && (quoted || s->p[0] != ';'); s->p++, s->n--) {
		if (s->p[0] == '"')
			quoted = !quoted;
		else if (quoted && s->p[0] == '\\' && s->n > 1)
			s->p++, s->n--;
	}
	if (!s->n)
		return false;
	s->p++;
	s->n--;
	skip_blanks(s);
	*name = (struct str){ s->p, 0 };
	while (s->n && s->p[0] != '=' && s->p[0] != ';' && !is_blank(s->p[0])) {
		name->n++;
		s->p++;
		s->n--;
	}
	skip_blanks(s);
	if (!s->n || s->p[0] != '=')
		return true;
	s->p++;
	s->n--;
	skip_blanks(s);
	if (s->n && s->p[0] == '"') {
		for (s->p++, s->n--; s->n && s->p[0] != '"'; s->p++, s->n--) {
			if (s->p[0] == '\\' && s->n > 1 && strchr("\"\\", s->p[1]))
				s->p++, s->n--;
			buf_addc(value, s->p[0]);
		}
		if (s->n)
			s->p++, s->n--;
	} else {
		struct str rest = *s;
		struct str word = str_trim(str_cut(&rest, ';'));

		buf_addstr(value, word);
		s->p += word.n;
		s->n -= word.n;
	}
	return true;
}

/* Percent-encoded bytes (RFC 2231). */
static void add_percent(struct str s, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		int high = s.p[i] == '%' && i + 2 < s.n ? hex_digit(s.p[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(s.p[i + 2]) : -1;

		buf_addc(out, low >= 0 ? (char)(high << 4 | low) : s.p[i]);
		i += low >= 0 ? 2 : 0;
	}
}

/* Parts of a value: name*0, name*1*, in any order. */
struct sections {
	struct buf part[SECTIONS];
	char charset[NAME_BYTES];
	bool any, encoded;
};

/* star: what follows the name: "*", "*0", "*0*". */
static void add_section(struct sections *v, struct str star, struct str value)
{
	bool encoded = star.p[star.n - 1] == '*';
	size_t at = 0;

	for (size_t i = 1; i < star.n && star.p[i] >= '0' && star.p[i] <= '9'; i++)
		at = MIN(at * 10 + (size_t)(star.p[i] - '0'), SECTIONS);
	if (at >= SECTIONS || v->part[at].n)
		return;
	v->any = true;
	v->encoded |= encoded;
	v->part[at] = (struct buf)BUF_INIT(value.n + 1);
	if (encoded && at == 0) {
		/* charset'language'text */
		struct str rest = value, charset = str_cut(&rest, '\'');

		(void)str_cut(&rest, '\'');
		if (rest.p) {
			name_of(charset, v->charset);
			value = rest;
		}
	}
	if (encoded)
		add_percent(value, &v->part[at]);
	else
		buf_addstr(&v->part[at], value);
}

void mail_parameter(struct str value, const char *name, struct buf *out)
{
	struct sections v = { .any = false };
	struct buf one = BUF_INIT(value.n + 1), plain = BUF_INIT(value.n + 1);
	size_t n = strlen(name);
	struct str key;

	while (next_parameter(&value, &key, &one)) {
		if (key.n < n || strncasecmp(key.p, name, n) != 0)
			continue;
		if (key.n == n && !plain.n)
			buf_addstr(&plain, buf_str(&one));
		else if (key.n > n && key.p[n] == '*')
			add_section(&v, (struct str){ key.p + n, key.n - n },
				    buf_str(&one));
	}
	if (v.any) {
		buf_reset(&plain);
		for (size_t i = 0; i < SECTIONS; i++)
			buf_addstr(&plain, buf_str(&v.part[i]));
	}
	if (v.encoded)
		extract_plain_convert(buf_str(&plain), v.charset, out);
	else
		mail_decode(buf_str(&plain), out);
	for (size_t i = 0; i < SECTIONS; i++)
		buf_release(&v.part[i]);
	buf_release(&one);
	buf_release(&plain);
}
