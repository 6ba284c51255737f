/* SPDX-License-Identifier: MIT */
#include "extract/folder.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "base/limits.h"
#include "base/util.h"
#include "base/utf8.h"
#include "extract/zip.h"

#include "base/banned.h"

enum { META_DEPTH = 8, PATH_BYTES = 4096, PATH_DEPTH = 32 };

struct folder_file {
	char *path;
	struct buf data;
};

struct folder {
	struct folder_file *v;
	size_t n, bytes;
	struct buf *out;	/* only of what is refused, until all is read */
};

int extract_folder_prepare(struct extract *x)
{
	(void)x;
	zip_prepare();
	return EXTRACT_OK;
}

/* The whole answer: nothing is taken of such an archive. */
static int refuse(struct folder *f, const char *what, const char *path)
{
	struct buf raw = BUF_INIT(2 * PATH_BYTES), clean = BUF_INIT(8 * PATH_BYTES);

	buf_addf(&raw, "%.100s: %s", path, what);
	utf8_scrub(&clean, buf_str(&raw));
	buf_reset(f->out);
	buf_adds(f->out, "{\"refused\":");
	buf_json(f->out, buf_str(&clean));
	buf_addc(f->out, '}');
	buf_release(&clean);
	buf_release(&raw);
	return EXTRACT_OK;
}

/* -- the archive ------------------------------------------------------------------------- */

enum path_kind { PATH_TAKEN, PATH_OTHER, PATH_WRONG };

static bool ends_with(const char *s, const char *end)
{
	const size_t n = strlen(s), k = strlen(end);

	return n > k && !strcasecmp(s + n - k, end);
}

/* The path of an entry in UTF-8. */
static char *path_of(struct archive_entry *entry)
{
	struct buf b = BUF_INIT(8 * PATH_BYTES);

	utf8_scrub(&b, str_of(zip_path(entry)));
	buf_addc(&b, '\0');
	if (buf_ok(&b))
		return buf_take(&b);
	buf_release(&b);
	return xstrdup("/");	/* which is refused */
}

/* Some programs write backslashes, or "./" first; path becomes without both. */
static enum path_kind judge_path(char *path)
{
	int depth = 0;

	if (strlen(path) > PATH_BYTES)
		return PATH_WRONG;
	for (char *p = path; *p; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return PATH_WRONG;
		if (*p == '\\')
			*p = '/';
	}
	while (!strncmp(path, "./", 2))
		memmove(path, path + 2, strlen(path + 2) + 1);
	if (*path == '/' || (isalpha((unsigned char)path[0]) && path[1] == ':'))
		return PATH_WRONG;
	for (const char *p = path; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (!strncmp(p, "..", 2) && (!p[2] || p[2] == '/'))
			return PATH_WRONG;
		if (*p == '.' || !strncmp(p, "__MACOSX/", 9))
			return PATH_OTHER;
		if (++depth > PATH_DEPTH)
			return PATH_WRONG;
	}
	return ends_with(path, ".md") || ends_with(path, ".markdown")
		? PATH_TAKEN : PATH_OTHER;
}

static int take_entry(void *ctx, struct archive *a, struct archive_entry *entry)
{
	struct folder *f = ctx;
	struct buf b = BUF_INIT(LIM_PROJECT_FILE_BYTES);
	char *path = path_of(entry);
	int rc;

	switch (judge_path(path)) {
	case PATH_WRONG:
		refuse(f, "this path is not one of a file in the folder.", path);
		free(path);
		return ZIP_ENOUGH;
	case PATH_OTHER:
		free(path);
		return EXTRACT_OK;
	case PATH_TAKEN:
		break;
	}
	/* Links and devices are no files. */
	if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) ||
	    archive_entry_symlink(entry)) {
		free(path);
		return EXTRACT_OK;
	}
	if (f->n == LIM_PROJECT_FILES) {
		free(path);
		return EXTRACT_BOMB;
	}
	rc = zip_data(a, &b, &f->bytes, LIM_PROJECT_FILE_BYTES);
	if (f->n % 256 == 0)
		f->v = xrealloc(f->v, (f->n + 256) * sizeof(*f->v));
	f->v[f->n++] = (struct folder_file){ path, b };
	return rc;
}

/* By their paths; what is in a folder follows the file of its name. */
static int by_path(const void *a, const void *b)
{
	const unsigned char *x = (const unsigned char *)((const struct folder_file *)a)->path;
	const unsigned char *y = (const unsigned char *)((const struct folder_file *)b)->path;

	while (*x && *x == *y) {
		x++;
		y++;
	}
	/* The end of a name, its ".md" and the "/" behind a folder of that name. */
	if (*x != *y && (*x == '/' || *y == '/'))
		return *x == '/' ? 1 : -1;
	return (int)*x - (int)*y;
}

/* -- front matter -------------------------------------------------------------------------- */

