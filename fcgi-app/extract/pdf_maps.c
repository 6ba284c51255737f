/* SPDX-License-Identifier: MIT */
/*
 * The tables of East Asian characters that a PDF may name instead of having its own:
 * Debian's poppler-data. Poppler reads them from files when it meets such a font, which
 * the confined process cannot; it keeps the last ones, so a document with the same fonts
 * is read before. Sources: ISO 32000-1, 9.7.5.2 (predefined CMaps) and 9.7.3 (character
 * collections).
 */
#include "extract/file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "extract/pdf_page.h"

#include "base/banned.h"

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

void extract_pdf_prepare(struct extract *x)
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
