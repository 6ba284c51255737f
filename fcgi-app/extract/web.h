/* SPDX-License-Identifier: MIT */
/* Pages and sitemaps of sites, for sources of knowledge bases (lib/intake). */
#ifndef EXTRACT_WEB_H
#define EXTRACT_WEB_H

#include "extract/extract.h"

/*
 * Writes the lines "title: …", "canonical: …" and "robots: …" (each if the page has it),
 * an empty line, and the text of the main part: the element main or the only article,
 * else everything except navigation, headers and footers.
 */
int extract_web_read(struct extract *x) MUST_CHECK;

/*
 * Writes a line for each address of a sitemap, "page LASTMOD ADDRESS" or, in an
 * index of sitemaps, "map LASTMOD ADDRESS"; LASTMOD is "-" if it is absent. The
 * input is XML, or text with one address per line; both may be compressed with
 * gzip. "skip": an entry without a valid address; "more": there are more than
 * LIM_SITEMAP_URLS. EXTRACT_UNREADABLE: it is neither, or damaged, even if
 * addresses were written.
 */
int extract_sitemap_prepare(struct extract *x) MUST_CHECK;
int extract_sitemap_read(struct extract *x) MUST_CHECK;

#endif
