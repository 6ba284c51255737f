/* SPDX-License-Identifier: MIT */
#include "context/whose.h"

#include <string.h>

#include "resource/author.h"
#include "context/prompt_use.h"
#include "event/relay.h"
#include "context/context.h"

#include "base/banned.h"

#define KEY "origins"

/* The author of the message's prompt as an origin's name; p == NULL: trusted. */
static struct str of_prompt(struct turn_run *t)
{
	if (!t->in.options.prompt_id.p)
		return (struct str){ NULL, 0 };
	/* Of a prompt that is gone, the text is still in the message. */
	return context_prompt_stamp(t) ? t->prompt_author : STR("somebody (a deleted prompt)");
}

/* Whether nobody else, except whom an admin trusts, may have written w's texts. */
static bool is_trusted(const struct turn_run *t, const struct workspace *w)
{
	const struct conf *c = t->in.by.conf;

	for (size_t i = 0; i < w->manager_users.n; i++) {
		struct str login = str_of(w->manager_users.v[i]);

		if (!str_eq(login, t->in.by.who->login) &&
		    !conf_list_has(&c->trusted.users, login))
			return false;
	}
	for (size_t i = 0; i < w->manager_groups.n; i++)
		if (!conf_list_has(&c->trusted.groups, str_of(w->manager_groups.v[i])))
			return false;
	return true;
}

/*
 * Whose suggestion the message is, as an origin's name; p == NULL: it is none, or of
 * somebody trusted. Pages send one with a click.
 */
static struct str of_suggestion(struct turn_run *t)
{
	const struct workspace *w = t->in.target.workspace;
	const struct agent *a = t->in.target.agent;
	bool trusted = w->row && is_trusted(t, w);

	for (size_t i = 0; w->row && !trusted && i < w->suggestions.n; i++)
		if (author_same_words(t->in.content, str_of(w->suggestions.v[i])))
			return str_of(arena_printf(t->arena, "managers (workspace %s)",
						   w->id));
	if (a->row && !trusted && !uuid_eq(&a->row->holder, &t->in.by.owner.user_id) &&
	    author_same_words(t->in.content, resource_text(
		    a->row, COLUMN(AGENT, user_prompt))))
		return str_of(arena_printf(t->arena, "managers (agent %s)", a->id));
	return (struct str){ NULL, 0 };
}

static const json_t *origins_in(struct str meta, struct arena *a)
{
	struct err ignored = ERR_INIT;

	return jx_arr(jx_keep(a, jx_load_lenient(meta, &ignored)), KEY);
}

void whose_mark_message(struct turn_run *t, const struct message *old)
{
	struct str by, meta = t->in.meta;
	struct origins from = { .n = 0 };
	struct buf b = BUF_INIT(65536);
	struct jw w = jw_on(&b);

	if (!t->in.content.p)
		return;
	/*
	 * An edit keeps the words of the prompt, and so its author, though the page sends
	 * no id.
	 */
	if (old && old->options.prompt_id.p && !t->in.options.prompt_id.p) {
		t->in.options.prompt_id = old->options.prompt_id;
		origins_read(&from, origins_in(old->meta, t->arena));
	}
	by = of_prompt(t);
	if (by.p)
		origins_add(&from, ORIGIN_CATALOGUE_PROMPT, by);
	by = of_suggestion(t);
	if (by.p)
		origins_add(&from, ORIGIN_SUGGESTION, by);
	if (!from.n)
		return;
	origins_write(&w, &from);
	/* The metadata may be long; it is not parsed here. */
	t->in.meta = str_of(arena_printf(t->arena, "%.*s%s\"" KEY "\":%.*s}",
		(int)(meta.n > 2 ? meta.n - 1 : 1), meta.n > 2 ? meta.p : "{",
		meta.n > 2 ? "," : "", STR_ARG(buf_str(&b))));
	buf_release(&b);
}

void whose_of_message(struct context *cx)
{
	struct turn_run *t = cx->run;
	struct str by, meta = t->user.meta.n ? t->user.meta : t->in.meta;

	if (cx->outer)
		return;
	by = of_prompt(t);
	if (by.p)
		origins_add(&cx->derived, ORIGIN_CATALOGUE_PROMPT, by);
	/* Since the message was stored, the prompt may have got another author. */
	if (meta.n)
		origins_read(&cx->derived, origins_in(meta, cx->arena));
}

void whose_write(const struct context *cx, struct jw *w)
{
	if (!cx->derived.n)
		return;
	jw_key(w, KEY);
	origins_write(w, &cx->derived);
}

static bool is_prompt(const struct origin *o)
{
	return !strcmp(o->kind, "prompt");
}

static bool is_announced(const struct context *cx, const struct origin *o)
{
	return origins_has(&cx->announced, ORIGIN_AGENT_PROMPT, str_of(o->name));
}

void whose_tell(struct context *cx)
{
	struct buf b = BUF_INIT(ORIGINS * (ORIGIN_NAME_BYTES + 2) + 512);
	struct turn_event ev = {
		.type = TURN_EV_WARNING, .code = STR("prompt_of_others"),
	};
	size_t n = 0;

	for (size_t i = 0; !cx->outer && i < cx->derived.n; i++) {
		const struct origin *o = &cx->derived.v[i];

		if (is_prompt(o) && !is_announced(cx, o))
			buf_addf(&b, "%s%s", n++ ? ", " : "Instructions by other "
				 "users are used here: ", o->name);
	}
	if (n) {
		buf_adds(&b, ". You are asked before a tool changes something.");
		ev.text = arena_str(cx->arena, buf_str(&b));
		relay_emit(cx->relay, &ev);
	}
	buf_release(&b);
}
