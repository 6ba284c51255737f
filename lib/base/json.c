/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

void jx_seed(void)
{
	json_object_seed(0);
}

/* What can be learned from the punctuation of a text without parsing it. */
struct shape {
	size_t values;	/* at least as many as there are */
	size_t end;	/* of the first object or array; 0: it is not closed */
	int depth;
};

/* Of one: only of the first object or array. */
static struct shape shape_of(struct str s, bool one)
{
	struct shape sh = { .values = 1 };
	bool in_string = false;
	int depth = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (in_string) {
			if (c == '\\')
				i++;
			else if (c == '"')
				in_string = false;
		} else if (c == '"') {
			in_string = true;
		} else if (c == '{' || c == '[') {
			depth++;
			sh.depth = MAX(sh.depth, depth);
			sh.values++;
		} else if (c == '}' || c == ']') {
			if (--depth == 0 && !sh.end)
				sh.end = i + 1;
			if (one && sh.end)
				break;
		} else if (c == ',') {
			sh.values++;
		}
	}
	return sh;
}

size_t jx_extent(struct str s)
{
	return s.n && (s.p[0] == '{' || s.p[0] == '[') ? shape_of(s, true).end : 0;
}

/*
 * The only call of Jansson's parser. NULL: s is not JSON (je has the reason) or
 * exceeds a cap (*cap names it).
 */
static json_t *parse(struct str s, size_t flags, json_error_t *je,
		     const char **cap)
{
	struct shape sh;

	*je = (json_error_t){ .line = 1 };
	*cap = NULL;
	if (s.n > LIM_UPSTREAM_BYTES) {
		*cap = "it is too large";
		return NULL;
	}
	sh = shape_of(s, false);
	if (sh.depth > LIM_JSON_DEPTH)
		*cap = "it is nested more than " STRINGIFY(LIM_JSON_DEPTH)
			" levels deep";
	else if (sh.values > LIM_JSON_VALUES)
		*cap = "it has more than " STRINGIFY(LIM_JSON_VALUES)
			" values";
	return *cap ? NULL : json_loadb(s.p ? s.p : "", s.n,
					flags | JSON_DECODE_ANY, je);
}

json_t *jx_try(struct str s)
{
	json_error_t je;
	const char *cap;

	return parse(s, 0, &je, &cap);
}

json_t *jx_load(struct str s, struct err *e)
{
	json_error_t je;
	const char *cap;
	json_t *j;

	if (!s.n) {
		err_public(e, ERR_INVALID_JSON, "There is no JSON: it is empty.");
		return NULL;
	}
	if (!utf8_valid(s)) {
		err_set(e, ERR_INVALID_UTF8, "body is not UTF-8");
		return NULL;
	}
	j = parse(s, JSON_REJECT_DUPLICATES, &je, &cap);
	if (cap)
		err_public(e, ERR_INVALID_JSON, "The JSON cannot be read: %s.",
			   cap);
	else if (!j)
		err_public(e, ERR_INVALID_JSON,
			   "Not valid JSON (line %d, column %d): %.120s",
			   je.line, je.column,
			   json_error_code(&je) == json_error_null_character
			   ? "\\u0000 is not allowed" : je.text);
	return j;
}

/* Copies JSON text with lone surrogate escapes and \u0000 made U+FFFD. */
static void repair_escapes(struct buf *out, struct str s)
{
	size_t i = 0;

	while (i < s.n) {
		const char *q = memchr(s.p + i, '\\', s.n - i);
		size_t at = q ? (size_t)(q - s.p) : s.n;
		int u, lo;

		buf_add(out, s.p + i, at - i);
		if (!q)
			return;
		i = at;
		if (s.n - i < 6 || s.p[i + 1] != 'u' ||
		    (u = hex4(s.p + i + 2)) < 0) {
			size_t n = MIN(s.n - i, 2);

			buf_add(out, s.p + i, n);
			i += n;
			continue;
		}
		lo = s.n - i >= 12 && s.p[i + 6] == '\\' && s.p[i + 7] == 'u'
			? hex4(s.p + i + 8) : -1;
		if (u >= 0xd800 && u < 0xdc00 && lo >= 0xdc00 && lo < 0xe000) {
			buf_add(out, s.p + i, 12);
			i += 12;
		} else if ((u >= 0xd800 && u < 0xe000) || u == 0) {
			buf_adds(out, "\\ufffd");
			i += 6;
		} else {
			buf_add(out, s.p + i, 6);
			i += 6;
		}
	}
}

