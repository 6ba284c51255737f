/* SPDX-License-Identifier: MIT */
#include "llm/service.h"

#include "base/banned.h"

const char *domain_source_name(enum domain_source s)
{
	return s == SOURCE_API ? "api" : "config";
}

struct llm_service llm_service_bare(const char *provider, const char *model,
				    json_t *quirks)
{
	return (struct llm_service){
		.id = provider, .provider = provider, .model = model,
		.url = "", .api_key = "", .api_version = "", .deployment = "",
		.reasoning_effort = "", .quirks = quirks, .file = "",
	};
}

static int lesser(int a, int b)
{
	return a > 0 ? MIN(a, b) : b;
}

struct llm_service llm_service_within(const struct llm_service *s, int ms)
{
	struct llm_service out = *s;

	out.total_timeout_ms = lesser(s->total_timeout_ms, ms);
	out.first_byte_timeout_ms = lesser(s->first_byte_timeout_ms, ms);
	return out;
}

struct llm_service llm_service_aside(const struct llm_service *s)
{
	struct llm_service out = *s;

	out.retries = 0;
	out.set.thinking_budget_tokens = false;
	return out;
}
