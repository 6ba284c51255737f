/* SPDX-License-Identifier: MIT */
/*
 * Files in general: detects the type by content and extracts the text. Each format has a
 * reader, which appends to x->out, sets x->pages and returns an exit code.
 */
#ifndef EXTRACT_FILE_H
#define EXTRACT_FILE_H

#include "extract/extract.h"

struct pdf;
struct pdf_fields;
struct pdf_page;

/* Loads what libmagic and iconv need from files. */
int extract_file_prepare(struct extract *x) MUST_CHECK;

/*
 * Writes "type: TYPE/SUBTYPE", "pages: N" if the file has pages, "scanned: 2-5, 9" if only
 * some pages of a PDF have no text, "unread: N" with the first page that is an image, an
 * empty line, and the text. Without text, only these lines; with x->head, only the type.
 */
int extract_file_read(struct extract *x) MUST_CHECK;

/*
 * Appends the text of a file within a file (an attachment of a mail, a page of a book),
 * by its own type; depth: level of nesting; as declared beside it, or NULL: charset, the
 * charset of text, and type, which says of text that it is HTML or a mail. Adds nothing if
 * it cannot be read.
 */
void extract_file_inner(struct extract *x, struct str bytes, const char *charset,
			const char *type, int depth);

/* Reads a PDF, page by page. */
int extract_pdf(struct extract *x) MUST_CHECK;
/* Whether a page, from 0, has text. */
bool extract_pdf_has_text(const struct pdf *pdf, int page);

/* Puts the ligature of lam and alef right where it is turned around, in text of a PDF. */
void extract_lam_alef(struct buf *b);

/*
 * Recognises the text of pages without text from x->from (counted from 1) to x->to, at
 * most x->most pages and as many as time permits. Writes "type: ", "done: N" (number of
 * recognised pages), "next: N" (page to continue with, or the first such page after
 * x->to; 0: none), an empty line and the text, with page marks unless the file is one
 * image. EXTRACT_NO_READER if Tesseract is missing, or its data for x->languages.
 */
int extract_scan_prepare(struct extract *x) MUST_CHECK;
int extract_scan_read(struct extract *x) MUST_CHECK;

/*
 * Draws the next such page of a PDF as a PNG. The output is as above, with the page's
 * number in "done: " (0: none, EXTRACT_EMPTY) and the PNG instead of the text.
 */
int extract_picture_read(struct extract *x) MUST_CHECK;

/* DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB. */
int extract_office(struct extract *x) MUST_CHECK;
/* OpenDocument in one file of XML (EXTRACT_FLAT). */
int extract_flat_odf(struct extract *x) MUST_CHECK;
/* The media type of an archive by the names in it; NULL if it is another archive. */
const char *extract_office_type(struct str head);

int extract_rtf(struct extract *x) MUST_CHECK;

/* Reads a mail (RFC 5322) with the text of its attachments, one level below x->depth. */
int extract_mail(struct extract *x) MUST_CHECK;

/* Whether a text begins with the header of a mail, whatever the order of its fields. */
bool extract_is_mail(struct str s);

/* Reads plain text in any charset. */
int extract_plain(struct extract *x) MUST_CHECK;

/* The same in this charset whatever it looks like; unknown: windows-1252. */
void extract_plain_decode(struct str text, const char *charset, struct buf *out);

/*
 * The charset of text in units of 16 or 32 bits without a byte order mark, by its ASCII
 * characters; NULL: it is none.
 */
const char *extract_plain_units(struct str text);

/* Whether UTF-16 without a mark is text even if libmagic knows a format that begins so. */
bool extract_plain_is_surely(struct str text, const char *units);

/* Opens the converters of all charsets that can be detected. */
void extract_plain_prepare(void);

/*
 * Appends text as valid UTF-8: by its byte order mark, else by this charset unless it is
 * NULL, unknown, or the usual wrong word about UTF-8, else detected. Text with few bytes
 * that are no UTF-8 remains UTF-8; these become U+FFFD.
 */
void extract_plain_convert(struct str text, const char *charset, struct buf *out);

#endif
