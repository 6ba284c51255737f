/* SPDX-License-Identifier: MIT */
#include "tool/core/family.h"

#include <pthread.h>
#include <string.h>
#include <strings.h>

#include "base/banned.h"

const struct tool_family *const tool_families[TOOL_FAMILIES] = {
#define FAMILY(name) &tool_family_##name,
#include "tool/core/family.def"
#undef FAMILY
};

const struct tool_kind *tool_kind_at(size_t i)
{
	for (size_t f = 0; f < TOOL_FAMILIES; f++) {
		if (i < tool_families[f]->n_kinds)
			return tool_families[f]->kinds[i];
		i -= tool_families[f]->n_kinds;
	}
	return NULL;
}

const struct tool *tool_builtin_at(size_t i)
{
	for (size_t f = 0; f < TOOL_FAMILIES; f++) {
		if (i < tool_families[f]->n_tools)
			return &tool_families[f]->tools[i];
		i -= tool_families[f]->n_tools;
	}
	return NULL;
}

const struct tool_kind *tool_kind_of(const char *name)
{
	const struct tool_kind *k = tool_kind_at(0);

	for (size_t i = 1; k && strcmp(k->name, name) != 0; i++)
		k = tool_kind_at(i);
	return k;
}

static const char *const family_names[TOOL_FAMILIES] = {
#define FAMILY(name) #name,
#include "tool/core/family.def"
#undef FAMILY
};

static bool is_of(const struct tool_family *f, const struct tool *t)
{
	for (size_t i = 0; !t->kind && i < f->n_tools; i++)
		if (!strcmp(f->tools[i].name, t->name))
			return true;
	for (size_t i = 0; t->kind && i < f->n_kinds; i++)
		if (!strcmp(f->kinds[i]->name, t->kind))
			return true;
	return false;
}

const char *tool_family_name(const struct tool *t)
{
	for (size_t i = 0; i < TOOL_FAMILIES; i++)
		if (is_of(tool_families[i], t) ||
		    (t->kind && !strcmp(t->kind, family_names[i])))
			return family_names[i];
	return "other";
}

const struct tool *tool_builtin(const char *name)
{
	const struct tool *t = tool_builtin_at(0);

	for (size_t i = 1; t && strcasecmp(t->name, name) != 0; i++)
		t = tool_builtin_at(i);
	return t;
}

/* -- schemas ---------------------------------------------------------------- */

#define NO_ARGUMENTS "{\"type\":\"object\",\"properties\":{}}"

static struct parsed {
	const char *text;
	json_t *schema;
} parsed[128];			/* more than there are texts */
static pthread_mutex_t parsed_lock = PTHREAD_MUTEX_INITIALIZER;

const json_t *tool_schema(const char *text)
{
	static const char none[] = NO_ARGUMENTS;
	struct parsed *p = parsed;
	struct err e = ERR_INIT;

	if (!text)
		text = none;
	pthread_mutex_lock(&parsed_lock);
	while (p->text && p->text != text)
		if (++p == parsed + ARRAY_LEN(parsed))
			BUG("too many schemas of tools");
	if (!p->text) {
		p->schema = jx_load(str_of(text), &e);
		if (!p->schema)
			BUG(text);
		p->text = text;
	}
	pthread_mutex_unlock(&parsed_lock);
	return p->schema;
}
