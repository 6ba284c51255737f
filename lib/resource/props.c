/* SPDX-License-Identifier: MIT */
#include "resource/props.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "conf/param.h"
#include "conf/rules.h"
#include "resource/change.h"

#include "base/banned.h"

const struct conf_entity *props_of(const struct conf *conf, const struct resource *r)
{
	return conf_entity(conf, resource_kind(r));
}

/* -- choices ------------------------------------------------------------------------ */

static bool is_type(const struct resource_field *f)
{
	return strcmp(f->key, "typeKey") == 0;
}

bool props_adds(const struct resource *r, const struct resource_field *f)
{
	const char *kind = resource_kind(r);

	return kind && !check_entity(kind) &&
		(is_type(f) || strcmp(f->key, "stateKey") == 0);
}

const struct conf_choice *props_choices(const struct conf *conf, const struct resource *r,
					const struct resource_field *f, size_t *n)
{
	const struct conf_entity *k = props_of(conf, r);

	*n = 0;
	if (!props_adds(r, f))
		return NULL;
	*n = is_type(f) ? k->n_types : k->n_states;
	return is_type(f) ? k->types : k->states;
}

/* -- values ------------------------------------------------------------------------- */

/* "props.member"; what clients send may be long. */
struct member_name {
	char text[16 + LIM_MODULE_NAME_BYTES];
};

static const char *name_of(const struct resource_field *f, const char *member,
			   struct member_name *out)
{
	snprintf(out->text, sizeof(out->text), "%s.%s", f->key, member);
	return out->text;
}

static int unknown(const struct conf_entity *k, const struct resource_field *f,
		   const char *member, struct err *e)
{
	const char *near = param_nearest(k->props, k->n_props, member);
	struct member_name name;

	(void)err_field(e, ERR_UNKNOWN_FIELD, name_of(f, member, &name),
			"There is no field %s.", name.text);
	return err_meant(e, near);
}

static int refuse(const struct resource_field *f, const char *member, const char *what,
		  struct err *e)
{
	struct member_name name;

	return err_field(e, ERR_INVALID_FIELD, name_of(f, member, &name),
			 "%s must be %s.", name.text, what);
}

int props_check(const struct conf *conf, const struct resource *r,
		const struct resource_field *f, const json_t *given, bool creating,
		struct err *e)
{
	const struct conf_entity *k = props_of(conf, r);
	const char *member, *wrong;
	char text[160];
	json_t *v;

	json_object_foreach((json_t *)given, member, v) {
		const struct conf_param *p = param_find(k->props, k->n_props, member);

		/* What is not declared any more can still be removed. */
		if (!p && (creating || !json_is_null(v)))
			return unknown(k, f, member, e);
		if (!p)
			continue;
		if (json_is_null(v) && p->required && creating)
			return refuse(f, member, "given", e);
		wrong = json_is_null(v) ? NULL : param_wrong(p, v, text, sizeof(text));
		if (wrong)
			return refuse(f, member, wrong, e);
	}
	for (size_t i = 0; creating && i < k->n_props; i++)
		if (k->props[i].required && !json_object_get(given, k->props[i].name))
			return refuse(f, k->props[i].name, "given", e);
	return 0;
}

/*
 * What is required and there may not go. Rows from before it was declared so do not have
 * it, and a form sends them as they are.
 */
static int keep_required(const struct conf_entity *k, const struct resource_field *f,
			 const json_t *now, const json_t *patch, struct err *e)
{
	for (size_t i = 0; i < k->n_props; i++) {
		const char *member = k->props[i].name;

		if (k->props[i].required && json_object_get(now, member) &&
		    (!json_is_object(patch) ||
		     json_is_null(json_object_get(patch, member))))
			return refuse(f, member, "given", e);
	}
	return 0;
}

int props_merge(const struct conf *conf, const struct resource *r,
		const struct resource_field *f, struct str now, const json_t *patch,
		struct arena *a, struct db_val *out, struct err *e)
{
	json_t *all = now.n ? jx_try(now) : NULL, *v;
	struct buf b = BUF_INIT(LIM_PROPS_BYTES);
	const char *member;
	bool fits;

	if (!json_is_object(all)) {
		json_decref(all);
		all = json_object();
	}
	if (keep_required(props_of(conf, r), f, all, patch, e) < 0) {
		json_decref(all);
		return -1;
	}
	if (!json_is_object(patch))
		json_object_clear(all);
	json_object_foreach((json_t *)patch, member, v) {
		if (json_is_null(v))
			json_object_del(all, member);
		else
			json_object_set(all, member, v);
	}
	/* Sorted, so that equal values are equal texts. */
	jx_dump_sorted(&b, all);
	fits = buf_ok(&b);
	*out = DB_S(arena_str(a, buf_str(&b)));
	out->null = json_object_size(all) == 0;
	json_decref(all);
	buf_release(&b);
	return fits ? 0 : err_field(e, ERR_INVALID_FIELD, f->key, "%s must not have more "
				    "than %d bytes.", f->key, LIM_PROPS_BYTES);
}

/* -- lists -------------------------------------------------------------------------- */

static const bool sifted[RESOURCE__MAX] = {
#define SIFTED(id, ...) [RESOURCE_##id] = true,
#include "resource/resource.def"
};

bool props_sifted(const struct resource *r)
{
	return sifted[r - resources];
}

static bool is_number(const struct conf_param *p)
{
	return p->type == PARAM_INTEGER || p->type == PARAM_NUMBER;
}

static bool has_range(const struct conf_param *p)
{
	return is_number(p) || p->type == PARAM_DATE;
}

