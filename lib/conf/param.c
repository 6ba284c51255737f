/* SPDX-License-Identifier: MIT */
#include "conf/param.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

static struct str text_of(const json_t *v)
{
	return (struct str){ json_string_value(v), json_string_length(v) };
}

const struct conf_choice *param_choice(const struct conf_choice *v, size_t n,
				       struct str value)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(value, v[i].value))
			return &v[i];
	return NULL;
}

const struct conf_param *param_find(const struct conf_param *v, size_t n,
				    const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			return &v[i];
	return NULL;
}

const char *param_nearest(const struct conf_param *v, size_t n, const char *wrong)
{
	return str_nearest(str_of(wrong), v, n, sizeof(*v), 4);
}

json_t *param_example(const struct conf_param *p)
{
	json_t *v = NULL;

	if (!*p->example)
		return NULL;
	if (p->type == PARAM_LIST)
		return json_pack("[s]", p->example);
	if (p->type == PARAM_INTEGER || p->type == PARAM_NUMBER || p->type == PARAM_BOOLEAN)
		v = jx_try(str_of(p->example));
	return v ? v : json_string(p->example);
}

/* Whether it is a text, without NUL characters. */
static bool is_text(const json_t *v)
{
	return json_is_string(v) && strlen(text_of(v).p) == text_of(v).n;
}

static bool is_id(struct str s)
{
	static const char chars[] = "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";

	return s.n && s.n <= LIM_MODULE_ID_CHARS && strspn(s.p, chars) == s.n;
}

static bool is_list(const struct conf_param *p, const json_t *v)
{
	size_t i, chars = 0;
	const json_t *one;

	if (!json_is_array(v) || json_array_size(v) > LIM_PARAM_ITEMS)
		return false;
	json_array_foreach(v, i, one) {
		if (!is_text(one) || !text_of(one).n || strpbrk(text_of(one).p, "\r\n"))
			return false;
		chars += utf8_chars(text_of(one));
	}
	return chars <= (size_t)p->max_chars;
}

/* "low, medium or high", as far as there is room. */
static const char *choices_of(const struct conf_param *p, char *buf, size_t n_bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_choices && n < n_bytes; i++)
		n += (size_t)snprintf(buf + n, n_bytes - n, "%s%s", !i ? ""
				      : i + 1 < p->n_choices ? ", " : " or ",
				      p->choices[i].value);
	return n < n_bytes ? buf : "one of its choices";
}

static bool is_within(const struct conf_param *p, double x)
{
	return isfinite(x) && fabs(x) <= LIM_PARAM_NUMBER && !(x < p->min) && !(x > p->max);
}

/* "a number of 1 to 10". */
static const char *range_of(const struct conf_param *p, const char *what, char *buf,
			    size_t n_bytes)
{
	if (isnan(p->min) && isnan(p->max))
		return what;
	snprintf(buf, n_bytes, "%s of %.15g to %.15g", what,
		 isnan(p->min) ? -LIM_PARAM_NUMBER : p->min,
		 isnan(p->max) ? LIM_PARAM_NUMBER : p->max);
	return buf;
}

const char *param_wrong(const struct conf_param *p, const json_t *v, char *buf,
			size_t n_bytes)
{
	const double x = json_number_value(v);

	switch (p->type) {
	case PARAM_TEXT:
		snprintf(buf, n_bytes, "a text of at most %d characters without "
			 "NUL characters", p->max_chars);
		return is_text(v) && utf8_chars(text_of(v)) <= (size_t)p->max_chars
			? NULL : buf;
	case PARAM_LIST:
		snprintf(buf, n_bytes, "a list of at most %d texts of one line, with at "
			 "most %d characters together", LIM_PARAM_ITEMS, p->max_chars);
		return is_list(p, v) ? NULL : buf;
	case PARAM_CHOICE:
		return json_is_string(v) &&
			param_choice(p->choices, p->n_choices, text_of(v))
			? NULL : choices_of(p, buf, n_bytes);
	case PARAM_INTEGER:
		return json_is_integer(v) && is_within(p, x) ? NULL
			: range_of(p, "a whole number", buf, n_bytes);
	case PARAM_NUMBER:
		return json_is_number(v) && is_within(p, x) ? NULL
			: range_of(p, "a number", buf, n_bytes);
	case PARAM_DATE:
		return is_text(v) && clock_is_date(text_of(v).p) ? NULL
			: "a day, as 2026-11-23";
	case PARAM_ID:
		snprintf(buf, n_bytes, "an id: at most %d letters, digits, "
			 "., _, : and -", LIM_MODULE_ID_CHARS);
		return json_is_string(v) && is_id(text_of(v)) ? NULL : buf;
	case PARAM_BOOLEAN:
		return json_is_boolean(v) ? NULL : "true or false";
	}
	return "of a known type";
}