json_t *jx_load_repaired(struct str s, struct err *e)
{
	struct buf repaired = BUF_INIT(s.n + 1);
	json_t *j = jx_load(s, e);

	if (j || e->code != ERR_INVALID_JSON)
		return j;
	repair_escapes(&repaired, s);
	if (repaired.n == s.n && memcmp(repaired.p, s.p, s.n)) {
		err_clear(e);
		j = jx_load(buf_str(&repaired), e);
	}
	buf_release(&repaired);
	return j;
}

json_t *jx_load_lenient(struct str s, struct err *e)
{
	struct buf clean = BUF_INIT(LIM_UPSTREAM_BYTES);
	struct buf repaired = BUF_INIT(LIM_UPSTREAM_BYTES);
	json_error_t je;
	const char *cap;
	json_t *j = parse(s, 0, &je, &cap);

	if (j)
		return j;
	if (cap) {
		err_set(e, ERR_UPSTREAM_PROTOCOL, "JSON refused: %s", cap);
		return NULL;
	}
	utf8_scrub(&clean, s);
	repair_escapes(&repaired, buf_str(&clean));
	if (buf_ok(&clean) && buf_ok(&repaired)) {
		j = parse(buf_str(&repaired), 0, &je, &cap);
		if (!j)
			j = parse(buf_str(&repaired), JSON_DECODE_INT_AS_REAL,
				  &je, &cap);
	}
	buf_release(&clean);
	buf_release(&repaired);
	if (!j)
		err_set(e, ERR_UPSTREAM_PROTOCOL, "not JSON: %.120s",
			cap ? cap : je.text);
	return j;
}

static struct str string_of(const json_t *j)
{
	return (struct str){ json_string_value(j), json_string_length(j) };
}

