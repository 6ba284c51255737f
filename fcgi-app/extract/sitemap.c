/* SPDX-License-Identifier: MIT */
/* Sitemaps (sitemaps.org, protocol 0.9). See web.h. */
#include <archive.h>
#include <archive_entry.h>
#include <libxml/xmlreader.h>
#include <limits.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "extract/tags.h"
#include "extract/web.h"

#include "base/banned.h"

enum {
	PART_BYTES = 65536,
	LINES_CAP = 16777216,	/* limit of the output */
	MOD_BYTES = 40,
	/* Nothing external is loaded, and libxml2 limits the depth. */
	XML_OPTIONS = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
		XML_PARSE_NOCDATA,
};

int extract_sitemap_prepare(struct extract *x)
{
	(void)x;
	return EXTRACT_OK;
}

/* -- gzip -------------------------------------------------------------------------- */

static int unpack(struct extract *x)
{
	struct buf plain = BUF_INIT(LIM_SITEMAP_BYTES + PART_BYTES);
	struct archive *a = archive_read_new();
	struct archive_entry *entry;
	char part[PART_BYTES];
	ssize_t n = -1;

	archive_read_support_filter_gzip(a);
	archive_read_support_format_raw(a);
	if (archive_read_open_memory(a, x->input.p, x->input.n) == ARCHIVE_OK &&
	    archive_read_next_header(a, &entry) == ARCHIVE_OK)
		while ((n = archive_read_data(a, part, sizeof(part))) > 0 &&
		       plain.n <= LIM_SITEMAP_BYTES)
			buf_add(&plain, part, (size_t)n);
	archive_read_free(a);
	buf_release(&x->input);
	x->input = plain;
	return n > 0 ? EXTRACT_BOMB : n < 0 ? EXTRACT_UNREADABLE : EXTRACT_OK;
}

/* -- one address ------------------------------------------------------------------- */

struct sitemap {
	struct extract *x;
	size_t count;
	bool index;	/* an index of sitemaps */
	struct buf loc, mod;
};

static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || s.p[i] == 0x7f)
			return false;
	return utf8_valid(s);
}

static void put_entry(struct sitemap *m)
{
	struct str loc = str_trim(buf_str(&m->loc));
	struct str mod = str_trim(buf_str(&m->mod));

	if (!buf_ok(&m->mod) || mod.n > MOD_BYTES || !mod.n || !is_plain(mod))
		mod = STR("-");
	if (m->count++ >= LIM_SITEMAP_URLS) {
		if (m->count == LIM_SITEMAP_URLS + 1)
			buf_adds(&m->x->out, "more\n");
	} else if (buf_ok(&m->loc) && loc.n && is_plain(loc)) {
		buf_addf(&m->x->out, "%s %.*s %.*s\n", m->index ? "map" : "page",
			 STR_ARG(mod), STR_ARG(loc));
	} else {
		buf_adds(&m->x->out, "skip\n");
	}
	buf_reset(&m->loc);
	buf_reset(&m->mod);
}

/* -- sitemap and index --------------------------------------------------------------- */

/* The elements of images and videos are one level deeper. */
static struct buf *part_of(struct sitemap *m, xmlTextReaderPtr r, struct buf *now)
{
	const char *name = (const char *)xmlTextReaderConstLocalName(r);

	if (xmlTextReaderDepth(r) != 2)
		return now;
	return !strcmp(name, "loc") ? &m->loc
		: !strcmp(name, "lastmod") ? &m->mod : NULL;
}

/* Handles a node. Returns 0, or the exit code with which reading ends. */
static int node(struct sitemap *m, xmlTextReaderPtr r, struct buf **into)
{
	const char *name = (const char *)xmlTextReaderConstLocalName(r);
	int type = xmlTextReaderNodeType(r), depth = xmlTextReaderDepth(r);

	/* Sitemaps need no DTD, and its entities are not expanded here. */
	if (type == XML_READER_TYPE_DOCUMENT_TYPE)
		return EXTRACT_UNREADABLE;
	if (type == XML_READER_TYPE_ELEMENT && depth == 0) {
		m->index = !strcmp(name, "sitemapindex");
		if (!m->index && strcmp(name, "urlset"))
			return EXTRACT_UNREADABLE;
	} else if (type == XML_READER_TYPE_ELEMENT) {
		*into = xmlTextReaderIsEmptyElement(r) == 1 ? NULL
			: part_of(m, r, depth > 2 ? NULL : *into);
	} else if (type == XML_READER_TYPE_END_ELEMENT) {
		*into = NULL;
		if (depth == 1)
			put_entry(m);
	} else if (*into && (type == XML_READER_TYPE_TEXT ||
			     type == XML_READER_TYPE_CDATA)) {
		buf_adds(*into, (const char *)xmlTextReaderConstValue(r));
	}
	return EXTRACT_OK;
}

static int read_xml(struct sitemap *m)
{
	struct buf *into = NULL, *in = &m->x->input;
	xmlTextReaderPtr r = tags_are_small(buf_str(in), false)
		? xmlReaderForMemory(in->p, (int)in->n, NULL, NULL, XML_OPTIONS) : NULL;
	int rc = EXTRACT_OK, more = -1;

	if (!r)
		return EXTRACT_UNREADABLE;
	while (rc == EXTRACT_OK && buf_ok(&m->x->out) &&
	       (more = xmlTextReaderRead(r)) == 1)
		rc = node(m, r, &into);
	xmlFreeTextReader(r);
	return rc != EXTRACT_OK ? rc : more < 0 ? EXTRACT_UNREADABLE : EXTRACT_OK;
}

static int read_lines(struct sitemap *m)
{
	struct str rest = buf_str(&m->x->input);

	if (str_starts(rest, STR("\xef\xbb\xbf")))
		rest = (struct str){ rest.p + 3, rest.n - 3 };
	while (rest.n) {
		struct str line = str_trim(str_cut(&rest, '\n'));

		if (!line.n)
			continue;
		if (!str_starts(line, STR("http://")) &&
		    !str_starts(line, STR("https://")))
			return EXTRACT_UNREADABLE;
		buf_addstr(&m->loc, line);
		put_entry(m);
	}
	return m->count ? EXTRACT_OK : EXTRACT_UNREADABLE;
}

int extract_sitemap_read(struct extract *x)
{
	struct sitemap m = {
		.x = x, .loc = BUF_INIT(LIM_DOCUMENT_URL_CHARS + 64),
		.mod = BUF_INIT(256),
	};
	int rc = EXTRACT_OK;

	x->out.cap = MIN(x->out.cap, LINES_CAP);
	if (str_starts(buf_str(&x->input), STR("\x1f\x8b")))
		rc = unpack(x);
	if (rc == EXTRACT_OK && x->input.n > LIM_SITEMAP_BYTES)
		rc = EXTRACT_TOO_BIG;
	if (rc == EXTRACT_OK)
		rc = memchr(x->input.p ? x->input.p : "", '<',
			    MIN(x->input.n, 256)) ? read_xml(&m) : read_lines(&m);
	buf_release(&m.loc);
	buf_release(&m.mod);
	return rc;
}
