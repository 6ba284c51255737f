/* SPDX-License-Identifier: MIT */
#include "agent/keep.h"

#include "base/blank.h"
#include "base/utf8.h"
#include "store/prompt.h"

#include "base/banned.h"

static const struct resource *const prompts = &resources[RESOURCE_PROMPT];

int keep_prompt_colour(const struct resource *r, const struct resource_row *row,
		       struct err *e)
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

	if (keep_prompt_colour(prompts, row, e))
		return -1;
	return blank_parse(resource_text(prompts, row, "body"), "body", by->arena,
			   &blanks, &n, e);
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
