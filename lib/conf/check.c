/* SPDX-License-Identifier: MIT */
/*
 * Checks across options: references, keys that exclude each other, ids that must
 * differ, and the defaults of absent keys that depend on others. Runs over the
 * loaded structs; the loader knows the position of each value.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "conf/load.h"
#include "conf/param.h"
#include "conf/rules.h"
#include "tool/http/option.h"

#include "base/banned.h"

#define SECRET_MIN 16	/* characters of a shared secret */

#define FIELD_IS_SET(l, field) (load_pos((l), &(field)) != NULL)

/* -- references ----------------------------------------------------------------- */

/* The nearest of n ids (the first member of structs of size bytes). */
static const char *nearest_id(const void *v, size_t n, size_t size,
			      const char *unknown)
{
	return str_nearest(str_of(unknown), v, n, size,
			   1 + (int)MIN(strlen(unknown), 64) / 3);
}

static void fail_reference(struct loader *l, const void *field,
			   const char *what, const char *unknown,
			   const char *near)
{
	if (near)
		load_fail(l, load_pos(l, field),
			  "unknown %s \"%.64s\"; did you mean \"%s\"?", what,
			  unknown, near);
	else
		load_fail(l, load_pos(l, field), "unknown %s \"%.64s\"", what,
			  unknown);
}

/* at: the struct whose key names the service id. */
static void check_service(struct loader *l, const void *at, const char *key,
			  const char *id, unsigned can)
{
	const struct llm_service *llm = conf_llm(l->c, str_of(id));
	const char *lacks = llm ? conf_lacks(llm->capabilities, can) : NULL;

	if (!llm)
		fail_reference(l, at, key, id,
			       nearest_id(l->c->llms, l->c->n_llms,
					  sizeof(*l->c->llms), id));
	else if (lacks)
		load_fail(l, load_pos(l, at), "%s \"%s\" does not have the "
			  "capability %s", key, id, lacks);
}

static void check_llm_id(struct loader *l, const void *at, const char *id)
{
	check_service(l, at, "llm_service", id, LLM_CAN_CHAT);
}

/*
 * "" is allowed: a default applies; "auto" needs rules, of the main file or,
 * for a workspace and its agents, n of its own.
 */
static void check_llm_ref(struct loader *l, const char *const *field, size_t n)
{
	if (!*field || !**field)
		return;
	if (strcmp(*field, "auto"))
		check_llm_id(l, field, *field);
	else if (!n && !l->c->n_autos)
		load_fail(l, load_pos(l, field), "llm_service auto needs rules "
			  "(chat.auto, or auto of the workspace)");
}

static void check_rag(struct loader *l, const struct agent_rag *r)
{
	if (*r->ranker)
		check_service(l, &r->ranker, "reranking_service", r->ranker,
			      LLM_CAN_RERANK);
	else if (r->ranks)
		load_fail(l, load_pos(l, &r->ranks),
			  "rerank_enabled needs a reranking_service");
}

/* The last rule must always match, so that there is always a service. */
static void check_autos(struct loader *l, const struct conf_auto *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct conf_auto *r = &v[i];

		check_service(l, &r->service, "llm_service", r->service,
			      LLM_CAN_CHAT |
			      (r->needs & AUTO_NEEDS_TOOLS ? LLM_CAN_TOOLS : 0) |
			      (r->needs & AUTO_NEEDS_VISION ? LLM_CAN_VISION
							    : 0));
		if (!*r->from != !*r->until)
			load_fail(l, load_pos(l, *r->from ? &r->from
					      : &r->until),
				  "from and until must be set together");
		else if (*r->from && !strcmp(r->from, r->until))
			load_fail(l, load_pos(l, &r->until),
				  "from and until are the same time: leave "
				  "both out for all day");
		if (i == n - 1 && (r->needs || r->min_tokens || r->groups.n ||
				   r->tasks || *r->from))
			load_fail(l, load_pos(l, &r->service), "the last rule "
				  "of auto must have no conditions, so that "
				  "there is always a service");
	}
}

