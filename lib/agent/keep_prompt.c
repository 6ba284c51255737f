/* SPDX-License-Identifier: MIT */
#include "agent/keep.h"

#include "agent/catalog.h"
#include "base/blank.h"
#include "base/utf8.h"
#include "store/prompt.h"

#include "base/banned.h"

static const struct resource *const prompts = &resources[RESOURCE_PROMPT];

static int check_colour_of(const struct resource *r,
			   const struct resource_row *row, struct err *e)
{
	struct str s = resource_text(r, row, "colour");

	return !s.p || str_is_colour(s) ? 0
		: err_field(e, ERR_INVALID_FIELD, "colour", "colour must be "
			    "written as #rrggbb.");
}

int keep_prompt_check(const struct caller *by, const struct resource_row *row,
		      struct err *e)
{
	struct blank *blanks;
	size_t n;

	if (check_colour_of(prompts, row, e))
		return -1;
	return blank_parse(resource_text(prompts, row, "body"), "body", by->arena,
			   &blanks, &n, e);
}

int keep_category_check(const struct caller *by, const struct resource_row *row,
			struct err *e)
{
	const struct resource *r = &resources[RESOURCE_PROMPT_CATEGORY];
	const struct catalog *c = catalog_of(by->conf);

	for (size_t i = 0; row->sort_key.n && i < c->n_categories; i++)
		if (str_eq(c->categories[i].sort_key, row->sort_key))
			return err_field(e, ERR_CONFLICT, "name",
					 "Another %s has this name.", r->what);
	return check_colour_of(r, row, e);
}

int keep_prompt_also(const struct caller *by, struct db *tx,
		     const struct resource_row *row, struct err *e)
{
	const struct resource_at at = resource_own(&by->owner);
	struct resource_row now = *row;
	bool changed = !row->version;

	for (size_t i = 0; i < prompts->n_fields; i++)
		changed |= row->given[i] && prompts->fields[i].type == TYPE_TEXT;
	return changed ? store_prompt_keep(tx, &at, &now, e) : 0;
}
