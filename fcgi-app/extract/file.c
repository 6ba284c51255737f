/* SPDX-License-Identifier: MIT */
/* See file.h. Which reader reads what, and files within files. */
#include "extract/file.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "extract/charset.h"
#include "extract/kind.h"
#include "extract/out.h"
#include "extract/page.h"
#include "extract/zip.h"

#include "base/banned.h"

enum {
	DEPTH = 3,		/* of files within files */
	CHARSET_BYTES = 40,
};

int extract_file_prepare(struct extract *x)
{
	zip_prepare();
	extract_plain_prepare();
	extract_pdf_prepare(x);
	return extract_kind_prepare();
}

/* -- readers --- */

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
	{ EXTRACT_ODF "text" EXTRACT_FLAT, extract_flat_odf },
	{ EXTRACT_ODF "spreadsheet" EXTRACT_FLAT, extract_flat_odf },
	{ EXTRACT_ODF "presentation" EXTRACT_FLAT, extract_flat_odf },
	{ EXTRACT_ODF "graphics" EXTRACT_FLAT, extract_flat_odf },
	{ EXTRACT_ODF, extract_office },
	{ "application/epub+zip", extract_office },
	{ "text/rtf", extract_rtf },
	{ "application/rtf", extract_rtf },
	{ "message/rfc822", extract_mail },
};

/* Office documents with a password have this old format, too. */
static bool is_encrypted_office(struct str s)
{
	static const char name[] = "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e";

	return str_starts(s, STR("\xd0\xcf\x11\xe0")) &&
		memmem(s.p, s.n, name, sizeof(name) - 1);
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
	struct file_kind k = extract_kind(buf_str(&x->input));
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
	k = extract_kind(bytes);
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
