/* SPDX-License-Identifier: MIT */
/*
 * The layer of the user's groups: the texts of the configuration, then those
 * that the groups have stored, by name, separated by blank lines.
 */
#include "setting/values.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "prompt/part.h"
#include "prompt/untrusted.h"
#include "resource/author.h"

#include "base/banned.h"

enum { NAMES_CHARS = 200 };	/* in the stamp */

struct teams {
	struct buf text, names;
	int version;		/* if there is only one text */
	size_t n;
};

static bool is_member(const struct identity *who, struct str group)
{
	for (size_t i = 0; i < who->n_groups; i++)
		if (str_eq(who->groups[i], group))
			return true;
	return false;
}

static void add(struct teams *t, struct str group, const char *how, int version,
		struct str text)
{
	if (t->n == LIM_TEAM_PROMPTS || !str_trim(text).n)
		return;
	buf_addf(&t->names, "%s%.*s%s", t->n ? "," : "", STR_ARG(group), how);
	if (t->n)
		buf_adds(&t->text, "\n\n");
	buf_addstr(&t->text, text);
	t->version = t->n++ ? 0 : version;
}

static void add_stored(const struct part_input *in, struct teams *t,
		       const struct setting_holder *h)
{
	struct buf clean = BUF_INIT(16 * LIM_TEAM_PROMPT_CHARS);
	struct setting_value v = { .level = LEVEL_TEAM };
	struct author by;

	if (h->level == LEVEL_TEAM && setting_held(h, SETTING_TEAM_PROMPT, &v)) {
		untrusted_clean(NULL, str_of(v.text), &clean);
		add(t, h->name, "(setting)", (int)MIN(h->version, 1000000),
		    buf_str(&clean));
		author_of(in->conf, in->who, h->author, str_of(v.text), in->arena,
			  &by);
		part_note(in, ORIGIN_TEAM_PROMPT, "group", h->name, &by);
	}
	buf_release(&clean);
}

int part_team(const struct part_input *in, struct part_text *out,
	      struct err *e)
{
	struct teams t = {
		.text = BUF_INIT(LIM_TEAM_PROMPTS * (4 * LIM_PROMPT_CHARS + 2)),
		.names = BUF_INIT(LIM_TEAM_PROMPTS * (LIM_GROUP_BYTES + 16)),
	};

	(void)e;
	for (size_t i = 0; in->who && i < in->conf->n_teams; i++) {
		const struct conf_team *c = &in->conf->teams[i];

		if (is_member(in->who, str_of(c->group)))
			add(&t, str_of(c->group), "", c->version,
			    str_of(c->text));
	}
	for (size_t i = 0; in->teams && i < in->teams->n; i++)
		add_stored(in, &t, &in->teams->v[i]);
	*out = (struct part_text){
		.name = arena_str(in->arena, utf8_head(buf_str(&t.names),
						       NAMES_CHARS)).p,
		.version = t.version,
		.text = arena_str(in->arena, buf_str(&t.text)),
	};
	buf_release(&t.text);
	buf_release(&t.names);
	return 0;
}
