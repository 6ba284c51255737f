/* SPDX-License-Identifier: MIT */
/* See page.h. */
#include "extract/page.h"

#include <libxml/HTMLparser.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "extract/charset.h"
#include "extract/out.h"
#include "extract/tags.h"

#include "base/banned.h"

enum how { AS_INLINE, AS_BLOCK, AS_ITEM, AS_CELL, AS_PRE, AS_BREAK, AS_RULE, AS_SKIP };

/* Elements that affect the output by more than their text. */
static const struct element {
	const char *name;
	enum how how;
	int heading;
} elements[] = {
	{ "address", AS_BLOCK, 0 }, { "article", AS_BLOCK, 0 },
	{ "aside", AS_BLOCK, 0 }, { "blockquote", AS_BLOCK, 0 },
	{ "br", AS_BREAK, 0 }, { "canvas", AS_SKIP, 0 },
	{ "caption", AS_BLOCK, 0 }, { "dd", AS_BLOCK, 0 },
	{ "details", AS_BLOCK, 0 }, { "div", AS_BLOCK, 0 },
	{ "dl", AS_BLOCK, 0 }, { "dt", AS_BLOCK, 0 },
	{ "fieldset", AS_BLOCK, 0 }, { "figcaption", AS_BLOCK, 0 },
	{ "figure", AS_BLOCK, 0 }, { "footer", AS_BLOCK, 0 },
	{ "form", AS_BLOCK, 0 }, { "h1", AS_BLOCK, 1 }, { "h2", AS_BLOCK, 2 },
	{ "h3", AS_BLOCK, 3 }, { "h4", AS_BLOCK, 4 }, { "h5", AS_BLOCK, 5 },
	{ "h6", AS_BLOCK, 6 }, { "head", AS_BLOCK, 0 },
	{ "header", AS_BLOCK, 0 }, { "hr", AS_RULE, 0 },
	{ "iframe", AS_SKIP, 0 }, { "legend", AS_BLOCK, 0 },
	{ "li", AS_ITEM, 0 }, { "link", AS_SKIP, 0 }, { "main", AS_BLOCK, 0 },
	{ "meta", AS_SKIP, 0 }, { "nav", AS_BLOCK, 0 },
	{ "noscript", AS_SKIP, 0 }, { "object", AS_SKIP, 0 },
	{ "ol", AS_BLOCK, 0 }, { "option", AS_BLOCK, 0 }, { "p", AS_BLOCK, 0 },
	{ "pre", AS_PRE, 0 }, { "rp", AS_SKIP, 0 }, { "rt", AS_SKIP, 0 },
	{ "script", AS_SKIP, 0 },
	{ "section", AS_BLOCK, 0 }, { "style", AS_SKIP, 0 },
	{ "summary", AS_BLOCK, 0 }, { "svg", AS_SKIP, 0 },
	{ "table", AS_BLOCK, 0 }, { "tbody", AS_BLOCK, 0 },
	{ "td", AS_CELL, 0 }, { "template", AS_SKIP, 0 },
	{ "textarea", AS_PRE, 0 }, { "th", AS_CELL, 0 },
	{ "thead", AS_BLOCK, 0 }, { "title", AS_BLOCK, 1 },
	{ "tr", AS_BLOCK, 0 }, { "ul", AS_BLOCK, 0 },
};

struct writer {
	struct buf *out;
	enum page_part part;
	size_t start;		/* where our text begins in out */
	bool links;
	int depth;
	bool pre;
	bool space;		/* write one before the next word */
	bool cells;		/* this row has a cell already */
};

static const struct element *element_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(elements); i++)
		if (strcasecmp(elements[i].name, name) == 0)
			return &elements[i];
	return NULL;
}

static bool at_line_start(const struct writer *w)
{
	return w->out->n == w->start || w->out->p[w->out->n - 1] == '\n';
}

static void new_line(struct writer *w)
{
	if (!at_line_start(w))
		buf_addc(w->out, '\n');
	w->space = false;
}

/* Writes words separated by single blanks, or preformatted text as it is. */
static void text(struct writer *w, const char *s)
{
	struct str rest = str_of(s);

	while (rest.n) {
		bool blank = !w->pre && strchr(" \t\r\n\f", *rest.p) != NULL;
		size_t n = 1;

		if (!blank && !w->pre && w->space && !at_line_start(w))
			buf_addc(w->out, ' ');
		w->space = blank;
		if (!blank)
			n = extract_put_one(w->out, rest);
		rest = (struct str){ rest.p + n, rest.n - n };
	}
}

static void walk(struct writer *w, const xmlNode *n);

static void link_target(struct writer *w, xmlNode *n)
{
	xmlChar *href = xmlGetProp(n, (const xmlChar *)"href");
	const char *s = (const char *)href;

	if (s && (strncasecmp(s, "http:", 5) == 0 ||
		  strncasecmp(s, "https:", 6) == 0 || s[0] == '/')) {
		w->space = true;
		text(w, "(");
		text(w, s);
		text(w, ")");
	}
	xmlFree(href);
}

