/* SPDX-License-Identifier: MIT */
/*
 * The prompt catalogue as a resource. A prompt belongs to the caller (private), a
 * group (team), the tenant, or the configuration (shipped). The readers of the
 * first three depend on their tier and are extended by shares. Earlier versions of
 * a prompt are kept for users who may change it.
 */
#include "domain/catalog.h"
#include "domain/sharing.h"
#include "base/blank.h"
#include "base/utf8.h"
#include "resource/author.h"
#include "store/prompt.h"

#include "base/banned.h"

static const struct resource *const prompts = &resources[RESOURCE_PROMPT];

static int check_colour(struct str s, struct err *e)
{
	return !s.p || str_is_colour(s) ? 0
		: err_field(e, ERR_INVALID_FIELD, "colour", "colour must be "
			    "written as #rrggbb.");
}

static int check_prompt(const struct caller *by, const struct resource *r,
			struct resource_change *k, struct err *e)
{
	struct blank *blanks;
	size_t n;

	(void)r;
	if (check_colour(resource_text(&k->row, COLUMN(PROMPT, colour)), e))
		return -1;
	return blank_parse(resource_text(&k->row, COLUMN(PROMPT, body)), by->arena,
			   &blanks, &n, e);
}

static int prepare_prompt(const struct caller *by, const struct resource *r,
			  struct resource_change *k, struct err *e)
{
	return sharing_prepare(by, r, k, (struct sharing_columns){
		COLUMN(PROMPT, tier), COLUMN(PROMPT, team),
	}, e);
}

static size_t shipped(const struct caller *by, const struct resource_row **rows)
{
	const struct catalog *c = catalog_of(by->conf);

	*rows = c->shipped;
	return c->n_shipped;
}

/* -- records --------------------------------------------------------------------- */

static void write_more(struct jw *w, const struct caller *by,
		       const struct resource_change *k,
		       const struct resource_item *item)
{
	struct arena_mark mark = arena_mark(by->arena);
	struct err e = ERR_INIT;
	struct blank *blanks = NULL;
	struct author who = { .trusted = true };
	size_t n = 0;

	(void)k;
	/* Stored by an older version with other rules: without blanks. */
	if (blank_parse(resource_text(item->row, COLUMN(PROMPT, body)),
			by->arena, &blanks, &n, &e) < 0)
		n = 0;
	jw_key(w, "blanks");
	blank_write(w, blanks, n);
	if (!item->row->config)
		author_of_row(by->conf, by->who, prompts, item->row, by->arena,
			      &who);
	author_write(w, &who);
	/* For a page of prompts, use this memory for one at a time. */
	arena_rewind(by->arena, mark);
}

const struct resource_hooks prompt_hooks = {
	.files = shipped, .of_own = PERM_PROMPTS_WRITE,
	.of_group = PERM_PROMPTS_SHARE, .of_tenant = PERM_PROMPTS_MANAGE,
	.prepare = prepare_prompt, .check = check_prompt,
	.write = write_more,
};

/* -- categories and shares --------------------------------------------------------- */

/* No file may have one of its name, if that is given. */
static int check_category(const struct caller *by, const struct resource *r,
			  struct resource_change *k, struct err *e)
{
	const struct catalog *c = catalog_of(by->conf);
	struct str name = k->row.sort_key;

	for (size_t i = 0; name.n && i < c->n_categories; i++)
		if (str_eq(c->categories[i].sort_key, name))
			return err_field(e, ERR_CONFLICT, "name",
					 "Another %s has this name.", r->what);
	return check_colour(resource_text(&k->row, COLUMN(PROMPT_CATEGORY, colour)),
			    e);
}

static size_t shipped_categories(const struct caller *by,
				 const struct resource_row **rows)
{
	const struct catalog *c = catalog_of(by->conf);

	*rows = c->categories;
	return c->n_categories;
}

static void write_source(struct jw *w, const struct caller *by,
			 const struct resource_change *k,
			 const struct resource_item *item)
{
	(void)by;
	(void)k;
	jw_kstrz(w, "source", item->row->config ? "config" : "api");
}

/* Increments the version of the category's prompts, because their records change. */
static int unfile(const struct caller *by, const struct resource *r,
		  struct resource_change *k, struct err *e)
{
	(void)r;
	return store_prompt_unfile(by->db, &by->owner, &k->row.id, e);
}

const struct resource_hooks prompt_category_hooks = {
	.files = shipped_categories, .check = check_category, .gone = unfile,
	.write = write_source,
};

static int add_share(const struct caller *by, const struct resource *r,
		     struct resource_change *k, struct err *e)
{
	return sharing_store(by, r, k, store_prompt_shared, e);
}

static int end_share(const struct caller *by, const struct resource *r,
		     struct resource_change *k, struct err *e)
{
	return sharing_gone(by, r, k, store_prompt_shared, e);
}

const struct resource_hooks prompt_share_hooks = {
	.check = sharing_check, .store = add_share, .gone = end_share,
};
