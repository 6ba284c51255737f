/*
 * Mails (RFC 5322, MIME): sender, recipients, date, subject, text, and the text of
 * attachments. Of multipart/alternative, the first readable part is used.
 */
#include "extract/file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "extract/out.h"

#include "base/banned.h"

enum { DEPTH = 8, NAME_BYTES = 80, HEAD_BYTES = 65536 };

struct mail_part {
	struct str head, body;
};

/* -- headers --- */

static struct mail_part split(struct str s)
{
	struct mail_part p = { .head = s };
	struct str rest = s;

	while (rest.p) {
		struct str line = str_cut(&rest, '\n');

		if (!str_trim(line).n) {
			p.head.n = (size_t)(line.p - s.p);
			p.body = rest;
			break;
		}
	}
	return p;
}

/* The value of a field, including folded lines; empty: it is absent. */
static struct str field(struct str head, const char *name)
{
	struct str rest = head;
	size_t n = strlen(name);

	while (rest.p) {
		struct str line = str_cut(&rest, '\n');

		if (line.n <= n || line.p[n] != ':' ||
		    strncasecmp(line.p, name, n) != 0)
			continue;
		while (rest.n && (rest.p[0] == ' ' || rest.p[0] == '\t')) {
			struct str more = str_cut(&rest, '\n');

			line.n = (size_t)(more.p + more.n - line.p);
		}
		return str_trim((struct str){ line.p + n + 1, line.n - n - 1 });
	}
	return (struct str){ NULL, 0 };
}

static struct str parameter(struct str value, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i + n + 1 < value.n; i++) {
		struct str out = { value.p + i + n + 1, value.n - i - n - 1 };

