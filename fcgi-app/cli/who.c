/* SPDX-License-Identifier: MIT */
/* Options that several commands have: the user and workspace to act as. */
#include <getopt.h>

#include "cli.h"
#include "store/conversation.h"
#include "tool/core/tool.h"
#include "turn/turn.h"

#include "base/banned.h"

int cli_who_option(const struct cli *cli, int c, char *value,
		   struct cli_who *w)
{
	switch (c) {
	case 'u':
		w->user = value;
		return CLI_OK;
	case 'g':
		if (w->n_groups == LIM_GROUPS)
			return cli_usage(cli, "more than %d groups",
					 LIM_GROUPS);
		w->groups[w->n_groups++] = str_of(value);
		return CLI_OK;
	case 'w':
		w->workspace = value;
		return CLI_OK;
	case 'a':
		w->agent = value;
		return CLI_OK;
	default:
		return cli_usage(cli, "invalid option");
	}
}

int cli_user_args(const struct cli *cli, int argc, char **argv,
		  const char **login)
{
	static const struct option longs[] = {
		{ "user", required_argument, NULL, 'u' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	*login = NULL;
	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c != 'u')
			return cli_usage(cli, "invalid option");
		*login = optarg;
	}
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	return *login && **login ? CLI_OK : cli_usage(cli, "--user is missing");
}

static int many_places(const struct catalog *c, struct err *e)
{
	struct buf names = BUF_INIT(65536);
	int rc;

	for (size_t i = 0; i < c->n_workspaces; i++)
		buf_addf(&names, " %s", c->workspaces[i].id);
	rc = err_set(e, ERR_NOT_FOUND, "there are %zu workspaces; choose one "
		     "with --workspace:%.160s", c->n_workspaces, names.p);
	buf_release(&names);
	return rc;
}

/* All workspaces of files; stored ones only if the user sees them. */
static int find_place(struct cli_session *s, const struct cli_who *w,
		      struct cli_place *p, struct err *e)
{
	const struct conf *c = s->conf;
	const struct catalog *all = catalog_of(c);
	const struct caller by = caller_of(c, &p->who, s->db, &s->arena);
	const struct workspace *ws = w->workspace
		? catalog_workspace(c, str_of(w->workspace))
		: all->n_workspaces == 1 ? &all->workspaces[0] : NULL;
	const struct agent *a;

	if (!ws && !w->workspace)
		return many_places(all, e);
	if ((ws ? target_agent(&by, ws, str_of(w->agent), &a, e)
		: target_scope(&by, str_of(w->workspace), str_of(w->agent), &ws,
			       &a, e)) < 0) {
		if (e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return ws ? err_set(e, ERR_NOT_FOUND, "there is no agent \"%s\" "
				    "in the workspace %s", w->agent, ws->id)
			: err_set(e, ERR_NOT_FOUND, "there is no workspace "
				  "\"%s\"", w->workspace);
	}
	p->target = target_of(c, ws, a);
	return 0;
}

int cli_identity(struct cli_session *s, const struct cli_who *w,
		 struct identity *out, struct err *e)
{
	return identity_make(s->conf, IDENTITY_API_TOKEN, str_of(w->user),
			     str_of(w->user), w->groups, w->n_groups,
			     &s->arena, out, e);
}

int cli_place(struct cli_session *s, const struct cli_who *w,
	      struct cli_place *out, struct err *e)
{
	if (tool_check_conf(s->conf, e) < 0 ||
	    cli_identity(s, w, &out->who, e) < 0)
		return -1;
	return find_place(s, w, out, e);
}

#define WARM_MAX 1000

int cli_message_args(const struct cli *cli, int argc, char **argv,
		     struct cli_message *m)
{
	static const struct option longs[] = {
		CLI_WHO_OPTIONS,
		{ "conversation", required_argument, NULL, 'c' },
		{ "warm", required_argument, NULL, 'n' },
		{ NULL, 0, NULL, 0 },
	};
	int c, rc;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 'c') {
			m->conversation = optarg;
			continue;
		}
		if (c == 'n' && m->warm >= 0) {
			m->warm = cli_number(optarg, 0, WARM_MAX);
			if (m->warm < 0)
				return cli_usage(cli, "--warm is a number from "
						 "0 to %d", WARM_MAX);
			continue;
		}
		rc = cli_who_option(cli, c, optarg, &m->who);
		if (rc != CLI_OK)
			return rc;
	}
	m->text = optind < argc ? argv[optind++] : NULL;
	if (optind < argc)
		return cli_usage(cli, "unexpected argument \"%s\"", argv[optind]);
	if (!m->text || !*m->text)
		return cli_usage(cli, "the message is missing");
	if (!m->who.user)
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

int cli_message_request(struct cli_session *s, const struct cli_message *m,
			struct turn_request *in, struct err *e)
{
	/* The caller points to its identity. */
	struct cli_place *place = arena_new(&s->arena, struct cli_place);
	struct cli_who who = m->who;

	*in = (struct turn_request){
		.verb = TURN_SEND, .content = str_of(m->text),
	};
	if (m->conversation &&
	    go_to(s, m->conversation, &who, &in->conversation_id, e) < 0)
		return -1;
	if (cli_place(s, &who, place, e) < 0)
		return -1;
	in->by = caller_of(s->conf, &place->who, s->db, &s->arena);
	in->target = place->target;
	return 0;
}

int cli_message_run(const struct cli *cli, const struct cli_message *m,
		    int (*run)(struct cli_session *s, const struct cli_message *m,
			       struct buf *out, struct err *e))
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	struct cli_session session;
	struct err e = ERR_INIT;
	int rc;

	if (cli_session_open(&session, cli))
		return CLI_FAILED;
	if (cli_session_tools(&session))
		rc = CLI_FAILED;
	else if (run(&session, m, &out, &e) < 0)
		rc = cli_failed(&e);
	else
		rc = cli_print(&out);
	buf_release(&out);
	cli_session_close(&session);
	return rc;
}
