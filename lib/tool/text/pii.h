/* SPDX-License-Identifier: MIT */
/*
 * Personal data and secrets in a text, found by their form: no model, the same
 * text gives the same places. Each kind has a checksum or a shape that ordinary
 * text does not have; names of people have neither and are not found.
 */
#ifndef TOOL_PII_H
#define TOOL_PII_H

#include "base/buf.h"
#include "base/str.h"

enum pii_kind {
	PII_EMAIL, PII_PHONE, PII_IBAN, PII_CARD, PII_SSN, PII_IP, PII_KEY,
	PII_PASSWORD, PII__MAX,
};

/* "email", "phone", … */
const char *pii_name(enum pii_kind kind);

struct pii {
	enum pii_kind kind;
	size_t offset, n;	/* bytes in the text */
	size_t line, column;	/* from 1; columns are characters */
};

struct pii_scan {
	struct str text;	/* valid UTF-8 */
	unsigned kinds;		/* 1 << kind; those that are looked for */
	size_t at, line, line_start;
	size_t counted_line, counted, chars;	/* of the line, for columns */
};

/* The next place, or false. Places do not overlap. Linear in the text. */
bool pii_next(struct pii_scan *s, struct pii *out);

/* The value, masked except for what distinguishes it from others. */
void pii_mask(enum pii_kind kind, struct str value, struct buf *out);

#endif
