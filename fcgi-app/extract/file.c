/* SPDX-License-Identifier: MIT */
/* See file.h. Types are detected by content only, never by a name or a declared type. */
#include "extract/file.h"

#include <magic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "extract/charset.h"
#include "extract/out.h"
#include "extract/page.h"
#include "extract/zip.h"

#include "base/banned.h"

enum {
	DEPTH = 3,		/* of files within files */
	HEAD_BYTES = 4096,	/* LibreOffice declares some thirty namespaces */
	CHARSET_BYTES = 40,
};

#define ODF "application/vnd.oasis.opendocument."

static magic_t magic;
enum { MAGIC_FLAGS = MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_TAR };

int extract_file_prepare(struct extract *x)
{
	zip_prepare();
	extract_plain_prepare();
	extract_pdf_prepare(x);
	magic = magic_open(MAGIC_MIME | MAGIC_FLAGS);
	if (!magic || magic_load(magic, NULL) < 0)
		return EXTRACT_UNREADABLE;
	return EXTRACT_OK;
}

/* -- types --- */

static int page(struct extract *x)
{
	struct buf text = BUF_INIT(4 * x->input.n + 16);
	struct str own = utf8_valid(buf_str(&x->input)) ? (struct str){ NULL, 0 }
		: charset_own_word(buf_str(&x->input));
	char name[CHARSET_BYTES];

	snprintf(name, sizeof(name), "%.*s", (int)MIN(own.n, sizeof(name)),
		 own.p ? own.p : "");
	/* What the sender of a mail says is about the bytes. */
	extract_plain_convert(buf_str(&x->input), x->charset ? x->charset : name,
			      &text);
	buf_release(&x->input);
	x->input = text;
	return extract_page_text(x);
}

static int mail(struct extract *x)
{
	return extract_mail(x, x->depth);
}

/* The readers, by the beginning of the media type. */
static const struct {
	const char *type;
	int (*read)(struct extract *x);
} readers[] = {
	{ "text/html", page },
	{ "application/xhtml+xml", page },
	{ "application/pdf", extract_pdf },
	{ "application/vnd.openxmlformats-officedocument.", extract_office },
	{ "application/vnd.ms-word.", extract_office },
	{ "application/vnd.ms-excel.", extract_office },
	{ "application/vnd.ms-powerpoint.", extract_office },
	{ ODF "text" EXTRACT_FLAT, extract_flat_odf },
	{ ODF "spreadsheet" EXTRACT_FLAT, extract_flat_odf },
	{ ODF "presentation" EXTRACT_FLAT, extract_flat_odf },
	{ ODF "graphics" EXTRACT_FLAT, extract_flat_odf },
	{ ODF, extract_office },
	{ "application/epub+zip", extract_office },
	{ "text/rtf", extract_rtf },
	{ "application/rtf", extract_rtf },
	{ "message/rfc822", mail },
};

struct file_kind {
	char type[EXTRACT_TYPE_BYTES];
	bool text;		/* it is text in some charset */
};

static bool is_zip(struct str s)
{
	return str_starts(s, STR("PK\003\004"));
}

/* Office documents with a password have this old format, too. */
static bool is_encrypted_office(struct str s)
{
	static const char name[] = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e";

	return str_starts(s, STR("\xd0\xcf\x11\xe0")) &&
		memmem(s.p, s.n, name, sizeof(name) - 1);
}

/*
 * Whether it is text in spite of a few control characters, which libmagic takes for a sign
 * of something else; compressed and binary formats have many.
 */
static bool is_text(struct str s)
{
	size_t controls = 0, n = MIN(s.n, LIM_EXTRACT_HEAD_BYTES);

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		controls += (c < ' ' && !strchr("\t\n\v\f\r\b\033", c)) || c == 0x7f || !c;
	}
	return n && controls <= n / 100;
}

