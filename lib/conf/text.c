/* SPDX-License-Identifier: MIT */
/* The text of a scalar: variables filled in, a secret's file read. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "conf/load.h"

#include "base/banned.h"

/* The variable of "${NAME}" or "${NAME:-default}" at *s; moves *s past it. */
static int expand_one(struct loader *l, const struct ynode *n, const char **s,
		      struct buf *out)
{
	const char *p = *s + 2, *end = strchr(p, '}'), *dflt = NULL, *v;
	size_t len = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqr"
			       "stuvwxyz0123456789_");
	char name[128];

	if (end && len && len < sizeof(name) && !isdigit((unsigned char)*p)) {
		if (!strncmp(p + len, ":-", 2))
			dflt = p + len + 2;
		else if (p + len != end)
			end = NULL;
	} else {
		end = NULL;
	}
	if (!end) {
		load_fail(l, &n->pos, "\"${\" must begin a variable, ${NAME} "
			  "or ${NAME:-default}; write $${ for the text itself");
		return -1;
	}
	snprintf(name, sizeof(name), "%.*s", (int)len, p);
	*s = end + 1;
	v = getenv(name);
	if (v && *v && !utf8_valid(str_of(v))) {
		load_fail(l, &n->pos, "environment variable %s is not UTF-8",
			  name);
		return -1;
	}
	if (dflt && (!v || !*v)) {
		buf_add(out, dflt, (size_t)(end - dflt));
	} else if (v) {
		buf_adds(out, v);
	} else {
		load_fail(l, &n->pos, "environment variable %s is not set",
			  name);
		return -1;
	}
	return 0;
}

/* n's text with variables filled in, in the arena; NULL when that failed. */
static const char *expand(struct loader *l, const struct ynode *n)
{
	struct buf out = BUF_INIT(LIM_CONF_FILE_BYTES);
	const char *s = n->text, *result = NULL;

	while (*s) {
		size_t len = strcspn(s, "$");

		buf_add(&out, s, len);
		s += len;
		if (!strncmp(s, "$${", 3)) {
			buf_adds(&out, "${");
			s += 3;
		} else if (!strncmp(s, "${", 2)) {
			if (expand_one(l, n, &s, &out))
				goto out;
		} else if (*s) {
			buf_addc(&out, *s++);
		}
	}
	if (!buf_ok(&out) || out.n > l->bytes_left) {
		load_fail(l, &n->pos, "the value is too long");
		goto out;
	}
	l->bytes_left -= out.n;
	result = arena_memdup(l->a, out.p, out.n);
out:
	buf_release(&out);
	return result;
}

/* The content of the file that "file:PATH" names. */
static const char *secret_file(struct loader *l, const struct ynode *n,
			       const char *path)
{
	struct buf b = BUF_INIT(LIM_SECRET_BYTES);
	struct err e = ERR_INIT;
	const char *text = NULL;

	if (*path != '/')
		path = arena_printf(l->a, "%s%s", l->dir, path);
	if (source_read(l->src, path, &b, &e)) {
		load_fail(l, &n->pos, "%s", e.text);
		goto out;
	}
	while (b.n && (b.p[b.n - 1] == '\n' || b.p[b.n - 1] == '\r'))
		b.n--;
	if (!b.n)
		load_fail(l, &n->pos, "%s is empty", path);
	else if (memchr(b.p, '\0', b.n) || !utf8_valid(buf_str(&b)))
		load_fail(l, &n->pos, "%s is not a text", path);
	else
		text = arena_memdup(l->a, b.p, b.n);
out:
	buf_release(&b);
	return text;
}

/* Whether text says a secret, and not only where it is. */
static bool is_open(const char *text)
{
	return *text && strncmp(text, "file:", 5) != 0 &&
		(!strstr(text, "${") || strstr(text, "$${") ||
		 strstr(text, ":-"));
}

/* Each file once. */
static void note_open(struct loader *l, const char *file)
{
	struct conf_list *files = &l->c->open_secrets;
	const char **more;

	if (conf_list_has(files, str_of(file)))
		return;
	more = arena_zalloc(l->a, files->n + 1, sizeof(*more));
	if (files->n)
		memcpy(more, files->v, files->n * sizeof(*more));
	more[files->n] = arena_strdup(l->a, file);
	files->v = more;
	files->n++;
}

const char *load_text(struct loader *l, const struct conf_option *o,
		      const struct ynode *n)
{
	const char *s = expand(l, n);

	if (s && (o->flags & OPT_SECRET) && is_open(n->text))
		note_open(l, n->pos.file);
	if (s && (o->flags & OPT_SECRET) && !strncmp(s, "file:", 5))
		return secret_file(l, n, s + 5);
	return s;
}
