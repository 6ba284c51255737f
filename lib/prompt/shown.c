/* SPDX-License-Identifier: MIT */
#include "prompt/shown.h"

#include "base/limits.h"
#include "prompt/part.h"

#include "base/banned.h"

int shown_check(const json_t *list, const char *field, struct err *e)
{
	const json_t *one;
	size_t i, bytes = 0;

	if (json_array_size(list) > LIM_SHOWN)
		return err_field(e, ERR_INVALID_FIELD, field, "%s may have at most %d items.",
				 field, LIM_SHOWN);
	json_array_foreach((json_t *)list, i, one) {
		if (!json_is_string(json_object_get(one, "description")) ||
		    !json_is_string(json_object_get(one, "value")))
			return err_field(e, ERR_INVALID_FIELD, field, "Items of %s are "
					 "{description, value}, which are texts.", field);
		bytes += jx_str(one, "description").n + jx_str(one, "value").n;
	}
	return bytes <= LIM_SHOWN_BYTES ? 0
		: err_field(e, ERR_TOO_BIG, field, "%s may have at most %d bytes.", field,
			    LIM_SHOWN_BYTES);
}

int part_shown(const struct part_input *in, struct part_text *out, struct err *e)
{
	struct buf b = BUF_INIT(LIM_SHOWN_BYTES * 2 + 4096);
	const json_t *one;
	size_t i;

	(void)e;
	json_array_foreach((json_t *)in->shown, i, one) {
		buf_adds(&b, b.n ? "\n- " : "What the user's page shows now:\n- ");
		buf_addstr(&b, jx_str(one, "description"));
		buf_adds(&b, ": ");
		buf_addstr(&b, jx_str(one, "value"));
	}
	*out = (struct part_text){ .name = "page", .text = arena_str(in->arena, buf_str(&b)) };
	buf_release(&b);
	return 0;
}
