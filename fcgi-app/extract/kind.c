/* SPDX-License-Identifier: MIT */
/* What a file is, by its content only, never by a name or a declared type. */
#include "extract/kind.h"

#include <magic.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "extract/file.h"
#include "extract/zip.h"

#include "base/banned.h"

enum {
	HEAD_BYTES = 4096,	/* LibreOffice declares some thirty namespaces */
};

static magic_t magic;
enum { MAGIC_FLAGS = MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_TAR };

int extract_kind_prepare(void)
{
	magic = magic_open(MAGIC_MIME | MAGIC_FLAGS);
	return magic && magic_load(magic, NULL) == 0 ? EXTRACT_OK : EXTRACT_UNREADABLE;
}

static bool is_zip(struct str s)
{
	return str_starts(s, STR("PK\003\004"));
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
	const char *mimetype = document ? memmem(document, head.n - (size_t)(document - head.p),
						 "office:mimetype=", 16) : NULL;

	if (memmem(head.p, head.n, "<html", 5))
		snprintf(type, EXTRACT_TYPE_BYTES, "application/xhtml+xml");
	for (size_t i = 0; mimetype && i < ARRAY_LEN(flat); i++) {
		struct buf name = BUF_INIT(EXTRACT_TYPE_BYTES);

		buf_addf(&name, EXTRACT_ODF "%s", flat[i]);
		if (memmem(mimetype, head.n - (size_t)(mimetype - head.p), name.p, name.n))
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
	const char *type;
	bool page;

	extract_plain_decode((struct str){ s.p, MIN(s.n, HEAD_BYTES) }, charset, &head);
	type = magic_buffer(magic, head.p, head.n);
	page = type && (str_starts(str_of(type), STR("text/html")) ||
			memmem(head.p, head.n, "<html", 5));
	snprintf(k.type, sizeof(k.type), "%s", page ? "text/html"
		 : str_starts(buf_str(&head), STR("<?xml")) ? "text/xml" : "text/plain");
	buf_release(&head);
	return k;
}

struct file_kind extract_kind(struct str s)
{
	struct file_kind k = { .type = "application/octet-stream" };
	const char *described = magic_buffer(magic, s.p, MIN(s.n, LIM_EXTRACT_HEAD_BYTES));
	struct str rest = str_of(described), type = str_cut(&rest, ';');
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

void extract_kind_type(struct str bytes, char out[EXTRACT_TYPE_BYTES])
{
	struct file_kind k = extract_kind(bytes);

	memcpy(out, k.type, EXTRACT_TYPE_BYTES);
}

int extract_kind_turns(struct str bytes)
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
	const char *type;
	int turns = 0;

	magic_setflags(magic, MAGIC_FLAGS);
	type = magic_buffer(magic, bytes.p, MIN(bytes.n, LIM_EXTRACT_HEAD_BYTES));
	for (size_t i = 0; type && i < ARRAY_LEN(known); i++)
		if (strstr(type, known[i].word))
			turns = known[i].turns;
	magic_setflags(magic, MAGIC_MIME | MAGIC_FLAGS);
	return turns;
}

bool extract_is_image(const char *type)
{
	static const char *const types[] = {
		"image/png", "image/jpeg", "image/tiff", "image/webp", "image/gif",
		"image/bmp", "image/x-ms-bmp",
	};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}
