/* SPDX-License-Identifier: MIT */
/*
 * Mails (RFC 5322, MIME): sender, recipients, date, subject, text, and the text of
 * attachments. Of multipart/alternative, the first readable part is used, unless it is a
 * short one that only stands for the next ("Your program cannot show HTML"). A mailbox
 * has several mails.
 */
#include "extract/file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "extract/mail_head.h"
#include "extract/out.h"

#include "base/banned.h"

enum {
	DEPTH = 8, NAME_BYTES = 80, TYPE_BYTES = 128, FROM_BYTES = 5,
	STUB_BYTES = 400,	/* longer alternatives are the text */
	STUB_TIMES = 3,		/* so much longer is what one stands for */
	MARK_BYTES = 1024,	/* of a line "From ..." */
};

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

static bool starts(const char *type, const char *with)
{
	return !strncasecmp(type, with, strlen(with));
}

/* What lies beside a page: how it looks, not what it says. */
static bool is_decoration(const char *type)
{
	return starts(type, "text/css") || starts(type, "text/javascript") ||
		starts(type, "application/javascript") ||
		starts(type, "application/pgp-signature");
}

/* The media type alone, without parameters. */
static void kind_of(struct str type, char out[TYPE_BYTES])
{
	struct str rest = type, kind = str_trim(str_cut(&rest, ';'));

	snprintf(out, TYPE_BYTES, "%.*s", (int)MIN(kind.n, TYPE_BYTES - 1),
		 kind.p ? kind.p : "");
}

/*
 * What was written behind `before` is one more alternative, of this type; *kept: the size
 * of the one before it, which stays unless it is a stub for HTML. Returns whether another
 * may be better.
 */
static bool take_alternative(struct buf *out, size_t before, struct str type, size_t *kept)
{
	size_t n = out->n - before;
	char kind[TYPE_BYTES];

	if (!n)
		return true;
	if (!*kept) {
		*kept = n;
		return n < STUB_BYTES;
	}
	kind_of(type, kind);
	if (n > STUB_TIMES * *kept &&
	    (starts(kind, "text/html") || starts(kind, "multipart/related"))) {
		memmove(out->p + before - *kept, out->p + before, n);
		before += n - *kept;
	}
	out->n = before;
	out->p[before] = '\0';
	return false;
}

/* Splits s at the first blank line. */
static struct mail_part mail_split(struct str s)
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

static void read_multipart(struct extract *x, const char *kind, struct str type,
			   struct str body, int depth, int level)
{
	bool alternative = starts(kind, "multipart/alternative");
	struct buf boundary = BUF_INIT(4 * type.n + 16);
	struct buf mark = BUF_INIT(4 * type.n + 32);
	size_t kept = 0;
	const char *at;

	mail_parameter(type, "boundary", &boundary);
	buf_adds(&mark, "--");
	buf_addstr(&mark, buf_str(&boundary));
	at = boundary.n ? next_mark(body, &mark) : NULL;
	/* Without parts, it is one. */
	if (!at)
		extract_file_inner(x, body, NULL, NULL, depth + 1);
	while (at && buf_ok(&x->out)) {
		const char *end = body.p + body.n, *next;
		struct mail_part p = { .head = STR("") };
		size_t before = x->out.n;

		at += mark.n;
		if (end - at >= 2 && !memcmp(at, "--", 2))
			break;
		next = next_mark((struct str){ at, (size_t)(end - at) }, &mark);
		at = memchr(at, '\n', (size_t)((next ? next : end) - at));
		if (at) {
			p = mail_split((struct str){ at + 1, (size_t)(
				(next ? next : end) - at - 1) });
			read_part(x, p, depth, level + 1);
		}
		if (alternative && buf_ok(&x->out) &&
		    !take_alternative(&x->out, before, mail_field(p.head, "Content-Type"),
				      &kept))
			break;
		at = next;
	}
	buf_release(&boundary);
	buf_release(&mark);
}

/* The name of a file; of the disposition first, where it belongs. */
static void file_name(struct str head, struct str type, struct buf *out)
{
	mail_parameter(mail_field(head, "Content-Disposition"), "filename", out);
	if (!out->n)
		mail_parameter(type, "name", out);
}

static bool has_parameter(struct str type, const char *name, const char *value)
{
	struct buf b = BUF_INIT(4 * type.n + 16);
	bool has;

	mail_parameter(type, name, &b);
	has = b.n && !strcasecmp(b.p, value);
	buf_release(&b);
	return has;
}

/*
 * The paragraphs of a text in format=flowed (RFC 3676): a line that ends with a blank
 * goes on in the next one of the same quote; delsp: that blank is not of the text.
 */
