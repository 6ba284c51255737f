/*
 * Files in general: what they are by their content, and their text by that. One
 * reader a format; each appends to x->out, sets x->pages, and returns an exit code.
 */
#ifndef EXTRACT_FILE_H
#define EXTRACT_FILE_H

#include "extract/extract.h"

struct _PopplerDocument;
struct _PopplerPage;

/* Loads what libmagic and iconv need from files. */
int extract_file_prepare(struct extract *x) MUST_CHECK;

/*
 * Writes "type: TYPE/SUBTYPE", "pages: N" where there are some, "scanned: 2-5, 9" where
 * pages of a PDF have no text beside others that have, "unread: N" with the first page
 * that is an image, an empty line and the text; where there is no text, only the first
 * lines. With x->head the type only.
 */
int extract_file_read(struct extract *x) MUST_CHECK;

/*
 * The text of bytes within a file (an attachment of a mail, a page of a book), by
 * its own type; depth: how deep it is nested. What cannot be read adds nothing.
 */
void extract_file_inner(struct extract *x, struct str bytes, int depth);

/* The media type of bytes, by what they are. */
enum { EXTRACT_TYPE_BYTES = 128 };
void extract_file_type(struct str bytes, char out[EXTRACT_TYPE_BYTES]);

/* Whether scan.c reads images of that type. */
bool extract_is_image(const char *type);

/* PDF, its pages apart. */
int extract_pdf(struct extract *x) MUST_CHECK;
/* The document of the input, which is borrowed; NULL: it cannot be read. */
struct _PopplerDocument *extract_pdf_open(struct extract *x);
/* Whether a page has text, which is appended to x unless that is NULL. */
bool extract_pdf_text(struct _PopplerPage *page, struct extract *x);

/*
 * The text of images: of pages without text from x->from (counted from 1) to x->to,
 * at most x->most of them and as many as there is time for. Writes "type: ",
 * "done: N" (pages that were recognised), "next: N" (where to go on, or the first
 * such page behind x->to; 0: that was all), an empty line and the text, with page
 * marks unless the file is one image. EXTRACT_NO_READER: there is no Tesseract, or
 * not for x->languages.
 */
int extract_scan_prepare(struct extract *x) MUST_CHECK;
int extract_scan_read(struct extract *x) MUST_CHECK;

/*
 * The next such page of a PDF, as a PNG: "done: " has its number (0: there is none;
 * EXTRACT_EMPTY), then as above, with the picture for the text.
 */
int extract_picture_read(struct extract *x) MUST_CHECK;

/* DOCX, XLSX, PPTX, ODT, ODS, ODP, EPUB. */
int extract_office(struct extract *x) MUST_CHECK;
/* By the names in it, its media type; NULL: just an archive. */
const char *extract_office_type(struct str head);

int extract_rtf(struct extract *x) MUST_CHECK;

/* RFC 5322, with the text of its attachments. */
int extract_mail(struct extract *x, int depth) MUST_CHECK;

/* Text in any charset, as it is. */
int extract_plain(struct extract *x) MUST_CHECK;

/* Opens the converters of all charsets that are told apart. */
void extract_plain_prepare(void);

/*
 * Appends text of that charset (NULL: found out) as valid UTF-8. An unknown name
 * counts as NULL.
 */
void extract_plain_convert(struct str text, const char *charset, struct buf *out);

#endif
