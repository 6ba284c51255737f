/* SPDX-License-Identifier: MIT */
/* What a file is, by its content only. */
#ifndef EXTRACT_KIND_H
#define EXTRACT_KIND_H

#include "extract/extract.h"

enum { EXTRACT_TYPE_BYTES = 128 };

/* OpenDocument in one file of XML: its type ends with this. */
#define EXTRACT_FLAT "-flat-xml"
#define EXTRACT_ODF "application/vnd.oasis.opendocument."

struct file_kind {
	char type[EXTRACT_TYPE_BYTES];	/* media type */
	bool text;		/* it is text in some charset */
};

/* Loads what libmagic needs from files: EXTRACT_OK or EXTRACT_UNREADABLE. First. */
int extract_kind_prepare(void) MUST_CHECK;

/* The kind of bytes; application/octet-stream: unknown. */
struct file_kind extract_kind(struct str bytes);

/* Its media type alone. */
void extract_kind_type(struct str bytes, char out[EXTRACT_TYPE_BYTES]);

/*
 * The quarter turns clockwise, 0 to 3, after which a photo is upright, by the orientation
 * that its camera stored in it (EXIF). 0 also for mirrored images, which cameras hardly
 * ever produce.
 */
int extract_kind_turns(struct str bytes);

/* Whether scan.c can read images of this type. */
bool extract_is_image(const char *type);

#endif
