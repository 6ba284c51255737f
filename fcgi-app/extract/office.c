/* SPDX-License-Identifier: MIT */
/*
 * DOCX, PPTX, XLSX (ECMA-376), ODT, ODS, ODP (OpenDocument 1.3), EPUB 3: which format an
 * archive has, by what it declares itself, and where its main part is. libxml2 does not
 * expand entities here, and refuses deep nesting itself.
 */
#include "extract/office_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/limits.h"
#include "base/util.h"
#include "extract/kind.h"

#include "base/banned.h"

#define OOXML "application/vnd.openxmlformats-officedocument."
#define ODF "application/vnd.oasis.opendocument."
#define EPUB "application/epub+zip"
#define MACRO(name) "application/vnd.ms-" name ".12"

/* Main parts of Office Open XML by their content types. */
static const struct main_part {
	const char *content_type, *type;
	int (*read)(struct office_walk *w);
} main_parts[] = {
	{ OOXML "wordprocessingml.document.main+xml",
	  OOXML "wordprocessingml.document", office_read_docx },
	{ OOXML "wordprocessingml.template.main+xml",
	  OOXML "wordprocessingml.template", office_read_docx },
	{ "application/vnd.ms-word.document.macroEnabled.main+xml",
	  MACRO("word.document.macroenabled"), office_read_docx },
	{ "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
	  MACRO("word.template.macroenabled"), office_read_docx },
	{ OOXML "spreadsheetml.sheet.main+xml",
	  OOXML "spreadsheetml.sheet", office_read_xlsx },
	{ OOXML "spreadsheetml.template.main+xml",
	  OOXML "spreadsheetml.template", office_read_xlsx },
	{ "application/vnd.ms-excel.sheet.macroEnabled.main+xml",
	  MACRO("excel.sheet.macroenabled"), office_read_xlsx },
	{ "application/vnd.ms-excel.template.macroEnabled.main+xml",
	  MACRO("excel.template.macroenabled"), office_read_xlsx },
	{ "application/vnd.ms-excel.addin.macroEnabled.main+xml",
	  MACRO("excel.addin.macroenabled"), office_read_xlsx },
	{ "application/vnd.ms-excel.sheet.binary.macroEnabled.main",
	  MACRO("excel.sheet.binary.macroenabled"), NULL },
	{ OOXML "presentationml.presentation.main+xml",
	  OOXML "presentationml.presentation", office_read_pptx },
	{ OOXML "presentationml.slideshow.main+xml",
	  OOXML "presentationml.slideshow", office_read_pptx },
	{ OOXML "presentationml.template.main+xml",
	  OOXML "presentationml.template", office_read_pptx },
	{ "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
	  MACRO("powerpoint.presentation.macroenabled"), office_read_pptx },
	{ "application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml",
	  MACRO("powerpoint.slideshow.macroenabled"), office_read_pptx },
	{ "application/vnd.ms-powerpoint.template.macroEnabled.main+xml",
	  MACRO("powerpoint.template.macroenabled"), office_read_pptx },
	{ "application/vnd.ms-visio.drawing.main+xml",
	  "application/vnd.ms-visio.drawing.main+xml", NULL },
};

/* Archives that declare nothing: the usual names of main parts. */
static const struct usual {
	const char *name, *type;
	int (*read)(struct office_walk *w);
} usual[] = {
	{ "word/document.xml", OOXML "wordprocessingml.document", office_read_docx },
	{ "xl/workbook.xml", OOXML "spreadsheetml.sheet", office_read_xlsx },
	{ "ppt/presentation.xml", OOXML "presentationml.presentation",
	  office_read_pptx },
};

/* OpenDocument and EPUB, whose first file is their type. */
static const struct {
	const char *type;	/* of it, or of each that begins with it */
	int (*read)(struct office_walk *w);
} mimetypes[] = {
	{ EPUB, office_read_epub }, { ODF, office_read_odf },
};

struct declared {
	char *name;	/* of the part, or of an extension, with its dot */
	char *type;
};

struct package {
	char type[EXTRACT_TYPE_BYTES];	/* the media type; "": it is another archive */
	char base[OFFICE_PATH_BYTES];	/* the main part */
	int (*read)(struct office_walk *w);
	struct declared *v;		/* content types, sorted by name */
	size_t n;
};

static struct package package;

/* -- content types (ECMA-376 part 2, section 7.2) --- */

static void content_type(struct office_walk *w, const struct office_xml *x, bool open)
{
	const char *element = office_name(x);
	bool is_default = office_is(element, "Default");
	char name[OFFICE_PATH_BYTES], type[EXTRACT_TYPE_BYTES];

	(void)w;
	if (!open || (!is_default && !office_is(element, "Override")) ||
	    package.n >= LIM_EXTRACT_ENTRIES)
		return;
	name[0] = '.';
	office_attribute(x, is_default ? "Extension" : "PartName", name + is_default,
			 sizeof(name) - is_default);
	office_decode_name(name);
	office_attribute(x, "ContentType", type, sizeof(type));
	if (package.n % 256 == 0)
		package.v = xrealloc(package.v, (package.n + 256) * sizeof(*package.v));
	package.v[package.n++] = (struct declared){
		xstrdup(name + (name[0] == '/')), xstrdup(type),
	};
}

static void no_text(struct office_walk *w, const char *s)
{
	(void)w;
	(void)s;
}

static int by_name(const void *a, const void *b)
{
	const struct declared *x = a, *y = b;

	return strcasecmp(x->name, y->name);
}

static const char *declared_as(const struct package *p, const char *name)
{
	struct declared key = { .name = (char *)(uintptr_t)name }, *found = NULL;
	const char *end = strrchr(name, '.');

	if (p->n)
		found = bsearch(&key, p->v, p->n, sizeof(key), by_name);
	if (!found && p->n && end) {
		key.name = (char *)(uintptr_t)end;
		found = bsearch(&key, p->v, p->n, sizeof(key), by_name);
	}
	return found ? found->type : "";
}