static void join_flowed(struct str s, bool delsp, struct buf *out)
{
	size_t quoted = 0;
	bool flows = false;

	for (struct str rest = s; rest.n;) {
		struct str line = str_cut(&rest, '\n');
		bool fixed;
		size_t n = 0;

		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		while (n < line.n && line.p[n] == '>')
			n++;
		line = (struct str){ line.p + n, line.n - n };
		if (str_starts(line, STR(" ")))		/* stuffed */
			line = (struct str){ line.p + 1, line.n - 1 };
		fixed = str_is(line, "-- ");		/* a signature follows */
		if (!flows || n != quoted || fixed) {
			if (out->n)
				buf_addc(out, '\n');
			for (size_t i = 0; i < n; i++)
				buf_addc(out, '>');
			buf_adds(out, n ? " " : "");
		}
		flows = !fixed && line.n && line.p[line.n - 1] == ' ';
		line.n -= flows && delsp;
		buf_addstr(out, line);
		quoted = n;
	}
}

static void put_text(struct extract *x, struct str type, struct str body,
		     const char *charset)
{
	struct buf text = BUF_INIT(4 * body.n + 16);

	extract_plain_convert(body, charset, &text);
	if (has_parameter(type, "format", "flowed")) {
		struct buf joined = BUF_INIT(2 * text.n + 16);

		join_flowed(buf_str(&text), has_parameter(type, "delsp", "yes"), &joined);
		extract_put_paragraph(&x->out, buf_str(&joined));
		buf_release(&joined);
	} else {
		extract_put_paragraph(&x->out, buf_str(&text));
	}
	buf_release(&text);
}

/* Decodes one line of uuencode; false: it is none. Blanks at its end may be missing. */
static bool add_uu_line(struct str line, struct buf *out)
{
	size_t n = line.n ? ((unsigned char)line.p[0] - ' ') & 63u : 0;
	size_t chars = (n + 2) / 3 * 4;
	unsigned bits = 0;

	if (line.n > chars + 2)		/* a checksum may follow */
		return false;
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] < ' ' || line.p[i] > '`')
			return false;
	for (size_t i = 0; i < chars; i++) {
		bits = bits << 6 | (i + 1 < line.n
				    ? ((unsigned char)line.p[i + 1] - ' ') & 63u : 0);
		if (i % 4 == 0 || !n)
			continue;
		buf_addc(out, (char)(bits >> (6 - i % 4 * 2)));
		n--;
	}
	return true;
}

static struct str next_text_line(struct str *rest)
{
	struct str line = str_cut(rest, '\n');

	if (line.n && line.p[line.n - 1] == '\r')
		line.n--;
	return line;
}

/* The name in a line "begin 644 NAME" (POSIX, uuencode); empty: it is another line. */
static struct str uu_name(struct str line)
{
	struct str mode, rest = line;

	(void)str_cut(&rest, ' ');
	mode = str_cut(&rest, ' ');
	if (!str_starts(line, STR("begin ")) || mode.n < 3 || mode.n > 4 || !rest.p ||
	    strspn(mode.p, "01234567") != mode.n)
		return (struct str){ NULL, 0 };
	return str_trim(rest);
}

/*
 * Decodes what follows a line "begin". Returns whether it is whole; *rest is what
 * follows then, or the first line that is not of it.
 */
static bool uu_decode(struct str *rest, struct buf *out)
{
	while (rest->n) {
		struct str after = *rest, line = next_text_line(&after);

		if (str_is(line, "end")) {
			*rest = after;
			return true;
		}
		if (!add_uu_line(line, out))
			return false;
		*rest = after;
	}
	return false;
}

/* The field Content-Transfer-Encoding of a part that is one file in uuencode. */
static bool is_uu(struct str how)
{
	static const char *const names[] = { "x-uuencode", "x-uue", "uuencode" };
	size_t i = 0;

	while (i < ARRAY_LEN(names) && (how.n != strlen(names[i]) ||
					strncasecmp(how.p, names[i], how.n)))
		i++;
	return i < ARRAY_LEN(names);
}

static bool uu_body(struct str body, struct buf *out)
{
	while (body.n)
		if (uu_name(next_text_line(&body)).n) {
			if (uu_decode(&body, out))
				return true;
			buf_reset(out);
		}
	return false;
}

/* A text with the files that old programs write into it (uuencode). */
static void read_text(struct extract *x, struct str type, struct str body,
		      const char *charset, int depth)
{
	struct str rest = body, text = { body.p, 0 };

	while (rest.n) {
		struct str line = next_text_line(&rest), name = uu_name(line);
		struct buf file = BUF_INIT(rest.n + 64);

		if (name.n && uu_decode(&rest, &file)) {
			text.n = (size_t)(line.p - text.p);
			put_text(x, type, text, charset);
			extract_put_heading(&x->out, 2, name);
			extract_file_inner(x, buf_str(&file), NULL, NULL, depth + 1);
			text = (struct str){ rest.p, 0 };
		}
		buf_release(&file);
	}
	if (text.p)
		text.n = (size_t)(body.p + body.n - text.p);
	put_text(x, type, text, charset);
}