/* Documents in XML, by how they begin; a flat OpenDocument says itself what it is. */
static void kind_of_xml(struct str head, char type[EXTRACT_TYPE_BYTES])
{
	static const char *const flat[] = {
		"text", "spreadsheet", "presentation", "graphics",
	};
	const char *document = memmem(head.p, head.n, "<office:document", 16);
	const char *said = document ? memmem(document, head.n - (size_t)(document - head.p),
					     "office:mimetype=", 16) : NULL;

	if (memmem(head.p, head.n, "<html", 5))
		snprintf(type, EXTRACT_TYPE_BYTES, "application/xhtml+xml");
	for (size_t i = 0; said && i < ARRAY_LEN(flat); i++) {
		struct buf name = BUF_INIT(EXTRACT_TYPE_BYTES);

		buf_addf(&name, ODF "%s", flat[i]);
		if (memmem(said, head.n - (size_t)(said - head.p), name.p, name.n))
			snprintf(type, EXTRACT_TYPE_BYTES, "%s" EXTRACT_FLAT, name.p);
		buf_release(&name);
	}
}

/*
 * Text in units of 16 or 32 bits, by its words in UTF-8: libmagic looks at bytes, and takes
 * those of a Cyrillic letter for an archive.
 */
static struct file_kind kind_of_units(struct str s, const char *charset)
{
	struct file_kind k = { .text = true };
	struct buf head = BUF_INIT(4 * HEAD_BYTES + 16);
	const char *said;
	bool page;

	extract_plain_decode((struct str){ s.p, MIN(s.n, HEAD_BYTES) }, charset, &head);
	said = magic_buffer(magic, head.p, head.n);
	page = said && (str_starts(str_of(said), STR("text/html")) ||
			memmem(head.p, head.n, "<html", 5));
	snprintf(k.type, sizeof(k.type), "%s", page ? "text/html"
		 : str_starts(buf_str(&head), STR("<?xml")) ? "text/xml" : "text/plain");
	buf_release(&head);
	return k;
}

static struct file_kind kind_of(struct str s)
{
	struct file_kind k = { .type = "application/octet-stream" };
	const char *said = magic_buffer(magic, s.p, MIN(s.n, LIM_EXTRACT_HEAD_BYTES));
	struct str rest = str_of(said), type = str_cut(&rest, ';');
	const char *office = is_zip(s) ? extract_office_type(s) : NULL, *units;

