/* SPDX-License-Identifier: MIT */
#include "agent/keep.h"

#include <stdlib.h>

#include "agent/auto.h"
#include "agent/catalog.h"
#include "agent/stored_service.h"
#include "agent/target.h"
#include "base/json.h"
#include "base/limits.h"
#include "conf/rules.h"
#include "llm/llm.h"
#include "llm/provider.h"
#include "net/guard.h"
#include "net/url.h"

#include "base/banned.h"

static struct str text_of(const struct resource *r, const struct resource_row *row,
			  const char *column)
{
	return resource_text(r, row, column);
}

static int check_provider(const struct caller *by, struct str name, const char *field,
			  struct err *e)
{
	const char *s = arena_str(by->arena, name).p;
	const struct provider *p = provider_find(s);
	struct err why = ERR_INIT;

	if (p && p->dialect->build)
		return 0;
	(void)provider_unknown(s, &why);
	return err_field(e, ERR_INVALID_FIELD, field, "%s", err_message(&why));
}

/* Checks the address as written; what a name resolves to is checked on each use. */
static int check_reach(const char *url, const struct conf_list *private,
		       struct err *e)
{
	static const char *const classes[] = {
		[GUARD_PRIVATE] = "a private network",
		[GUARD_LOOPBACK] = "this server itself",
		[GUARD_METADATA] = "the network next to this server",
		[GUARD_RESERVED] = "a range that is not public",
	};
	const struct net_guard guard = guard_for_secret(private, url);
	char host[URL_HOST_BYTES];
	enum guard_class class;

	/* Placeholders are filled in later; the whole is checked on each use. */
	if (*url && !strchr(url, '{') && !url_host(url, host))
		return err_field(e, ERR_INVALID_FIELD, "url", "url names no host that "
				 "can be looked up.");
	if (guard_allows_url(&guard, url, &class))
		return 0;
	if (class == GUARD_PUBLIC)
		return err_field(e, ERR_INVALID_FIELD, "url", "url must start "
				 "with https://.");
	return err_field(e, ERR_INVALID_FIELD, "url", "url is an address of %s, "
			 "which this installation does not allow.",
			 classes[class]);
}

/*
 * Keys must not cross the open network without TLS, except to addresses that
 * the list names. Unset means the provider's own address, which may be this
 * server (Ollama).
 */
static int check_address(const struct caller *by, const struct resource *r,
			 bool is_new, struct resource_row *row,
			 const struct conf_list *private, struct err *e)
{
	const struct db_val *url = resource_value(r, row, "url");
	const struct db_val *provider = resource_value(r, row, "provider");
	const char *s = arena_str(by->arena, url->null ? provider->s
						       : url->s).p;
	const char *wrong = url->null ? NULL : check_url(s);

	/* An unchanged address is checked when it is used. */
	if (!is_new && !row->given[url - row->v] &&
	    !row->given[provider - row->v])
		return 0;
	if (url->null)
		return check_reach(provider_find(s)->url, private, e);
	if (wrong)
		return err_field(e, ERR_INVALID_FIELD, "url", "url %s.", wrong);
	if (!private->n && !str_starts(url->s, STR("https://")))
		return err_field(e, ERR_INVALID_FIELD, "url", "url must start "
				 "with https://.");
	return check_reach(s, private, e);
}

static int check_capabilities(const struct caller *by, struct str names,
			      struct err *e)
{
	json_t *j = names.p ? jx_keep(by->arena, jx_load(names, e)) : NULL;
	const char *wrong;

	if (names.p && !j)
		return -1;
	(void)stored_capabilities(j, &wrong);
	if (!wrong && (!j || json_is_array(j)))
		return 0;
	if (wrong && *wrong)
		return err_field(e, ERR_INVALID_FIELD, "capabilities",
				 "There is no capability \"%.40s\".", wrong);
	return err_field(e, ERR_INVALID_FIELD, "capabilities",
			 "capabilities must be an array of names: chat, tools, "
			 "vision, embed, rerank, summarize.");
}

