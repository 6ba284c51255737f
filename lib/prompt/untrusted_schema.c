/* SPDX-License-Identifier: MIT */
/*
 * The texts of an untrusted schema, which the model reads like all other text. See
 * untrusted.h.
 */
#include "prompt/untrusted.h"

#include <string.h>

#include "base/banned.h"

static json_t *cleaned(struct str s, size_t max_bytes)
{
	struct buf b = BUF_INIT(8 * max_bytes);
	json_t *j;

	s.n = MIN(s.n, max_bytes);
	untrusted_clean(NULL, s, &b);
	j = jx_string(buf_str(&b));
	buf_release(&b);
	return j;
}

static struct str text_of(const json_t *string)
{
	return (struct str){ json_string_value(string),
			     json_string_length(string) };
}

/* Whether neutralising would not change s. */
static bool is_clean(struct str s)
{
	json_t *j = cleaned(s, s.n);
	bool same = str_eq(text_of(j), s);

	json_decref(j);
	return same;
}

/* Only read by people and the model; not needed for a call. */
static bool is_prose(const char *key)
{
	return !strcmp(key, "description") || !strcmp(key, "title");
}

static bool is_spare(const char *key)
{
	return !strcmp(key, "default") || !strcmp(key, "examples") ||
	       !strcmp(key, "$comment");
}

static bool clean_object(json_t *j, size_t max_bytes)
{
	const char *key;
	bool ok = true;
	json_t *sub;
	void *next;

	json_object_foreach_safe(j, next, key, sub) {
		bool prose = is_prose(key) && json_is_string(sub);

		ok &= is_clean(str_of(key));
		if (prose)
			json_object_set_new(j, key, cleaned(text_of(sub),
							    max_bytes));
		else if (!untrusted_clean_schema(sub, max_bytes)) {
			ok &= is_spare(key);
			json_object_del(j, key);
		}
	}
	return ok;
}

bool untrusted_clean_schema(json_t *schema, size_t max_bytes)
{
	bool ok = true;
	json_t *sub;
	size_t i;

	if (json_is_string(schema))
		return is_clean(text_of(schema));
	if (json_is_object(schema))
		return clean_object(schema, max_bytes);
	json_array_foreach(schema, i, sub)
		ok &= untrusted_clean_schema(sub, max_bytes);
	return ok;
}
