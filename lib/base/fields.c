/* SPDX-License-Identifier: MIT */
#include "base/fields.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

#define KEY_BYTES 48	/* longest key for which another is suggested */

bool slug_valid(struct str s)
{
	if (!s.n || s.n > LIM_SLUG_BYTES || s.p[0] == '_' || s.p[0] == '-')
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
		      c == '_' || c == '-'))
			return false;
	}
	return true;
}

/* The declared key that was probably meant, or NULL. */
static const char *nearest(const struct field *fields, size_t n,
			   const char *key)
{
	size_t len = strlen(key);

	return len > KEY_BYTES ? NULL
		: str_nearest(str_of(key), fields, n, sizeof(*fields),
			      (int)MAX(len / 2, 1));
}

/* The declared keys, whole ones and as many as fit, or "none". */
static const char *names_of(const struct field *fields, size_t n, char *out,
			    size_t size_bytes)
{
	const size_t room = size_bytes - sizeof(" ...");
	size_t used = 0;

	snprintf(out, size_bytes, "none");
	for (size_t i = 0; i < n; i++) {
		if (used + 1 + strlen(fields[i].key) > room) {
			snprintf(out + used, size_bytes - used, " ...");
			break;
		}
		used += (size_t)snprintf(out + used, size_bytes - used, "%s%s",
					 i ? " " : "", fields[i].key);
	}
	return out;
}

static int refuse_unknown(const struct field *fields, size_t n,
			  const json_t *body, struct err *e)
{
	const char *key, *meant;
	char names[150];
	json_t *value;

	json_object_foreach((json_t *)body, key, value) {
		size_t i = 0;

		while (i < n && strcmp(fields[i].key, key) != 0)
			i++;
		if (i < n)
			continue;
		meant = nearest(fields, n, key);
		if (meant)
			return err_field(e, ERR_UNKNOWN_FIELD, key,
					 "There is no field \"%.60s\"; did you "
					 "mean \"%s\"?", key, meant);
		return err_field(e, ERR_UNKNOWN_FIELD, key,
				 "There is no field \"%.60s\"; there are: %s.",
				 key, names_of(fields, n, names, sizeof(names)));
	}
	return 0;
}

static int wrong(const struct field *f, const char *what, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, f->key, "%s must be %s.", f->key,
			 what);
}

static int read_text(const struct field *f, const json_t *v, struct str *out,
		     struct err *e)
{
	struct str s;

	if (!json_is_string(v))
		return wrong(f, "a string", e);
	s = (struct str){ json_string_value(v), json_string_length(v) };
	if (f->type == FIELD_SLUG && !slug_valid(s))
		return wrong(f, "an id of lower case letters, digits, - and _", e);
	if ((f->flags & FIELD_FILLED) && !str_trim(s).n)
		return err_field(e, ERR_INVALID_FIELD, f->key,
				 "%s must not be empty.", f->key);
	if ((f->flags & FIELD_LINE) && !str_is_line(s))
		return wrong(f, "one line of text", e);
	if (f->max_chars && s.n > f->max_chars &&
	    utf8_chars(s) > f->max_chars)
		return err_field(e, ERR_INVALID_FIELD, f->key,
				 "%s may have at most %zu characters.", f->key,
				 f->max_chars);
	*out = s;
	return 0;
}

static int read_int(const struct field *f, const json_t *v, int64_t *out,
		    struct err *e)
{
	*out = json_integer_value(v);
	if (json_is_integer(v) && *out >= f->min && *out <= f->max)
		return 0;
	return err_field(e, ERR_INVALID_FIELD, f->key, "%s must be a whole "
			 "number from %lld to %lld.", f->key,
			 (long long)f->min, (long long)f->max);
}

static int read_real(const struct field *f, const json_t *v, double *out,
		     struct err *e)
{
	*out = json_number_value(v);
	if (json_is_number(v) && *out >= (double)f->min &&
	    *out <= (double)f->max)
		return 0;
	return err_field(e, ERR_INVALID_FIELD, f->key, "%s must be a number "
			 "from %lld to %lld.", f->key, (long long)f->min,
			 (long long)f->max);
}

