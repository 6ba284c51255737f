/* SPDX-License-Identifier: MIT */
/*
 * services: lists LLM services and the models of their providers, and tests a
 * service. exchange.c exports and imports stored ones.
 */
#include <stdio.h>
#include <string.h>

#include "domain/stored_service.h"
#include "cli.h"
#include "llm/probe.h"
#include "turn/trial.h"

#include "base/banned.h"

/* The tenant; nobody is signed in. */
static struct caller as_tenant(struct cli_session *s)
{
	struct caller by = caller_of(s->conf, NULL, s->db, &s->arena);

	by.owner.tenant_id = str_of(s->conf->tenant);
	return by;
}

/* within: "WORKSPACE/", or "". */
static void print_one(const char *within, const struct llm_service *s)
{
	printf("%s%s\t%s\t%s\t%s\n", within, s->id, s->provider, s->model,
	       domain_source_name(s->source));
}

static int list_stored(struct cli_session *s, const struct resource *r,
		       const struct resource_at *at, const char *within)
{
	const struct resource_want want = {
		.size = MAX(LIM_LLM_SERVICES, LIM_WORKSPACE_SERVICES),
	};
	struct resource_row *rows = NULL;
	struct err e = ERR_INIT;
	size_t n = 0;
	bool more;

	if (resource_list(s->db, r, at, &want, &s->arena, &rows, &n, &more, &e) < 0)
		return cli_failed(&e);
	for (size_t i = 0; i < n; i++) {
		struct llm_service one = stored_service_of(s->conf, r, &rows[i],
							   &s->arena);

		print_one(within, &one);
	}
	return CLI_OK;
}

static int list_of_workspaces(struct cli_session *s, const struct caller *by)
{
	const struct resource *r = &resources[RESOURCE_WORKSPACE];
	const struct uuid all = resource_of_admins(by->owner.tenant_id);
	struct resource_at at = { .by = by->owner, .readers = &all, .n_readers = 1 };
	struct resource_want want = { .size = LIM_PAGE_MAX };
	struct resource_row *rows = NULL;
	struct err e = ERR_INIT;
	size_t n = 0;
	bool more = true;

	while (more) {
		if (resource_list(s->db, r, &at, &want, &s->arena, &rows, &n, &more,
				  &e) < 0)
			return cli_failed(&e);
		for (size_t i = 0; i < n; i++) {
			const struct str id = resource_text(
				&rows[i], COLUMN(WORKSPACE, workspace_id));

			at.holder = rows[i].id;
			if (list_stored(s, &resources[RESOURCE_WORKSPACE_SERVICE],
					&at, arena_printf(&s->arena, "%.*s/",
							  STR_ARG(id))))
				return CLI_FAILED;
		}
		want.after = n ? &rows[n - 1] : want.after;
	}
	return CLI_OK;
}

/* Services of files can be listed without a database. */
static int list_services(struct cli_session *s)
{
	const struct catalog *c = catalog_of(s->conf);
	const struct caller by = as_tenant(s);
	const struct resource_at at = resource_own(&by.owner);

	for (size_t i = 0; i < c->n_services; i++)
		print_one("", &c->services[i]);
	return list_stored(s, &resources[RESOURCE_LLM_SERVICE], &at, "")
		? CLI_FAILED : list_of_workspaces(s, &by);
}

static const char *can_text(enum llm_can can)
{
	return can == LLM_CAN_UNKNOWN ? "-" : can == LLM_CAN_NOT ? "no" : "yes";
}

static int print_models(struct cli_session *s, const struct llm_service *service)
{
	struct err e = ERR_INIT;
	struct llm_probe p;

	if (llm_probe(s->http, service, &s->arena, &p, &e) < 0)
		return cli_failed(&e);
	if (!p.has_list) {
		fprintf(stderr, "lamplighter: GET %s: %d, and no list of "
			"models\n", p.url, p.status);
		return CLI_FAILED;
	}
	for (size_t i = 0; i < p.models.n; i++) {
		const struct llm_model *m = &p.models.rows[i];

		printf("%s\t%lld\t%s\t%s\t%s\n", m->id,
		       (long long)m->context_tokens, can_text(m->tools),
		       can_text(m->vision), m->name);
	}
	return CLI_OK;
}

static int test(struct cli_session *s, const struct llm_service *service,
		const char *model)
{
	const struct turn_deps deps = { .db = s->db, .http = s->http };
	struct llm_service tried = *service;
	struct llm_trial t;

	if (model)
		tried.model = model;
	trial_run(&deps, &tried, &s->arena, &t);
	printf("%s\n", t.text);
	return t.code ? CLI_FAILED : CLI_OK;
}

static int run_verb(struct cli_session *s, int argc, char **argv)
{
	const struct caller by = as_tenant(s);
	struct str id = str_of(argv[1]), within = { NULL, 0 };
	const struct llm_service *service;
	struct err e = ERR_INIT;

	if (!strcmp(argv[0], "list"))
		return list_services(s);
	if (strchr(argv[1], '/'))	/* WORKSPACE/SERVICE */
		within = str_cut(&id, '/');
	if (service_find(&by, within, id, &s->arena, &service, &e) < 0)
		return cli_failed(&e);
	if (!service) {
		fprintf(stderr, "lamplighter: there is no LLM service \"%s\"\n",
			argv[1]);
		return CLI_FAILED;
	}
	if (cli_session_tools(s))
		return CLI_FAILED;
	if (!strcmp(argv[0], "models"))
		return print_models(s, service);
	return test(s, service, argc > 2 ? argv[2] : NULL);
}

int cli_services(struct cli *cli, int argc, char **argv)
{
	static const struct {
		const char *name;
		int least, most;
	} verbs[] = { { "list", 1, 1 }, { "models", 2, 2 }, { "test", 2, 3 } };
	static const char *const row_verbs[] = { "show", "set", "export", "import" };
	struct cli_session s;
	size_t v = 0;
	int rc;

	for (size_t i = 0; argc > 1 && i < ARRAY_LEN(row_verbs); i++)
		if (!strcmp(argv[1], row_verbs[i]))
			return cli_exchange(cli, argc, argv);
	argc--;
	argv++;
	while (argc && v < ARRAY_LEN(verbs) && strcmp(argv[0], verbs[v].name))
		v++;
	if (!argc || v == ARRAY_LEN(verbs))
		return cli_usage(cli, "the subcommand must be list, models, "
				 "test, show, set, export or import");
	if (argc < verbs[v].least)
		return cli_usage(cli, "name the service");
	if (argc > verbs[v].most)
		return cli_usage(cli, "unexpected argument \"%s\"",
				 argv[verbs[v].most]);
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	rc = run_verb(&s, argc, argv);
	cli_session_close(&s);
	return rc;
}
