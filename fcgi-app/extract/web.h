/* Pages of a site, and its sitemaps, for sources of knowledge bases (lib/intake). */
#ifndef EXTRACT_WEB_H
#define EXTRACT_WEB_H

#include "extract/extract.h"

/*
 * Writes "title: …", "canonical: …", "robots: …" (a line each, where the page says
 * so), an empty line, and the text of its main part: main or its only article, else
 * all but navigation, headers and footers.
 */
int extract_web_read(struct extract *x) MUST_CHECK;

/*
 * Writes a line for each address of a sitemap, "page LASTMOD ADDRESS" or, in an index
 * of sitemaps, "map LASTMOD ADDRESS"; LASTMOD is "-" where there is none. XML, or
 * text with an address a line; both may be packed with gzip. "skip": an entry without
 * a valid address; "more": there are more than LIM_SITEMAP_URLS. EXTRACT_UNREADABLE:
 * it is neither, or broken, whatever it had until there.
 */
int extract_sitemap_prepare(struct extract *x) MUST_CHECK;
int extract_sitemap_read(struct extract *x) MUST_CHECK;

#endif
