/* SPDX-License-Identifier: MIT */
#include "domain/auto.h"

#include <time.h>

#include "domain/catalog.h"
#include "auth/policy.h"
#include "base/zone.h"
#include "llm/llm.h"

#include "base/banned.h"

struct auto_rules {
	const struct conf_auto *v;
	size_t n;
};

static struct auto_rules rules_of(const struct conf *c, const struct workspace *w)
{
	if (w && w->n_autos)
		return (struct auto_rules){ w->autos, w->n_autos };
	return (struct auto_rules){ c->autos, c->n_autos };
}

/* Minutes since midnight of "HH:MM", which lib/conf has validated. */
static int minutes(const char *s)
{
	return (s[0] - '0') * 600 + (s[1] - '0') * 60 +
		(s[3] - '0') * 10 + (s[4] - '0');
}

static bool in_hours(const struct conf_auto *r, const struct auto_facts *f)
{
	int at, from = minutes(r->from), until = minutes(r->until);
	struct tm t;

	if (!zone_time(f->zone, f->now_us, &t))
		return false;
	at = t.tm_hour * 60 + t.tm_min;
	/* A range that ends before it begins spans midnight. */
	return from <= until ? at >= from && at < until
			     : at >= from || at < until;
}

static bool holds(const struct conf_auto *r, const struct auto_facts *f)
{
	return (r->needs & ~f->needs) == 0 && f->tokens >= r->min_tokens &&
		(!r->tasks || (r->tasks & f->task)) &&
		(!r->groups.n || policy_in_groups(f->who, &r->groups)) &&
		(!*r->from || in_hours(r, f));
}

static const char *reason_of(const struct conf_auto *r, struct arena *a)
{
	const struct {
		bool says;
		const char *key;
	} parts[] = {
		{ r->needs, "needs" }, { r->min_tokens > 0, "min_tokens" },
		{ r->groups.n, "groups" }, { r->tasks, "tasks" },
		{ *r->from, "hours" },
	};
	const char *text = "";

	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i].says)
			text = arena_printf(a, "%s%s%s", text,
					    *text ? ", " : "", parts[i].key);
	return *text ? text : "default";
}

/* The service of a rule; NULL if it is unusable, for instance without a key. */
static const struct llm_service *service_of(const struct conf *c,
					    const struct conf_auto *r)
{
	const struct llm_service *s = catalog_service(c, str_of(r->service));
	struct err ignored = ERR_INIT;

	return s && llm_check_can(s, LLM_CAN_CHAT, &ignored) == 0 &&
		llm_check_service(s, &ignored) == 0 ? s : NULL;
}

/* The first usable rule; held, tools: that holds, whose service takes tools. */
static struct auto_choice first_of(const struct conf *c, struct auto_rules rules,
				   const struct auto_facts *f, bool held,
				   bool tools, struct arena *a)
{
	for (size_t i = 0; i < rules.n; i++) {
		const struct llm_service *s = !held || holds(&rules.v[i], f)
			? service_of(c, &rules.v[i]) : NULL;

		if (s && (!tools || (s->capabilities & LLM_CAN_TOOLS)))
			return (struct auto_choice){
				s, reason_of(&rules.v[i], a),
			};
	}
	return (struct auto_choice){ NULL, NULL };
}

struct auto_choice auto_select(const struct conf *c, const struct workspace *w,
			       const struct auto_facts *f, struct arena *a)
{
	struct auto_rules rules = rules_of(c, w);
	struct auto_choice choice = { NULL, NULL };

	if (f->takes_tools) {
		choice = first_of(c, rules, f, true, true, a);
		if (!choice.service)
			choice = first_of(c, rules, f, false, true, a);
	}
	return choice.service ? choice : first_of(c, rules, f, true, false, a);
}

const struct llm_service *auto_default(const struct conf *c,
				       const struct workspace *w)
{
	struct auto_rules rules = rules_of(c, w);

	for (size_t i = rules.n; i-- > 0;) {
		const struct llm_service *s = service_of(c, &rules.v[i]);

		if (s)
			return s;
	}
	return rules.n ? catalog_service(c, str_of(rules.v[rules.n - 1].service))
		       : NULL;
}