static bool is_item(const struct field *f, const json_t *v)
{
	const struct str s = { json_string_value(v), json_string_length(v) };

	return json_is_string(v) &&
		(!f->max || (str_is_line(s) && str_trim(s).n &&
			     utf8_chars(s) <= f->max_chars));
}

static int read_texts(const struct field *f, json_t *v, json_t **out,
		      struct err *e)
{
	const bool capped = f->max > 0;
	const size_t n = json_array_size(v);

	if (!json_is_array(v) || (capped && n > (size_t)f->max))
		return !capped ? wrong(f, "a list of strings", e)
			: err_field(e, ERR_INVALID_FIELD, f->key, "%s must be "
				    "a list of at most %lld texts.", f->key,
				    (long long)f->max);
	for (size_t i = 0; i < n; i++)
		if (!is_item(f, json_array_get(v, i)))
			return !capped ? wrong(f, "a list of strings", e)
				: err_field(e, ERR_INVALID_FIELD, f->key,
					    "%s[%zu] must be a text of one "
					    "line with 1 to %zu characters.",
					    f->key, i, f->max_chars);
	*out = v;
	return 0;
}

static int read_one(const struct field *f, json_t *v, char *member,
		    struct err *e)
{
	switch (f->type) {
	case FIELD_TEXT:
	case FIELD_SLUG:
		return read_text(f, v, (struct str *)(void *)member, e);
	case FIELD_UUID:
		if (!json_is_string(v) ||
		    !uuid_parse((struct str){ json_string_value(v),
					      json_string_length(v) },
				(struct uuid *)(void *)member))
			return wrong(f, "a UUID", e);
		return 0;
	case FIELD_BOOL:
		if (!json_is_boolean(v))
			return wrong(f, "true or false", e);
		*(int *)(void *)member = json_is_true(v) ? 1 : -1;
		return 0;
	case FIELD_INT:
		return read_int(f, v, (int64_t *)(void *)member, e);
	case FIELD_REAL:
		return read_real(f, v, (double *)(void *)member, e);
	case FIELD_TIME:
		if (!clock_iso_parse(json_string_value(v),
				     (int64_t *)(void *)member))
			return wrong(f, "a time like 2027-01-31T12:00:00Z", e);
		return 0;
	case FIELD_DATE:
		if (!clock_is_date(json_string_value(v)))
			return wrong(f, "a date like 2027-01-31", e);
		*(struct str *)(void *)member = (struct str){
			json_string_value(v), json_string_length(v) };
		return 0;
	case FIELD_TEXTS:
		return read_texts(f, v, (json_t **)(void *)member, e);
	case FIELD_LIST:
		if (!json_is_array(v))
			return wrong(f, "an array", e);
		*(json_t **)(void *)member = v;
		return 0;
	case FIELD_OBJECT:
		if (!json_is_object(v))
			return wrong(f, "an object", e);
		/* fall through */
	case FIELD_JSON:
		if (json_is_null(v) &&
		    f->flags & (FIELD_REQUIRED | FIELD_FILLED))
			return wrong(f, "something other than null", e);
		*(json_t **)(void *)member = v;
		return 0;
	}
	BUG("a field type without a case");
}

int fields_pick(const struct field *fields, size_t n, const json_t *o,
		void *out, struct err *e)
{
	char *base = out;

	for (size_t i = 0; i < n; i++) {
		const struct field *f = &fields[i];
		json_t *v = json_object_get(o, f->key);

		if (v && f->given_offset)
			*(bool *)(base + f->given_offset) = true;
		if (!v && (f->flags & FIELD_REQUIRED))
			return err_field(e, ERR_INVALID_FIELD, f->key,
					 "%s is missing.", f->key);
		if (!v || (json_is_null(v) && (f->flags & FIELD_NULLABLE)))
			continue;
		if (read_one(f, v, base + f->offset, e) < 0)
			return -1;
	}
	return 0;
}

int fields_read(const struct field *fields, size_t n, const json_t *body,
		void *out, size_t size_bytes, struct err *e)
{
	memset(out, 0, size_bytes);
	if (!json_is_object(body))
		return err_public(e, ERR_INVALID_JSON,
				  "The body must be a JSON object.");
	if (refuse_unknown(fields, n, body, e) < 0)
		return -1;
	return fields_pick(fields, n, body, out, e);
}
