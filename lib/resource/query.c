/* SPDX-License-Identifier: MIT */
/* What a list can be asked for by name: filters and orders (LISTED). */
#include "resource/rows.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "resource/form.h"
#include "resource/props.h"

#include "base/banned.h"

#define AS_FILTER(key_, column, type_) { .key = key_, .type = TYPE_##type_ },
#define AS_ORDER(key_, column, type_, id) \
	{ .key = key_, .type = TYPE_##type_, \
	  .offset = offsetof(struct resource_row, v) + \
		  COLUMN(id, column) * sizeof(struct db_val), \
	  .up = RSTMT_##id##_UP_##column, .down = RSTMT_##id##_DOWN_##column, \
	  .rest = RSTMT_##id##_REST_##column },
#define AS_TIME(key_, column, id) \
	{ .key = key_, .type = TYPE_TIME, .common = true, \
	  .offset = offsetof(struct resource_row, column), \
	  .up = RSTMT_##id##_UP_##column, .down = RSTMT_##id##_DOWN_##column },
#define LISTED(id, table, owner, top, order, fields, filters, orders) \
	static const struct resource_filter id##_filters[] = { \
		filters(AS_FILTER) \
	}; \
	static const struct resource_sorting id##_orders[] = { \
		orders(AS_ORDER, AS_TIME, id) \
	};
#include "resource/resource.def"

static const struct resource_listed listed[RESOURCE__MAX] = {
#define LISTED(id, table, owner, top, order, fields, filters, orders) \
	[RESOURCE_##id] = { \
		id##_filters, ARRAY_LEN(id##_filters), \
		id##_orders, ARRAY_LEN(id##_orders), \
		RSTMT_##id##_LISTED, RSTMT_##id##_LISTEDTOTAL, \
	},
#include "resource/resource.def"
};

const struct resource_listed *resource_listed(const struct resource *r)
{
	const struct resource_listed *l = &listed[r - resources];

	return l->list ? l : NULL;
}

/* -- the value of an order ----------------------------------------------------- */

struct db_val resource_sorting_value(const struct resource_sorting *by,
				   const struct resource_row *row)
{
	const char *member = (const char *)row + by->offset;

	return by->common ? DB_I(*(const int64_t *)(const void *)member)
		: *(const struct db_val *)(const void *)member;
}

void resource_sorting_set(const struct resource_sorting *by, struct db_val value,
			struct resource_row *row)
{
	char *member = (char *)row + by->offset;

	if (by->common)
		*(int64_t *)(void *)member = value.i;
	else
		*(struct db_val *)(void *)member = value;
}

/* -- the parameters -------------------------------------------------------------- */

/* Filters with a range have two. */
static bool is_range(enum resource_type type)
{
	return type == TYPE_INT || type == TYPE_REAL || type == TYPE_DATE ||
		type == TYPE_TIME;
}

static const struct resource_field *field_of(const struct resource *r,
					     const char *key)
{
	for (size_t i = 0; i < r->n_fields; i++)
		if (strcmp(r->fields[i].key, key) == 0)
			return &r->fields[i];
	BUG("a filter without a field");
}

static void add_param(struct resource_param *out, size_t *n,
		      const struct resource_filter *f,
		      const struct resource_field *field, const char *ending,
		      const char *help)
{
	struct resource_param *p = &out[(*n)++];

	*p = (struct resource_param){ .field = field, .help = help };
	snprintf(p->name, sizeof(p->name), "%s%s", f ? f->key : "order", ending);
}

size_t resource_params(const struct conf *conf, const struct resource *r,
		       struct resource_param out[RESOURCE_PARAMS_MAX])
{
	const struct resource_listed *l = resource_listed(r);
	size_t n = 0;

	for (size_t i = 0; l && i < l->n_filters; i++) {
		const struct resource_filter *f = &l->filters[i];
		const struct resource_field *field = field_of(r, f->key);

		if (n + 3 > RESOURCE_FILTERS_MAX)
			BUG("a resource with too many filters");
		if (is_range(f->type)) {
			add_param(out, &n, f, field, "From", "Only this and later or larger ones");
			add_param(out, &n, f, field, "To", "Only this and earlier or smaller ones");
		} else {
			add_param(out, &n, f, field, "", f->type == TYPE_ENUM
				  ? "Only these: one or several, separated by commas; "
				    "after a ! all but these"
				  : "Only these");
		}
	}
	if (l && l->n_orders)
		add_param(out, &n, NULL, NULL, "", "");
	return n + props_params(conf, r, out + n);
}

const char *resource_order_names(const struct conf *conf, const struct resource *r,
				 const char *before_last, struct arena *a)
{
	const struct resource_listed *l = resource_listed(r);
	const struct conf_param *members[LIM_MODULE_PARAMS];
	const size_t n_fields = l ? l->n_orders : 0;
	const size_t n = 2 * (n_fields + props_orders(conf, r, members));
	struct buf b = BUF_INIT(LIM_FORM_TEXT_BYTES);
	const char *out;

	for (size_t i = 0; i < n; i++) {
		const bool field = i / 2 < n_fields;

		buf_addf(&b, "%s%s%s%s", !i ? "" : i + 1 < n ? ", " : before_last,
			 i & 1 ? "-" : "", field ? "" : PROPS_PREFIX,
			 field ? l->orders[i / 2].key : members[i / 2 - n_fields]->name);
	}
	out = arena_strdup(a, b.p ? b.p : "");
	buf_release(&b);
	return out;
}

