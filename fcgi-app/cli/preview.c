/* preview: what the model would be sent for a message, without calling it. */
#include <getopt.h>
#include <string.h>

#include "cli.h"
#include "store/conversation.h"
#include "turn/preview.h"

#include "base/banned.h"

struct wanted {			/* by the command line */
	struct cli_who who;
	const char *conversation, *text;
};

static int read_args(struct cli *cli, int argc, char **argv, struct wanted *w)
{
	static const struct option longs[] = {
		CLI_WHO_OPTIONS,
		{ "conversation", required_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'c') {
			w->conversation = optarg;
			continue;
		}
		rc = cli_who_option(cli, c, optarg, &w->who);
		if (rc != CLI_OK)
			return rc;
	}
	w->text = optind < argc ? argv[optind++] : NULL;
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	if (!w->text || !*w->text)
		return cli_usage(cli, "the message is missing");
	if (!w->who.user)
		return cli_usage(cli, "--user is missing");
	return CLI_OK;
}

/*
 * A conversation stays in its workspace and with its agent: *who gets them. As
 * for a turn, others that the command line names are an error.
 */
static int go_to(struct cli_session *s, const char *conversation,
		 struct cli_who *who, struct uuid *id, struct err *e)
{
	struct identity as;
	struct owner owner;
	struct conversation c;

	if (!uuid_parse(str_of(conversation), id))
		return err_set(e, ERR_NOT_FOUND, "\"%s\" is not the id of a "
			       "conversation", conversation);
	if (cli_identity(s, who, &as, e) < 0)
		return -1;
	owner = caller_of(s->conf, &as, s->db, &s->arena).owner;
	if (conversation_get(s->db, &owner, id, &s->arena, &c, e) < 0)
		return -1;
	if ((who->workspace && !str_is(c.workspace_id, who->workspace)) ||
	    (who->agent && !str_is(c.agent_id, who->agent)))
		return err_set(e, ERR_CONFLICT, "the conversation is with the "
			       "agent %.*s in the workspace %.*s",
			       STR_ARG(c.agent_id), STR_ARG(c.workspace_id));
	who->workspace = arena_printf(&s->arena, "%.*s",
				      STR_ARG(c.workspace_id));
	who->agent = arena_printf(&s->arena, "%.*s", STR_ARG(c.agent_id));
	return 0;
}

static int preview(struct cli_session *s, struct wanted *w, struct err *e)
{
	const struct turn_deps deps = {
		.db = s->db, .http = s->http, .tools = s->tools,
	};
	struct turn_request in = {
		.verb = TURN_SEND, .content = str_of(w->text),
	};
	struct buf b = BUF_INIT(CLI_OUT_BYTES);
	struct jw json = jw_on(&b);
	struct context_preview p;
	struct cli_place place;

	if (w->conversation && go_to(s, w->conversation, &w->who,
				     &in.conversation_id, e) < 0)
		return -1;
	if (cli_place(s, &w->who, &place, e) < 0)
		return -1;
	in.by = caller_of(s->conf, &place.who, s->db, &s->arena);
	in.target = place.target;
	if (context_preview(&deps, &in, &s->arena, &p, e) < 0)
		return -1;
	context_preview_write(&p, &json);
	buf_addc(&b, '\n');
	return cli_print(&b) == CLI_OK ? 0
		: err_set(e, ERR_TOO_BIG, "the preview cannot be printed");
}

int cli_preview(struct cli *cli, int argc, char **argv)
{
	struct wanted w = { .conversation = NULL };
	struct cli_session session;
	struct err e = ERR_INIT;
	int rc = read_args(cli, argc, argv, &w);

	if (rc != CLI_OK)
		return rc;
	if (cli_session_open(&session, cli))
		return CLI_FAILED;
	if (cli_session_tools(&session))
		rc = CLI_FAILED;
	else if (preview(&session, &w, &e) < 0)
		rc = cli_failed(&e);
	cli_session_close(&session);
	return rc;
}