static void inline_element(struct writer *w, xmlNode *n)
{
	const char *name = (const char *)n->name;
	xmlChar *alt = NULL;

	if (strcasecmp(name, "img") == 0)
		alt = xmlGetProp(n, (const xmlChar *)"alt");
	if (alt)
		text(w, (const char *)alt);
	xmlFree(alt);
	walk(w, n->children);
	if (w->links && strcasecmp(name, "a") == 0)
		link_target(w, n);
}

/* Whether the element surrounds the content of every page of a site. */
static bool is_frame(const struct writer *w, const char *name)
{
	static const char *const names[] = { "nav", "footer", "header", "aside" };

	for (size_t i = 0; i < (w->part == PAGE_BARE ? ARRAY_LEN(names)
				: w->part == PAGE_INNER); i++)
		if (!strcasecmp(names[i], name))
			return true;
	return false;
}

static void element(struct writer *w, xmlNode *n)
{
	const struct element *el = element_of((const char *)n->name);
	bool pre = w->pre;

	switch (is_frame(w, (const char *)n->name) ? AS_SKIP
		: el ? el->how : AS_INLINE) {
	case AS_SKIP:
		return;
	case AS_INLINE:
		inline_element(w, n);
		return;
	case AS_BREAK:
		buf_addc(w->out, '\n');
		w->space = false;
		return;
	case AS_RULE:
		new_line(w);
		buf_adds(w->out, "---\n");
		return;
	case AS_CELL:
		if (w->cells) {
			w->space = true;
			text(w, "|");
			w->space = true;
		}
		walk(w, n->children);
		w->cells = true;
		return;
	case AS_ITEM:
		new_line(w);
		buf_adds(w->out, "- ");
		walk(w, n->children);
		new_line(w);
		return;
	case AS_PRE:
		new_line(w);
		w->pre = true;
		walk(w, n->children);
		w->pre = pre;
		new_line(w);
		return;
	case AS_BLOCK:
		break;
	}
	/* a paragraph in a cell does not end the row */
	if (!(w->cells && strcasecmp((const char *)n->name, "p") == 0))
		new_line(w);
	w->cells = false;
	if (el->heading)
		buf_addf(w->out, "%.*s ", el->heading, "######");
	walk(w, n->children);
	new_line(w);
	w->cells = false;
}

static void walk(struct writer *w, const xmlNode *n)
{
	if (++w->depth > LIM_HTML_DEPTH)
		n = NULL;
	for (; n && buf_ok(w->out); n = n->next) {
		if (n->type == XML_TEXT_NODE || n->type == XML_CDATA_SECTION_NODE)
			text(w, n->content ? (const char *)n->content : "");
		else if (n->type == XML_ELEMENT_NODE)
			element(w, (xmlNode *)n);
	}
	w->depth--;
}

int extract_page_prepare(struct extract *x)
{
	charset_select(buf_str(&x->input), x->charset);
	return EXTRACT_OK;
}

int extract_page_read(struct extract *x)
{
	charset_convert(&x->input);
	return extract_page_text(x);
}

int extract_page_parse(struct extract *x, struct _xmlDoc **out)
{
	if (!buf_ok(&x->input) || x->input.n > INT_MAX ||
	    !tags_are_small(buf_str(&x->input), true))
		return EXTRACT_TOO_BIG;
	/* With UTF-8 stated, libxml2 loads no converter. */
	*out = htmlReadMemory(x->input.p, (int)x->input.n, NULL, "UTF-8",
			      HTML_PARSE_RECOVER | HTML_PARSE_NOERROR |
			      HTML_PARSE_NOWARNING | HTML_PARSE_NONET |
			      HTML_PARSE_IGNORE_ENC);
	return *out ? EXTRACT_OK : EXTRACT_UNREADABLE;
}

void extract_page_walk(struct extract *x, const struct _xmlNode *n,
		       enum page_part part)
{
	struct writer w = {
		.out = &x->out, .start = x->out.n, .links = x->links,
		.part = part,
	};

	walk(&w, n);
}

void extract_page_line(struct extract *x, const char *what, const char *s)
{
	struct writer w = { .out = &x->out };

	buf_addf(&x->out, "%s: ", what);
	w.start = x->out.n;
	text(&w, s);
	buf_addc(&x->out, '\n');
}

int extract_page_text(struct extract *x)
{
	htmlDocPtr doc;
	int rc;

	if (!x->input.n)
		return EXTRACT_OK;
	rc = extract_page_parse(x, &doc);
	if (rc == EXTRACT_OK) {
		extract_page_walk(x, xmlDocGetRootElement(doc), PAGE_WHOLE);
		xmlFreeDoc(doc);
	}
	return rc;
}