/* Cuts it off the body; p == NULL: there is none. */
static struct str cut_meta(struct str *body)
{
	struct str rest = *body, line, meta;

	if (str_starts(rest, STR("\xef\xbb\xbf")))
		rest = (struct str){ rest.p + 3, rest.n - 3 };
	line = str_cut(&rest, '\n');
	if (!rest.p || !(str_is(line, "---") || str_is(line, "---\r")))
		return (struct str){ NULL, 0 };
	meta = (struct str){ rest.p, 0 };
	while (rest.n) {
		line = str_cut(&rest, '\n');
		if (!str_is(line, "---") && !str_is(line, "---\r"))
			continue;
		meta.n = (size_t)(line.p - meta.p);
		*body = rest;
		/* The blank line behind it belongs to it. */
		if (str_starts(rest, STR("\r\n")))
			*body = (struct str){ rest.p + 2, rest.n - 2 };
		else if (str_starts(rest, STR("\n")))
			*body = (struct str){ rest.p + 1, rest.n - 1 };
		return meta;
	}
	return (struct str){ NULL, 0 };
}

/* As JSON writes it, without an exponent. */
static bool is_number(struct str s)
{
	size_t i = s.n && s.p[0] == '-', digits = 0, dots = 0;

	if (i + 1 < s.n && s.p[i] == '0' && s.p[i + 1] != '.')
		return false;
	for (; i < s.n; i++) {
		if (s.p[i] >= '0' && s.p[i] <= '9')
			digits++;
		else if (s.p[i] != '.' || !digits || dots++ || i + 1 == s.n)
			return false;
	}
	return digits && digits <= 15;
}

/* What JSON has as a text. */
static bool is_text(struct str s)
{
	return !s.n || !memchr(s.p, '\0', s.n);
}

static struct str scalar_of(const yaml_event_t *ev)
{
	return (struct str){ (const char *)ev->data.scalar.value, ev->data.scalar.length };
}

static void put_scalar(struct buf *out, const yaml_event_t *ev, int depth)
{
	const struct str s = scalar_of(ev);
	const bool plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

	if (plain && (!s.n || str_is(s, "null") || str_is(s, "~")))
		buf_adds(out, "null");
	else if (plain && depth > 1 && (str_is(s, "true") || str_is(s, "false") ||
					is_number(s)))
		buf_addstr(out, s);
	else
		buf_json(out, s);
}

static bool put_node(yaml_parser_t *p, yaml_event_t *ev, int depth, struct buf *out);

/* The members of a mapping, or what is in a sequence, until its end. */
static bool put_members(yaml_parser_t *p, bool map, int depth, struct buf *out)
{
	yaml_event_t ev;
	bool ok = true;

	buf_addc(out, map ? '{' : '[');
	for (size_t i = 0; ok; i++) {
		if (!yaml_parser_parse(p, &ev))
			return false;
		if (ev.type == YAML_MAPPING_END_EVENT || ev.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&ev);
			buf_addc(out, map ? '}' : ']');
			return !map || i % 2 == 0;
		}
		if (i)
			buf_addc(out, map && i % 2 ? ':' : ',');
		if (map && i % 2 == 0) {
			ok = ev.type == YAML_SCALAR_EVENT && is_text(scalar_of(&ev));
			if (ok)
				buf_json(out, scalar_of(&ev));
			yaml_event_delete(&ev);
		} else {
			ok = put_node(p, &ev, depth + 1, out);
		}
	}
	return false;
}

/* Releases the event. */
static bool put_node(yaml_parser_t *p, yaml_event_t *ev, int depth, struct buf *out)
{
	const yaml_event_type_t type = ev->type;
	const bool ok = type == YAML_SCALAR_EVENT && is_text(scalar_of(ev));

	if (ok)
		put_scalar(out, ev, depth);
	yaml_event_delete(ev);
	if (type == YAML_SCALAR_EVENT)
		return ok;
	if (depth > META_DEPTH ||
	    (type != YAML_MAPPING_START_EVENT && type != YAML_SEQUENCE_START_EVENT))
		return false;	/* an alias, or nothing that is known */
	return put_members(p, type == YAML_MAPPING_START_EVENT, depth, out);
}

/* One document, which is a mapping. */
static bool put_meta(struct str meta, struct buf *out)
{
	yaml_parser_t p;
	yaml_event_t ev;
	bool ok = true, any = false;

	if (!yaml_parser_initialize(&p))
		return false;
	yaml_parser_set_encoding(&p, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&p, (const unsigned char *)meta.p, meta.n);
	while (ok && !any) {
		ok = yaml_parser_parse(&p, &ev);
		if (!ok || ev.type == YAML_STREAM_END_EVENT) {
			if (ok)
				yaml_event_delete(&ev);
			break;
		}
		any = ev.type == YAML_MAPPING_START_EVENT;
		if (any)
			ok = put_node(&p, &ev, 0, out);
		else {
			ok = ev.type == YAML_STREAM_START_EVENT ||
				ev.type == YAML_DOCUMENT_START_EVENT;
			yaml_event_delete(&ev);
		}
	}
	yaml_parser_delete(&p);
	if (ok && !any)
		buf_adds(out, "{}");
	return ok;
}

