/* Options that several commands have: the user and workspace to act as. */
#include "cli.h"
#include "tool/core/tool.h"

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

static int find_place(const struct conf *c, const struct cli_who *w,
		      struct cli_place *p, struct err *e)
{
	const struct catalog *all = catalog_of(c);
	const struct workspace *ws = w->workspace
		? catalog_workspace(c, str_of(w->workspace))
		: all->n_workspaces == 1 ? &all->workspaces[0] : NULL;
	const struct agent *a;

	if (!ws && w->workspace)
		return err_set(e, ERR_NOT_FOUND, "there is no workspace \"%s\"",
			       w->workspace);
	if (!ws)
		return many_places(all, e);
	a = w->agent ? workspace_agent(ws, str_of(w->agent))
		: workspace_default_agent(ws);
	if (!a)
		return err_set(e, ERR_NOT_FOUND, "there is no agent \"%s\" in "
			       "the workspace %s", w->agent, ws->id);
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
	return find_place(s->conf, w, out, e);
}