static int by_bytes(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void dump(struct buf *out, const json_t *j, bool sorted);

static void dump_member(struct buf *out, const char *key, const json_t *v,
			bool sorted)
{
	buf_json(out, str_of(key));
	buf_addc(out, ':');
	dump(out, v, sorted);
}

static void dump_object(struct buf *out, const json_t *j, bool sorted)
{
	const char **keys = NULL, *key;
	size_t n = 0;
	json_t *v;

	if (sorted)
		keys = xcalloc(json_object_size(j) + 1, sizeof(*keys));
	buf_addc(out, '{');
	json_object_foreach((json_t *)j, key, v) {
		if (sorted) {
			keys[n++] = key;
			continue;
		}
		if (n++)
			buf_addc(out, ',');
		dump_member(out, key, v, sorted);
	}
	if (sorted)
		qsort(keys, n, sizeof(*keys), by_bytes);
	for (size_t i = 0; sorted && i < n; i++) {
		if (i)
			buf_addc(out, ',');
		dump_member(out, keys[i], json_object_get(j, keys[i]), sorted);
	}
	buf_addc(out, '}');
	free(keys);
}

/* A whole one keeps its fraction, so that it is read as a real again. */
static void dump_real(struct buf *out, double v)
{
	char text[STR_REAL_BYTES];

	buf_addstr(out, str_of_real(v, text));
	if (!strpbrk(text, ".e"))
		buf_adds(out, ".0");
}

/*
 * Jansson's own writer gives reals 17 digits (before 2.14.1): 0.7 as
 * 0.69999999999999996. The depth is that of what was read (LIM_JSON_DEPTH) or made.
 */
static void dump(struct buf *out, const json_t *j, bool sorted)
{
	struct jw w = jw_on(out);
	size_t i;
	json_t *v;

	switch (json_typeof(j)) {
	case JSON_OBJECT:
		dump_object(out, j, sorted);
		break;
	case JSON_ARRAY:
		buf_addc(out, '[');
		json_array_foreach(j, i, v) {
			if (i)
				buf_addc(out, ',');
			dump(out, v, sorted);
		}
		buf_addc(out, ']');
		break;
	case JSON_STRING:
		buf_json(out, string_of(j));
		break;
	case JSON_INTEGER:
		jw_int(&w, json_integer_value(j));
		break;
	case JSON_REAL:
		dump_real(out, json_real_value(j));
		break;
	case JSON_TRUE: case JSON_FALSE:
		jw_bool(&w, json_is_true(j));
		break;
	case JSON_NULL:
		jw_null(&w);
		break;
	}
}

void jx_dump(struct buf *out, const json_t *j)
{
	dump(out, j, false);
}

void jx_dump_sorted(struct buf *out, const json_t *j)
{
	dump(out, j, true);
}

char *jx_text(struct arena *a, const json_t *j)
{
	struct buf b = BUF_INIT(LIM_UPSTREAM_BYTES);
	char *s;

	jx_dump(&b, j);
	s = arena_memdup(a, b.p, b.n);
	buf_release(&b);
	return s;
}

static void decref(void *j)
{
	json_decref(j);
}

json_t *jx_keep(struct arena *a, json_t *j)
{
	if (j)
		arena_defer(a, decref, j);
	return j;
}

struct str jx_str(const json_t *obj, const char *key)
{
	const json_t *v = json_object_get(obj, key);

	if (!json_is_string(v))
		return (struct str){ NULL, 0 };
	return string_of(v);
}

int64_t jx_int(const json_t *obj, const char *key, int64_t dflt)
{
	const json_t *v = json_object_get(obj, key);

	if (json_is_integer(v))
		return json_integer_value(v);
	/* A cast beyond the range of the type is undefined; such a number is refused. */
	if (json_is_real(v) && json_real_value(v) > -0x1p63 &&
	    json_real_value(v) < 0x1p63)
		return (int64_t)json_real_value(v);
	return dflt;
}

bool jx_bool(const json_t *obj, const char *key, bool dflt)
{
	const json_t *v = json_object_get(obj, key);

	return json_is_boolean(v) ? json_is_true(v) : dflt;
}

json_t *jx_obj(const json_t *obj, const char *key)
{
	json_t *v = json_object_get(obj, key);

	return json_is_object(v) ? v : NULL;
}

json_t *jx_arr(const json_t *obj, const char *key)
{
	json_t *v = json_object_get(obj, key);

	return json_is_array(v) ? v : NULL;
}

bool jx_lists(const json_t *array, struct str s)
{
	const json_t *v;
	size_t i;

	json_array_foreach((json_t *)array, i, v)
		if (json_is_string(v) && str_eq((struct str){
			json_string_value(v), json_string_length(v) }, s))
			return true;
	return false;
}

json_t *jx_find(const json_t *array, const char *key, struct str text)
{
	json_t *v;
	size_t i;

	if (text.n)
		json_array_foreach((json_t *)array, i, v)
			if (str_eq(jx_str(v, key), text))
				return v;
	return NULL;
}

/* The part of a pointer at *p, unescaped into out; false when it is too long. */
static bool pointer_part(const char **p, char *out, size_t n_bytes)
{
	size_t n = 0;

	for (++*p; **p && **p != '/'; ++*p) {
		char c = **p;

		if (c == '~') {
			++*p;
			if (**p != '0' && **p != '1')
				return false;
			c = **p == '0' ? '~' : '/';
		}
		if (n + 1 >= n_bytes)
			return false;
		out[n++] = c;
	}
	out[n] = '\0';
	return true;
}

json_t *jx_pointer(const json_t *j, const char *pointer)
{
	const char *p = pointer;
	char part[256];

	while (j && *p) {
		if (*p != '/' || !pointer_part(&p, part, sizeof(part)))
			return NULL;
		if (!json_is_array(j)) {
			j = json_object_get(j, part);
		} else {
			size_t n = strlen(part);

			if (!n || n > 9 || strspn(part, "0123456789") != n ||
			    (n > 1 && part[0] == '0'))
				return NULL;
			j = json_array_get(j, strtoul(part, NULL, 10));
		}
	}
	return (json_t *)j;
}

json_t *jx_string(struct str s)
{
	json_t *j = json_stringn(s.p ? s.p : "", s.n);

	if (!j) {
		struct buf b = BUF_INIT(LIM_UPSTREAM_BYTES);

		utf8_scrub(&b, s);
		j = json_stringn(b.p, b.n);
		buf_release(&b);
	}
	if (!j)
		BUG("out of memory for a JSON string");
	return j;
}

static void comma(struct jw *w)
{
	if (w->comma)
		buf_addc(w->b, ',');
	w->comma = true;
}

static void open_with(struct jw *w, char c)
{
	comma(w);
	buf_addc(w->b, c);
	w->comma = false;
}

static void close_with(struct jw *w, char c)
{
	buf_addc(w->b, c);
	w->comma = true;
}

void jw_obj(struct jw *w) { open_with(w, '{'); }
void jw_end_obj(struct jw *w) { close_with(w, '}'); }
void jw_arr(struct jw *w) { open_with(w, '['); }
void jw_end_arr(struct jw *w) { close_with(w, ']'); }

void jw_key(struct jw *w, const char *key)
{
	comma(w);
	buf_addc(w->b, '"');
	buf_adds(w->b, key);
	buf_add(w->b, "\":", 2);
	w->comma = false;
}

void jw_str(struct jw *w, struct str s)
{
	comma(w);
	buf_json(w->b, s);
}

void jw_int(struct jw *w, int64_t v)
{
	comma(w);
	if (v < 0)
		buf_addc(w->b, '-');
	buf_addu(w->b, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void jw_real(struct jw *w, double v)
{
	char text[STR_REAL_BYTES];

	jw_raw(w, str_of_real(isfinite(v) ? v : 0, text));
}

void jw_rounded(struct jw *w, double v)
{
	comma(w);
	buf_addf(w->b, "%.6g", isfinite(v) ? v : 0);
}

void jw_bool(struct jw *w, bool v)
{
	jw_raw(w, v ? STR("true") : STR("false"));
}

void jw_null(struct jw *w)
{
	jw_raw(w, STR("null"));
}

void jw_raw(struct jw *w, struct str json)
{
	comma(w);
	buf_addstr(w->b, json);
}

void jw_json(struct jw *w, const json_t *j)
{
	if (!j) {
		jw_null(w);
		return;
	}
	comma(w);
	jx_dump(w->b, j);
}

void jw_uuid(struct jw *w, const struct uuid *u)
{
	char text[UUID_TEXT_BYTES];

	comma(w);
	buf_addc(w->b, '"');
	buf_add(w->b, uuid_format(u, text), UUID_TEXT_BYTES - 1);
	buf_addc(w->b, '"');
}

void jw_time(struct jw *w, int64_t us)
{
	char text[CLOCK_ISO_BYTES];

	comma(w);
	buf_addc(w->b, '"');
	buf_adds(w->b, clock_iso(us, text));
	buf_addc(w->b, '"');
}

void jw_kstr(struct jw *w, const char *key, struct str s)
{
	jw_key(w, key);
	if (s.p)
		jw_str(w, s);
	else
		jw_null(w);
}

void jw_kstr_given(struct jw *w, const char *key, struct str s)
{
	if (s.p)
		jw_kstr(w, key, s);
}

void jw_kstrz(struct jw *w, const char *key, const char *s)
{
	jw_kstr(w, key, str_of(s));
}

void jw_kint(struct jw *w, const char *key, int64_t v)
{
	jw_key(w, key);
	jw_int(w, v);
}

void jw_kint_if(struct jw *w, const char *key, bool known, int64_t v)
{
	jw_key(w, key);
	if (known)
		jw_int(w, v);
	else
		jw_null(w);
}

void jw_kreal(struct jw *w, const char *key, double v)
{
	jw_key(w, key);
	jw_real(w, v);
}

void jw_kbool(struct jw *w, const char *key, bool v)
{
	jw_key(w, key);
	jw_bool(w, v);
}

void jw_kuuid(struct jw *w, const char *key, const struct uuid *u)
{
	jw_key(w, key);
	jw_uuid(w, u);
}

void jw_kuuid_if(struct jw *w, const char *key, const struct uuid *u)
{
	jw_key(w, key);
	if (uuid_is_nil(u))
		jw_null(w);
	else
		jw_uuid(w, u);
}

void jw_ktime(struct jw *w, const char *key, int64_t us)
{
	jw_key(w, key);
	jw_time(w, us);
}