static void check_fallbacks(struct loader *l, const struct llm_service *llm)
{
	for (size_t i = 0; i < llm->fallbacks.n; i++) {
		check_llm_id(l, &llm->fallbacks, llm->fallbacks.v[i]);
		if (!strcmp(llm->fallbacks.v[i], llm->id))
			load_fail(l, load_pos(l, &llm->fallbacks),
				  "llm_service \"%s\" cannot take over from "
				  "itself", llm->id);
	}
}

/* -- databases, identity, roles, models ----------------------------------------- */

static void check_db(struct loader *l, const struct conf_db *db)
{
	if (*db->socket && *db->host)
		load_fail(l, load_pos(l, &db->host),
			  "either socket or host, not both");
	if (db->hosts.n && (*db->socket || *db->host))
		load_fail(l, load_pos(l, &db->hosts),
			  "either hosts, or socket or host, not both");
}

static void check_databases(struct loader *l)
{
	l->c->db.id = "app";
	check_db(l, &l->c->db);
	for (size_t i = 0; i < l->c->n_databases; i++) {
		const struct conf_db *db = &l->c->databases[i];

		if (!strcmp(db->id, "app"))
			load_fail(l, load_pos(l, db), "the name app is "
				  "reserved for Lamplighter's own database "
				  "(database:)");
		check_db(l, db);
	}
}

static const char *lower(struct loader *l, const char *login)
{
	struct buf b = BUF_INIT(4 * LIM_USER_BYTES + 1);
	const char *out;

	utf8_lower(&b, str_of(login));
	out = arena_memdup(l->a, b.p, b.n);
	buf_release(&b);
	return out;
}

/* The logins of the configuration, as those of requests are written. */
static void fold_logins(struct loader *l)
{
	const struct conf *c = l->c;

	if (c->login_case != LOGIN_CASE_LOWER)
		return;
	for (size_t i = 0; i < c->trusted.users.n; i++)
		c->trusted.users.v[i] = lower(l, c->trusted.users.v[i]);
	for (size_t i = 0; i < c->n_groups; i++)
		for (size_t k = 0; k < c->groups[i].members.n; k++)
			c->groups[i].members.v[k] =
				lower(l, c->groups[i].members.v[k]);
	for (size_t i = 0; i < c->n_chain; i++)
		if (c->chain[i].kind == IDENTITY_ANONYMOUS)
			((struct conf_identity *)c->chain)[i].user =
				lower(l, c->chain[i].user);
}

/* Keys that have no meaning for the kind are mistakes, and are reported. */
static void check_link_keys(struct loader *l, const struct conf_identity *link)
{
	static const struct {
		const char *key;
		enum conf_identity_kind kind;
	} belongs[] = {
		{ "groups_param", IDENTITY_REMOTE_USER },
		{ "proof_param", IDENTITY_REMOTE_USER },
		{ "user_header", IDENTITY_TRUSTED_HEADER },
		{ "groups_header", IDENTITY_TRUSTED_HEADER },
		{ "from", IDENTITY_TRUSTED_HEADER },
		{ "secret_header", IDENTITY_TRUSTED_HEADER },
		{ "secret", IDENTITY_TRUSTED_HEADER },
		{ "user", IDENTITY_ANONYMOUS },
		{ "name", IDENTITY_ANONYMOUS },
		{ "groups", IDENTITY_ANONYMOUS },
		{ "hosts", IDENTITY_ANONYMOUS },
	};

	for (size_t i = 0; i < ARRAY_LEN(belongs); i++) {
		const struct conf_option *o = option_find(SEC_IDENTITY,
						     belongs[i].key);
		const struct ypos *pos;

		if (belongs[i].kind == link->kind)
			continue;
		pos = load_pos(l, (const char *)link + o->offset);
		if (pos)
			load_fail(l, pos, "%s does not belong to this kind of "
				  "identity", o->key);
	}
}

