/* services: which LLM services there are, what their providers have, a trial. */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "llm/probe.h"
#include "turn/trial.h"

#include "base/banned.h"

static int list(const struct cli_session *s)
{
	const struct catalog *c = catalog_of(s->conf);

	for (size_t i = 0; i < c->n_services; i++)
		printf("%s\t%s\t%s\n", c->services[i].id,
		       c->services[i].provider, c->services[i].model);
	return CLI_OK;
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

static int run(struct cli_session *s, int argc, char **argv)
{
	const struct llm_service *service;

	if (!strcmp(argv[0], "list"))
		return list(s);
	service = catalog_service(s->conf, str_of(argv[1]));
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
	struct cli_session s;
	size_t v = 0;
	int rc;

	argc--;
	argv++;
	while (argc && v < ARRAY_LEN(verbs) && strcmp(argv[0], verbs[v].name))
		v++;
	if (!argc || v == ARRAY_LEN(verbs))
		return cli_usage(cli, "say list, models or test");
	if (argc < verbs[v].least)
		return cli_usage(cli, "which service?");
	if (argc > verbs[v].most)
		return cli_usage(cli, "\"%s\" is not understood",
				 argv[verbs[v].most]);
	if (cli_session_open(&s, cli))
		return CLI_FAILED;
	rc = run(&s, argc, argv);
	cli_session_close(&s);
	return rc;
}
