/* SPDX-License-Identifier: MIT */
#include "tool/text/pii.h"

#include <arpa/inet.h>
#include <ctype.h>

#include "base/utf8.h"

#include "base/banned.h"

static bool alnum(char c)
{
	return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Whether the character whose first byte is at i belongs to a word. Beyond ASCII,
 * only letters of Latin, Greek, Cyrillic and similar scripts do (two bytes, except
 * the signs and blanks of 0xc2), because East Asian text has no blanks between
 * words.
 */
static bool of_word(struct str s, size_t i)
{
	unsigned char c = (unsigned char)s.p[i];

	return alnum(s.p[i]) || c == '_' || (c >= 0xc3 && c <= 0xdf);
}

/* Whether s, from i on, stands where a word may begin. */
static bool begins(struct str s, size_t i)
{
	if (i == 0)
		return true;
	for (i--; i > 0 && ((unsigned char)s.p[i] & 0xc0) == 0x80; i--)
		continue;
	return !of_word(s, i);
}

static bool ends(struct str s, size_t i)
{
	return i >= s.n || !of_word(s, i);
}

/* Bytes from i on that are in set, at most max. */
static size_t span(struct str s, size_t i, const char *set, size_t max)
{
	size_t n = 0;

	while (n < max && i + n < s.n && s.p[i + n] && strchr(set, s.p[i + n]))
		n++;
	return n;
}

enum { JWT_HEADER_BYTES = 512 };	/* they have a hundred */

/* -- kinds: how many bytes of it begin at i, or 0 --------------------------- */

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static size_t email(struct str s, size_t i)
{
	static const char local[] = LETTERS DIGITS "._%+-";
	static const char host[] = LETTERS DIGITS ".-";
	size_t n = span(s, i, local, 64), h, dot;

	if (n == 0 || i + n >= s.n || s.p[i + n] != '@' || s.p[i] == '.')
		return 0;
	h = span(s, i + n + 1, host, 253);
	while (h && (s.p[i + n + h] == '.' || s.p[i + n + h] == '-'))
		h--;
	for (dot = h; dot && s.p[i + n + dot] != '.'; dot--)
		continue;
	/* a name, a dot, and at least two letters after the last dot */
	if (dot < 2 || h - dot < 2 ||
	    span(s, i + n + 1 + dot, LETTERS, h - dot) != h - dot)
		return 0;
	return n + 1 + h;
}

/* Digits, possibly separated by single blanks or the like; *n_digits of them. */
static size_t number(struct str s, size_t i, const char *between,
		     char *digits, size_t max, size_t *n_digits)
{
	size_t n = 0, end = 0;

	*n_digits = 0;
	while (i + n < s.n && *n_digits < max) {
		if (digit(s.p[i + n])) {
			digits[(*n_digits)++] = s.p[i + n];
			end = ++n;
		} else if (n && s.p[i + n] && strchr(between, s.p[i + n]) &&
			   n - end < 2) {
			n++;
		} else {
			break;
		}
	}
	return end;
}

/*
 * +49 30 1234567, (030) 123-4567, 030/1234567: with a + or a 0, eight to
 * fifteen digits, and something between them unless there is a +.
 */
static size_t phone(struct str s, size_t i)
{
	char digits[16];
	size_t open = s.p[i] == '(' || s.p[i] == '+', n, n_digits;

	if (s.p[i] != '+' && s.p[i] != '(' && s.p[i] != '0')
		return 0;
	if (open && (i + 1 >= s.n || !digit(s.p[i + 1])))
		return 0;
	n = number(s, i + open, " -/().", digits, sizeof(digits), &n_digits);
	if (n_digits < 8 || n_digits > 15 || !ends(s, i + open + n))
		return 0;
	if (s.p[i] == '(' && !memchr(s.p + i, ')', n + open))
		return 0;
	if (s.p[i] == '0' && (n == n_digits || memchr(s.p + i, '.', n)))
		return 0;	/* a plain number; a date */
	return open + n;
}

/* Characters that an IBAN of this country has (SWIFT's registry, 2025), or 0. */
static size_t iban_length(const char *country)
{
	static const char rows[] =
		"AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28"
		"CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27GB22GE22GI23"
		"GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28"
		"LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28"
		"NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24"
		"SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20YE30";

	for (size_t k = 0; k + 4 < sizeof(rows); k += 4)
		if (!memcmp(rows + k, country, 2))
			return (size_t)(rows[k + 2] - '0') * 10 +
				(size_t)(rows[k + 3] - '0');
	return 0;
}

/* ISO 13616: two letters, two digits, and more; modulo 97 is 1. */
static size_t iban(struct str s, size_t i)
{
	size_t n = s.n - i >= 4 ? iban_length(s.p + i) : 0, at = i, have = 0;
	char text[35];
	unsigned rest = 0;

	while (have < n && at < s.n) {
		char c = s.p[at++];

		if (c == ' ' && have && have % 4 == 0 && s.p[at - 2] != ' ')
			continue;
		if (!alnum(c) || (c >= 'a' && c <= 'z') ||
		    (have >= 2 && have < 4 && !digit(c)))
			return 0;
		text[have++] = c;
	}
	if (n == 0 || have < n || !ends(s, at))
		return 0;
	for (size_t k = 0; k < n; k++) {
		char c = text[(k + 4) % n];
		unsigned v = digit(c) ? (unsigned)(c - '0')
			: (unsigned)(c - 'A') + 10;

		rest = (rest * (v > 9 ? 100 : 10) + v) % 97;
	}
	return rest == 1 ? at - i : 0;
}

static bool luhn(const char *digits, size_t n)
{
	unsigned sum = 0;

	for (size_t k = 0; k < n; k++) {
		unsigned v = (unsigned)(digits[n - 1 - k] - '0');

		v = k % 2 ? v * 2 : v;
		sum += v > 9 ? v - 9 : v;
	}
	return sum % 10 == 0;
}

/* First digits that networks of cards have. */
static bool is_network(const char *digits)
{
	return strchr("3456", digits[0]) ||
		(memcmp(digits, "2221", 4) >= 0 && memcmp(digits, "2720", 4) <= 0);
}

/*
 * Thirteen to nineteen digits of a known network that pass Luhn's check, up to
 * the end of a group: a date or a check number may follow.
 */
static size_t card(struct str s, size_t i)
{
	size_t n = 0, have = 0, end = 0;
	char digits[20] = "";

	while (i + n < s.n && have < sizeof(digits)) {
		if (digit(s.p[i + n]))
			digits[have++] = s.p[i + n];
		else if (!have || !strchr(" -", s.p[i + n]) || !s.p[i + n] ||
			 !digit(s.p[i + n - 1]))
			break;
		n++;
		if (have >= 13 && have <= 19 && ends(s, i + n) &&
		    digit(s.p[i + n - 1]) && is_network(digits) &&
		    luhn(digits, have))
			end = n;
	}
	return end;
}

/*
 * US social security number: 123-45-6789, without numbers that are never
 * assigned.
 */
static size_t ssn(struct str s, size_t i)
{
	const char *p = s.p + i;

	if (s.n - i < 11 || span(s, i, DIGITS, 3) != 3 || p[3] != '-' ||
	    span(s, i + 4, DIGITS, 2) != 2 || p[6] != '-' ||
	    span(s, i + 7, DIGITS, 4) != 4 || !ends(s, i + 11))
		return 0;
	if (!memcmp(p, "000", 3) || !memcmp(p, "666", 3) || p[0] == '9' ||
	    !memcmp(p + 4, "00", 2) || !memcmp(p + 7, "0000", 4))
		return 0;
	return 11;
}

static bool is_address(int family, const char *p, size_t n)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr to;

	if (n < 7 || n >= sizeof(text))
		return false;
	memcpy(text, p, n);
	text[n] = '\0';
	return inet_pton(family, text, &to) == 1;
}

