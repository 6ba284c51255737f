/* SPDX-License-Identifier: MIT */
#include "api/token.h"

#include "base/clock.h"
#include "base/limits.h"
#include "store/token.h"

#include "base/banned.h"

int api_token_made(struct request *rq, struct resource_row *row,
		   struct str *secret, struct err *e)
{
	const struct resource *r = &resources[RESOURCE_API_TOKEN];
	const struct identity *who = rq->by.who;
	const struct db_val *expires = resource_value(r, row, "expires_us");
	char *text = arena_zalloc(rq->arena, 1, TOKEN_TEXT_BYTES);
	struct buf b = BUF_INIT(LIM_TOKEN_GROUPS_BYTES);
	struct jw w = jw_on(&b);

	if (who->kind == IDENTITY_API_TOKEN ||
	    who->kind == IDENTITY_ANONYMOUS)
		return err_public(e, ERR_FORBIDDEN, "Sign in to create a "
				  "token: a token cannot create others.");
	if (!expires->null && expires->i <= clock_now_us())
		return err_field(e, ERR_INVALID_FIELD, "expiresAt",
				 "expiresAt must be in the future.");
	jw_arr(&w);
	for (size_t i = 0; i < who->n_groups; i++)
		jw_str(&w, who->groups[i]);
	jw_end_arr(&w);
	if (!buf_ok(&b)) {
		buf_release(&b);
		return err_public(e, ERR_TOO_BIG, "The names of your groups "
				  "are too long for a token.");
	}
	token_fill(row, who->login, arena_str(rq->arena, buf_str(&b)),
		   rq->arena, text);
	buf_release(&b);
	*secret = str_of(text);
	return 0;
}