static int check_number(const struct caller *by, struct str text, const char *field,
			double max, struct err *e)
{
	char *end = NULL;
	double v;

	if (!text.p)
		return 0;
	v = strtod(arena_str(by->arena, text).p, &end);
	if (*end == '\0' && text.n && v >= 0 && v <= max)
		return 0;
	return err_field(e, ERR_INVALID_FIELD, field, "%s must be a number from "
			 "0 to %g.", field, max);
}

/*
 * A stored key belongs to the address that it was entered for: somebody who may
 * only change the row must not be able to send it elsewhere.
 */
static int check_moved(const struct caller *by, const struct resource *r,
		       bool is_new, struct resource_row *row, struct err *e)
{
	static const char *const where[] = { "provider", "url" };
	const struct resource_at at = resource_own(&by->owner);
	const size_t key = (size_t)(resource_value(r, row, "api_key") - row->v);
	struct resource_row old;

	if (is_new || row->given[key] || row->v[key].null)
		return 0;
	/* A change in between has another version, so this one is refused. */
	if (resource_get(by->db, r, &at, &row->id, by->arena, &old, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(where); i++)
		if (!resource_same(resource_value(r, row, where[i]),
				   resource_value(r, &old, where[i])))
			return err_field(e, ERR_INVALID_FIELD, "apiKey",
					 "Enter the key again: it was stored "
					 "for another address.");
	return 0;
}

/* Quirks may redirect the key as well: of a row, only url may set the address. */
static int check_quirks(const struct caller *by, const struct resource *r,
			const struct resource_row *row, struct err *e)
{
	static const char *const of_files[] = { "url_template", "auth_header" };
	const char *provider = arena_str(by->arena,
					 text_of(r, row, "provider")).p;
	struct str text = text_of(r, row, "quirks");
	json_t *j = text.p ? jx_keep(by->arena, jx_try(text)) : NULL;
	struct err why = ERR_INIT;

	if (!text.p)
		return 0;
	if (!json_is_object(j) || text.n > LIM_QUIRKS_BYTES)
		return err_field(e, ERR_INVALID_FIELD, "quirks", "quirks must be "
				 "an object of at most %d bytes.",
				 LIM_QUIRKS_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(of_files); i++)
		if (json_object_get(j, of_files[i]))
			return err_field(e, ERR_INVALID_FIELD, "quirks", "Only a "
					 "service of the configuration files "
					 "may have the quirk %s.", of_files[i]);
	return llm_quirks_check(provider, j, &why) == 0 ? 0
		: err_field(e, ERR_INVALID_FIELD, "quirks", "%s", why.text);
}

/* Fallbacks must exist when they are named; a deleted one is skipped later. */
static int check_fallbacks(const struct caller *by, const struct resource *r,
			   const struct resource_row *row, struct err *e)
{
	struct str text = text_of(r, row, "fallbacks");
	struct str own = text_of(r, row, "service_id");
	const json_t *j = text.p ? jx_keep(by->arena, jx_try(text)) : NULL;
	const struct llm_service *other;

	if (!text.p)
		return 0;
	if (!json_is_array(j) || json_array_size(j) > LIM_FALLBACKS)
		return err_field(e, ERR_INVALID_FIELD, "fallbacks", "fallbacks "
				 "must be an array of at most %d ids of LLM "
				 "services.", LIM_FALLBACKS);
	for (size_t i = 0; i < json_array_size(j); i++) {
		const char *s = json_string_value(json_array_get(j, i));
		struct str id = str_of(s ? s : "");

		if (str_eq(id, own))
			return err_field(e, ERR_INVALID_FIELD, "fallbacks", "A "
					 "service cannot take over from "
					 "itself.");
		if (stored_service_look(by, id, &other, e) < 0)
			return -1;
		if (!other)
			return err_field(e, ERR_INVALID_FIELD, "fallbacks",
					 "There is no LLM service \"%.64s\".",
					 id.p);
		if (stored_service_suits(other, LLM_CAN_CHAT, "fallbacks", e) < 0)
			return -1;
	}
	return 0;
}

/*
 * Agents that the user sees, as "workspace/agent"; one that is gone later is
 * nobody's.
 */
static int check_agents(const struct caller *by, const struct resource *r,
			const struct resource_row *row, struct err *e)
{
	struct str text = text_of(r, row, "agents");
	const json_t *j = text.p ? jx_keep(by->arena, jx_try(text)) : NULL;
	const struct workspace *w;
	const struct agent *a;

	if (!text.p)
		return 0;
	if (!json_is_array(j) || json_array_size(j) > LIM_INSTANCE_AGENTS)
		return err_field(e, ERR_INVALID_FIELD, "agents", "agents must be "
				 "an array of at most %d texts workspace/agent.",
				 LIM_INSTANCE_AGENTS);
	for (size_t i = 0; i < json_array_size(j); i++) {
		const char *s = json_string_value(json_array_get(j, i));
		struct str rest = str_of(s ? s : ""), name = rest;
		struct str workspace = str_cut(&rest, '/');

		if (workspace.n && rest.n &&
		    target_scope(by, workspace, rest, &w, &a, e) == 0)
			continue;
		if (e->code != ERR_NONE && e->code != ERR_NOT_FOUND)
			return -1;
		err_clear(e);
		return err_field(e, ERR_INVALID_FIELD, "agents", "There is no "
				 "agent \"%.*s\" that you can use. Name it as "
				 "workspace/agent.", (int)MIN(name.n, 130),
				 name.p);
	}
	return 0;
}

/* What an instance serves: chats of the user. */
static int check_active(const struct caller *by, const struct resource *r,
			struct resource_row *row, struct err *e)
{
	const struct db_val *active = resource_value(r, row, "active");
	const struct llm_service s = stored_service_of(by->conf, r, row,
						       by->arena);

	if (!active->null && active->i)
		return stored_service_suits(&s, LLM_CAN_CHAT, "active", e);
	return text_of(r, row, "agents").p
		? stored_service_suits(&s, LLM_CAN_CHAT, "agents", e) : 0;
}

static bool is_given(const struct resource *r, struct resource_row *row,
		     const char *column)
{
	return row->given[resource_value(r, row, column) - row->v];
}

int keep_service_check(const struct caller *by, const struct resource *r,
		       bool is_new, struct resource_row *row, struct err *e)
{
	const bool own = r == &resources[RESOURCE_PROVIDER_INSTANCE];
	const struct conf_list *private = own ? &by->conf->byok.allow_private
		: &by->conf->api_services_private;

	if (check_provider(by, text_of(r, row, "provider"),
			   own ? "providerId" : "provider", e) ||
	    check_address(by, r, is_new, row, private, e) ||
	    check_moved(by, r, is_new, row, e) ||
	    check_capabilities(by, text_of(r, row, "capabilities"), e))
		return -1;
	if (own)
		return is_given(r, row, "agents") && check_agents(by, r, row, e)
			? -1 : check_active(by, r, row, e);
	if (((is_given(r, row, "quirks") || is_given(r, row, "provider")) &&
	     check_quirks(by, r, row, e)) ||
	    (is_given(r, row, "fallbacks") && check_fallbacks(by, r, row, e)))
		return -1;
	if (check_number(by, text_of(r, row, "temperature"), "temperature", 2, e))
		return -1;
	return check_number(by, text_of(r, row, "top_p"), "topP", 1, e);
}

int keep_service_new(const struct caller *by, struct resource_row *row,
		     struct err *e)
{
	struct db_val *id = resource_value(&resources[RESOURCE_LLM_SERVICE], row,
					   "service_id");
	char *made = arena_zalloc(by->arena, 1, UUID_TEXT_BYTES);

	if (id->null)
		*id = DB_S(str_of(uuid_format(&row->id, made)));
	if (check_slug(arena_str(by->arena, id->s).p) ||
	    str_is(id->s, AUTO_SERVICE))
		return err_field(e, ERR_INVALID_FIELD, "llmServiceId",
				 "llmServiceId must be lower case letters, digits, - "
				 "and _, and not " AUTO_SERVICE ".");
	if (catalog_service(by->conf, id->s))
		return err_field(e, ERR_CONFLICT, "llmServiceId", "Another LLM "
				 "service has this llmServiceId.");
	return 0;
}