/* 192.0.2.7, also with a port. */
static size_t ip4(struct str s, size_t i)
{
	size_t n = span(s, i, DIGITS ".", 16);

	if (i && s.p[i - 1] == '.')	/* the rest of a longer number */
		return 0;
	while (n && s.p[i + n - 1] == '.')
		n--;
	return ends(s, i + n) && is_address(AF_INET, s.p + i, n) ? n : 0;
}

static size_t ip6(struct str s, size_t i)
{
	size_t n = span(s, i, DIGITS "abcdefABCDEF:.", INET6_ADDRSTRLEN - 1);

	while (n && (s.p[i + n - 1] == '.' ||
		     (s.p[i + n - 1] == ':' && (n < 2 || s.p[i + n - 2] != ':'))))
		n--;
	/* 10:20:30 is a time, dead::beef a joke, 2001:db8::1 an address */
	if (span(s, i, DIGITS ":", n) == n && !memmem(s.p + i, n, "::", 2))
		return 0;
	return ends(s, i + n) && is_address(AF_INET6, s.p + i, n) ? n : 0;
}

static size_t ip(struct str s, size_t i)
{
	size_t n = ip4(s, i);

	return n ? n : ip6(s, i);
}

/* Credentials with a prefix that identifies them. */
static size_t key(struct str s, size_t i)
{
	static const char word[] = LETTERS DIGITS "_-";
	static const struct {
		const char *prefix, *set;
		size_t least, most;	/* after the prefix */
	} rows[] = {
		{ "sk-", word, 20, 200 }, { "sk_live_", word, 16, 100 },
		{ "AKIA", DIGITS LETTERS, 16, 16 }, { "ghp_", word, 36, 36 },
		{ "github_pat_", word, 22, 100 }, { "glpat-", word, 20, 20 },
		{ "xoxb-", word, 20, 100 }, { "xoxp-", word, 20, 100 },
		{ "AIza", word, 35, 35 }, { "lamp_", word, 43, 43 },
		{ "eyJ", LETTERS DIGITS "_-.", 40, 4096 },	/* JWT */
		{ "-----BEGIN ", LETTERS " ", 11, 60 },		/* PEM */
	};

	for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
		struct str prefix = str_of(rows[k].prefix);
		size_t n;

		if (s.n - i < prefix.n || memcmp(s.p + i, prefix.p, prefix.n))
			continue;
		/* before it is looked at whole: it is the only long one */
		if (s.p[i] == 'e' && span(s, i, LETTERS DIGITS "_-",
					  JWT_HEADER_BYTES) == JWT_HEADER_BYTES)
			continue;
		n = span(s, i + prefix.n, rows[k].set, rows[k].most);
		if (n < rows[k].least)
			continue;
		if (s.p[i] == '-' && !memmem(s.p + i, prefix.n + n, "PRIVATE", 7))
			continue;
		if (s.p[i] == 'e' && !memchr(s.p + i, '.', n))
			continue;
		return prefix.n + n;
	}
	return 0;
}

