/* SPDX-License-Identifier: MIT */
/* check, config print. */
#include <stdio.h>
#include <string.h>

#include "domain/choice.h"
#include "domain/catalog.h"
#include "knowledge/embed.h"
#include "domain/offer.h"
#include "setting/values.h"
#include "setting/setting.h"
#include "auth/policy.h"
#include "cli.h"
#include "llm/llm.h"
#include "tool/core/tool.h"

#include "base/banned.h"

/* The checks of the modules above lib/conf. Returns the number of errors. */
static int check_services(const struct catalog *c)
{
	int n = 0;

	for (size_t i = 0; i < c->n_services; i++) {
		const struct llm_service *m = &c->services[i];
		struct err e = ERR_INIT;

		if (!llm_check_service(m, &e) &&
		    !llm_quirks_check(m->provider, m->quirks, &e))
			continue;
		fprintf(stderr, "%s:%d: llm_services.%s: %s\n", m->file,
			m->line, m->id, e.text);
		n++;
	}
	return n;
}

static size_t datasets(const struct catalog *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_workspaces; i++)
		n += c->workspaces[i].n_datasets;
	return n;
}

static int check_all_names(const struct caller *by, struct err *e)
{
	return choice_check_names(by, e) < 0 || embed_check_conf(by, e) < 0 ||
		offer_check_conf(by, e) < 0 ? -1 : 0;
}

/*
 * Ids of the file that may be those of rows, too: these are looked up if the database
 * answers, so that the check also works without one.
 */
static int check_names(struct cli_session *s, struct err *e)
{
	struct caller by = caller_of(s->conf, NULL, s->db, &s->arena);
	struct err why = ERR_INIT;

	by.owner.tenant_id = str_of(s->conf->tenant);
	if (check_all_names(&by, &why) == 0)
		return 0;
	if (why.code == ERR_CONFIG)
		return err_public(e, why.code, "%s", err_message(&why));
	by.db = NULL;
	if (check_all_names(&by, e) == 0)
		return 0;
	fprintf(stderr, "warning: the database, which may have more workspaces, agents "
		"and LLM services, cannot be asked: %s\n", why.text);
	return -1;
}

/*
 * Most groups come from the web server and are not known here. One that is nearly the
 * name of one in `groups:` is most likely a typing error.
 */
static void near_groups(const struct conf *c, const char *what, const char *id,
			const struct conf_list *l, struct buf *out)
{
	const void *names = c->n_groups ? &c->groups->group : NULL;

	for (size_t i = 0; i < l->n; i++) {
		struct str name = str_of(l->v[i]);
		const char *near = str_nearest(name, names, c->n_groups,
					       sizeof(*c->groups), name.n > 5 ? 2 : 1);

		if (near && !str_is(name, near))
			buf_addf(out, "%s %s: groups: has no group \"%s\"." STR_MEANT
				 "\n", what, id, name.p, STR_MEANT_ARG(near));
	}
}

#define NEAR_GROUPS(c, what, rows, n_rows, id, list, out) \
	for (size_t i_ = 0; i_ < (n_rows); i_++) \
		near_groups((c), (what), (rows)[i_].id, &(rows)[i_].list, (out))

static void check_groups(const struct conf *c, const struct catalog *all, struct buf *out)
{
	NEAR_GROUPS(c, "role", c->roles, c->n_roles, id, groups, out);
	NEAR_GROUPS(c, "module", c->modules, c->n_modules, id, groups, out);
	NEAR_GROUPS(c, "tool", c->tools, c->n_tools, name, groups, out);
	NEAR_GROUPS(c, "MCP server", c->mcp_servers, c->n_mcp_servers, id, groups, out);
	NEAR_GROUPS(c, "rule of chat.auto for", c->autos, c->n_autos, service, groups, out);
	NEAR_GROUPS(c, "knowledge source", c->knowledge.sources, c->knowledge.n_sources,
		    name, groups, out);
	NEAR_GROUPS(c, "workspace", all->workspaces, all->n_workspaces, id, visible_to, out);
	for (size_t i = 0; i < all->n_workspaces; i++) {
		const struct workspace *w = &all->workspaces[i];

		NEAR_GROUPS(c, "tool", w->tools, w->n_tools, name, groups, out);
		NEAR_GROUPS(c, "action", w->actions, w->n_actions, name, groups, out);
		NEAR_GROUPS(c, "dataset", w->datasets, w->n_datasets, name, groups, out);
	}
}

int cli_check(struct cli *cli, int argc, char **argv)
{
	struct buf warnings = BUF_INIT(65536);
	struct err e = ERR_INIT;
	const struct catalog *all;
	const struct conf *c;
	struct cli_session s;
	int errors;

	(void)argv;
	if (argc > 1)
		return cli_usage(cli, "this command takes no arguments");
	if (cli_session_open(&s, cli) < 0)
		return CLI_FAILED;
	c = s.conf;
	all = catalog_of(c);
	errors = check_services(all);
	if (tool_check_conf(c, &e) || check_names(&s, &e)) {
		fprintf(stderr, "%s\n", e.text);
		errors++;
	}
	policy_check(c, &warnings);
	tool_check_grants(c, &warnings);
	check_groups(c, all, &warnings);
	if (!all->set.chat_service && !all->n_services)
		buf_adds(&warnings, "no llm_services are configured: chat will "
			 "answer 503 chat_disabled\n");
	if (!all->n_workspaces)
		buf_addf(&warnings, "no workspaces are configured in %s\n",
			 c->workspaces_dir);
	for (struct str rest = buf_str(&warnings); rest.n;) {
		struct str line = str_cut(&rest, '\n');

		fprintf(stderr, "warning: %.*s\n", STR_ARG(line));
	}
	buf_release(&warnings);
	if (!errors)
		printf("%s: valid; workspaces: %zu, datasets: %zu, LLM "
		       "services: %zu, prompts: %zu\n", c->file,
		       all->n_workspaces, datasets(all), all->n_services,
		       all->n_prompts);
	cli_session_close(&s);
	return errors ? CLI_FAILED : CLI_OK;
}

int cli_config(struct cli *cli, int argc, char **argv)
{
	struct buf out = BUF_INIT(CLI_OUT_BYTES);
	const struct conf *c;

	if (argc != 2 || strcmp(argv[1], "print"))
		return cli_usage(cli, "the only subcommand is print");
	c = cli_conf(cli);
	if (!c)
		return CLI_FAILED;
	conf_print(c, &out);
	conf_put(c);
	return cli_print(&out);
}
