/* SPDX-License-Identifier: MIT */
/* Documents of projects: the length of their content, and room for it. */
#include "base/utf8.h"
#include "hold/stored.h"
#include "resource/call.h"

#include "base/banned.h"

/* Refuses what the user has no room for. */
static int check_room(const struct caller *by, size_t bytes, struct err *e)
{
	struct share_part part = { 0 };
	int rc = hold_take(by->db, by->conf, &by->owner, (int64_t)bytes, &part, e);

	if (rc == 0)
		share_give(&part);
	return rc;
}

static int measure(const struct caller *by, const struct resource *r,
		   struct resource_change *k, struct err *e)
{
	const size_t length = COLUMN(PROJECT_DOCUMENT, content_length);
	const size_t bytes = COLUMN(PROJECT_DOCUMENT, content_bytes);
	struct str content = resource_text(&k->row,
					   COLUMN(PROJECT_DOCUMENT, entity_content));

	(void)r;
	if (k->now && !k->row.given[COLUMN(PROJECT_DOCUMENT, entity_content)])
		return 0;
	k->row.v[length] = DB_I((int64_t)utf8_chars(content));
	k->row.v[bytes] = DB_I((int64_t)content.n);
	k->row.given[length] = k->row.given[bytes] = true;
	return content.n ? check_room(by, content.n, e) : 0;
}

const struct resource_hooks project_document_hooks = { .check = measure };
