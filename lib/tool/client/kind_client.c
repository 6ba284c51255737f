/* SPDX-License-Identifier: MIT */
/*
 * Tools of kind `client`: run by the user's page (E16), which registers a
 * function for the name. They are offered only if the request says that its page
 * accepts them, and only in full-page mode (E17). A call waits until the page has
 * sent its result, which always counts as untrusted.
 */
#include "tool/client/client.h"

#include "base/banned.h"

static bool is_accepted(const struct tool *t, const struct tool_ctx *ctx)
{
	for (size_t i = 0; i < ctx->turn.n_page; i++)
		if (str_is(ctx->turn.page[i], t->name))
			return true;
	return false;
}

const struct tool_kind kind_client = {
	.name = "client",
	.row = { .visibility = TOOL_CLIENT, .advertise = is_accepted },
};
