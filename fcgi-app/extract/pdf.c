/* PDF, by poppler. It opens no files here: fonts and encodings are the file's own. */
#include "extract/file.h"

#include <poppler.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "extract/out.h"

#include "base/banned.h"

enum { MISSING = 50 };	/* pages in a row that are not there: there are no more */

static int why(GError *error)
{
	int rc = EXTRACT_UNREADABLE;

	if (error && error->domain == POPPLER_ERROR &&
	    error->code == POPPLER_ERROR_ENCRYPTED)
		rc = EXTRACT_ENCRYPTED;
	g_clear_error(&error);
	return rc;
}

/* Notes pages from..to, counted from 1; "…" where no more fit. */
static void note_scanned(struct extract *x, int from, int to)
{
	char *s = x->scanned;
	size_t n = strlen(s), room = sizeof(x->scanned) - n;
	const char *before = n ? ", " : "";

	if (n && s[n - 1] == '.')
		return;
	if (room < 40)
		snprintf(s + n, room, ", ...");
	else if (from == to)
		snprintf(s + n, room, "%s%d", before, from);
	else
		snprintf(s + n, room, "%s%d-%d", before, from, to);
}

bool extract_pdf_text(struct _PopplerPage *page, struct extract *x)
{
	char *text = poppler_page_get_text(page);
	bool any = text && str_trim(str_of(text)).n > 0;

	if (any && x)
		extract_put_paragraph(&x->out, str_of(text));
	g_free(text);
	return any;
}

/* Whether the page has any text. */
static bool read_page(struct extract *x, PopplerDocument *doc, int i,
		      bool *is_there)
{
	PopplerPage *page = poppler_document_get_page(doc, i);
	size_t before = x->out.n;
	bool any;

	*is_there = page != NULL;
	if (!page)
		return false;
	extract_put_page(&x->out, i + 1);
	any = extract_pdf_text(page, x);
	if (!any) {
		x->out.n = before;
		x->out.p[before] = '\0';
	}
	g_object_unref(page);
	return any;
}

static PopplerDocument *open_document(struct extract *x, GError **error)
{
	GBytes *bytes = g_bytes_new_static(x->input.p, x->input.n);

	return poppler_document_new_from_bytes(bytes, NULL, error);
}

PopplerDocument *extract_pdf_open(struct extract *x)
{
	return open_document(x, NULL);
}

int extract_pdf(struct extract *x)
{
	GError *error = NULL;
	PopplerDocument *doc = open_document(x, &error);
	int n, missing = 0, blank = 0;
	bool any = false, is_there;

	if (!doc)
		return why(error);
	/* What the file says of its pages need not be true. */
	n = poppler_document_get_n_pages(doc);
	for (int i = 0; i < MIN(n, LIM_EXTRACT_PAGES) && missing < MISSING &&
	     buf_ok(&x->out); i++) {
		bool has_text = read_page(x, doc, i, &is_there);

		any |= has_text;
		missing = is_there ? 0 : missing + 1;
		if (is_there)
			x->pages = i + 1;
		if (is_there && !has_text) {
			blank++;
			x->unread = x->unread ? x->unread : i + 1;
		} else {
			if (blank)
				note_scanned(x, i + 1 - blank, i);
			blank = 0;
		}
	}
	if (blank)
		note_scanned(x, (int)x->pages + 1 - blank, (int)x->pages);
	if (!x->pages)
		return EXTRACT_UNREADABLE;
	return any ? EXTRACT_OK : EXTRACT_NO_TEXT;
}
