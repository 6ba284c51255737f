/* SPDX-License-Identifier: MIT */
#include "conf/load.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "conf/yaml.h"

#include "base/banned.h"

/* "map", "list" or "scalar", for messages. */
static const char *ynode_kind_name(const struct ynode *n)
{
	switch (n->kind) {
	case YSEQ:
		return "a list";
	case YMAP:
		return "a map";
	case YSCALAR:
		break;
	}
	return ynode_null(n) ? "nothing" : "a single value";
}

#define MAX_OPTIONS 512		/* rows of the table; seen[] has as many bits */
#define DEFAULT_ITEMS 32		/* most of a default list */
#define MAX_ERRORS  100		/* a report has no more lines */
#define QUOTE_BYTES 40		/* of a wrong value in a message */

void load_fail(struct loader *l, const struct ypos *pos, const char *fmt, ...)
{
	struct buf b = BUF_INIT(1024);
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (pos)
		buf_addf(&b, "%s:%d:%d: ", pos->file, pos->line, pos->column);
	buf_adds(&b, text);
	err_set(l->e, ERR_CONFIG, "%s", b.p);
	if (l->report && l->n_errors < MAX_ERRORS) {
		buf_addstr(l->report, buf_str(&b));
		buf_addc(l->report, '\n');
	}
	l->n_errors++;
	buf_release(&b);
}

void load_place(struct loader *l, const void *field, const struct ypos *pos)
{
	if (l->n_places == l->places_size) {
		l->places_size = l->places_size ? l->places_size * 2 : 64;
		l->places = xrealloc(l->places, l->places_size *
						sizeof(*l->places));
	}
	l->places[l->n_places++] = (struct field_place){ .field = field, .pos = *pos };
}

const struct ypos *load_pos(const struct loader *l, const void *field)
{
	for (size_t i = 0; i < l->n_places; i++)
		if (l->places[i].field == field)
			return &l->places[i].pos;
	return NULL;
}

/* -- the text of a scalar ------------------------------------------------------- */

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

/*
 * The text of a scalar, in l->a: ${NAME} and ${NAME:-default} filled in from
 * the environment ($${ is a plain ${), and the content of PATH for "file:PATH"
 * where the option is a secret. NULL when that failed (noted).
 */
static const char *load_text(struct loader *l, const struct conf_option *o,
			     const struct ynode *n)
{
	const char *s = expand(l, n);

	if (s && (o->flags & OPT_SECRET) && is_open(n->text))
		note_open(l, n->pos.file);
	if (s && (o->flags & OPT_SECRET) && !strncmp(s, "file:", 5))
		return secret_file(l, n, s + 5);
	return s;
}

/* -- single values -------------------------------------------------------------- */

/* URLs that hold a password, as in https://ada:pw@host/. */
static bool has_login(const char *s)
{
	const char *host = strstr(s, "://");

	return host && strchr(host, '@');
}

/* The value, for a message; secrets and long texts are not shown. */
static const char *shown(const struct conf_option *o, const struct ynode *n,
			 char *out, size_t n_bytes)
{
	struct str s = n ? str_of(n->text) : STR("");

	if (!n || (o->flags & OPT_SECRET) || has_login(n->text))
		snprintf(out, n_bytes, "the value");
	else
		snprintf(out, n_bytes, "\"%.*s%s\"",
			 STR_ARG(utf8_head(s, QUOTE_BYTES)),
			 utf8_chars(s) > QUOTE_BYTES ? "…" : "");
	for (char *p = out; *p; p++)
		if ((unsigned char)*p < 0x20)
			*p = ' ';
	return out;
}