static void check_trusted_header(struct loader *l,
				 const struct conf_identity *link)
{
	const struct ypos *pos = load_pos(l, link);

	if (!*link->user_header)
		load_fail(l, pos, "trusted_header needs user_header");
	if (!link->from.n && !FIELD_IS_SET(l, link->from))
		load_fail(l, pos, "trusted_header needs from: the addresses "
			  "of the proxies that may send it");
	else if (!link->from.n)
		load_fail(l, load_pos(l, &link->from),
			  "from must name at least one address");
	if (!*link->secret && !FIELD_IS_SET(l, link->secret))
		load_fail(l, pos, "trusted_header needs secret");
	else if (strlen(link->secret) < SECRET_MIN)
		load_fail(l, load_pos(l, &link->secret),
			  "secret must have at least %d characters",
			  SECRET_MIN);
}

static void check_chain(struct loader *l)
{
	static const struct conf_identity tokens = {
		.kind = IDENTITY_API_TOKEN, .groups_param = "",
		.proof_param = "", .user_header = "", .groups_header = "",
		.secret_header = "", .secret = "", .user = "", .name = "",
	};
	static const char *const later[] = {
		[IDENTITY_JWT] = "jwt", [IDENTITY_SESSION_SQL] = "session_sql",
	};
	struct conf *c = l->c;
	bool seen[IDENTITY_SESSION_SQL + 1] = { false };

	if (!FIELD_IS_SET(l, c->chain)) {
		c->chain = &tokens;
		c->n_chain = 1;
		return;
	}
	for (size_t i = 0; i < c->n_chain; i++) {
		const struct conf_identity *link = &c->chain[i];
		const struct ypos *pos = load_pos(l, link);

		if (!FIELD_IS_SET(l, link->kind))
			continue;	/* noted: kind is missing */
		if (seen[IDENTITY_ANONYMOUS])
			load_fail(l, pos, "this is never tried: it comes after "
				  "anonymous");
		else if (seen[link->kind] &&
			 link->kind != IDENTITY_TRUSTED_HEADER)
			load_fail(l, pos, "this kind is already in the chain");
		seen[link->kind] = true;
		if (link->kind == IDENTITY_JWT ||
		    link->kind == IDENTITY_SESSION_SQL) {
			load_fail(l, pos, "identity kind %s is not available "
				  "in this version", later[link->kind]);
			continue;
		}
		check_link_keys(l, link);
		if (link->kind == IDENTITY_TRUSTED_HEADER)
			check_trusted_header(l, link);
	}
}

static void check_roles(struct loader *l)
{
	static const char *everyone[] = { "*" };
	static const char *may[] = { "AIChat.*", "AI.Chat.UseTool.*" };
	static const struct conf_role user = {
		.id = "user", .groups = { everyone, 1 },
		.permissions = { may, ARRAY_LEN(may) },
	};

	if (!FIELD_IS_SET(l, l->c->roles)) {
		l->c->roles = &user;
		l->c->n_roles = 1;
	}
}

static void check_llms(struct loader *l)
{
	for (size_t i = 0; i < l->c->n_llms; i++) {
		struct llm_service *m = (struct llm_service *)&l->c->llms[i];

		m->name = m->id;
		m->payer = PAYER_INSTALLATION;
		m->set.price = !isnan(m->input_price) && !isnan(m->output_price);
		if (m->max_output_tokens >= m->context_tokens)
			load_fail(l, FIELD_IS_SET(l, m->max_output_tokens)
				  ? load_pos(l, &m->max_output_tokens)
				  : load_pos(l, &m->context_tokens),
				  "max_output_tokens (%d) must be less than "
				  "context_tokens (%d)", m->max_output_tokens,
				  m->context_tokens);
		if (!strcmp(m->id, "auto"))
			load_fail(l, load_pos(l, m), "the name auto is "
				  "reserved for services that rules choose "
				  "(chat.auto)");
		check_fallbacks(l, m);
	}
}