/* -- the answer ---------------------------------------------------------------------------- */

/* Returns what is wrong with the file; NULL: nothing. */
static const char *put_file(struct folder *f, struct folder_file *file)
{
	struct buf clean = BUF_INIT(3 * (size_t)LIM_PROJECT_FILE_BYTES + 3);
	struct str body = buf_str(&file->data), meta;
	bool ok = true;

	if (!is_text(body))
		return "it is no text in UTF-8.";
	if (!utf8_valid(body)) {
		utf8_scrub(&clean, body);
		body = buf_str(&clean);
	}
	meta = cut_meta(&body);
	buf_adds(f->out, "{\"path\":");
	buf_json(f->out, str_of(file->path));
	buf_adds(f->out, ",\"meta\":");
	if (meta.p)
		ok = put_meta(meta, f->out);
	else
		buf_adds(f->out, "{}");
	buf_adds(f->out, ",\"body\":");
	buf_json(f->out, body);
	buf_addc(f->out, '}');
	buf_release(&clean);
	return ok ? NULL : "its front matter is no YAML of names and values.";
}

static void put_files(struct folder *f)
{
	if (f->n)
		qsort(f->v, f->n, sizeof(*f->v), by_path);
	buf_addc(f->out, '[');
	for (size_t i = 0; i < f->n; i++) {
		const char *fault = NULL;

		if (i && !strcmp(f->v[i].path, f->v[i - 1].path))
			fault = "the archive has two files of this path.";
		if (i)
			buf_adds(f->out, ",\n");
		if (!fault)
			fault = put_file(f, &f->v[i]);
		if (fault) {
			refuse(f, fault, f->v[i].path);
			return;
		}
	}
	buf_addc(f->out, ']');
}

int extract_folder_read(struct extract *x)
{
	struct folder f = { .out = &x->out };
	int rc = zip_each(buf_str(&x->input), take_entry, &f);

	if (rc == EXTRACT_OK && !x->out.n)
		put_files(&f);
	for (size_t i = 0; i < f.n; i++) {
		free(f.v[i].path);
		buf_release(&f.v[i].data);
	}
	free(f.v);
	return rc;
}

/* -- packing --------------------------------------------------------------------------------- */

static la_ssize_t write_part(struct archive *a, void *ctx, const void *p, size_t n)
{
	(void)a;
	buf_add(ctx, p, n);
	return buf_ok(ctx) ? (la_ssize_t)n : -1;
}

/* The next file of the input; false: the input is not as it should be. */
static bool next_file(struct str *rest, struct str *path, struct str *data)
{
	struct str line;
	int64_t n;

	*path = str_cut(rest, '\n');
	line = str_cut(rest, '\n');
	if (!str_int(line, &n) || n < 0 || (size_t)n > rest->n)
		return false;
	*data = (struct str){ rest->p, (size_t)n };
	*rest = (struct str){ rest->p + n, rest->n - (size_t)n };
	return true;
}

static int pack(struct archive *a, struct str path, struct str data)
{
	struct archive_entry *entry = archive_entry_new();
	struct buf name = BUF_INIT(PATH_BYTES + 1);
	int rc;

	buf_addstr(&name, path);
	archive_entry_set_pathname_utf8(entry, name.p ? name.p : "");
	archive_entry_set_size(entry, (int64_t)data.n);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	rc = archive_write_header(a, entry) < ARCHIVE_WARN ||
		archive_write_data(a, data.p, data.n) != (la_ssize_t)data.n
		? EXTRACT_UNREADABLE : EXTRACT_OK;
	archive_entry_free(entry);
	buf_release(&name);
	return rc;
}

int extract_folder_pack(struct extract *x)
{
	struct archive *a = archive_write_new();
	struct str rest = buf_str(&x->input), path, data;
	int rc = EXTRACT_OK;

	archive_write_set_format_zip(a);
	archive_write_set_options(a, "hdrcharset=UTF-8");
	archive_write_set_bytes_in_last_block(a, 1);
	if (archive_write_open(a, &x->out, NULL, write_part, NULL) != ARCHIVE_OK)
		rc = EXTRACT_UNREADABLE;
	while (rc == EXTRACT_OK && rest.n)
		rc = next_file(&rest, &path, &data) ? pack(a, path, data)
			: EXTRACT_UNREADABLE;
	if (rc == EXTRACT_OK && archive_write_close(a) != ARCHIVE_OK)
		rc = EXTRACT_UNREADABLE;
	archive_write_free(a);
	return rc;
}
