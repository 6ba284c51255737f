/* SPDX-License-Identifier: MIT */
/*
 * The header of a mail (RFC 5322, 2045, 2047, 2231, 6532): fields, words in any charset,
 * and parameters. Inside mail*.c.
 */
#ifndef EXTRACT_MAIL_HEAD_H
#define EXTRACT_MAIL_HEAD_H

#include "extract/file.h"

struct mail_part {
	struct str head, body;
};

/* The value of a field, including folded lines; empty: it is absent. */
struct str mail_field(struct str head, const char *name);

/*
 * Appends the value of a parameter in UTF-8, decoded whether it is a word, a quoted
 * string, encoded as in a field, or in parts and with a charset of its own (name*0*=).
 */
void mail_parameter(struct str value, const char *name, struct buf *out);

/* Appends a value in UTF-8 as one line, with its encoded words decoded. */
void mail_decode(struct str value, struct buf *out);

/*
 * Whether this is the line that mailboxes (mbox) put before each mail: "From", an address
 * or "-", and a date in any of the usual forms.
 */
bool mail_is_mark(struct str line);

void mail_from_base64(struct str s, struct buf *out);
/* Decodes quoted-printable; in encoded words (word), _ is a blank. */
void mail_from_quoted(struct str s, bool word, struct buf *out);

#endif
