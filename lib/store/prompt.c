#include "store/prompt.h"

#include "base/limits.h"
#include "store/stmt.h"

#include "base/banned.h"

int store_prompt_keep(struct db *tx, const struct resource_at *at,
		      struct resource_row *prompt, struct err *e)
{
	static const char *const columns[] = { "name", "description", "body" };
	const struct resource *of = &resources[RESOURCE_PROMPT];
	const struct resource *r = &resources[RESOURCE_PROMPT_VERSION];
	struct resource_at below = {
		.by = at->by, .holder = prompt->id, .above = prompt->holder,
	};
	struct resource_row row;
	int64_t number = prompt->version + 1;

	resource_new(r, &row);
	row.holder = prompt->id;
	*resource_value(r, &row, "number") = DB_I(number);
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		*resource_value(r, &row, columns[i]) =
			*resource_value(of, prompt, columns[i]);
	if (resource_create(tx, r, &below, &row, NULL, e))
		return -1;
	return db_exec(tx, STMT_PROMPT_FORGET,
		       DB_ARGS(DB_U(&prompt->id),
			       DB_I(number - LIM_PROMPT_VERSIONS)), NULL, e);
}
