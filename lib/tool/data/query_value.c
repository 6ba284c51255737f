/* SPDX-License-Identifier: MIT */
/* Values that a model wrote, as typed parameters. See query.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "tool/data/query.h"
#include "tool/core/text.h"

#include "base/banned.h"

static const struct {
	const char *name, *example;
} types[] = {
	[COL_TEXT] = { "text", "a string" },
	[COL_INTEGER] = { "integer", "a whole number" },
	[COL_DECIMAL] = { "decimal", "a number" },
	[COL_DATE] = { "date", "a date like \"2026-01-31\"" },
	[COL_DATETIME] = { "datetime", "a date like \"2026-01-31\" or a time "
			   "like \"2026-01-31T14:30:00\"" },
	[COL_BOOLEAN] = { "boolean", "true or false" },
	[COL_JSON] = { "json", "a string" },
	[COL_AUTO] = { "text", "a string" },	/* dataset_resolve leaves none */
};

const char *query_type_name(enum conf_col_type t)
{
	return types[t].name;
}

static int wrong(const struct conf_column *c, const json_t *v,
		 const char *what, struct err *e)
{
	struct buf got = BUF_INIT(1 << 20);
	struct str shown;

	jx_dump(&got, v);
	shown = text_quote(buf_str(&got), 40);
	err_public(e, ERR_TOOL_ARGS,
		   "%s: column \"%s\" is %s and needs %s, not %.*s.", what,
		   c->name, types[c->type].name, types[c->type].example,
		   STR_ARG(shown));
	buf_release(&got);
	return -1;
}

static struct str json_text(const json_t *v)
{
	return (struct str){ json_string_value(v), json_string_length(v) };
}

static bool int_value(const json_t *v, int64_t *out)
{
	if (json_is_string(v))
		return str_int(str_trim(json_text(v)), out);
	if (json_is_real(v)) {
		double d = json_real_value(v);

		if (!(d >= -9.2e18 && d <= 9.2e18) || d != trunc(d))
			return false;
		*out = (int64_t)d;
		return true;
	}
	*out = json_integer_value(v);
	return json_is_integer(v);
}

static bool bool_value(const json_t *v, int64_t *out)
{
	const char *s = json_string_value(v);

	if (s && (strcasecmp(s, "true") == 0 || strcasecmp(s, "yes") == 0))
		*out = 1;
	else if (s && (strcasecmp(s, "false") == 0 || strcasecmp(s, "no") == 0))
		*out = 0;
	else if (json_is_boolean(v))
		*out = json_is_true(v);
	else
		return int_value(v, out) && (*out == 0 || *out == 1);
	return true;
}

/* Exactly n digits at *p; moves *p past them. */
static bool digits(const char **p, int n, int *out)
{
	*out = 0;
	for (int i = 0; i < n; i++, (*p)++) {
		if (**p < '0' || **p > '9')
			return false;
		*out = *out * 10 + (**p - '0');
	}
	return true;
}

static bool date_exists(int y, int m, int d)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;

	return y >= 1 && m >= 1 && m <= 12 && d >= 1 &&
	       d <= days[m - 1] + (m == 2 && leap);
}

struct stamp {
	int y, mo, d, h, mi, s, us;
	bool has_time;
};

/* "Z", "+02:00", "-0530" at p; minutes east of UTC. */
static bool zone(const char *p, int *minutes)
{
	int sign = *p == '-' ? -1 : 1, h, m = 0;

	*minutes = 0;
	if (!*p || ((*p == 'Z' || *p == 'z') && !p[1]))
		return true;
	if (*p != '+' && *p != '-')
		return false;
	p++;
	if (!digits(&p, 2, &h))
		return false;
	if (*p == ':')
		p++;
	if (*p && !digits(&p, 2, &m))
		return false;
	*minutes = sign * (h * 60 + m);
	return !*p && h <= 14 && m <= 59;
}

static void to_utc(struct stamp *t, int minutes)
{
	struct tm tm = {
		.tm_year = t->y - 1900, .tm_mon = t->mo - 1, .tm_mday = t->d,
		.tm_hour = t->h, .tm_min = t->mi, .tm_sec = t->s,
	};
	time_t at = timegm(&tm) - (time_t)minutes * 60;

	if (!gmtime_r(&at, &tm))
		return;
	t->y = tm.tm_year + 1900, t->mo = tm.tm_mon + 1, t->d = tm.tm_mday;
	t->h = tm.tm_hour, t->mi = tm.tm_min;
}