		if (strncasecmp(value.p + i, name, n) != 0 ||
		    value.p[i + n] != '=' || (i && !strchr("; \t\r\n",
						     value.p[i - 1])))
			continue;
		if (out.n && out.p[0] == '"') {
			out.p++;
			out.n--;
			return str_cut(&out, '"');
		}
		return str_trim(str_cut(&out, ';'));
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

bool extract_is_mail(struct str s)
{
	static const char *const others[] = {
		"Date", "Message-ID", "MIME-Version", "Received",
	};
	struct str rest = { s.p, MIN(s.n, HEAD_BYTES) }, head;
	bool any = false;

	/* Mailboxes (mbox) put a line without a colon before each mail. */
	if (str_starts(rest, STR("From ")))
		(void)str_cut(&rest, '\n');
	head = rest;
	for (bool first = true; rest.n; first = false) {
		struct str line = str_cut(&rest, '\n');

		if (!str_trim(line).n) {
			head.n = (size_t)(line.p - head.p);
			break;
		}
		if (!is_field(line) && (first || (line.p[0] != ' ' && line.p[0] != '\t')))
			return false;
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		any |= field(head, others[i]).n > 0;
	return any && field(head, "From").n > 0;
}

/* -- encodings --- */

static void from_base64(struct str s, struct buf *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"abcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned bits = 0;
	int n = 0;

	for (size_t i = 0; i < s.n && s.p[i] != '='; i++) {
		const char *d = s.p[i] ? strchr(digits, s.p[i]) : NULL;

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

/* Decodes quoted-printable; in encoded words (word), _ is a blank. */
static void from_quoted(struct str s, bool word, struct buf *out)
{
	for (size_t i = 0; i < s.n; i++) {
		int high, low;

		if (word && s.p[i] == '_') {
			buf_addc(out, ' ');
			continue;
		}
		if (s.p[i] != '=' || i + 1 >= s.n) {
			buf_addc(out, s.p[i]);
			continue;
		}
		if (s.p[i + 1] == '\n' || (s.p[i + 1] == '\r')) {
			i += s.p[i + 1] == '\r' && i + 2 < s.n ? 2 : 1;
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

/* Decodes a header's encoded words (RFC 2047). */
static void decoded(struct str s, struct buf *out)
{
	while (s.n) {
		const char *p = memmem(s.p, s.n, "=?", 2);
		struct str word, charset, kind, text;
		struct buf raw = BUF_INIT(s.n + 1);
		char name[NAME_BYTES];

		extract_plain_convert((struct str){ s.p, p ? (size_t)(p - s.p)
						    : s.n }, NULL, out);
		if (!p)
			return;
		word = (struct str){ p + 2, s.n - (size_t)(p + 2 - s.p) };
		s = word;
		charset = str_cut(&word, '?');
		kind = str_cut(&word, '?');
		text = str_cut(&word, '?');
		if (word.n && word.p[0] == '=' && kind.n == 1) {
			if (kind.p[0] == 'B' || kind.p[0] == 'b')
				from_base64(text, &raw);
			else
				from_quoted(text, true, &raw);
			extract_plain_convert(buf_str(&raw),
					      name_of(charset, name), out);
			s = (struct str){ word.p + 1, word.n - 1 };
		}
		buf_release(&raw);
	}
}

/* -- parts --- */

static void read_part(struct extract *x, struct mail_part p, int depth, int level);

/*
 * The next delimiter: mark on a line of its own (RFC 2046 section 5.1.1). The boundary of
 * a part within may begin with that of the whole.
 */
static const char *next_mark(struct str s, const struct buf *mark)
{
	const char *begin = s.p;

	while (s.n) {
		const char *at = memmem(s.p, s.n, mark->p, mark->n);
		size_t i = 0;

		if (!at)
			break;
		s.n -= (size_t)(at + mark->n - s.p);
		s.p = at + mark->n;
		if (str_starts(s, STR("--")))
			i = 2;
		while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '\r'))
			i++;
		if ((at == begin || at[-1] == '\n') && (i == s.n || s.p[i] == '\n'))
			return at;
	}
	return NULL;
}

static void read_multipart(struct extract *x, struct str type, struct str body,
			   int depth, int level)
{
	bool alternative = type.n >= 21 &&
		!strncasecmp(type.p, "multipart/alternative", 21);
	struct str boundary = parameter(type, "boundary");
	struct buf mark = BUF_INIT(boundary.n + 8);
	const char *at;

	buf_adds(&mark, "--");
	buf_addstr(&mark, boundary);
	at = boundary.n ? next_mark(body, &mark) : NULL;
	while (at && buf_ok(&x->out)) {
		const char *end = body.p + body.n, *next;
		size_t before = x->out.n;

		at += mark.n;
		if (end - at >= 2 && !memcmp(at, "--", 2))
			break;
		next = next_mark((struct str){ at, (size_t)(end - at) }, &mark);
		at = memchr(at, '\n', (size_t)((next ? next : end) - at));
		if (at)
			read_part(x, split((struct str){ at + 1, (size_t)(
				(next ? next : end) - at - 1) }), depth,
				  level + 1);
		if (alternative && x->out.n > before)
			break;
		at = next;
	}
	buf_release(&mark);
}

static void read_part(struct extract *x, struct mail_part p, int depth, int level)
{
	struct str type = field(p.head, "Content-Type");
	struct str how = field(p.head, "Content-Transfer-Encoding");
	struct str name = parameter(type, "name");
	struct str charset = parameter(type, "charset");
	struct buf body = BUF_INIT(p.body.n + 1), text = BUF_INIT(4 * p.body.n + 16);
	char said[NAME_BYTES];

	if (level > DEPTH)
		return;
	if (!name.n)
		name = parameter(field(p.head, "Content-Disposition"), "filename");
	if (type.n >= 10 && !strncasecmp(type.p, "multipart/", 10)) {
		read_multipart(x, type, p.body, depth, level);
		return;
	}
	if (how.n >= 6 && !strncasecmp(how.p, "base64", 6))
		from_base64(p.body, &body);
	else if (how.n >= 16 && !strncasecmp(how.p, "quoted-printable", 16))
		from_quoted(p.body, false, &body);
	else
		buf_addstr(&body, p.body);
	name_of(charset, said);
	if (name.n) {
		decoded(name, &text);
		extract_put_heading(&x->out, 2, buf_str(&text));
		extract_file_inner(x, buf_str(&body), *said ? said : NULL,
				   depth + 1);
	} else if (!type.n || (type.n >= 10 && !strncasecmp(type.p, "text/plain", 10))) {
		extract_plain_convert(buf_str(&body), said, &text);
		extract_put_paragraph(&x->out, buf_str(&text));
	} else {
		extract_file_inner(x, buf_str(&body), *said ? said : NULL,
				   depth + 1);
	}
	buf_release(&body);
	buf_release(&text);
}

int extract_mail(struct extract *x, int depth)
{
	static const char *const shown[] = { "From", "To", "Cc", "Date" };
	struct mail_part p = split(buf_str(&x->input));
	struct buf text = BUF_INIT(4 * p.head.n + 256);

	decoded(field(p.head, "Subject"), &text);
	extract_put_heading(&x->out, 1, buf_str(&text));
	for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
		struct str value = field(p.head, shown[i]);

		buf_reset(&text);
		if (!value.n)
			continue;
		buf_addf(&text, "%s: ", shown[i]);
		decoded(value, &text);
		extract_put_item(&x->out, buf_str(&text));
	}
	buf_release(&text);
	read_part(x, p, depth, 0);
	return EXTRACT_OK;
}
