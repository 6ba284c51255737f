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
 * Writes a line for each URL of a sitemap: "page LASTMOD URL", or "map LASTMOD URL" in
 * an index of sitemaps; LASTMOD is "-" if absent. The input is XML, or text with one URL
 * per line; both may be compressed with gzip. EXTRACT_UNREADABLE if it is neither or
 * malformed, even if some URLs were read.
 */
int extract_sitemap_prepare(struct extract *x) MUST_CHECK;
int extract_sitemap_read(struct extract *x) MUST_CHECK;

#endif
