/* SPDX-License-Identifier: MIT */
#include "prompt/module.h"

#include <stdio.h>
#include <string.h>

#include "auth/policy.h"
#include "base/limits.h"
#include "conf/param.h"
#include "prompt/part.h"

#include "base/banned.h"

/* -- reading ------------------------------------------------------------------- */

static struct str text_of(const json_t *v)
{
	return (struct str){ json_string_value(v), json_string_length(v) };
}

static int unknown(const struct conf_module *m, const char *name, struct err *e)
{
	const char *near = param_nearest(m->params, m->n_params, name);

	(void)err_field(e, ERR_UNKNOWN_FIELD, "module.parameters",
			"The module %s has no parameter \"%.64s\".", m->id, name);
	return err_meant(e, near);
}

static int fail(const struct conf_param *p, const char *what, struct err *e)
{
	char field[32 + LIM_MODULE_NAME_BYTES];

	snprintf(field, sizeof(field), "module.parameters.%s", p->name);
	return err_field(e, ERR_INVALID_FIELD, field, "%s must be %s.", field,
			 what);
}

static int check_fields(const struct conf_module *m, const json_t *given, struct err *e)
{
	const char *name, *what;
	char text[128];
	json_t *v;

	json_object_foreach((json_t *)given, name, v) {
		const struct conf_param *p = param_find(m->params, m->n_params, name);

		if (!p)
			return unknown(m, name, e);
		what = json_is_null(v) ? NULL : param_wrong(p, v, text, sizeof(text));
		if (what)
			return fail(p, what, e);
	}
	for (size_t i = 0; i < m->n_params; i++) {
		v = json_object_get(given, m->params[i].name);
		if (m->params[i].required && (!v || json_is_null(v)))
			return fail(&m->params[i], "given", e);
	}
	return 0;
}

/* The module of this name that who may use. */
static const struct conf_module *find_module(const struct conf *c,
					     const struct identity *who,
					     struct str name, struct err *e)
{
	const struct conf_module *near = NULL;
	int best = 4;

	for (size_t i = 0; i < c->n_modules; i++) {
		const struct conf_module *m = &c->modules[i];
		int edits;

		if (!who || !policy_in_groups(who, &m->groups))
			continue;
		if (str_is(name, m->id))
			return m;
		edits = str_distance(name, str_of(m->id));
		if (edits <= best) {
			near = m;
			best = edits - 1;
		}
	}
	(void)err_field(e, ERR_INVALID_FIELD, "module.name", "There is no module \"%.*s\".",
			(int)MIN(name.n, 64), name.p ? name.p : "");
	(void)err_meant(e, near ? near->id : NULL);
	return NULL;
}

int module_read(const struct conf *c, const struct identity *who,
		const json_t *given, struct module_use *out, struct err *e)
{
	const json_t *parameters = json_object_get(given, "parameters");
	const json_t *name = json_object_get(given, "name");
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)given, key, v)
		if (strcmp(key, "name") != 0 && strcmp(key, "parameters") != 0)
			return err_field(e, ERR_UNKNOWN_FIELD, "module",
					 "module has name and parameters, and no "
					 "\"%.64s\".", key);
	if (!json_is_string(name))
		return err_field(e, ERR_INVALID_FIELD, "module.name",
				 "module.name must be the name of a module.");
	if (json_is_null(parameters))
		parameters = NULL;
	if (parameters && !json_is_object(parameters))
		return err_field(e, ERR_INVALID_FIELD, "module.parameters",
				 "module.parameters must be an object.");
	*out = (struct module_use){
		.module = find_module(c, who, text_of(name), e),
		.parameters = parameters,
	};
	return out->module ? check_fields(out->module, parameters, e) : -1;
}

/* -- the parts ----------------------------------------------------------------- */

int part_module(const struct part_input *in, struct part_text *out,
		struct err *e)
{
	const struct module_use *u = in->module;

	(void)e;
	if (u)
		*out = (struct part_text){
			.name = u->module->id, .version = u->module->version,
			.text = str_of(u->module->prompt),
		};
	return 0;
}

static bool is_by_people(const struct conf_param *p)
{
	return p->type == PARAM_TEXT || p->type == PARAM_LIST;
}

/* Lists the parameters that are (texts) or are not texts, one per line. */
static int give(const struct part_input *in, bool texts, const char *first,
		struct part_text *out)
{
	struct buf b = BUF_INIT(LIM_MODULE_PARAMS *
				(6 * LIM_MODULE_TEXT_CHARS + 1024));
	const struct module_use *u = in->module;

	for (size_t i = 0; u && i < u->module->n_params; i++) {
		const struct conf_param *p = &u->module->params[i];
		const json_t *v = json_object_get(u->parameters, p->name);

		if (!v || json_is_null(v) || is_by_people(p) != texts)
			continue;
		if (!b.n)
			buf_adds(&b, first);
		buf_addf(&b, "\n- %s%s%s%s: ", p->name,
			 *p->description ? " (" : "", p->description,
			 *p->description ? ")" : "");
		jx_dump(&b, v);
	}
	*out = (struct part_text){
		.name = u ? arena_printf(in->arena, "module:%s", u->module->id)
			  : NULL,
		.version = u ? u->module->version : 0,
		.text = arena_str(in->arena, buf_str(&b)),
	};
	buf_release(&b);
	return 0;
}

int part_module_values(const struct part_input *in, struct part_text *out,
		       struct err *e)
{
	(void)e;
	return give(in, false, "What the user looks at now:", out);
}

int part_module_texts(const struct part_input *in, struct part_text *out,
		      struct err *e)
{
	(void)e;
	return give(in, true, "Texts of what the user looks at now:", out);
}