/* -- MCP servers ----------------------------------------------------------------- */

/* Two credentials in one header may be refused, or the wrong one be used. */
static void check_mcp_headers(struct loader *l, const struct conf_mcp *s)
{
	size_t n = strlen(s->token_header);

	for (size_t i = 0; s->token && i < s->headers.n; i++)
		if (!strncasecmp(s->headers.v[i], s->token_header, n) &&
		    s->headers.v[i][n] == ':')
			load_fail(l, load_pos(l, &s->headers), "the token is "
				  "sent in %s too; give it another "
				  "token_header", s->token_header);
}

static void check_mcp(struct loader *l, const struct conf_mcp *s)
{
	bool url = *s->url;

	check_mcp_headers(l, s);

	if (url == (s->command.n > 0))
		load_fail(l, load_pos(l, s), "MCP server \"%s\" needs url or "
			  "command, and not both", s->id);
	if (s->command.n && s->command.v[0][0] != '/')
		load_fail(l, load_pos(l, &s->command), "command must begin "
			  "with the absolute path of a program");
	if (url && (s->env.n || strcmp(s->dir, "/")))
		load_fail(l, load_pos(l, s), "env and dir belong to command, "
			  "not to url");
	if (!url && (s->headers.n || s->allow_private.n || s->token))
		load_fail(l, load_pos(l, s), "headers, token and allow_private "
			  "belong to url, not to command");
}

/* -- workspaces ----------------------------------------------------------------- */

/* Two ids that MariaDB would not tell apart; v holds structs of size bytes. */
static void check_same(struct loader *l, const void *v, size_t n, size_t size,
		       const char *what)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			const char *a = (const char *)v + i * size;
			const char *b = (const char *)v + k * size;
			const char *id = *(const char *const *)a;

			if (strcasecmp(id, *(const char *const *)b))
				continue;
			load_fail(l, load_pos(l, a),
				  "there are two %s named \"%.64s\"", what,
				  id);
			break;
		}
}

/* Checks that a name is one of the columns, if they are declared. */
static void check_column(struct loader *l, const struct conf_dataset *d,
			 const void *field, const char *name)
{
	if (!name || !*name || !d->n_columns)
		return;
	for (size_t i = 0; i < d->n_columns; i++)
		if (!strcmp(d->columns[i].name, name))
			return;
	fail_reference(l, field, "column", name,
		       nearest_id(d->columns, d->n_columns,
				  sizeof(*d->columns), name));
}

/* The names in braces; check_mention_link has seen that they are closed. */
static void check_link(struct loader *l, const struct conf_dataset *d,
		       const char *const *link)
{
	for (const char *s = *link; (s = strchr(s, '{')) != NULL;) {
		size_t n = strcspn(++s, "}");

		check_column(l, d, link, arena_memdup(l->a, s, n));
		s += n;
	}
}

static void check_mention(struct loader *l, const struct conf_dataset *d)
{
	const struct conf_mention *m = d->mention;

	if (!m || !m->link)
		return;
	check_column(l, d, &m->label, m->label);
	check_column(l, d, &m->description, m->description);
	for (size_t i = 0; i < m->key.n; i++)
		check_column(l, d, &m->key, m->key.v[i]);
	check_link(l, d, &m->link);
	if (!m->key.n && !d->key.n)
		load_fail(l, load_pos(l, &d->mention), "mention needs key, "
			  "because the dataset has none");
}

