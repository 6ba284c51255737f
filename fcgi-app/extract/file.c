/* SPDX-License-Identifier: MIT */
/* See file.h. Which reader reads what, and files within files. */
#include "extract/file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "extract/charset.h"
#include "extract/kind.h"
#include "extract/out.h"
#include "extract/page.h"
#include "extract/pdf_page.h"
#include "extract/zip.h"

#include "base/banned.h"

/* -- tables of PDFs -------------------------------------------------------- */

/*
 * The tables of East Asian characters that a PDF may name instead of having its own:
 * Debian's poppler-data. Poppler reads them from files when it meets such a font, which
 * the confined process cannot; it keeps the last ones, so a document with the same fonts
 * is read before. Sources: ISO 32000-1, 9.7.5.2 (predefined CMaps) and 9.7.3 (character
 * collections).
 */

enum {
	KEPT = 4,		/* tables of each kind that poppler keeps */
	NAME_BYTES = 32,	/* the longest is UniJISX02132004-UTF32-H */
};

static const char *const collections[] = { "Japan1", "GB1", "CNS1", "Korea1" };

/* Tables of codes, by their names in the file. */
struct map_names {
	char v[KEPT][NAME_BYTES];
	size_t n;
};

static bool has(struct str s, const char *what)
{
	return s.n && memmem(s.p, s.n, what, strlen(what));
}

static void note_name(struct map_names *names, struct str name)
{
	for (size_t i = 0; i < names->n; i++)
		if (str_is(name, names->v[i]))
			return;
	if (names->n < KEPT)
		snprintf(names->v[names->n++], NAME_BYTES, "%.*s", STR_ARG(name));
}

/* All names that end as those of tables do, but for the two that are no tables. */
static void find_names(struct str s, struct map_names *out)
{
	const char *end = s.p + s.n, *p = s.p;

	while ((p = memchr(p, '/', (size_t)(end - p)))) {
		struct str name = { ++p, 0 };

		while (p < end && (isalnum((unsigned char)*p) || *p == '-'))
			p++;
		name.n = (size_t)(p - name.p);
		if (name.n > 2 && name.n < NAME_BYTES && p[-2] == '-' &&
		    (p[-1] == 'H' || p[-1] == 'V') && !str_starts(name, STR("Identity-")))
			note_name(out, name);
	}
}

/* A font, and its only character on the page. Poppler finds the objects without an index. */
static void add_font(struct buf *doc, struct buf *page, int *n, const char *collection,
		     const char *name)
{
	buf_addf(doc, "%d 0 obj <</Type/Font/Subtype/Type0/BaseFont/F/Encoding/%s"
		 "/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/F"
		 "/CIDSystemInfo<</Registry(Adobe)/Ordering(%s)/Supplement 0>>>>]>> endobj\n",
		 10 + *n, name, collection);
	buf_addf(page, "/F%d 1 Tf <2121> Tj ", *n);
	++*n;
}

/*
 * Loads the tables of characters that the PDF x->input, or one in it, names. Those of at
 * most four codes, and of all in a file whose fonts are compressed.
 */
static void extract_pdf_prepare(struct extract *x)
{
	struct str s = buf_str(&x->input);
	struct buf doc = BUF_INIT(65536), page = BUF_INIT(4096);
	/* The fonts may be compressed, or within a mail. */
	bool hidden = has(s, "/ObjStm") || has(s, "application/pdf");
	struct map_names names = { .n = 0 };
	struct pdf_page read;
	struct pdf *pdf;
	bool locked;
	int n = 0;

	if (!hidden && !has(s, "%PDF-"))
		return;
	find_names(s, &names);
	buf_adds(&doc, "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n"
		 "2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj\n");
	for (size_t i = 0; i < ARRAY_LEN(collections); i++) {
		if (!hidden && !has(s, collections[i]))
			continue;
		add_font(&doc, &page, &n, collections[i], "Identity-H");
		for (size_t k = 0; k < names.n; k++)
			add_font(&doc, &page, &n, collections[i], names.v[k]);
	}
	buf_addf(&doc, "4 0 obj <</Length %zu>> stream\nBT %s ET\nendstream endobj\n"
		 "3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R"
		 "/Resources<</Font<<", page.n + 6, page.p ? page.p : "");
	for (int i = 0; i < n; i++)
		buf_addf(&doc, "/F%d %d 0 R", i, 10 + i);
	buf_adds(&doc, ">>>>>> endobj\ntrailer <</Root 1 0 R>>\n");
	buf_release(&page);
	/* Both remain: poppler forgets its tables with the last document. */
	pdf = n && buf_ok(&doc) ? pdf_open(doc.p, doc.n, &locked) : NULL;
	if (pdf && pdf_page_read(pdf, 0, false, &read))
		pdf_page_release(&read);
}

/* -- files ------------------------------------------------------------------ */

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
