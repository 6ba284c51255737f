/* preview: what the model would be sent for a message, without calling it. */
#include "cli.h"
#include "turn/preview.h"

#include "base/banned.h"

static int preview(struct cli_session *s, const struct cli_message *m,
		   struct err *e)
{
	const struct turn_deps deps = {
		.db = s->db, .http = s->http, .tools = s->tools,
	};
	struct turn_request in;
	struct buf b = BUF_INIT(CLI_OUT_BYTES);
	struct jw json = jw_on(&b);
	struct context_preview p;

	if (cli_message_request(s, m, &in, e) < 0)
		return -1;
	if (context_preview(&deps, &in, &s->arena, &p, e) < 0)
		return -1;
	context_preview_write(&p, PREVIEW_FOR_ADMIN, &json);
	buf_addc(&b, '\n');
	return cli_print(&b) == CLI_OK ? 0
		: err_set(e, ERR_TOO_BIG, "the preview cannot be printed");
}

int cli_preview(struct cli *cli, int argc, char **argv)
{
	struct cli_message m = { .warm = -1 };
	struct cli_session session;
	struct err e = ERR_INIT;
	int rc = cli_message_args(cli, argc, argv, &m);

	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&session, cli))
		return CLI_FAILED;
	if (cli_session_tools(&session))
		rc = CLI_FAILED;
	else if (preview(&session, &m, &e) < 0)
		rc = cli_failed(&e);
	cli_session_close(&session);
	return rc;
}