static void check_dataset(struct loader *l, const struct conf_dataset *d)
{
	const struct ypos *pos = load_pos(l, d);

	if (*d->table && *d->from)
		load_fail(l, load_pos(l, &d->from),
			  "either table or from, not both");
	else if (!*d->table && !*d->from)
		load_fail(l, pos, "dataset \"%s\" needs table or from",
			  d->name);
	else if (*d->from && !d->n_columns)
		load_fail(l, load_pos(l, &d->from),
			  "with from, columns must be listed");
	if (!conf_database(l->c, str_of(d->database)))
		fail_reference(l, &d->database, "database", d->database,
			       nearest_id(l->c->databases, l->c->n_databases,
					  sizeof(*l->c->databases),
					  d->database));
	check_same(l, d->columns, d->n_columns, sizeof(*d->columns),
		   "columns");
	check_mention(l, d);
}

static void check_intake(struct loader *l, const struct conf_intake *s)
{
	if (!!*s->directory + !!*s->select + !!*s->sitemap + (s->urls.n > 0) != 1)
		load_fail(l, load_pos(l, s), "source \"%s\" needs one of "
			  "directory, select, urls and sitemap", s->name);
	for (size_t i = 0; i < s->urls.n; i++)
		if (!*s->urls.v[i] || strlen(s->urls.v[i]) >
		    LIM_DOCUMENT_URL_CHARS)
			load_fail(l, load_pos(l, &s->urls), "urls must be "
				  "addresses of 1 to %d characters",
				  LIM_DOCUMENT_URL_CHARS);
	for (size_t i = 0; i < s->groups.n; i++)
		if (!*s->groups.v[i] || utf8_chars(str_of(s->groups.v[i])) >
		    LIM_DOCUMENT_GROUP_CHARS)
			load_fail(l, load_pos(l, &s->groups), "groups must be "
				  "names of 1 to %d characters",
				  LIM_DOCUMENT_GROUP_CHARS);
	if (!conf_database(l->c, str_of(s->database)))
		fail_reference(l, &s->database, "database", s->database,
			       nearest_id(l->c->databases, l->c->n_databases,
					  sizeof(*l->c->databases),
					  s->database));
}

/* The default: a program, or a method, that may change something counts as write. */
static enum tool_effect effect_of(const struct conf_tool *t)
{
	const char *method = t->http ? t->http->method : "GET";

	if (!strcmp(method, "DELETE"))
		return TOOL_DESTRUCTIVE;
	return t->command || (strcmp(method, "GET") && strcmp(method, "HEAD"))
		? TOOL_WRITE : TOOL_READ;
}

static void check_tools(struct loader *l, const struct conf_tool *tools,
			size_t n)
{
	static const enum tool_confirm by_effect[] = {
		[TOOL_READ] = TOOL_CONFIRM_NEVER,
		[TOOL_WRITE] = TOOL_CONFIRM_TAINTED,
		[TOOL_DESTRUCTIVE] = TOOL_CONFIRM_ALWAYS,
	};

	for (size_t i = 0; i < n; i++) {
		struct conf_tool *t = (struct conf_tool *)&tools[i];

		if (t->openapi) {
			struct conf_tool_openapi *o =
				(struct conf_tool_openapi *)t->openapi;

			o->document = load_document(l, o->file,
						    load_pos(l, &o->file));
		}
		if (t->effect == (enum tool_effect)CONF_EFFECT_BY_KIND)
			t->effect = effect_of(t);
		if (t->confirm == TOOL_CONFIRM_BY_EFFECT)
			t->confirm = by_effect[t->effect];
	}
	check_same(l, tools, n, sizeof(*tools), "tools");
}