/* "key: value rest"; without the value for /ready, which anybody may read. */
static void fail_value(struct loader *l, const struct conf_option *o,
		       const struct ynode *n, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

static void fail_value(struct loader *l, const struct conf_option *o,
		       const struct ynode *n, const char *fmt, ...)
{
	char what[4 * QUOTE_BYTES + 8], rest[256];
	bool first = l->e->code == ERR_NONE;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(rest, sizeof(rest), fmt, ap);
	va_end(ap);
	load_fail(l, &n->pos, "%s: %s %s", o->key,
		  shown(o, n, what, sizeof(what)), rest);
	if (first)
		snprintf(l->e->public, sizeof(l->e->public),
			 "%.100s:%d:%d: %s: the value %.90s", n->pos.file,
			 n->pos.line, n->pos.column, o->key, rest);
}

static bool parse_int(const char *s, int64_t *v)
{
	const char *digits = s + (*s == '-' || *s == '+');

	return (*digits != '0' || digits[1] == '\0') && str_int(str_of(s), v);
}

static bool parse_double(const char *s, double *v)
{
	const char *digits = s + (*s == '-' || *s == '+');

	return (*digits != '0' || !isdigit((unsigned char)digits[1])) &&
	       str_real(str_of(s), v);
}

static bool parse_bool(const char *s, bool *v)
{
	static const char *const words[][2] = {
		{ "false", "true" }, { "no", "yes" }, { "off", "on" },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		for (int b = 0; b < 2; b++)
			if (!strcasecmp(s, words[i][b])) {
				*v = b;
				return true;
			}
	return false;
}

static const struct opt_name *pick(const struct conf_option *o, const char *s)
{
	for (const struct opt_name *p = o->names; p->name; p++)
		if (!strcmp(p->name, s))
			return p;
	return NULL;
}

static void fail_pick(struct loader *l, const struct conf_option *o,
		      const struct ynode *n)
{
	struct buf b = BUF_INIT(256);

	for (const struct opt_name *p = o->names; p->name; p++)
		buf_addf(&b, "%s%s", p == o->names ? "" : p[1].name ? ", "
			 : " or ", p->name);
	fail_value(l, o, n, "must be %s", b.p);
	buf_release(&b);
}

/* A whole double prints without ".000000". */
static void fail_range(struct loader *l, const struct conf_option *o,
		       const struct ynode *n)
{
	fail_value(l, o, n, "must be from %.12g to %.12g%s%s", o->min, o->max,
		   *o->unit ? " " : "", o->unit);
}

/* Length and rule of a text. n is NULL for a default, which is always valid. */
static bool text_ok(struct loader *l, const struct conf_option *o,
		    const struct ynode *n, const char *s)
{
	const bool chars = o->flags & OPT_CHARS && (o->type == OPT_STRING || o->item_chars);
	const size_t least = o->type == OPT_STRING ? (size_t)o->min : o->item_chars > 0;
	const size_t most = o->type == OPT_STRING ? (size_t)o->max
		: o->item_chars ? (size_t)o->item_chars : 4096;
	const struct str text = str_of(s);
	const char *wrong;

	if (!n)
		return true;
	if ((chars ? str_trim(text).n : text.n) < least) {
		load_fail(l, &n->pos, "%s must not be empty", o->key);
		return false;
	}
	if ((chars ? utf8_chars(text) : text.n) > most) {
		load_fail(l, &n->pos, "%s is longer than %zu %s", o->key, most,
			  chars ? "characters" : "bytes");
		return false;
	}
	if (o->flags & OPT_LINE && !str_is_line(text)) {
		fail_value(l, o, n, "must be one line of text");
		return false;
	}
	wrong = o->check ? o->check(s) : NULL;
	if (wrong) {
		fail_value(l, o, n, "%s", wrong);
		return false;
	}
	return true;
}

/* Sets a single value from text s. n is NULL for a default. */
static void set_value(struct loader *l, const struct conf_option *o, void *field,
		      const struct ynode *n, const char *s)
{
	const struct opt_name *name;
	int64_t i;
	double d;

	switch (o->type) {
	case OPT_INT:
		if (!parse_int(s, &i))
			fail_value(l, o, n, "must be a whole number");
		else if ((double)i < o->min || (double)i > o->max)
			fail_range(l, o, n);
		else
			*(int *)field = (int)i;
		break;
	case OPT_DOUBLE:
		if (!n && !strcmp(s, "null"))
			*(double *)field = NAN;
		else if (!parse_double(s, &d))
			fail_value(l, o, n, "must be a number");
		else if (d < o->min || d > o->max)
			fail_range(l, o, n);
		else
			*(double *)field = d;
		break;
	case OPT_BOOL:
		if (!parse_bool(s, field))
			fail_value(l, o, n, "must be true or false");
		break;
	case OPT_ENUM:
		name = pick(o, s);
		if (name)
			memcpy(field, &name->value, sizeof(int));
		else
			fail_pick(l, o, n);
		break;
	case OPT_STRING:
		if (text_ok(l, o, n, s))
			*(const char **)field = s;
		break;
	default:
		BUG("not a single value");
	}
}

/* -- lists ---------------------------------------------------------------------- */

static void set_default_list(struct loader *l, const struct conf_option *o,
			     void *field)
{
	struct str rest = str_of(o->dflt);
	char sep = strchr(o->dflt, ',') ? ',' : ' ';	/* "two words, one" */
	struct conf_list *list = field;
	const struct opt_name *name;

	while (rest.n) {
		struct str word = str_trim(str_cut(&rest, sep));
		const char *s = arena_memdup(l->a, word.p, word.n);

		if (o->type == OPT_FLAGS) {
			name = pick(o, s);
			if (!name)
				BUG("a default is not one of its names");
			*(unsigned *)field |= name->value;
			continue;
		}
		if (!list->v)
			list->v = arena_zalloc(l->a, DEFAULT_ITEMS,
					       sizeof(*list->v));
		if (list->n == DEFAULT_ITEMS)
			BUG("a default list is too long");
		list->v[list->n++] = s;
	}
}

static void set_list(struct loader *l, const struct conf_option *o, void *field,
		     const struct ynode *n)
{
	struct ynode *const one[1] = { (struct ynode *)n };
	struct ynode *const *v = n->kind == YSEQ ? n->v : one;
	size_t count = n->kind == YSEQ ? n->n : 1;
	struct conf_list *list = field;
	const struct opt_name *name;
	const char *s;

	if (n->kind == YMAP) {
		load_fail(l, &n->pos, "%s must be a list, not a map", o->key);
		return;
	}
	if (o->type == OPT_LIST &&
	    ((double)count < o->min || (double)count > o->max)) {
		load_fail(l, &n->pos, "%s must have from %d to %d items",
			  o->key, (int)o->min, (int)o->max);
		return;
	}
	if (o->type == OPT_LIST)
		list->v = arena_zalloc(l->a, count, sizeof(*list->v));
	for (size_t i = 0; i < count; i++) {
		if (v[i]->kind != YSCALAR || ynode_null(v[i])) {
			load_fail(l, &v[i]->pos,
				  "an item of %s must be a single value, "
				  "not %s", o->key, ynode_kind_name(v[i]));
			continue;
		}
		s = load_text(l, o, v[i]);
		if (!s)
			continue;
		if (o->type == OPT_FLAGS) {
			name = pick(o, s);
			if (name)
				*(unsigned *)field |= name->value;
			else
				fail_pick(l, o, v[i]);
		} else if (text_ok(l, o, v[i], s)) {
			list->v[list->n++] = s;
		}
	}
}

/* -- anything, as JSON ---------------------------------------------------------- */

static json_t *text_json(const char *s, bool plain)
{
	int64_t i;
	double d;

	if (!plain)
		return json_string(s);
	if (!strcmp(s, "true") || !strcmp(s, "false"))
		return json_boolean(*s == 't');
	if (parse_int(s, &i))
		return json_integer(i);
	if (parse_double(s, &d))
		return json_real(d);
	return json_string(s);
}

/* o: variables are filled in as for this option; NULL: they are not. */
static json_t *scalar_json(struct loader *l, const struct conf_option *o,
			   const struct ynode *n)
{
	const char *s = o ? load_text(l, o, n) : n->text;

	return !s || ynode_null(n) ? json_null() : text_json(s, n->plain);
}

/* YAML 1.2's plain scalars: `no` is a text here. Depth is the tree's. */
static json_t *node_json(struct loader *l, const struct conf_option *o,
			 const struct ynode *n)
{
	json_t *j;

	switch (n->kind) {
	case YSEQ:
		j = json_array();
		for (size_t i = 0; i < n->n; i++)
			json_array_append_new(j, node_json(l, o, n->v[i]));
		return j;
	case YMAP:
		j = json_object();
		for (size_t i = 0; i < n->n; i++)
			json_object_set_new(j, n->keys[i].name,
					    node_json(l, o, n->v[i]));
		return j;
	case YSCALAR:
		break;
	}
	return scalar_json(l, o, n);
}

json_t *load_json(const struct ynode *n)
{
	return node_json(NULL, NULL, n);
}

/* -- structs -------------------------------------------------------------------- */

static void set_id(struct loader *l, enum opt_section sec, char *elem,
		   const struct ykey *key)
{
	const struct opt_section_row *row = &opt_sections[sec];
	const char *wrong = row->id_check ? row->id_check(key->name) : NULL;

	if (wrong)
		load_fail(l, &key->pos, "\"%.*s\" %s", QUOTE_BYTES, key->name,
			  wrong);
	if (row->id_offset >= 0)
		*(const char **)(elem + row->id_offset) =
			arena_strdup(l->a, key->name);
	load_place(l, elem, &key->pos);
}

static void set_option(struct loader *l, const struct conf_option *o, char *base,
		       const struct ynode *n);

/* One struct of a map or a list; what is no map may be the value of its short key. */
static void set_struct(struct loader *l, enum opt_section sec, char *elem,
		       const struct ynode *n, const struct ypos *at)
{
	const char *key = opt_sections[sec].short_key;
	bool brief = key && n->kind != YMAP && !ynode_null(n);

	load_struct(l, sec, elem, brief || ynode_null(n) ? NULL : n, at);
	if (brief)
		set_option(l, option_find(sec, key), elem, n);
}

/* A list of ids in place of a map: all else of them is the default. */
static void set_listed(struct loader *l, const struct conf_option *o, char *base,
		       const struct ynode *n)
{
	const size_t size = opt_sections[o->of].size;
	char *v = arena_zalloc(l->a, n->n + 1, size);

	for (size_t i = 0; i < n->n; i++) {
		const struct ynode *item = n->v[i];
		struct ykey key = { .name = item->text, .pos = item->pos };

		if (item->kind != YSCALAR || ynode_null(item)) {
			load_fail(l, &item->pos, "an item of %s must be a single value, "
				  "not %s", o->key, ynode_kind_name(item));
			continue;
		}
		set_id(l, o->of, v + i * size, &key);
		load_struct(l, o->of, v + i * size, NULL, &item->pos);
	}
	*(void **)(base + o->offset) = v;
	*(size_t *)(base + o->count_offset) = n->n;
}

/* A map or a list of structs: one array of exactly that size. */
static void set_structs(struct loader *l, const struct conf_option *o, char *base,
			const struct ynode *n)
{
	enum ykind want = o->type == OPT_MAP ? YMAP : YSEQ;
	size_t size = opt_sections[o->of].size;
	char *v;

	if (n->kind == YSEQ && want == YMAP && opt_sections[o->of].listed &&
	    n->n <= LIM_CONF_ITEMS) {
		set_listed(l, o, base, n);
		return;
	}
	if (n->kind != want) {
		load_fail(l, &n->pos, "%s must be %s, not %s", o->key,
			  want == YMAP ? "a map" : "a list",
			  ynode_kind_name(n));
		return;
	}
	if (want == YSEQ && n->n > LIM_CONF_ITEMS) {
		load_fail(l, &n->pos, "%s has more than %d items", o->key,
			  LIM_CONF_ITEMS);
		return;
	}
	if (!n->n)
		return;
	v = arena_zalloc(l->a, n->n, size);
	for (size_t i = 0; i < n->n; i++) {
		const struct ynode *item = n->v[i];
		const struct ypos *at = &item->pos;

		if (want == YMAP) {
			set_id(l, o->of, v + i * size, &n->keys[i]);
			at = &n->keys[i].pos;
		} else {
			load_place(l, v + i * size, at);
		}
		set_struct(l, o->of, v + i * size, item, at);
	}
	*(void **)(base + o->offset) = v;
	*(size_t *)(base + o->count_offset) = n->n;
}

/* n is not null. */
static void set_option(struct loader *l, const struct conf_option *o, char *base,
		       const struct ynode *n)
{
	char *field = base + o->offset;
	const char *s;

	load_place(l, field, &n->pos);
	switch (o->type) {
	case OPT_LIST:
	case OPT_FLAGS:
		set_list(l, o, field, n);
		return;
	case OPT_JSON:
		if (n->kind != YMAP) {
			load_fail(l, &n->pos, "%s must be a map, not %s",
				  o->key, ynode_kind_name(n));
			return;
		}
		*(json_t **)field = jx_keep(l->a, node_json(l, o, n));
		return;
	case OPT_STRUCT:
		load_struct(l, o->of, field, n, &n->pos);
		return;
	case OPT_POINTER:
		*(void **)field = arena_zalloc(l->a, 1,
					       opt_sections[o->of].size);
		load_struct(l, o->of, *(void **)field, n, &n->pos);
		return;
	case OPT_MAP:
	case OPT_SEQ:
		set_structs(l, o, base, n);
		return;
	default:
		break;
	}
	if (n->kind != YSCALAR) {
		load_fail(l, &n->pos, "%s must be a single value, not %s",
			  o->key, ynode_kind_name(n));
		return;
	}
	s = load_text(l, o, n);
	if (s)
		set_value(l, o, field, n, s);
}

static void fail_unknown(struct loader *l, enum opt_section sec,
			 const char *prefix, const struct ykey *key)
{
	char near[64];

	if (option_nearest(sec, prefix, key->name, near, sizeof(near)))
		load_fail(l, &key->pos,
			  "unknown key \"%s%.*s\"; did you mean \"%s%s\"?",
			  prefix, QUOTE_BYTES, key->name, prefix, near);
	else
		load_fail(l, &key->pos, "unknown key \"%s%.*s\"", prefix,
			  QUOTE_BYTES, key->name);
}

/* Whether some row's key starts with prefix and a dot. */
static bool option_group(enum opt_section in, const char *prefix)
{
	size_t n = strlen(prefix);

	for (size_t i = 0; i < conf_option_count; i++)
		if (conf_options[i].in == in && !strncmp(conf_options[i].key, prefix, n) &&
		    conf_options[i].key[n] == '.')
			return true;
	return false;
}

/* The keys of one map; prefix is "" or ends with a dot. */
static void load_keys(struct loader *l, enum opt_section sec,
		      const char *prefix, char *base, const struct ynode *map,
		      bool *seen)
{
	char key[128], deeper[130];

	if (map->kind != YMAP) {
		load_fail(l, &map->pos, "%.*s must be a map, not %s",
			  *prefix ? (int)strlen(prefix) - 1 : 4,
			  *prefix ? prefix : "this", ynode_kind_name(map));
		return;
	}
	for (size_t i = 0; i < map->n; i++) {
		const struct ynode *n = map->v[i];
		const struct conf_option *o;

		snprintf(key, sizeof(key), "%s%s", prefix, map->keys[i].name);
		o = strchr(map->keys[i].name, '.') ? NULL
			: option_find(sec, key);
		if (o) {
			/* null is as if the key were not there */
			if (!ynode_null(n)) {
				seen[o - conf_options] = true;
				set_option(l, o, base, n);
			}
		} else if (!strchr(map->keys[i].name, '.') &&
			   *map->keys[i].name && option_group(sec, key)) {
			snprintf(deeper, sizeof(deeper), "%s.", key);
			if (!ynode_null(n))
				load_keys(l, sec, deeper, base, n, seen);
		} else {
			fail_unknown(l, sec, prefix, &map->keys[i]);
		}
	}
}

static void set_default(struct loader *l, const struct conf_option *o, char *base,
			const struct ypos *at)
{
	char *field = base + o->offset;

	if (o->flags & OPT_REQUIRED)
		load_fail(l, at, "\"%s\" is missing", o->key);
	else if (o->type == OPT_STRUCT && !(o->flags & OPT_MAYBE))
		load_struct(l, o->of, field, NULL, at);
	else if (o->type == OPT_LIST || o->type == OPT_FLAGS)
		set_default_list(l, o, field);
	else if (o->dflt)
		set_value(l, o, field, NULL, o->dflt);
}

/* Says of members with a flag whether they have a value. */
static void set_flags(enum opt_section sec, char *base)
{
	for (size_t i = 0; i < conf_option_count; i++) {
		const struct conf_option *o = &conf_options[i];

		if (o->in == sec && o->set)
			*(bool *)(base + o->set) = option_has(o->type, base + o->offset);
	}
}

void load_struct(struct loader *l, enum opt_section sec, void *base,
		 const struct ynode *node, const struct ypos *at)
{
	const struct opt_section_row *row = &opt_sections[sec];
	bool seen[MAX_OPTIONS] = { false };

	if (conf_option_count > MAX_OPTIONS)
		BUG("more options than MAX_OPTIONS");
	if (row->file_offset >= 0)
		*(const char **)((char *)base + row->file_offset) =
			arena_strdup(l->a, at->file);
	if (row->line_offset >= 0)
		*(int *)((char *)base + row->line_offset) = at->line;
	if (node)
		load_keys(l, sec, "", base, node, seen);
	for (size_t i = 0; i < conf_option_count; i++)
		if (conf_options[i].in == sec && !seen[i])
			set_default(l, &conf_options[i], base, at);
	set_flags(sec, base);
}

void conf_defaults(enum opt_section sec, struct arena *a, void *out)
{
	struct err ignored = ERR_INIT;
	struct loader l = { .a = a, .e = &ignored };

	for (size_t i = 0; i < conf_option_count; i++)
		if (conf_options[i].in == sec && !(conf_options[i].flags & OPT_REQUIRED))
			set_default(&l, &conf_options[i], out, NULL);
}

const struct ynode *load_file(struct loader *l, const char *path)
{
	struct buf b = BUF_INIT(LIM_CONF_FILE_BYTES);
	struct ynode *root = NULL;
	struct err e = ERR_INIT;
	const char *name = arena_strdup(&l->tree, path);
	struct ypos top = { .file = name, .line = 1, .column = 1 };

	if (source_read(l->src, path, &b, &e)) {
		load_fail(l, NULL, "%s", e.text);
		goto out;
	}
	if (b.n > l->bytes_left) {
		load_fail(l, &top, "the files have more than %d bytes in total",
			  LIM_CONF_BYTES);
		goto out;
	}
	l->bytes_left -= b.n;
	if (ytree_parse(&l->tree, name, buf_str(&b), &l->nodes_left, &root,
			&e)) {
		load_fail(l, NULL, "%s", e.text);
		root = NULL;	/* reading a part of it would only add errors */
	} else if (!root)
		load_fail(l, &top, "the file is empty");
out:
	buf_release(&b);
	return root;
}

/* -- a file that an option names: JSON, or YAML as YAML 1.2 reads its scalars ---- */

json_t *load_document(struct loader *l, const char *path,
		      const struct ypos *pos)
{
	struct buf b = BUF_INIT(LIM_CONF_FILE_BYTES);
	struct err e = ERR_INIT;
	struct ynode *root = NULL;
	json_t *j = NULL;
	struct str s;

	if (*path != '/')
		path = arena_printf(l->a, "%s%s", l->dir, path);
	if (source_read(l->src, path, &b, &e)) {
		load_fail(l, pos, "%s", e.text);
		goto out;
	}
	s = str_trim(buf_str(&b));
	if (s.n > l->bytes_left) {
		load_fail(l, pos, "the files have more than %d bytes in total",
			  LIM_CONF_BYTES);
		goto out;
	}
	l->bytes_left -= s.n;
	if (s.n && *s.p == '{') {
		j = jx_load(s, &e);
		if (!j)
			load_fail(l, pos, "%s: %s", path, err_message(&e));
	} else if (ytree_parse(&l->tree, arena_strdup(&l->tree, path), s,
			       &l->nodes_left, &root, &e)) {
		load_fail(l, NULL, "%s", e.text);
	} else if (!root || root->kind != YMAP) {
		load_fail(l, pos, "%s is not a map", path);
	} else {
		j = load_json(root);
	}
out:
	buf_release(&b);
	return j ? jx_keep(l->a, j) : NULL;
}
