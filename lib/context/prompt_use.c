/* SPDX-License-Identifier: MIT */
#include "context/prompt_use.h"

#include "setting/values.h"
#include "base/blank.h"
#include "base/log.h"
#include "prompt/module.h"
#include "resource/author.h"
#include "resource/resource.h"
#include "store/prompt.h"

#include "base/banned.h"

static struct prompt_stamp stamp_of(const struct turn_run *t,
				    const struct resource_row *row)
{
	return prompt_stamp_of("catalogue", arena_printf(t->arena, "%.*s", STR_ARG(
				       resource_text(row, COLUMN(PROMPT, name)))),
			/* People count versions from 1, rows from 0. */
			       (int)row->version + 1,
			       resource_text(row, COLUMN(PROMPT, body)));
}

static int take_stored(struct turn_run *t, const struct uuid *id,
		       struct err *e)
{
	const struct resource *r = &resources[RESOURCE_PROMPT];
	const struct setting_values *s = setting_holders(t->in.by.who, t->arena);
	struct resource_at at = resource_own(&t->in.by.owner);
	struct resource_row row;
	struct author by;

	/* Prompts are shared with the ids that settings belong to. */
	at.readers = setting_ids(s, t->arena);
	at.n_readers = s->n;
	if (resource_get(t->deps->db, r, &at, id, t->arena, &row, e) < 0)
		return -1;
	*t->prompt_used = stamp_of(t, &row);
	author_of_row(t->in.by.conf, t->in.by.who, r, &row, t->arena, &by);
	/* The prompt may have had another text when the message was made from it. */
	if (by.by_hash && !blank_filled(t->in.content.n ? t->in.content
					: t->user.content,
					row.v[COLUMN(PROMPT, body)].s))
		by = (struct author){ .trusted = false };
	if (!by.trusted)
		t->prompt_author = author_label(&by, "prompt", resource_text(
			&row, COLUMN(PROMPT, name)), t->arena);
	return 0;
}

int context_prompt_find(struct turn_run *t, struct err *e)
{
	const struct resource_row *shipped = NULL;
	struct uuid id;

	if (!t->in.options.prompt_id.p || t->prompt_used)
		return 0;
	t->prompt_used = arena_new(t->arena, struct prompt_stamp);
	if (uuid_parse(t->in.options.prompt_id, &id)) {
		shipped = catalog_shipped(t->in.by.conf, &id);
		if (shipped)
			*t->prompt_used = stamp_of(t, shipped);
		if (shipped || take_stored(t, &id, e) == 0)
			return 0;
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
	}
	t->prompt_used = NULL;
	return err_field(e, ERR_INVALID_FIELD, "promptId",
			 "promptId: there is no such prompt.");
}

const struct prompt_stamp *context_prompt_stamp(struct turn_run *t)
{
	struct err e = ERR_INIT;

	if (context_prompt_find(t, &e) < 0 && e.code != ERR_INVALID_FIELD)
		log_err("the prompt of a message", &e);
	return t->prompt_used;
}

void context_prompt_count(const struct turn_run *t)
{
	struct err e = ERR_INIT;
	struct uuid id;

	if (t->in.options.prompt_id.p && uuid_parse(t->in.options.prompt_id, &id) &&
	    store_prompt_used(t->deps->db, &t->in.by.owner, &id, &e) < 0)
		log_err("the use of a prompt", &e);
}

int context_module_find(struct turn_run *t, struct err *e)
{
	struct module_use *u;

	if (!t->in.options.module || t->module)
		return 0;
	u = arena_new(t->arena, struct module_use);
	if (module_read(t->in.by.conf, t->in.by.who, t->in.options.module, u,
			e) < 0)
		return -1;
	t->module = u;
	return 0;
}

const struct module_use *context_module(struct turn_run *t)
{
	struct err e = ERR_INIT;

	if (context_module_find(t, &e) < 0)
		log_err("the module of a message", &e);
	return t->module;
}