	k.text = rest.p && !memmem(rest.p, rest.n, "binary", 6);
	if (office)
		type = str_of(office);
	/* libmagic of Debian 13 says nothing of an archive of no other type. */
	else if (is_zip(s) && str_is(type, "application/octet-stream"))
		type = STR("application/zip");
	if (type.n && type.n < sizeof(k.type)) {
		memcpy(k.type, type.p, type.n);
		k.type[type.n] = '\0';
	}
	units = k.text || office ? NULL : extract_plain_units(s);
	if (units && (!strcmp(k.type, "application/octet-stream") ||
		      extract_plain_is_surely(s, units)))
		return kind_of_units(s, units);
	if (!k.text && !strcmp(k.type, "application/octet-stream") && is_text(s)) {
		k.text = true;
		snprintf(k.type, sizeof(k.type), "text/plain");
	}
	/* libmagic detects only the XML. */
	if (!strcmp(k.type, "text/xml") || !strcmp(k.type, "application/xml"))
		kind_of_xml((struct str){ s.p, MIN(s.n, HEAD_BYTES) }, k.type);
	/* It knows a mail by its first word only, and in each version by other ones. */
	if (k.text && !office && extract_is_mail(s))
		snprintf(k.type, sizeof(k.type), "message/rfc822");
	else if (!strcmp(k.type, "message/rfc822"))
		snprintf(k.type, sizeof(k.type), "text/plain");
	for (char *p = k.type; *p; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			*p = '-';
	return k;
}

void extract_file_type(struct str bytes, char out[EXTRACT_TYPE_BYTES])
{
	struct file_kind k = kind_of(bytes);

	memcpy(out, k.type, EXTRACT_TYPE_BYTES);
}

int extract_file_turns(struct str bytes)
{
	/* As libmagic calls the orientations 3, 6 and 8 of EXIF. */
	static const struct {
		const char *word;
		int turns;
	} known[] = {
		{ "orientation=upper-right", 1 },
		{ "orientation=lower-right", 2 },
		{ "orientation=lower-left", 3 },
	};
	const char *said;
	int turns = 0;

	magic_setflags(magic, MAGIC_FLAGS);
	said = magic_buffer(magic, bytes.p, MIN(bytes.n, LIM_EXTRACT_HEAD_BYTES));
	for (size_t i = 0; said && i < ARRAY_LEN(known); i++)
		if (strstr(said, known[i].word))
			turns = known[i].turns;
	magic_setflags(magic, MAGIC_MIME | MAGIC_FLAGS);
	return turns;
}

static int read_kind(struct extract *x, const struct file_kind *k)
{
	struct str s = buf_str(&x->input);

	if (is_encrypted_office(s))
		return EXTRACT_ENCRYPTED;
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (str_starts(str_of(k->type), str_of(readers[i].type)))
			return readers[i].read(x);
	x->unread = extract_is_image(k->type);
	return k->text ? extract_plain(x) : EXTRACT_UNKNOWN;
}

/* -- files, and files within files --- */

int extract_file_read(struct extract *x)
{
	struct buf text = BUF_INIT(x->out.cap);
	struct file_kind k = kind_of(buf_str(&x->input));
	struct buf head = x->out;
	int rc = EXTRACT_OK;

	if (!x->input.n)
		rc = EXTRACT_EMPTY;
	x->out = text;
	if (rc == EXTRACT_OK && !x->head)
		rc = read_kind(x, &k);
	text = x->out;
	x->out = head;
	if (rc == EXTRACT_OK && !buf_ok(&text))
		rc = EXTRACT_TOO_BIG;
	if (rc == EXTRACT_OK && !x->head && !str_trim(buf_str(&text)).n)
		rc = EXTRACT_EMPTY;
	buf_addf(&x->out, "type: %s\n", k.type);
	if (x->pages)
		buf_addf(&x->out, "pages: %lld\n", (long long)x->pages);
	if (rc == EXTRACT_OK && *x->scanned)
		buf_addf(&x->out, "scanned: %s\n", x->scanned);
	if (x->unread)
		buf_addf(&x->out, "unread: %d\n", x->unread);
	buf_addc(&x->out, '\n');
	if (rc == EXTRACT_OK)
		buf_addstr(&x->out, buf_str(&text));
	buf_release(&text);
	return rc;
}

/* A part of a page does not always look like one. */
static void believe(struct file_kind *k, const char *type)
{
	static const char *const believed[] = { "text/html", "message/rfc822" };

	for (size_t i = 0; type && k->text && i < ARRAY_LEN(believed); i++)
		if (!strcasecmp(type, believed[i]))
			snprintf(k->type, sizeof(k->type), "%s", believed[i]);
}

void extract_file_inner(struct extract *x, struct str bytes, const char *charset,
			const char *type, int depth)
{
	struct extract inner = {
		.input = BUF_INIT(bytes.n + 1), .depth = depth, .charset = charset,
		.out = BUF_INIT(x->out.cap - x->out.n),
	};
	struct file_kind k;

	if (depth > DEPTH)
		return;
	buf_addstr(&inner.input, bytes);
	k = kind_of(bytes);
	believe(&k, type);
	if (read_kind(&inner, &k) == EXTRACT_OK) {
		/* Text at the boundary of two files must not form a page mark. */
		if (x->out.n && x->out.p[x->out.n - 1] != '\n')
			buf_addc(&x->out, '\n');
		buf_addstr(&x->out, buf_str(&inner.out));
	}
	buf_release(&inner.input);
	buf_release(&inner.out);
}