static void release(void)
{
	for (size_t i = 0; i < package.n; i++) {
		free(package.v[i].name);
		free(package.v[i].type);
	}
	free(package.v);
	package = (struct package){ .n = 0 };
}

/* -- which files to unpack --- */

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && strcasecmp(name + n - m, end) == 0;
}

static bool is_declaration(const void *ctx, const char *name)
{
	(void)ctx;
	return office_is(name, "mimetype") || !strncasecmp(name, "META-INF/", 9) ||
		!strcasecmp(name, "[Content_Types].xml") ||
		!strcasecmp(name, "_rels/.rels");
}

/* XML, relations, pages of books, documents within documents; not media. */
static bool may_have_text(const void *ctx, const char *name)
{
	static const char *const ends[] = {
		".xml", ".rels", ".opf", ".xhtml", ".html", ".htm", ".mht", ".rtf",
		".txt", "mimetype",
	};
	const char *type = declared_as(ctx, name);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (ends_with(name, ends[i]))
			return true;
	return ends_with(type, "xml") || str_starts(str_of(type), STR("text/")) ||
		str_starts(str_of(type), STR("message/"));
}

/* -- detecting the format --- */

static bool take_main(const char *name)
{
	const char *type = declared_as(&package, name);

	for (size_t i = 0; i < ARRAY_LEN(main_parts); i++)
		if (!strcasecmp(main_parts[i].content_type, type)) {
			snprintf(package.type, sizeof(package.type), "%s",
				 main_parts[i].type);
			snprintf(package.base, sizeof(package.base), "%s", name);
			package.read = main_parts[i].read;
			return true;
		}
	return false;
}

static bool take_mimetype(struct str type)
{
	type = str_trim(type);
	for (size_t i = 0; i < ARRAY_LEN(mimetypes); i++)
		if (str_starts(type, str_of(mimetypes[i].type)) &&
		    type.n < sizeof(package.type)) {
			memcpy(package.type, type.p, type.n);
			package.type[type.n] = '\0';
			package.read = mimetypes[i].read;
			return true;
		}
	return false;
}

/* The root of the manifest of OpenDocument, if there is no file "mimetype". */
static void manifest(struct office_walk *w, const struct office_xml *x, bool open)
{
	char path[8], type[EXTRACT_TYPE_BYTES];

	(void)w;
	if (open && office_is(office_name(x), "file-entry") &&
	    office_is(office_attribute(x, "full-path", path, sizeof(path)), "/"))
		(void)take_mimetype(str_of(office_attribute(x, "media-type", type,
							    sizeof(type))));
}

/* The main part of Office Open XML: as related to the package, else by its type. */
static void find_main(struct office_walk *w)
{
	const char *name;

	(void)!office_each(w, office_part(w->parts, "[Content_Types].xml"), content_type,
			   no_text);
	if (package.n)
		qsort(package.v, package.n, sizeof(*package.v), by_name);
	office_read_links(w);
	name = office_linked_type(w, "officeDocument");
	if (name && take_main(name))
		return;
	for (size_t i = 0; i < package.n; i++)
		if (take_main(package.v[i].name))
			return;
}

static void find_declared(struct str archive)
{
	struct extract none = { .out = BUF_INIT(1) };
	struct office_parts parts;
	struct office_walk w = OFFICE_WALK(&none, &parts);
	struct str type;

	/* What comes before damage is there. */
	(void)!office_unpack(archive, is_declaration, NULL, &parts);
	type = office_part(&parts, "mimetype");
	if (!type.p || !take_mimetype(type))
		find_main(&w);
	if (!*package.type)
		(void)!office_each(&w, office_part(&parts, "META-INF/manifest.xml"),
				   manifest, no_text);
	if (!*package.type && office_part(&parts, "META-INF/container.xml").p)
		(void)take_mimetype(STR(EPUB));
	office_walk_release(&w);
	office_release(&parts);
}

static bool has(struct str s, const char *word)
{
	return memmem(s.p, s.n, word, strlen(word)) != NULL;
}

/* What an archive has in it uncompressed: the names, and an OpenDocument its type. */
static void find_usual(struct str archive)
{
	for (size_t i = 0; i < ARRAY_LEN(usual) && !*package.type; i++)
		if (has(archive, usual[i].name)) {
			snprintf(package.type, sizeof(package.type), "%s",
				 usual[i].type);
			snprintf(package.base, sizeof(package.base), "%s",
				 usual[i].name);
			package.read = usual[i].read;
		}
}

static void detect_kind(struct str archive)
{
	release();
	find_declared(archive);
	if (!*package.type)
		find_usual(archive);
}

const char *extract_office_type(struct str head)
{
	detect_kind(head);
	return *package.type ? package.type : NULL;
}

int extract_office(struct extract *x)
{
	struct str s = buf_str(&x->input);
	struct office_parts parts;
	struct office_walk w = OFFICE_WALK(x, &parts);
	struct package found;
	int rc;

	detect_kind(s);
	/* A file within this one has a package of its own. */
	found = package;
	package = (struct package){ .n = 0 };
	w.base = found.base;
	rc = found.read ? office_unpack(s, may_have_text, &found, &parts)
		: EXTRACT_UNKNOWN;
	if (!found.read)
		parts = (struct office_parts){ .n = 0 };
	office_read_links(&w);
	if (rc == EXTRACT_OK)
		rc = found.read(&w);
	office_end_notes(&w);
	office_walk_release(&w);
	office_release(&parts);
	release();
	package = found;
	release();
	return rc;
}
