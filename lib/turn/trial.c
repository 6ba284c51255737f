/* SPDX-License-Identifier: MIT */
#include "turn/trial.h"

#include "base/log.h"
#include "llm/probe.h"

#include "base/banned.h"

enum { TRIAL_MS = 30000, TRIAL_TOKENS = 64, TRIAL_BYTES = 65536 };

static const char *const by_trouble[] = {
	[HTTP_CONNECTED] = NULL,
	[HTTP_NO_HOST] = "The host name of the address is not known. Check "
			 "url: for typing errors.",
	[HTTP_NO_ANSWER] = "Nothing accepts connections at the address. Check "
			   "the host and port in url:, and whether a firewall "
			   "is in between.",
	[HTTP_NO_TLS] = "No encrypted connection (TLS) can be made to the "
			"address: the server does not speak TLS there, or its "
			"certificate is not trusted on this machine.",
};

static const struct {
	enum err_code code;
	const char *text;
} by_code[] = {
	{ ERR_LLM_NO_CREDENTIAL, "The service has no key. Set api_key:." },
	{ ERR_UPSTREAM_AUTH, "The provider rejects the key. Check that it is "
			     "complete, valid, and allowed to use this model." },
	{ ERR_UPSTREAM_QUOTA, "The key works, but the account at the provider "
			      "has no credit left." },
	{ ERR_UPSTREAM_RATE, "The rate limit of the provider for this key is "
			     "reached. Try again later." },
	{ ERR_UPSTREAM_OVERLOAD, "The provider is overloaded. Try again "
				 "later." },
	{ ERR_UPSTREAM_TIMEOUT, "The service did not answer in time." },
	{ ERR_UPSTREAM_CONNECT, "The address cannot be reached. Check url:." },
	{ ERR_UPSTREAM_PROTOCOL, "What answers at the address is not this "
				 "kind of service. Check provider: and url:." },
	{ ERR_UPSTREAM_EARLY_END, "The connection was closed in the middle of "
				  "the answer." },
	{ ERR_UPSTREAM_REQUEST, "The provider rejects the request. Check "
				"provider:, model:, quirks: and extra_body:." },
	{ ERR_ADDRESS_REFUSED, "The address is private, or begins with "
			       "http://. Services made over the API may have "
			       "such an address only if the administrator "
			       "lists it (api_services.allow_private, "
			       "byok.allow_private)." },
	{ ERR_CONFIG, "The service is not completely configured. Check "
		      "provider: and url:." },
};

static const char *wrong_model(const struct llm_service *s,
			       const struct llm_probe *p, struct arena *a)
{
	const char *near = str_nearest(str_of(s->model), p->models.rows,
				       p->models.n, sizeof(*p->models.rows),
				       2 + (int)str_of(s->model).n / 3);

	return arena_printf(a, "The provider has no model \"%.*s\"%s%s%s",
			    (int)MIN(str_of(s->model).n, 80), s->model,
			    near ? "; did you mean \"" : "", near ? near : "",
			    near ? "\"?" : ". Check model:.");
}

/* The explanation of a failure; e: the error of the call that found it. */
static const char *sentence(const struct llm_service *s,
			    const struct llm_probe *p, const struct err *e,
			    struct arena *a)
{
	if (p->trouble != HTTP_CONNECTED)
		return by_trouble[p->trouble];
	if (e->code == ERR_UPSTREAM_MODEL)
		return wrong_model(s, p, a);
	for (size_t i = 0; i < ARRAY_LEN(by_code); i++)
		if (by_code[i].code == e->code)
			return by_code[i].text;
	return arena_strdup(a, err_message(e));
}

static int ask(const struct turn_deps *deps, const struct llm_service *s,
	       struct arena *a, struct prompt_reply *reply, struct err *e)
{
	const struct prompt_ask q = {
		.service = s, .kind = USAGE_TRIAL,
		.layer = "trial", .input = STR("Answer with the word OK."),
		.max_output_tokens = TRIAL_TOKENS, .max_bytes = TRIAL_BYTES,
		.deadline_ms = TRIAL_MS, .aside = true, .stream = true,
	};

	return turn_ask(deps, NULL, &q, a, reply, e);
}

/* The free request first. A server without a list of models may still answer. */
static int try(const struct turn_deps *deps, const struct llm_service *s,
	       struct llm_probe *p, struct arena *a, struct prompt_reply *reply,
	       struct err *e)
{
	if (llm_check_service(s, e) < 0)
		return -1;
	if (llm_probe(deps->http, s, a, p, e) < 0) {
		if (p->trouble != HTTP_CONNECTED)
			return -1;
		err_clear(e);
	}
	return ask(deps, s, a, reply, e);
}

void trial_run(const struct turn_deps *deps, const struct llm_service *s,
	       struct arena *a, struct llm_trial *out)
{
	struct llm_probe p = { .trouble = HTTP_CONNECTED };
	struct err e = ERR_INIT;

	*out = (struct llm_trial){
		.text = "The service works.",
		.reply = { .usage = usage_init(USAGE_TRIAL) },
	};
	if (try(deps, s, &p, a, &out->reply, &e) == 0)
		return;
	out->code = e.code;
	out->text = sentence(s, &p, &e, a);
	log_err("an LLM service was tried", &e);
}
