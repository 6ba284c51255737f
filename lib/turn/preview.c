
#include "turn/preview.h"
#include <string.h>

#include "base/log.h"
#include "store/conversation.h"
#include "turn/context.h"
#include "turn/loop.h"
#include "turn/setting.h"

#include "base/banned.h"

/* The message would be the next one of the conversation, if there is one. */
static int find_place(struct turn_run *t, struct err *e)
{
	struct conversation c;

	if (t->created_conversation)
		return 0;
	if (conversation_get(t->deps->db, &t->loop->owner, &t->conversation_id,
			     t->arena, &c, e) < 0)
		return -1;
	t->user.seq = c.last_seq + 1;
	return 0;
}

static int build(struct turn_loop *l, struct context_preview *out,
		 struct err *e)
{
	struct llm_wire wire;

	if (find_place(l->run, e) < 0 || context_build(l, e) < 0 ||
	    llm_build(&l->request, l->arena, &wire, e) < 0)
		return -1;
	*out = (struct context_preview){
		.service = l->run->in.target.service, .blocks = l->blocks,
		.tools = l->request.tools, .forms = l->tool_forms,
		.n_tools = l->request.n_tools, .n_messages = l->n_messages,
		.tokens = context_tokens(l),
		.body = arena_str(l->arena, buf_str(&wire.body)),
	};
	memcpy(out->share, l->share, sizeof(out->share));
	buf_release(&wire.body);
	return 0;
}

/*
 * With what the user has set. A new conversation needs nothing else of the
 * database, so it is previewed without it, and the log says so.
 */
static int check_target(struct turn_run *t, struct err *e)
{
	struct err why = ERR_INIT;

	if (turn_settings_read(t, &why) < 0)
		log_err("a preview without the user's settings", &why);
	return target_can_chat(&t->in.target, e);
}

int context_preview(const struct turn_deps *deps, const struct turn_request *in,
		    struct arena *a, struct context_preview *out,
		    struct err *e)
{
	struct turn_run *t = arena_new(a, struct turn_run);
	struct str client;
	int rc;

	*t = (struct turn_run){
		.deps = deps, .in = *in, .arena = a,
		.conversation_id = in->conversation_id,
		.created_conversation = uuid_is_nil(&in->conversation_id),
	};
	t->in.meta = turn_options_meta(a, in->meta, &in->options);
	if (turn_options_text(&in->options, true, a, &client, e) < 0 ||
	    target_settle(&t->in.by, &t->in.target, a, e) < 0 ||
	    check_target(t, e) < 0)
		return -1;
	t->loop = loop_new(t, a);
	t->loop->tool_ctx.turn.conversation_id = &t->conversation_id;
	turn_options_tools(client, a, &t->loop->tool_ctx);
	rc = build(t->loop, out, e);
	loop_drop(t->loop);
	return rc;
}

/* What is said of a part: beside the numbers, the block that it is, if any. */
static void write_part(const struct context_preview *p, int i, struct jw *w)
{
	const struct part_share *s = &p->share[i];

	jw_obj(w);
	jw_kstrz(w, "part", part_rows[i].layer);
	jw_kint(w, "tokens", s->tokens);
	jw_kbool(w, "cut", s->cut);
	for (size_t k = 0; part_rows[i].fill && k < p->blocks.n; k++) {
		const struct prompt_stamp *stamp = &p->blocks.stamp[k];

		if (strcmp(stamp->layer, part_rows[i].layer) != 0)
			continue;
		jw_kstrz(w, "name", stamp->name);
		jw_kint(w, "version", stamp->version);
		jw_kstrz(w, "hash", stamp->hash);
		jw_kstr(w, "text", p->blocks.text[k]);
	}
	jw_end_obj(w);
}

static void write_tool(const struct context_preview *p, size_t i, struct jw *w)
{
	jw_obj(w);
	jw_kstrz(w, "name", p->tools[i].name);
	jw_kstrz(w, "description", p->tools[i].description);
	jw_key(w, "schema");
	jw_json(w, p->forms[i].schema);
	jw_kint(w, "tokens", p->forms[i].tokens);
	jw_end_obj(w);
}

void context_preview_write(const struct context_preview *p, struct jw *w)
{
	jw_obj(w);
	jw_kstrz(w, "provider", p->service->provider);
	jw_kstrz(w, "model", p->service->model);
	jw_kint(w, "inputTokens", p->tokens);
	jw_kint(w, "contextTokens", p->service->context_tokens);
	jw_kint(w, "messages", (int64_t)p->n_messages);
	jw_key(w, "parts");
	jw_arr(w);
	for (int i = 0; i < PART__MAX; i++)
		if (p->share[i].tokens || p->share[i].cut)
			write_part(p, i, w);
	jw_end_arr(w);
	jw_key(w, "tools");
	jw_arr(w);
	for (size_t i = 0; i < p->n_tools; i++)
		write_tool(p, i, w);
	jw_end_arr(w);
	jw_key(w, "request");
	jw_raw(w, p->body);
	jw_end_obj(w);
}