static void add_param(struct resource_param *out, size_t *n, const struct conf_param *of,
		      enum resource_end end, const char *ending, const char *help)
{
	struct resource_param *p = &out[(*n)++];

	*p = (struct resource_param){ .member = of, .end = end, .help = help };
	snprintf(p->name, sizeof(p->name), PROPS_PREFIX "%s%s", of->name, ending);
}

size_t props_params(const struct conf *conf, const struct resource *r,
		    struct resource_param *out)
{
	const struct conf_entity *k = props_of(conf, r);
	size_t n = 0;

	for (size_t i = 0; props_sifted(r) && i < k->n_props; i++) {
		const struct conf_param *p = &k->props[i];

		if (has_range(p)) {
			add_param(out, &n, p, END_FROM, "From",
				  "Only this and later or larger ones");
			add_param(out, &n, p, END_TO, "To",
				  "Only this and earlier or smaller ones");
		} else if (p->type != PARAM_TEXT) {
			add_param(out, &n, p, END_NONE, "", p->type == PARAM_BOOLEAN
				  ? "Only these"
				  : "Only these: one or several, separated by commas; "
				    "after a ! all but these");
		}
	}
	return n;
}

size_t props_orders(const struct conf *conf, const struct resource *r,
		    const struct conf_param *out[LIM_MODULE_PARAMS])
{
	const struct conf_entity *k = props_of(conf, r);
	size_t n = 0;

	for (size_t i = 0; props_sifted(r) && i < k->n_props; i++)
		if (has_range(&k->props[i]))
			out[n++] = &k->props[i];
	return n;
}

static int must_be(const struct resource_param *p, const char *what, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, p->name, "%s must be %s.", p->name, what);
}

static bool is_choice(const struct resource_param *p, struct str value)
{
	return param_choice(p->member->choices, p->member->n_choices, value);
}

/* Each of the values must be one of the choices. */
static int check_values(const struct resource_param *p, struct str values, struct err *e)
{
	char text[160];
	const char *what = param_wrong(p->member, json_true(), text, sizeof(text));
	int rc = 0;

	while (rc == 0 && values.n)
		if (!is_choice(p, str_cut(&values, ',')))
			rc = must_be(p, what, e);
	return rc;
}

int props_sieve(const struct resource_param *p, struct str text, struct arena *a,
		struct props_sieve *out, struct err *e)
{
	text = arena_str(a, text);	/* ends with a NUL */
	*out = (struct props_sieve){ .of = p->member, .end = p->end, .values = text };
	switch (p->member->type) {
	case PARAM_INTEGER:
	case PARAM_NUMBER:
		return str_real(text, &out->number) ? 0 : must_be(p, "a number", e);
	case PARAM_DATE:
		return clock_is_date(text.p) ? 0 : must_be(p, "a date like 2027-01-31", e);
	case PARAM_BOOLEAN:
		return str_is(text, "true") || str_is(text, "false") ? 0
			: must_be(p, "true or false", e);
	case PARAM_CHOICE:
		if (!is_choice(p, text) && str_starts(text, STR("!")))
			out->others = true;
		break;
	default:
		out->others = str_starts(text, STR("!"));
	}
	if (out->others)
		out->values = (struct str){ text.p + 1, text.n - 1 };
	out->one = is_choice(p, out->values);
	return p->member->type == PARAM_CHOICE && !out->one
		? check_values(p, out->values, e) : 0;
}

/* What people write in a list may have commas itself. */
static bool is_among(const struct props_sieve *s, const char *v)
{
	struct str values = s->values;

	if (str_is(values, v))
		return true;
	while (!s->one && values.n)
		if (str_is(str_cut(&values, ','), v))
			return true;
	return false;
}

/* Whether the value, or one of the list, is among those of the sieve. */
static bool has_one(const struct props_sieve *s, const json_t *v)
{
	const json_t *one;
	size_t i;

	if (!json_is_array(v))
		return json_is_string(v) && is_among(s, json_string_value(v));
	json_array_foreach(v, i, one)
		if (json_is_string(one) && is_among(s, json_string_value(one)))
			return true;
	return false;
}

/* Whether it is at the end of the range or within it; what is no number or day is not. */
static bool is_within(const struct props_sieve *s, const json_t *v)
{
	int order;

	if (is_number(s->of)) {
		if (!json_is_number(v))
			return false;
		order = (json_number_value(v) > s->number) -
			(json_number_value(v) < s->number);
	} else {
		if (!json_is_string(v) || !clock_is_date(json_string_value(v)))
			return false;
		order = strcmp(json_string_value(v), s->values.p);
	}
	return s->end == END_FROM ? order >= 0 : order <= 0;
}

static bool passes(const struct props_sieve *s, const json_t *v)
{
	if (s->end)
		return is_within(s, v);
	if (s->of->type == PARAM_BOOLEAN)
		return json_is_boolean(v) && json_is_true(v) == str_is(s->values, "true");
	return has_one(s, v) != s->others;
}

bool props_pass(const struct props_sieve *v, size_t n, const json_t *props)
{
	for (size_t i = 0; i < n; i++)
		if (!passes(&v[i], json_object_get(props, v[i].of->name)))
			return false;
	return true;
}

struct db_val props_value(const struct conf_param *of, const json_t *props, struct arena *a)
{
	const json_t *v = json_object_get(props, of->name);

	if (is_number(of))
		return json_is_number(v) ? DB_D(json_number_value(v))
			: (struct db_val){ .type = 'd', .null = true };
	return json_is_string(v) && clock_is_date(json_string_value(v))
		? DB_S(arena_str(a, jx_str(props, of->name)))
		: (struct db_val){ .type = 's', .null = true };
}