static void read_part(struct extract *x, struct mail_part p, int depth, int level)
{
	struct str type = mail_field(p.head, "Content-Type");
	struct str how = mail_field(p.head, "Content-Transfer-Encoding");
	struct buf body = BUF_INIT(p.body.n + 1);
	struct buf name = BUF_INIT(4 * p.head.n + 16), charset = BUF_INIT(4 * type.n + 16);
	char kind[TYPE_BYTES];

	kind_of(type, kind);
	if (level > DEPTH || is_decoration(kind))
		return;
	if (starts(kind, "multipart/")) {
		read_multipart(x, kind, type, p.body, depth, level);
		return;
	}
	file_name(p.head, type, &name);
	mail_parameter(type, "charset", &charset);
	if (how.n >= 6 && !strncasecmp(how.p, "base64", 6))
		mail_from_base64(p.body, &body);
	else if (how.n >= 16 && !strncasecmp(how.p, "quoted-printable", 16))
		mail_from_quoted(p.body, false, &body);
	else if (!is_uu(how) || !uu_body(p.body, &body))
		buf_addstr(&body, p.body);
	if (name.n)
		extract_put_heading(&x->out, 2, buf_str(&name));
	if (!name.n && (!*kind || !strcasecmp(kind, "text/plain") ||
			!strcasecmp(kind, "text"))) {
		read_text(x, type, buf_str(&body), charset.n ? charset.p : NULL, depth);
	} else {
		extract_file_inner(x, buf_str(&body), charset.n ? charset.p : NULL, kind,
				   depth + 1);
	}
	buf_release(&body);
	buf_release(&name);
	buf_release(&charset);
}

static void read_one(struct extract *x, struct str mail, int depth)
{
	static const char *const shown[] = { "From", "To", "Cc", "Date" };
	struct mail_part p = mail_split(mail);
	struct buf text = BUF_INIT(4 * p.head.n + 256);

	mail_decode(mail_field(p.head, "Subject"), &text);
	extract_put_heading(&x->out, 1, buf_str(&text));
	for (size_t i = 0; i < ARRAY_LEN(shown); i++) {
		struct str value = mail_field(p.head, shown[i]);

		buf_reset(&text);
		if (!value.n)
			continue;
		buf_addf(&text, "%s: ", shown[i]);
		mail_decode(value, &text);
		extract_put_item(&x->out, "- ", buf_str(&text));
	}
	buf_release(&text);
	read_part(x, p, depth, 0);
}

/* -- mailboxes --- */

static struct str first_line(struct str s)
{
	struct str rest = { s.p, MIN(s.n, MARK_BYTES) };

	return str_cut(&rest, '\n');
}

/*
 * Where the next mail begins: a line "From ..." after a blank one, or one with a date, then
 * a header.
 */
static size_t next_mail(struct str s)
{
	size_t at = 0;

	while (at < s.n) {
		const char *p = memmem(s.p + at, s.n - at, "\nFrom ", FROM_BYTES + 1);
		struct str rest;

		if (!p)
			break;
		at = (size_t)(p + 1 - s.p);
		rest = (struct str){ p + 1, s.n - at };
		if (((p > s.p && p[-1] == '\n') ||
		     (p > s.p + 1 && p[-1] == '\r' && p[-2] == '\n') ||
		     mail_is_mark(first_line(rest))) && extract_is_mail(rest))
			return at;
	}
	return s.n;
}

/* Lines of the text that begin with "From " have a mark before them. */
static void unmark(struct str mail, struct buf *out)
{
	struct str rest = mail;

	while (rest.p) {
		struct str line = str_cut(&rest, '\n');
		size_t n = 0;

		while (n < line.n && line.p[n] == '>')
			n++;
		if (n && str_starts((struct str){ line.p + n, line.n - n },
				    STR("From ")))
			line = (struct str){ line.p + 1, line.n - 1 };
		buf_addstr(out, line);
		if (rest.p)
			buf_addc(out, '\n');
	}
}

/* A mail of a mailbox, behind its line "From ...". */
static void read_marked(struct extract *x, struct str mail, int depth)
{
	struct buf own = BUF_INIT(mail.n + 1);

	(void)str_cut(&mail, '\n');
	unmark(mail, &own);
	read_one(x, buf_str(&own), depth);
	buf_release(&own);
}

/* A mailbox (RFC 4155), a page for each mail. */
static int read_box(struct extract *x, int depth)
{
	struct str s = buf_str(&x->input);

	while (s.n && buf_ok(&x->out)) {
		size_t n = next_mail(s);

		if (x->pages >= LIM_EXTRACT_PAGES)
			return EXTRACT_TOO_BIG;
		extract_put_page(&x->out, ++x->pages);
		read_marked(x, (struct str){ s.p, n }, depth);
		s = (struct str){ s.p + n, s.n - n };
	}
	return EXTRACT_OK;
}

int extract_mail(struct extract *x)
{
	struct str s = buf_str(&x->input);

	if (!str_starts(s, STR("From ")))
		read_one(x, s, x->depth);
	else if (next_mail(s) < s.n)
		return read_box(x, x->depth);
	else
		read_marked(x, s, x->depth);
	return EXTRACT_OK;
}
