/* SPDX-License-Identifier: MIT */
/* Converts rows to YAML, and YAML to items. */
#include <string.h>

#include "base/limits.h"
#include "cli.h"
#include "made.h"

#include "base/banned.h"

/* -- out ---------------------------------------------------------------------- */

/*
 * The character of two or three bytes at p that is in JSON as it is, but is a
 * line end to YAML or nothing that it takes; 0: none of these.
 */
static unsigned odd_char(const unsigned char *p, size_t n, size_t *bytes)
{
	unsigned c = 0;

	*bytes = 1;
	if (p[0] == 0x7f)
		return p[0];
	if (n > 1 && p[0] == 0xc2) {
		*bytes = 2;
		return p[1] < 0xa0 ? p[1] : 0;
	}
	if (n > 2 && (p[0] & 0xf0) == 0xe0) {
		*bytes = 3;
		c = (p[0] & 15u) << 12 | (p[1] & 63u) << 6 | (p[2] & 63u);
	}
	return c == 0x2028 || c == 0x2029 || c == 0xfeff || c >= 0xfffe ? c : 0;
}

/* Whether a literal block gives exactly this text again. */
static bool is_block(struct str s)
{
	size_t bytes;

	if (!memchr(s.p, '\n', s.n) || s.p[0] == ' ' || s.p[0] == '\n' ||
	    s.p[0] == '\t')
		return false;
	for (size_t i = 0; i < s.n; i += bytes) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < 0x20 && c != '\n' && c != '\t') ||
		    odd_char((const unsigned char *)s.p + i, s.n - i, &bytes))
			return false;
	}
	return s.n < 2 || s.p[s.n - 1] != '\n' || s.p[s.n - 2] != '\n';
}

static void put_json(struct buf *out, struct str json)
{
	const unsigned char *p = (const unsigned char *)json.p;
	size_t bytes;

	for (size_t i = 0; i < json.n; i += bytes) {
		unsigned c = odd_char(p + i, json.n - i, &bytes);

		if (c)
			buf_addf(out, "\\u%04x", c);
		else
			buf_add(out, json.p + i, bytes);
	}
}

static void put_quoted(struct buf *out, struct str s)
{
	struct buf b = BUF_INIT(out->cap);

	buf_json(&b, s);
	put_json(out, buf_str(&b));
	buf_release(&b);
}

static void put_text(struct buf *out, struct str s)
{
	struct str rest = s;

	if (!is_block(s)) {
		put_quoted(out, s);
		return;
	}
	if (s.p[s.n - 1] == '\n')
		rest.n--;
	buf_adds(out, s.p[s.n - 1] == '\n' ? "|" : "|-");
	while (rest.p) {
		struct str line = str_cut(&rest, '\n');

		buf_adds(out, line.n ? "\n      " : "\n");
		buf_addstr(out, line);
	}
}

/* Ids, versions and times belong to this database. */
static bool is_put(const struct resource_field *f)
{
	return !resource_is_hidden(f) && f->type != TYPE_SECRET &&
		(f->mode != MODE_GIVEN || resource_is_text(f));
}

void cli_made_put(struct buf *out, const struct resource *r,
		  const struct resource_row *row)
{
	const char *lead = "  - ";
	char number[STR_REAL_BYTES];

	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];
		const struct db_val *v = &row->v[i];

		if (v->null || !is_put(f))
			continue;
		buf_addf(out, "%s%s: ", lead,
			 f->type == TYPE_IDS ? CLI_MADE_NAMES : f->key);
		lead = "    ";
		if (f->type == TYPE_BOOL)
			buf_adds(out, v->i ? "true" : "false");
		else if (f->type == TYPE_INT)
			buf_addf(out, "%lld", (long long)v->i);
		else if (f->type == TYPE_REAL)
			buf_addstr(out, str_of_real(v->d, number));
		else if (f->type == TYPE_JSON || f->type == TYPE_LIST ||
			 f->type == TYPE_IDS)
			put_json(out, v->s);
		else if (resource_is_text(f) || f->type == TYPE_ENUM)
			put_text(out, v->s);
		else
			BUG("a type that no command writes");
		buf_addc(out, '\n');
	}
}

/* -- in ----------------------------------------------------------------------- */

static int wrong(const struct ypos *at, struct err *e, const char *what)
{
	return err_set(e, ERR_CONFIG, "%s:%d:%d: %s", at->file, at->line,
		       at->column, what);
}

/* Reads the only key of the root, whose items must be maps. */
static int take_list(const struct ynode *root, const char *key,
		     const struct ynode **list, struct err *e)
{
	char text[200];

	snprintf(text, sizeof(text), "the only key of the file must be \"%s\", "
		 "with a list of maps", key);
	if (root->kind != YMAP || !root->n)
		return wrong(&root->pos, e, text);
	for (size_t i = 0; i < root->n; i++)
		if (strcmp(root->keys[i].name, key))
			return wrong(&root->keys[i].pos, e, text);
	*list = root->v[0];
	if ((*list)->kind != YSEQ)
		return wrong(&(*list)->pos, e, text);
	for (size_t i = 0; i < (*list)->n; i++)
		if ((*list)->v[i]->kind != YMAP)
			return wrong(&(*list)->v[i]->pos, e, text);
	return 0;
}

int cli_made_parse(struct arena *a, const char *file, struct str text,
		   const char *key, const struct ynode **list, struct err *e)
{
	size_t budget = LIM_CONF_NODES;
	struct ynode *root = NULL;

	if (ytree_parse(a, file, text, &budget, &root, e))
		return -1;
	if (!root)
		return err_set(e, ERR_CONFIG, "%s: is empty", file);
	return take_list(root, key, list, e);
}

int cli_made_read(struct arena *a, const char *file, const char *key,
		  const struct ynode **list, struct err *e)
{
	struct buf b = BUF_INIT(LIM_IMPORT_BYTES);
	int rc = cli_read(file, &b, e);

	if (!rc)
		rc = cli_made_parse(a, file, buf_str(&b), key, list, e);
	buf_release(&b);
	return rc;
}

int cli_made_place(const struct ynode *item, struct err *e)
{
	const struct ypos *at = &item->pos;
	struct err why = *e;

	for (size_t i = 0; i < item->n; i++)
		if (strcmp(item->keys[i].name, why.field) == 0)
			at = &item->keys[i].pos;
	err_clear(e);
	return wrong(at, e, *why.public ? why.public : *why.text ? why.text
		     : err_message(&why));
}
