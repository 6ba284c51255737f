/* SPDX-License-Identifier: MIT */
#include "conf/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

struct reader {
	yaml_parser_t parser;
	struct arena *a;
	const char *file;
	struct str text;
	size_t *budget;
	struct err *e;
};

static struct ypos pos_of(const struct reader *r, yaml_mark_t m)
{
	return (struct ypos){
		.file = r->file,
		.line = (int)m.line + 1,
		.column = (int)m.column + 1,
	};
}

#define fail(r, mark, fmt, ...) \
	err_set((r)->e, ERR_CONFIG, "%s:%d:%d: " fmt, (r)->file, \
		(int)(mark).line + 1, (int)(mark).column + 1, ##__VA_ARGS__)

/* Whether the line of the mark is indented with a tab. */
static bool tab_indent(const struct reader *r, yaml_mark_t m)
{
	struct str rest = r->text, line = str_cut(&rest, '\n');
	size_t i = 0;

	while (m.line--)
		line = str_cut(&rest, '\n');
	while (i < line.n && line.p[i] == ' ')
		i++;
	return i < line.n && line.p[i] == '\t';
}

static int next(struct reader *r, yaml_event_t *ev)
{
	const yaml_parser_t *p = &r->parser;

	if (yaml_parser_parse(&r->parser, ev))
		return 0;
	if (p->error == YAML_MEMORY_ERROR)
		BUG("out of memory");
	if (tab_indent(r, p->problem_mark))
		return fail(r, p->problem_mark,
			    "this line is indented with a tab; YAML needs "
			    "blanks");
	if (p->context)
		return fail(r, p->problem_mark, "%s (%s, line %d)",
			    p->problem ? p->problem : "not YAML", p->context,
			    (int)p->context_mark.line + 1);
	return fail(r, p->problem_mark, "%s",
		    p->problem ? p->problem : "not YAML");
}

static int refuse(struct reader *r, const yaml_event_t *ev,
		  const unsigned char *anchor, const unsigned char *tag)
{
	if (anchor)
		return fail(r, ev->start_mark,
			    "anchors (&%.40s) are not supported here",
			    (const char *)anchor);
	if (tag)
		return fail(r, ev->start_mark,
			    "tags (%.40s) are not supported here",
			    (const char *)tag);
	return 0;
}

static struct ynode *node_new(struct reader *r, enum ykind kind,
			      const yaml_event_t *ev)
{
	struct ynode *n;

	if (*r->budget == 0) {
		(void)fail(r, ev->start_mark,
			   "the configuration has more than %d values",
			   LIM_CONF_NODES);
		return NULL;
	}
	--*r->budget;
	n = arena_new(r->a, struct ynode);
	n->kind = kind;
	n->pos = pos_of(r, ev->start_mark);
	return n;
}

static int scalar_text(struct reader *r, const yaml_event_t *ev,
		       const char **text)
{
	const char *p = (const char *)ev->data.scalar.value;
	size_t n = ev->data.scalar.length;

	if (memchr(p, '\0', n))
		return fail(r, ev->start_mark, "there is a NUL character");
	*text = arena_memdup(r->a, p, n);
	return 0;
}

static int read_node(struct reader *r, yaml_event_t *ev, int depth,
		     struct ynode **out);

/* Room for one more child; arrays double and the old ones stay in the arena. */
static void child_room(struct reader *r, struct ynode *n, size_t *size)
{
	size_t room = *size;

	if (n->kind == YMAP)
		n->keys = arena_room(r->a, n->keys, n->n, 1, &room,
				     sizeof(*n->keys));
	n->v = arena_room(r->a, n->v, n->n, 1, size, sizeof(*n->v));
}

/* Begins the next child, or takes the event that ends n. 1, 0, -1. */
static int next_child(struct reader *r, struct ynode *n, yaml_event_type_t end,
		      size_t *size, yaml_event_t *ev)
{
	if (next(r, ev))
		return -1;
	if (ev->type == end) {
		yaml_event_delete(ev);
		return 0;
	}
	child_room(r, n, size);
	return 1;
}

static int read_seq(struct reader *r, struct ynode *n, int depth)
{
	yaml_event_t ev;
	size_t size = 0;

	for (;;) {
		int rc = next_child(r, n, YAML_SEQUENCE_END_EVENT, &size, &ev);

		if (rc <= 0)
			return rc;
		if (read_node(r, &ev, depth + 1, &n->v[n->n]))
			return -1;
		n->n++;
	}
}

static int read_key(struct reader *r, struct ynode *n, const yaml_event_t *ev,
		    struct ykey *key)
{
	if (ev->type == YAML_ALIAS_EVENT)
		return fail(r, ev->start_mark,
			    "aliases are not supported here");
	if (ev->type != YAML_SCALAR_EVENT)
		return fail(r, ev->start_mark, "a key must be a word");
	if (refuse(r, ev, ev->data.scalar.anchor, ev->data.scalar.tag) ||
	    scalar_text(r, ev, &key->name))
		return -1;
	key->pos = pos_of(r, ev->start_mark);
	for (size_t i = 0; i < n->n; i++)
		if (!strcmp(n->keys[i].name, key->name))
			return fail(r, ev->start_mark,
				    "key \"%.60s\" occurs twice (first on line "
				    "%d)",
				    key->name, n->keys[i].pos.line);
	if (n->n >= LIM_CONF_KEYS)
		return fail(r, ev->start_mark,
			    "more than %d keys in one map", LIM_CONF_KEYS);
	return 0;
}

static int read_map(struct reader *r, struct ynode *n, int depth)
{
	yaml_event_t ev;
	size_t size = 0;

	for (;;) {
		int rc = next_child(r, n, YAML_MAPPING_END_EVENT, &size, &ev);

		if (rc <= 0)
			return rc;
		rc = read_key(r, n, &ev, &n->keys[n->n]);
		yaml_event_delete(&ev);
		if (rc || next(r, &ev))
			return -1;
		if (read_node(r, &ev, depth + 1, &n->v[n->n]))
			return -1;
		n->n++;
	}
}

/* Reads the node that ev starts. Takes ev. */
static int read_node(struct reader *r, yaml_event_t *ev, int depth,
		     struct ynode **out)
{
	struct ynode *n = NULL;
	int rc = -1;

	if (depth > LIM_CONF_DEPTH) {
		(void)fail(r, ev->start_mark, "nested more than %d levels deep",
			   LIM_CONF_DEPTH);
		goto out;
	}
	switch (ev->type) {
	case YAML_SCALAR_EVENT:
		if (refuse(r, ev, ev->data.scalar.anchor, ev->data.scalar.tag))
			goto out;
		n = node_new(r, YSCALAR, ev);
		if (!n || scalar_text(r, ev, &n->text))
			goto out;
		n->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		rc = 0;
		break;
	case YAML_SEQUENCE_START_EVENT:
		if (refuse(r, ev, ev->data.sequence_start.anchor,
			   ev->data.sequence_start.tag))
			goto out;
		n = node_new(r, YSEQ, ev);
		rc = n ? read_seq(r, n, depth) : -1;
		break;
	case YAML_MAPPING_START_EVENT:
		if (refuse(r, ev, ev->data.mapping_start.anchor,
			   ev->data.mapping_start.tag))
			goto out;
		n = node_new(r, YMAP, ev);
		rc = n ? read_map(r, n, depth) : -1;
		break;
	case YAML_ALIAS_EVENT:
		(void)fail(r, ev->start_mark, "aliases (*%.40s) are not "
			   "supported here",
			   (const char *)ev->data.alias.anchor);
		break;
	default:
		(void)fail(r, ev->start_mark, "not YAML");
		break;
	}
	*out = n;
out:
	yaml_event_delete(ev);
	return rc;
}

static int read_document(struct reader *r, struct ynode **root)
{
	yaml_event_t ev;
	yaml_event_type_t type;

	*root = NULL;
	do {			/* stream start, document start */
		if (next(r, &ev))
			return -1;
		type = ev.type;
		if (type == YAML_STREAM_START_EVENT ||
		    type == YAML_DOCUMENT_START_EVENT ||
		    type == YAML_STREAM_END_EVENT)
			yaml_event_delete(&ev);
	} while (type == YAML_STREAM_START_EVENT ||
		 type == YAML_DOCUMENT_START_EVENT);
	if (type == YAML_STREAM_END_EVENT)
		return 0;
	if (read_node(r, &ev, 0, root))
		return -1;
	do {			/* document end, stream end */
		if (next(r, &ev))
			return -1;
		type = ev.type;
		if (type == YAML_DOCUMENT_START_EVENT)
			(void)fail(r, ev.start_mark,
				   "only one document is allowed in a file");
		yaml_event_delete(&ev);
		if (type == YAML_DOCUMENT_START_EVENT)
			return -1;
	} while (type != YAML_STREAM_END_EVENT);
	if (ynode_null(*root))
		*root = NULL;
	return 0;
}

/* Line and column of the first bad byte, since libyaml only has an offset. */
static int check_utf8(struct reader *r, struct str s)
{
	yaml_mark_t m = { 0, 0, 0 };
	size_t start = 0;

	if (utf8_valid(s))
		return 0;
	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] != '\n')
			continue;
		if (!utf8_valid((struct str){ s.p + start, i - start }))
			return fail(r, m, "this line is not UTF-8");
		m.line++;
		start = i + 1;
	}
	return fail(r, m, "the file is not UTF-8");
}

int ytree_parse(struct arena *a, const char *file, struct str text,
		size_t *budget, struct ynode **root, struct err *e)
{
	struct reader r = {
		.a = a, .file = file, .text = text, .budget = budget, .e = e,
	};
	int rc;

	*root = NULL;
	if (check_utf8(&r, text))
		return -1;
	if (!yaml_parser_initialize(&r.parser))
		BUG("out of memory");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser,
				     (const unsigned char *)(text.p ? text.p
								    : ""),
				     text.n);
	rc = read_document(&r, root);
	yaml_parser_delete(&r.parser);
	return rc;
}

bool ynode_null(const struct ynode *n)
{
	static const char *const nulls[] = { "", "~", "null", "Null", "NULL" };

	if (n->kind != YSCALAR || !n->plain)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(nulls); i++)
		if (!strcmp(n->text, nulls[i]))
			return true;
	return false;
}
