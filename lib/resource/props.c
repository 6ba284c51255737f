/* SPDX-License-Identifier: MIT */
#include "resource/props.h"

#include <stdio.h>
#include <string.h>

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

	return err_field(e, ERR_UNKNOWN_FIELD, name_of(f, member, &name),
			 "There is no field %s." STR_MEANT, name.text,
			 STR_MEANT_ARG(near));
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

const char *props_names(const struct conf *conf, const struct resource *r,
			struct arena *a)
{
	const struct conf_entity *k = props_of(conf, r);
	const char *names = "";

	for (size_t i = 0; i < k->n_props; i++)
		names = arena_printf(a, "%s%s%s", names, i ? ", " : "",
				     k->props[i].name);
	return names;
}
