/* SPDX-License-Identifier: MIT */
#include "context/mention.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "tool/mention/mention.h"
#include "context/context.h"

#include "base/banned.h"

static const char key[] = "mentions";

static struct str ref_at(const json_t *list, size_t i)
{
	const json_t *item = json_array_get(list, i);

	if (json_is_object(item))	/* the stored form */
		return jx_str(item, "ref");
	return (struct str){ json_string_value(item), json_string_length(item) };
}

static struct mention_ask ask_of(const struct context *cx)
{
	return (struct mention_ask){
		.ctx = &cx->tool_ctx, .db = cx->run->deps->db,
	};
}

/*
 * The text for the model about one mention: its reference in the message, and
 * details.
 */
static void add_text(struct buf *b, struct str ref, const struct mention_item *m,
		     const char *why)
{
	struct str handle = mention_handle(ref), head;

	if (!b->n)
		buf_adds(b, "The user's message mentions these with @:\n");
	buf_addf(b, "\n@%.*s ", STR_ARG(handle));
	if (!m) {
		buf_addf(b, "(%s)\n", why);
		return;
	}
	head = utf8_head(m->text, LIM_MENTION_CHARS);
	buf_addf(b, "(%s%s%.*s):\n%.*s%s\n", m->type,
		 m->source.n ? " of the dataset " : "", STR_ARG(m->source),
		 STR_ARG(head), head.n < m->text.n ? " [cut]" : "");
}

static void taint(struct context *cx, const struct mention_item *m)
{
	const bool is_row = m->source.n > 0;

	origins_add(&cx->taint, is_row ? ORIGIN_MENTION : ORIGIN_MENTION_PERSON,
		    is_row ? m->source : mention_handle(m->ref));
}

static void keep_text(struct context *cx, struct buf *b)
{
	cx->mentions.text = arena_str(cx->arena, buf_str(b));
	cx->mentions.looked_up = true;
	buf_release(b);
}

static int wrong(size_t i, const char *what, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, key, "mentions[%zu]: %s", i, what);
}

/* The record that is stored of a mention. */
static json_t *record_of(const struct mention_item *m)
{
	struct buf b = BUF_INIT(65536);
	struct jw w = jw_on(&b);
	struct err ignored = ERR_INIT;
	json_t *j;

	mention_write(&w, m);
	j = jx_load_lenient(buf_str(&b), &ignored);
	buf_release(&b);
	return j;
}

int context_mention_new(struct turn_run *t, struct str given, struct err *e)
{
	struct buf b = BUF_INIT(8 * LIM_MENTIONS * LIM_MENTION_CHARS);
	struct context *cx = t->context;
	const struct mention_ask ask = ask_of(cx);
	json_t *list = t->in.options.mentions, *found;
	struct turn_options options = t->in.options;
	size_t n = json_array_size(list);
	int rc = 0;

	if (!n)
		return 0;
	if (n > LIM_MENTIONS)
		return err_field(e, ERR_INVALID_FIELD, key, "mentions may have "
				 "at most %d items.", LIM_MENTIONS);
	found = jx_keep(cx->arena, json_array());
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct str ref = ref_at(list, i);
		struct err why = ERR_INIT;
		struct mention_item m;

		if (!mention_is_ref(ref)) {
			rc = wrong(i, "This is not a reference of GET /mentions.",
				   e);
		} else if (mention_look(&ask, ref, &m, &why) == 0) {
			add_text(&b, ref, &m, NULL);
			taint(cx, &m);
			json_array_append_new(found, record_of(&m));
		} else if (why.code == ERR_NOT_FOUND) {
			rc = wrong(i, "It does not exist, or you may not see "
				   "it.", e);
		} else {
			/*
			 * The source of rows may be down; the message is sent without the
			 * row rather than not at all.
			 */
			log_err("a mention could not be looked up", &why);
			add_text(&b, ref, NULL, "could not be looked up just now");
			m.label = mention_handle(ref);
			json_array_append_new(found, record_of(&m));
		}
	}
	if (rc < 0) {
		buf_release(&b);
		return -1;
	}
	options.mentions = found;
	t->in.meta = options_meta(t->arena, given, &options);
	keep_text(cx, &b);
	return 0;
}

void context_mentions(struct context *cx)
{
	const json_t *list = cx->run->in.options.mentions;
	struct buf b = BUF_INIT(8 * LIM_MENTIONS * LIM_MENTION_CHARS);
	const struct mention_ask ask = ask_of(cx);
	size_t n = MIN(json_array_size(list), LIM_MENTIONS);

	if (cx->outer || cx->mentions.looked_up)
		return;
	for (size_t i = 0; i < n; i++) {
		struct str ref = ref_at(list, i);
		struct err why = ERR_INIT;
		struct mention_item m;

		if (!mention_is_ref(ref))
			continue;
		if (mention_look(&ask, ref, &m, &why) == 0) {
			add_text(&b, ref, &m, NULL);
			taint(cx, &m);
			continue;
		}
		if (why.code != ERR_NOT_FOUND)
			log_err("a mention could not be looked up", &why);
		add_text(&b, ref, NULL, why.code == ERR_NOT_FOUND
			 ? "is not there, or the user may not see it"
			 : "could not be looked up just now");
	}
	keep_text(cx, &b);
}