/* -- reading their values --------------------------------------------------------- */

static int refuse(const char *name, const char *what, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, name, "%s must be %s.", name, what);
}

/* "open,waiting": each of the choices; "!done": all others, also unknown ones. */
static int read_set(const struct conf *conf, const struct resource *r,
		    const struct resource_param *p, struct str text, struct arena *a,
		    struct db_val *out, struct err *e)
{
	struct str rest, one;

	if (str_starts(text, STR("!")))
		text = (struct str){ text.p + 1, text.n - 1 };
	rest = text;
	while (rest.n) {
		one = str_cut(&rest, ',');
		if (resource_check_choice(conf, a, r, p->field, one, p->name, e) < 0)
			return -1;
	}
	*out = DB_S(text);
	return 0;
}

static int read_value(const struct conf *conf, const struct resource *r,
		      const struct resource_param *p, struct str text, struct arena *a,
		      struct db_val *out, struct err *e)
{
	const char *z = arena_str(a, text).p;	/* ends with a NUL */
	struct uuid *id;

	switch (p->field->type) {
	case TYPE_ENUM:
		return read_set(conf, r, p, text, a, out, e);
	case TYPE_INT:
		return str_int(text, &out->i) ? 0
			: refuse(p->name, "a whole number", e);
	case TYPE_REAL:
		return str_real(text, &out->d) ? 0
			: refuse(p->name, "a number", e);
	case TYPE_BOOL:
		out->i = str_is(text, "true");
		return out->i || str_is(text, "false") ? 0
			: refuse(p->name, "true or false", e);
	case TYPE_DATE:
		out->s = text;
		return clock_is_date(z) ? 0
			: refuse(p->name, "a date like 2027-01-31", e);
	case TYPE_TIME:
		return clock_iso_parse(z, &out->i) ? 0
			: refuse(p->name, "a time like 2027-01-31T12:00:00Z", e);
	case TYPE_UUID:
		id = arena_new(a, struct uuid);
		*out = DB_U(id);
		return uuid_parse(text, id) ? 0 : refuse(p->name, "a UUID", e);
	default:
		BUG("a filter of a type that has none");
	}
}

static int read_order(const struct conf *conf, const struct resource *r, struct str text,
		      struct arena *a, struct resource_limits *out, struct err *e)
{
	const struct resource_listed *l = resource_listed(r);
	const struct conf_param *members[LIM_MODULE_PARAMS];
	const size_t n_members = props_orders(conf, r, members);
	struct str key = text;

	out->down = str_starts(text, STR("-"));
	if (out->down)
		key = (struct str){ text.p + 1, text.n - 1 };
	for (size_t i = 0; i < l->n_orders; i++)
		if (str_is(key, l->orders[i].key)) {
			out->by = &l->orders[i];
			return 0;
		}
	for (size_t i = 0; i < n_members; i++)
		if (str_starts(key, STR(PROPS_PREFIX)) &&
		    str_is((struct str){ key.p + strlen(PROPS_PREFIX),
					 key.n - strlen(PROPS_PREFIX) },
			   members[i]->name)) {
			out->by_member = members[i];
			return 0;
		}
	return err_field(e, ERR_INVALID_FIELD, "order", "order must be %s.",
			 resource_order_names(conf, r, " or ", a));
}

/* The first parameter of an ENUM's filter (stmt.def). */
static int set_mode(struct str text)
{
	return !text.n ? 2 : !str_starts(text, STR("!"));
}

/* most: how many there can be. */
static int add_sieve(const struct resource_param *p, struct str text, size_t most,
		     struct arena *a, struct resource_limits *out, struct err *e)
{
	if (!out->sieves)
		out->sieves = arena_zalloc(a, most, sizeof(*out->sieves));
	return props_sieve(p, text, a, &out->sieves[out->n_sieves++], e);
}

int resource_limits(const struct conf *conf, const struct resource *r,
		    const struct str *params, struct arena *a,
		    struct resource_limits *out, struct err *e)
{
	struct resource_param known[RESOURCE_PARAMS_MAX];
	const size_t n = resource_params(conf, r, known);

	*out = (struct resource_limits){ .by = NULL };
	for (size_t i = 0; i < n; i++) {
		const struct resource_field *f = known[i].field;
		struct db_val *v = out->v + out->n;

		if (known[i].member) {
			if (params[i].n && add_sieve(&known[i], params[i], n, a, out, e) < 0)
				return -1;
			continue;
		}
		if (!f) {
			if (params[i].n && read_order(conf, r, params[i], a, out, e) < 0)
				return -1;
			continue;
		}
		v[0] = DB_I(f->type == TYPE_ENUM ? set_mode(params[i]) : !params[i].n);
		v[1] = (struct db_val){ .type = resource_types[f->type].letter,
					.null = !params[i].n };
		out->n += 2;
		out->any |= params[i].n > 0;
		if (params[i].n &&
		    read_value(conf, r, &known[i], params[i], a, &v[1], e) < 0)
			return -1;
	}
	return 0;
}
