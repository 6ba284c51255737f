/* SPDX-License-Identifier: MIT */
/*
 * A new message starts a turn in one statement, which also reads the caller's
 * settings: they cost no round trip. Where they are needed earlier (no
 * workspace is named, or no LLM service is usable without them), they are read
 * on their own.
 */
#include "context/setting.h"

#include "base/zone.h"
#include "context/context.h"

#include "base/banned.h"

struct setting_value context_setting(const struct turn_run *t, enum setting_id id)
{
	return setting_get(id, &(struct setting_scope){
		.conf = t->in.by.conf, .values = t->in.by.settings,
		.workspace = t->in.target.workspace,
		.agent = t->in.target.agent });
}

struct str context_zone(const struct turn_run *t)
{
	const struct setting_value v = context_setting(t, SETTING_TIME_ZONE);
	const struct str set = str_of(v.text), device = t->in.options.time_zone;

	/*
	 * What the user has set goes before the device, the device before what an admin has
	 * set.
	 */
	if (v.level == LEVEL_USER && zone_known(set))
		return set;
	if (zone_known(device))
		return device;
	return zone_known(set) ? set : (struct str){ NULL, 0 };
}

/* Keeps the settings; everybody who asks for the caller's sees the same. */
static int settle(struct turn_run *t, const struct setting_values *s,
		  struct err *e)
{
	t->in.by.settings = s;
	if (t->context)
		t->context->tool_ctx.turn.by.settings = s;
	return target_select(&t->in.target, &t->in.by, t->arena, e);
}

void context_settings_ask(const struct turn_run *t, struct turn_begin *b,
			  struct setting_values **s)
{
	*s = NULL;
	if (!t->in.by.who)
		return;
	*s = setting_holders(t->in.by.who, t->arena);
	b->holders = setting_ids(*s, t->arena);
	b->n_holders = (*s)->n;
}

int context_settings_take(struct turn_run *t, const struct turn_begin *b,
			  struct setting_values *s, struct err *e)
{
	size_t rest = MAX(b->n_holders, STORE_SETTINGS) - STORE_SETTINGS;
	struct store_setting *rows;
	size_t n;

	if (!s)
		return 0;
	if (!b->settings_known)
		return context_settings_read(t, e);
	setting_take(s, b->settings, b->n_settings, t->arena);
	n = b->n_settings;
	if (rest) {
		rows = arena_zalloc(t->arena, rest, sizeof(*rows));
		if (store_setting_read(t->deps->db, t->in.by.who->tenant,
				       b->holders + STORE_SETTINGS, rest,
				       t->arena, rows, &rest, e) < 0)
			return -1;
		setting_take(s, rows, rest, t->arena);
		n += rest;
	}
	return n ? settle(t, s, e) : 0;
}

int context_settings_read(struct turn_run *t, struct err *e)
{
	if (setting_read_for(&t->in.by, e) < 0)
		return -1;
	return t->in.by.settings ? settle(t, t->in.by.settings, e) : 0;
}
