/* SPDX-License-Identifier: MIT */
/*
 * The pages of a PDF as text in reading order, as pdftotext writes it: with the values of
 * form fields and the text of notes on the page. By the C++ interface of poppler: the one
 * for C (poppler-glib) has the text of a selection only, which leaves out lines that are
 * written from right to left, and all forms. Nothing but this is C++. Each page is
 * interpreted twice: in this interface text() and text_list() both begin with the content of
 * the page (1.4 and 1.8 s of 625 pages), and the words of the second have neither the order
 * of right to left nor the blocks of the first.
 */
#ifndef EXTRACT_PDF_PAGE_H
#define EXTRACT_PDF_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A word, in the order of the text. */
struct pdf_word {
	size_t chars;		/* code points, without blanks */
	double size;		/* of the font, in points; 0: unknown */
	double top, bottom;	/* in points from the upper edge of the page */
	double left, right;
	size_t at, n;		/* its bytes in text_of_words, as they are painted */
	bool bold;
};

struct pdf_page {
	char *text;		/* UTF-8 */
	size_t n;
	struct pdf_word *words;
	size_t n_words;
	char *text_of_words;		/* the text of the words */
	int turns;		/* quarter turns clockwise with which the page is shown */
	bool lacks;		/* characters of which there is no table (file.c) */
};

struct pdf;

/*
 * Opens a PDF in memory, which must remain; new. NULL: it cannot be read, or *locked: not
 * without a password.
 */
struct pdf *pdf_open(const char *p, size_t n, bool *locked);
void pdf_close(struct pdf *pdf);

/* What the process exits with when memory is exhausted: EXTRACT_MEMORY. */
enum { PDF_EXIT_MEMORY = 12 };

/* The number of pages that the file states, which may be wrong. */
int pdf_pages(const struct pdf *pdf);

/*
 * Reads a page, from 0, to *out, which pdf_page_release frees; its words only if they are
 * asked for. Returns whether the page exists.
 */
bool pdf_page_read(const struct pdf *pdf, int page, bool words, struct pdf_page *out);
void pdf_page_release(struct pdf_page *page);

#ifdef __cplusplus
}
#endif

#endif
