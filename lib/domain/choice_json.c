/* SPDX-License-Identifier: MIT */
/* Settings as JSON: values, the values of each level, and choices. */
#include "domain/auto.h"
#include "domain/catalog.h"
#include "domain/choice.h"
#include "domain/stored.h"
#include "domain/stored_service.h"
#include "base/limits.h"
#include "llm/llm.h"
#include "resource/form.h"

#include "base/banned.h"

static void put_list(struct jw *w, enum setting_id id,
		     const struct setting_scope *in, const json_t *list)
{
	const json_t *v;
	size_t i;

	jw_arr(w);
	json_array_foreach((json_t *)list, i, v)
		if (!in || setting_lists(id, in, str_of(json_string_value(v))))
			jw_str(w, str_of(json_string_value(v)));
	jw_end_arr(w);
}

void choice_write(struct jw *w, enum setting_id id,
		   const struct setting_scope *in,
		   const struct setting_value *v)
{
	const struct setting_row *row = &setting_rows[id];

	switch (row->type) {
	case SETTING_BOOL:
		jw_bool(w, v->number != 0);
		return;
	case SETTING_INT:
		jw_int(w, v->number);
		return;
	case SETTING_CHOICE:
		jw_str(w, setting_choice(row, v->number));
		return;
	case SETTING_NAMES:
		put_list(w, id, in, v->list);
		return;
	case SETTING_TEXT:
	case SETTING_NAME:
	case SETTING_INTERNAL:
		break;
	}
	if (v->text)
		jw_str(w, str_of(v->text));
	else
		jw_null(w);
}

/* The value that a holder has set; null: none. */
static void put_value_of(struct jw *w, enum setting_id id,
			 const struct setting_holder *h)
{
	const json_t *v = h->values
		? json_object_get(h->values, setting_rows[id].key) : NULL;
	struct setting_value out = { .level = h->level };
	struct err ignored = ERR_INIT;

	if (v && setting_parse(&setting_rows[id], v, &out, &ignored) == 0)
		choice_write(w, id, NULL, &out);
	else
		jw_null(w);
}

static void put_levels(struct jw *w, const struct setting_values *s,
		       enum setting_id id)
{
	const unsigned levels = setting_rows[id].levels;
	bool teams = levels & 1u << LEVEL_TEAM && s->v[0].level != LEVEL_TENANT;

	jw_key(w, "says");
	jw_obj(w);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].level != LEVEL_TEAM && levels & 1u << s->v[i].level) {
			jw_key(w, setting_level_name(s->v[i].level));
			put_value_of(w, id, &s->v[i]);
		}
	if (teams) {
		jw_key(w, "team");
		jw_arr(w);
		for (size_t i = 0; i < s->n; i++) {
			if (s->v[i].level != LEVEL_TEAM || (i && (!s->v[i].values ||
			    !json_object_get(s->v[i].values, setting_rows[id].key))))
				continue;
			jw_obj(w);
			jw_kstr(w, "group", s->v[i].name);
			jw_key(w, "value");
			put_value_of(w, id, &s->v[i]);
			jw_end_obj(w);
		}
		jw_end_arr(w);
	}
	jw_end_obj(w);
}

/* -- choices --------------------------------------------------------------------- */

int choices_read(const struct caller *by, const struct setting_values *s,
			 struct choices *out, struct err *e)
{
	const struct resource *r = &resources[RESOURCE_LLM_SERVICE];
	const struct resource_at at = resource_own(&by->owner);
	const struct resource_want want = { .size = LIM_LLM_SERVICES };
	struct stored_choice in = { .workspace = NULL };
	struct resource_row *rows = NULL;
	const struct workspace *w;
	bool more;

	*out = (struct choices){ .by = by, .s = s };
	if (stored_workspaces(by, &out->workspaces, &out->n_workspaces, e) < 0 ||
	    choice_workspace(by, s, &w, e) < 0 ||
	    resource_list(by->db, r, &at, &want, by->arena, &rows,
			  &out->n_services, &more, e) < 0)
		return -1;
	out->services = rows;
	/* A workspace that was just deleted has no agents. */
	if (w && stored_choice_of(by, w, &in, e) < 0 && e->code != ERR_NOT_FOUND)
		return -1;
	err_clear(e);
	out->agents = in.agents;
	out->n_agents = in.n_agents;
	return 0;
}

static void put_choice(struct jw *w, struct str value, struct str label)
{
	jw_obj(w);
	jw_kstr(w, "value", value);
	jw_kstr(w, "label", label.n ? label : value);
	jw_end_obj(w);
}

static void put_service(struct jw *w, const struct choices *c,
			enum setting_id id, struct str name, struct str label)
{
	const struct setting_scope in = { .conf = c->by->conf, .values = c->s };
	bool any = id == SETTING_LLM_SERVICES ||
		c->s->v[0].level == LEVEL_TENANT;

	if (any ? choice_tells_service(c->by, c->s, name)
		: setting_lists(SETTING_LLM_SERVICES, &in, name))
		put_choice(w, name, label);
}