static void check_agents(struct loader *l, struct workspace *w)
{
	struct agent *agents = (struct agent *)w->agents;
	const struct agent *dflt = NULL;

	if (!w->n_agents) {
		agents = arena_new(l->a, struct agent);
		*agents = (struct agent){
			.id = "default", .name = "Assistant",
			.description = "", .is_default = true,
			.system_prompt = "", .llm_service = "",
			.rag = { .ranker = "" },
		};
		w->agents = agents;
		w->n_agents = 1;
		return;
	}
	for (size_t i = 0; i < w->n_agents; i++) {
		struct agent *a = &agents[i];

		if (!a->id)
			continue;	/* noted: id is missing */
		if (!*a->name)
			a->name = a->id;
		for (size_t k = 0; k < i; k++)
			if (agents[k].id && !strcmp(agents[k].id, a->id)) {
				load_fail(l, load_pos(l, a), "there are two "
					  "agents with the id \"%s\"", a->id);
				break;
			}
		if (a->is_default && dflt)
			load_fail(l, load_pos(l, &a->is_default), "there are "
				  "two default agents: \"%s\" and \"%s\"",
				  dflt->id, a->id);
		else if (a->is_default)
			dflt = a;
		check_llm_ref(l, &a->llm_service, w->n_autos);
		check_rag(l, &a->rag);
	}
	if (!dflt)
		agents[0].is_default = true;
}

static void check_workspace(struct loader *l, struct workspace *w)
{
	if (!*w->name)
		w->name = w->id;
	if (!strcmp(w->id, "auto"))
		load_fail(l, load_pos(l, w), "the workspace auto: the name is "
			  "reserved for the setting default_workspace");
	if (w->prompt.text && !*w->prompt.name)
		w->prompt.name = w->id;
	w->set.prompt = w->prompt.text != NULL;
	check_llm_ref(l, &w->llm_service, w->n_autos);
	check_autos(l, w->autos, w->n_autos);
	check_agents(l, w);
	for (size_t i = 0; i < w->n_datasets; i++)
		check_dataset(l, &w->datasets[i]);
	check_same(l, w->datasets, w->n_datasets, sizeof(*w->datasets),
		   "datasets");
	check_same(l, w->actions, w->n_actions, sizeof(*w->actions), "actions");
	check_tools(l, w->tools, w->n_tools);
}

static void check_choices(struct loader *l, const struct conf_choice *v, size_t n,
			  const char *what)
{
	if (n > LIM_MODULE_CHOICES)
		load_fail(l, load_pos(l, v), "%s: more than %d", what, LIM_MODULE_CHOICES);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(v[i].value, v[k].value) == 0)
				load_fail(l, load_pos(l, &v[i]), "%s: \"%s\" is there "
					  "twice", what, v[i].value);
}

/* Keys that do not apply to its type are mistakes. what: "parameter". */
static void check_typed(struct loader *l, const struct conf_param *p, const char *what)
{
	const bool number = p->type == PARAM_NUMBER || p->type == PARAM_INTEGER;
	json_t *example = *p->example ? param_example(p) : NULL;
	const char *wrong;
	char text[128];

	if (strlen(p->name) > LIM_MODULE_NAME_BYTES)
		load_fail(l, load_pos(l, p), "the %s %s: a name may have "
			  "at most %d characters", what, p->name,
			  LIM_MODULE_NAME_BYTES);
	if ((p->type == PARAM_CHOICE) != (p->n_choices > 0))
		load_fail(l, load_pos(l, p), "the %s %s: choices must "
			  "be set for the type choice, and for no other",
			  what, p->name);
	if (!number && (!isnan(p->min) || !isnan(p->max)))
		load_fail(l, load_pos(l, p), "the %s %s: min and max are "
			  "for the types integer and number only", what, p->name);
	if (p->min > p->max)
		load_fail(l, load_pos(l, &p->min), "the %s %s: min is "
			  "greater than max", what, p->name);
	check_choices(l, p->choices, p->n_choices, "choices");
	wrong = example ? param_wrong(p, example, text, sizeof(text)) : NULL;
	if (wrong)
		load_fail(l, load_pos(l, &p->example), "the %s %s: the example must "
			  "be %s", what, p->name, wrong);
	json_decref(example);
}

