#include "dialect/dialect.h"

#include "base/banned.h"

static const struct dialect *const dialects[] = {
	[DIALECT_NATIVE] = &dialect_native,
};
_Static_assert(ARRAY_LEN(dialects) == DIALECT__MAX, "a dialect without a row");

const struct dialect *dialect_get(enum dialect_id id)
{
	return dialects[id];
}