static bool chats(const struct llm_service *s)
{
	struct err ignored = ERR_INIT;

	return llm_check_can(s, LLM_CAN_CHAT, &ignored) == 0;
}

static void put_services(struct jw *w, const struct choices *c,
			 enum setting_id id)
{
	const struct resource *r = &resources[RESOURCE_LLM_SERVICE];
	const struct catalog *all = catalog_of(c->by->conf);

	for (size_t i = 0; i < all->n_services; i++)
		if (chats(&all->services[i]))
			put_service(w, c, id, str_of(all->services[i].id),
				    (struct str){ NULL, 0 });
	for (size_t i = 0; i < c->n_services; i++) {
		const struct llm_service s = stored_service_of(
			c->by->conf, r, &c->services[i], c->by->arena);

		if (chats(&s))
			put_service(w, c, id, str_of(s.id),
				    resource_text(&c->services[i], COLUMN(LLM_SERVICE, name)));
	}
	put_service(w, c, id, str_of(AUTO_SERVICE),
		    str_of(lang_text(c->by->lang, N_("Automatic"))));
}

static void put_words(struct jw *w, const struct choices *c,
		      const struct setting_row *row)
{
	struct str rest = str_of(row->choices), word, label;

	while (resource_choice(&rest, &word, &label))
		put_choice(w, word, lang_str(c->by->lang, label));
}

static void put_choices(struct jw *w, const struct choices *c,
			enum setting_id id)
{
	const struct setting_row *row = &setting_rows[id];
	const char *tag, *name;

	jw_key(w, "choices");
	jw_arr(w);
	if (row->choices)
		put_words(w, c, row);
	if (row->of == SETTING_OF_WORKSPACES)
		put_choice(w, STR(AUTO_WORKSPACE),
			   str_of(lang_text(c->by->lang, N_("Automatic"))));
	for (size_t i = 0; row->of == SETTING_OF_WORKSPACES &&
	     i < c->n_workspaces; i++)
		put_choice(w, str_of(c->workspaces[i]->id),
			   str_of(c->workspaces[i]->name));
	for (size_t i = 0; row->of == SETTING_OF_LANGUAGES &&
	     lang_choice(i, &tag, &name); i++)
		put_choice(w, str_of(tag), str_of(name));
	for (size_t i = 0; row->of == SETTING_OF_AGENTS && i < c->n_agents; i++)
		put_choice(w, str_of(c->agents[i]->id),
			   str_of(c->agents[i]->name));
	if (row->of == SETTING_OF_SERVICES)
		put_services(w, c, id);
	jw_end_arr(w);
}

static void put_type(struct jw *w, const struct choices *c,
		     enum setting_id id)
{
	static const char *const types[] = {
		[SETTING_BOOL] = "boolean", [SETTING_INT] = "integer",
		[SETTING_TEXT] = "text", [SETTING_CHOICE] = "choice",
		[SETTING_NAME] = "choice", [SETTING_NAMES] = "choices",
	};
	const struct setting_row *row = &setting_rows[id];

	jw_kstrz(w, "type", types[row->type]);
	if (row->type == SETTING_INT) {
		jw_kint(w, "minimum", row->min);
		jw_kint(w, "maximum", row->max);
	} else if (row->type == SETTING_TEXT) {
		jw_kint(w, "maxLength", row->max);
		jw_kbool(w, "multiline", !row->line);
	} else if (row->type == SETTING_NAMES) {
		jw_kint(w, "maxItems", row->max);
	}
	if (row->choices || row->of)
		put_choices(w, c, id);
}

void choice_describe(struct jw *w, const struct choices *c,
		      enum setting_id id)
{
	static const char *const merges[] = {
		[MERGE_FIRST] = "nearest", [MERGE_MOST] = "strictest",
		[MERGE_LEAST] = "smallest", [MERGE_COMMON] = "common",
	};
	const struct setting_row *row = &setting_rows[id];
	const struct setting_values *s = c->s;
	const struct setting_scope in = { .conf = c->by->conf, .values = s };
	struct setting_value v = setting_get(id, &in);

	jw_obj(w);
	jw_kstrz(w, "key", row->key);
	jw_kstrz(w, "alias", row->alias);
	jw_kstrz(w, "label", lang_text(c->by->lang, row->label));
	jw_kstrz(w, "help", lang_text(c->by->lang, row->what));
	put_type(w, c, id);
	jw_kstrz(w, "merge", merges[row->merge]);
	jw_key(w, "levels");
	jw_arr(w);
	for (int l = LEVEL_USER; l <= LEVEL_TENANT; l++)
		if (row->levels & 1u << l)
			jw_str(w, str_of(setting_level_name((enum setting_level)l)));
	jw_end_arr(w);
	jw_kbool(w, "editable", row->levels & 1u << s->v[0].level);
	jw_key(w, "value");
	choice_write(w, id, &in, &v);
	jw_kstrz(w, "from", setting_level_name(v.level));
	put_levels(w, s, id);
	jw_end_obj(w);
}
