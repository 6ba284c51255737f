/* SPDX-License-Identifier: MIT */
/* preview: what the model would be sent for a message, without calling it. */
#include "cli.h"
#include "context/preview.h"

#include "base/banned.h"

static int preview(struct cli_session *s, const struct cli_message *m,
		   struct buf *out, struct err *e)
{
	const struct turn_deps deps = {
		.db = s->db, .http = s->http, .tools = s->tools,
	};
	struct turn_request in;
	struct jw json = jw_on(out);
	struct context_preview p;

	if (cli_message_request(s, m, &in, e) < 0)
		return -1;
	if (context_preview(&deps, &in, &s->arena, &p, e) < 0)
		return -1;
	context_preview_write(&p, PREVIEW_FOR_ADMIN, &json);
	buf_addc(out, '\n');
	return 0;
}

int cli_preview(struct cli *cli, int argc, char **argv)
{
	struct cli_message m = { .warm = -1 };
	int rc = cli_message_args(cli, argc, argv, &m);

	return rc == CLI_OK ? cli_message_run(cli, &m, preview) : rc;
}