#define NAME LETTERS DIGITS "_-."

/* Whether a name is that of a secret, by how it ends: DB_PASSWORD, api-key. */
static bool is_secret_name(struct str name)
{
	static const char *const words[] = {
		"password", "passwd", "pwd", "passwort", "kennwort", "secret",
		"api_key", "api-key", "apikey", "access_key", "secret_key",
		"token",
	};

	for (size_t k = 0; k < ARRAY_LEN(words); k++) {
		size_t n = strlen(words[k]);

		if (name.n >= n &&
		    !strncasecmp(name.p + name.n - n, words[k], n) &&
		    (name.n == n || !alnum(name.p[name.n - n - 1])))
			return true;
	}
	return false;
}

/* password=…, "pwd": "…": the value is what is found. */
static size_t password(struct str s, size_t i)
{
	struct str name = { s.p + i, span(s, i, NAME, 64) };
	size_t at = i + name.n, value = 0;

	if (!is_secret_name(name))
		return 0;
	at += span(s, at, "\"' ", 8);
	if (at >= s.n || !s.p[at] || !strchr(":=", s.p[at]))
		return 0;
	at++;
	at += span(s, at, "\"' ", 20);
	while (at + value < s.n && value < 200 && s.p[at + value] &&
	       !strchr(" \t\r\n\"',;&<>", s.p[at + value]))
		value++;
	return value >= 4 && s.p[at] != '*' && s.p[at] != '$'
		? at + value - i : 0;
}

