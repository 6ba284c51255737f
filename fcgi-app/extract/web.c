/* SPDX-License-Identifier: MIT */
/* See web.h. */
#include "extract/web.h"

#include <libxml/HTMLparser.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "extract/charset.h"
#include "extract/page.h"

#include "base/banned.h"

struct page_parts {
	const xmlNode *main, *article, *body, *title, *heading;
	int articles;
	int depth;
};

static bool is(const xmlNode *n, const char *name)
{
	return n->type == XML_ELEMENT_NODE &&
	       !strcasecmp((const char *)n->name, name);
}

/* Writes "what: VALUE" for an attribute; nothing if it is absent. */
static void put_attribute(struct extract *x, const char *what, const xmlNode *n,
			  const char *name)
{
	xmlChar *v = xmlGetProp((xmlNode *)n, (const xmlChar *)name);

	if (v)
		extract_page_line(x, what, (const char *)v);
	xmlFree(v);
}

static bool has_word(const xmlNode *n, const char *name, const char *word)
{
	xmlChar *v = xmlGetProp((xmlNode *)n, (const xmlChar *)name);
	struct str rest = str_of(v ? (const char *)v : "");
	bool found = false;

	while (rest.n && !found) {
		struct str s = str_trim(str_cut(&rest, ' '));

		found = s.n == strlen(word) && !strncasecmp(s.p, word, s.n);
	}
	xmlFree(v);
	return found;
}

static void look_at(struct extract *x, struct page_parts *f, const xmlNode *n)
{
	if (is(n, "meta") && (has_word(n, "name", "robots") ||
			      has_word(n, "name", "lamplighter")))
		put_attribute(x, "robots", n, "content");
	else if (is(n, "link") && has_word(n, "rel", "canonical"))
		put_attribute(x, "canonical", n, "href");
	else if (is(n, "title") && !f->title)
		f->title = n;
	else if (is(n, "h1") && !f->heading)
		f->heading = n;
	else if (is(n, "body") && !f->body)
		f->body = n;
	else if (!f->main && (is(n, "main") || has_word(n, "role", "main")))
		f->main = n;
	else if (is(n, "article") && f->articles++ == 0)
		f->article = n;
}

static void search(struct extract *x, struct page_parts *f, const xmlNode *n)
{
	if (++f->depth <= LIM_HTML_DEPTH)
		for (; n && buf_ok(&x->out); n = n->next)
			if (n->type == XML_ELEMENT_NODE &&
			    !is(n, "template") && !is(n, "svg")) {
				look_at(x, f, n);
				search(x, f, n->children);
			}
	f->depth--;
}

static void put_title(struct extract *x, const struct page_parts *f)
{
	const xmlNode *from = f->title ? f->title : f->heading;
	xmlChar *text = from ? xmlNodeGetContent((xmlNode *)from) : NULL;

	if (text)
		extract_page_line(x, "title", (const char *)text);
	xmlFree(text);
}

static int write_page(struct extract *x, xmlDocPtr doc)
{
	struct page_parts f = { .depth = 0 };
	const xmlNode *root = xmlDocGetRootElement(doc);
	const xmlNode *from;
	size_t start;

	search(x, &f, root);
	put_title(x, &f);
	buf_addc(&x->out, '\n');
	start = x->out.n;
	from = f.main ? f.main : f.articles == 1 ? f.article : NULL;
	if (from)
		extract_page_walk(x, from->children, PAGE_INNER);
	if (buf_ok(&x->out) && !str_trim((struct str){
		x->out.p + start, x->out.n - start }).n)
		extract_page_walk(x, f.body ? f.body->children : root,
				  PAGE_BARE);
	return EXTRACT_OK;
}

int extract_web_read(struct extract *x)
{
	xmlDocPtr doc;
	int rc;

	charset_convert(&x->input);
	if (!x->input.n)
		return EXTRACT_EMPTY;
	rc = extract_page_parse(x, &doc);
	if (rc == EXTRACT_OK) {
		rc = write_page(x, doc);
		xmlFreeDoc(doc);
	}
	return rc;
}