static bool parse_stamp(const char *p, struct stamp *t)
{
	int minutes;

	*t = (struct stamp){ 0 };
	if (!digits(&p, 4, &t->y) || *p++ != '-' || !digits(&p, 2, &t->mo) ||
	    *p++ != '-' || !digits(&p, 2, &t->d) ||
	    !date_exists(t->y, t->mo, t->d))
		return false;
	if (!*p)
		return true;
	t->has_time = true;
	if (*p != 'T' && *p != 't' && *p != ' ')
		return false;
	p++;
	if (!digits(&p, 2, &t->h) || *p++ != ':' || !digits(&p, 2, &t->mi))
		return false;
	if (*p == ':') {
		p++;
		if (!digits(&p, 2, &t->s))
			return false;
	}
	if (*p == '.') {
		int scale = 100000;

		for (p++; *p >= '0' && *p <= '9'; p++, scale /= 10)
			t->us += (*p - '0') * scale;
	}
	if (t->h > 23 || t->mi > 59 || t->s > 59 || !zone(p, &minutes))
		return false;
	if (minutes)
		to_utc(t, minutes);
	return true;
}

static bool time_value(const struct conf_column *c, const json_t *v,
		       struct arena *a, struct db_val *out, bool *whole_day)
{
	struct stamp t;
	char *text;

	if (!json_is_string(v) || json_string_length(v) > 40 ||
	    strlen(json_string_value(v)) != json_string_length(v) ||
	    !parse_stamp(json_string_value(v), &t))
		return false;
	*whole_day = c->type == COL_DATETIME && !t.has_time;
	if (c->type == COL_DATE || !t.has_time)
		text = arena_printf(a, "%04d-%02d-%02d", t.y, t.mo, t.d);
	else if (t.us)
		text = arena_printf(a, "%04d-%02d-%02d %02d:%02d:%02d.%06d",
				    t.y, t.mo, t.d, t.h, t.mi, t.s, t.us);
	else
		text = arena_printf(a, "%04d-%02d-%02d %02d:%02d:%02d",
				    t.y, t.mo, t.d, t.h, t.mi, t.s);
	*out = DB_S(str_of(text));
	return true;
}

static bool text_value(const json_t *v, struct arena *a, struct db_val *out)
{
	char number[64];
	double d;

	if (json_is_string(v)) {
		*out = DB_S(arena_str(a, json_text(v)));
		return true;
	}
	if (json_is_integer(v)) {
		*out = DB_S(str_of(arena_printf(a, "%lld",
				(long long)json_integer_value(v))));
		return true;
	}
	if (!json_is_real(v))
		return false;
	d = json_real_value(v);
	snprintf(number, sizeof(number), "%.15g", d);
	*out = DB_S(str_of(arena_strdup(a, number)));
	return true;
}

int query_value(const struct conf_column *c, const json_t *v,
		const char *what, struct arena *a, struct db_val *out,
		bool *whole_day, struct err *e)
{
	int64_t i;
	double d;

	*whole_day = false;
	if (json_is_string(v) && json_string_length(v) > LIM_QUERY_TEXT_BYTES)
		return err_public(e, ERR_TOOL_ARGS,
				  "%s: the value is longer than %d bytes.", what,
				  LIM_QUERY_TEXT_BYTES);
	switch (c->type) {
	case COL_INTEGER:
		if (!int_value(v, &i))
			return wrong(c, v, what, e);
		*out = DB_I(i);
		return 0;
	case COL_DECIMAL:
		if (int_value(v, &i)) {
			*out = DB_I(i);
			return 0;
		}
		d = json_real_value(v);
		if (!json_is_real(v) &&
		    !(json_is_string(v) && str_real(str_trim(json_text(v)), &d)))
			return wrong(c, v, what, e);
		*out = DB_D(d);
		return 0;
	case COL_BOOLEAN:
		if (!bool_value(v, &i))
			return wrong(c, v, what, e);
		*out = DB_I(i);
		return 0;
	case COL_DATE:
	case COL_DATETIME:
		if (!time_value(c, v, a, out, whole_day))
			return wrong(c, v, what, e);
		return 0;
	case COL_TEXT:
	case COL_JSON:
	case COL_AUTO:
		if (!text_value(v, a, out))
			return wrong(c, v, what, e);
		return 0;
	}
	BUG("column type");
}

struct str query_like(struct arena *a, struct str s, bool leading)
{
	char *out = arena_alloc(a, 2 * s.n + 3);
	size_t n = 0;

	if (leading)
		out[n++] = '%';
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%' || s.p[i] == '_' || s.p[i] == '!')
			out[n++] = '!';
		out[n++] = s.p[i];
	}
	out[n++] = '%';
	out[n] = '\0';
	return (struct str){ out, n };
}