static const struct {
	const char *name;
	size_t (*length)(struct str s, size_t i);
} rows[PII__MAX] = {
	[PII_KEY] = { "key", key },
	[PII_PASSWORD] = { "password", password },
	[PII_EMAIL] = { "email", email },
	[PII_IBAN] = { "iban", iban },
	[PII_CARD] = { "card", card },
	[PII_SSN] = { "ssn", ssn },
	[PII_IP] = { "ip", ip },
	[PII_PHONE] = { "phone", phone },
};

/* Kinds with a checksum are tried before those without one. */
static const enum pii_kind order[PII__MAX] = {
	PII_KEY, PII_PASSWORD, PII_EMAIL, PII_IBAN, PII_CARD, PII_SSN, PII_IP,
	PII_PHONE,
};

const char *pii_name(enum pii_kind kind)
{
	return rows[kind].name;
}

/* The line of s->at, from 1; counted from the previous position. */
static size_t column(struct pii_scan *s)
{
	if (s->counted_line != s->line) {
		s->counted_line = s->line;
		s->counted = s->line_start;
		s->chars = 0;
	}
	s->chars += utf8_chars((struct str){ s->text.p + s->counted,
					      s->at - s->counted });
	s->counted = s->at;
	return s->chars + 1;
}

static bool match(struct pii_scan *s, struct pii *out)
{
	for (size_t k = 0; k < PII__MAX; k++) {
		enum pii_kind kind = order[k];
		size_t n;

		if (!(s->kinds & 1u << kind))
			continue;
		n = rows[kind].length(s->text, s->at);
		if (!n)
			continue;
		*out = (struct pii){
			.kind = kind, .offset = s->at, .n = n,
			.line = s->line + 1, .column = column(s),
		};
		return true;
	}
	return false;
}

/* Only at these characters can something begin. */
static bool candidate(struct str s, size_t i)
{
	char c = s.p[i];

	return (alnum(c) || c == '+' || c == '(' || c == ':' || c == '-') &&
		begins(s, i);
}

bool pii_next(struct pii_scan *s, struct pii *out)
{
	for (; s->at < s->text.n; s->at++) {
		if (s->text.p[s->at] == '\n') {
			s->line++;
			s->line_start = s->at + 1;
		} else if (candidate(s->text, s->at) && match(s, out)) {
			/* Lines within it are counted on. */
			for (size_t i = 0; i < out->n; i++)
				if (s->text.p[s->at + i] == '\n') {
					s->line++;
					s->line_start = s->at + i + 1;
				}
			s->at += out->n;
			return true;
		}
	}
	return false;
}

/* How much is shown at both ends. */
static void ends_of(enum pii_kind kind, struct str v, size_t *head, size_t *tail)
{
	*head = *tail = 0;
	if (v.n < 8)
		return;
	*head = kind == PII_IBAN || kind == PII_KEY ? 4 : 1;
	*tail = kind == PII_KEY || kind == PII_PASSWORD || kind == PII_EMAIL
		? 0 : 2;
	if (kind == PII_PASSWORD)	/* the name before the value */
		*head = span(v, 0, NAME, v.n);
}

void pii_mask(enum pii_kind kind, struct str value, struct buf *out)
{
	size_t head, tail;

	ends_of(kind, value, &head, &tail);
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];

		if (i < head || i >= value.n - tail ||
		    (c && strchr("@.:/ -()+", c)))
			buf_addc(out, value.p[i]);
		else if ((c & 0xc0) != 0x80)
			buf_addc(out, '*');
	}
}
