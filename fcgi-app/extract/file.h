/*
 * Files in general: what they are by their content, and their text by that. One
 * reader a format; each appends to x->out, sets x->pages, and returns an exit code.
 */
#ifndef EXTRACT_FILE_H
#define EXTRACT_FILE_H

#include "extract/extract.h"

/* Loads what libmagic and iconv need from files. */
int extract_file_prepare(struct extract *x) MUST_CHECK;

/*
 * Writes "type: TYPE/SUBTYPE", "pages: N" where there are some, "scanned: 2-5, 9" where
 * pages of a PDF have no text beside others that have, an empty line and
 * the text; where there is no text, only the first lines. With x->head the type only.
 */
int extract_file_read(struct extract *x) MUST_CHECK;

/*
 * The text of bytes within a file (an attachment of a mail, a page of a book), by
 * its own type; depth: how deep it is nested. What cannot be read adds nothing.
 */
void extract_file_inner(struct extract *x, struct str bytes, int depth);

/* PDF, its pages apart. */
int extract_pdf(struct extract *x) MUST_CHECK;

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