static void check_entities(struct loader *l)
{
	const struct conf *c = l->c;

	for (size_t i = 0; i < c->n_entities; i++) {
		const struct conf_entity *k = &c->entities[i];

		check_choices(l, k->types, k->n_types, "types");
		check_choices(l, k->states, k->n_states, "states");
		for (size_t t = 0; t < k->n_types; t++)
			if (check_key(k->types[t].value))
				load_fail(l, load_pos(l, &k->types[t]), "\"%s\" %s",
					  k->types[t].value, check_key(k->types[t].value));
		if (k->n_props > LIM_MODULE_PARAMS)
			load_fail(l, load_pos(l, k), "the kind %s has more than %d "
				  "fields", k->kind, LIM_MODULE_PARAMS);
		for (size_t p = 0; p < k->n_props; p++)
			check_typed(l, &k->props[p], "field");
	}
}

static void check_modules(struct loader *l)
{
	const struct conf *c = l->c;

	for (size_t i = 0; i < c->n_modules; i++) {
		const struct conf_module *m = &c->modules[i];

		if (m->n_params > LIM_MODULE_PARAMS)
			load_fail(l, load_pos(l, m), "the module %s has more "
				  "than %d parameters", m->id,
				  LIM_MODULE_PARAMS);
		for (size_t k = 0; k < m->n_params; k++)
			check_typed(l, &m->params[k], "parameter");
	}
}

/* They may also be services of the tenant. */
static void check_offers(struct loader *l)
{
	for (size_t i = 0; i < l->c->n_offers; i++) {
		const struct conf_offer *o = &l->c->offers[i];
		const struct llm_service *llm = conf_llm(l->c, str_of(o->id));

		if (llm && !(llm->capabilities & (LLM_CAN_EMBED | LLM_CAN_RERANK |
						  LLM_CAN_TRANSCRIBE)))
			load_fail(l, load_pos(l, &o->id), "openai.services: \"%s\" has "
				  "none of the capabilities embed, rerank and transcribe",
				  o->id);
	}
}

void check_all(struct loader *l)
{
	struct conf *c = l->c;

	check_databases(l);
	if (c->threads.max_turns >= c->threads.max)
		load_fail(l, FIELD_IS_SET(l, c->threads.max_turns)
			  ? load_pos(l, &c->threads.max_turns)
			  : load_pos(l, &c->threads.max),
			  "threads.max_turns (%d) must be less than "
			  "threads.max (%d)", c->threads.max_turns,
			  c->threads.max);
	if (c->file_store == FILE_STORE_DIRECTORY && !*c->file_dir)
		load_fail(l, load_pos(l, &c->file_store),
			  "file_store: directory needs file_dir");
	check_chain(l);
	fold_logins(l);
	check_roles(l);
	check_llms(l);
	check_llm_ref(l, &c->chat_llm_service, 0);
	if (*c->scans.llm_service)
		check_service(l, &c->scans.llm_service, "llm_service",
			      c->scans.llm_service, LLM_CAN_VISION);
	/* It may also be a service of the tenant. */
	if (conf_llm(c, str_of(c->knowledge.embedding_service)))
		check_service(l, &c->knowledge.embedding_service,
			      "embedding_service",
			      c->knowledge.embedding_service, LLM_CAN_EMBED);
	check_offers(l);
	check_autos(l, c->autos, c->n_autos);
	if (c->platform.text && !*c->platform.name)
		c->platform.name = "platform";
	check_modules(l);
	check_entities(l);
	check_tools(l, c->tools, c->n_tools);
	for (size_t i = 0; i < c->n_mcp_servers; i++)
		check_mcp(l, &c->mcp_servers[i]);
	for (size_t i = 0; i < c->knowledge.n_sources; i++)
		check_intake(l, &c->knowledge.sources[i]);
	for (size_t i = 0; i < c->n_workspaces; i++)
		check_workspace(l, (struct workspace *)&c->workspaces[i]);
}
