#include "dialect/dialect.h"

#include "base/banned.h"

static const struct dialect *const dialects[] = {
	[DIALECT_NATIVE] = &dialect_native,
	[DIALECT_V2] = &dialect_v2,
	[DIALECT_FORGE] = &dialect_forge,
	[DIALECT_AI_SDK] = &dialect_ai_sdk,
	[DIALECT_AG_UI] = &dialect_ag_ui,
	[DIALECT_OPENAI] = &dialect_openai,
};
_Static_assert(ARRAY_LEN(dialects) == DIALECT__MAX, "a dialect without a row");

const struct dialect *dialect_get(enum dialect_id id)
{
	return dialects[id];
}

enum dialect_id dialect_find(struct str name)
{
	size_t i = 0;

	while (i < DIALECT__MAX && !str_is(name, dialects[i]->name))
		i++;
	return (enum dialect_id)i;
}

void dialect_names(struct buf *out)
{
	for (size_t i = 0; i < DIALECT__MAX; i++)
		buf_addf(out, "%s%s", i ? ", " : "", dialects[i]->name);
}
