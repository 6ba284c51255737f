/* SPDX-License-Identifier: MIT */
/* What assistants remember of the user in all conversations: to decide, change and delete. */
#include "plain/plain.h"

#include "api/resource.h"
#include "app.h"
#include "base/limits.h"
#include "base/util.h"

#include "base/banned.h"

static const struct resource *const memories = &resources[RESOURCE_PERSONAL_MEMORY];

/* What the buttons of a row do; of proposals and of the others. */
static const struct button {
	const char *name, *label;
	const char *state;	/* that it gives the row, or NULL */
	bool proposed, others;	/* rows that have it */
} buttons[] = {
	{ "keep", N_("Keep"), "kept", true, false },
	{ "refuse", N_("Refuse"), "refused", true, false },
	{ "save", N_("Save"), NULL, false, true },
	{ "delete", N_("Delete"), NULL, true, true },
};

static void put_row(struct plain *p, const struct resource_row *row)
{
	struct str text = resource_text(row, COLUMN(PERSONAL_MEMORY, text));
	struct str state = resource_text(row, COLUMN(PERSONAL_MEMORY, state));
	const bool proposed = str_is(state, "proposed");
	char id[UUID_TEXT_BYTES];

	plain_form(p, arena_printf(p->rq->arena, "memories/%s",
				   uuid_format(&row->id, id)));
	buf_addf(p->b, "<p><label for=\"%s\">", id);
	plain_say(p, proposed ? N_("Proposed") : str_is(state, "kept") ? N_("Kept")
		  : N_("Refused"));
	buf_addf(p->b, "</label><br>\n<input id=\"%s\" name=\"text\" size=\"72\" "
		 "maxlength=\"%d\" value=\"", id, LIM_PERSONAL_MEMORY_CHARS);
	html_text(p->b, text);
	buf_adds(p->b, "\">");
	for (size_t i = 0; i < ARRAY_LEN(buttons); i++)
		if (proposed ? buttons[i].proposed : buttons[i].others) {
			buf_addc(p->b, ' ');
			plain_submit(p, buttons[i].name, buttons[i].label);
		}
	if (resource_text(row, COLUMN(PERSONAL_MEMORY, origins)).n) {
		buf_adds(p->b, "<br>\n<span class=\"small\">");
		plain_say(p, "It was made from text of others, too.");
		buf_adds(p->b, "</span>");
	}
	buf_adds(p->b, "</p>\n</form>\n");
}

/* GET {base}/plain/memories?cursor=: a page of them, newest first. 200; 400; 422. */
int plain_memories(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_call c = {
		.r = memories, .verb = VERB_LIST, .query = { .uncounted = true },
	};
	struct resource_answer *page = arena_new(rq->arena, struct resource_answer);
	struct plain p;

	if (plain_open(rq, &p, e) < 0 || req_query(rq, "cursor", &c.query.cursor, e) < 0 ||
	    resource_call(&rq->by, &c, page, e) < 0)
		return -1;
	plain_begin(&p, rs, 200, str_of(plain_text(&p, "Remembered")));
	buf_adds(p.b, "<p>");
	plain_sayf(&p, "What assistants know about you in all conversations. Only what you keep "
		   "is used. It is switched on under %sRemember me%s in your settings.",
		   arena_printf(rq->arena, "<a href=\"%ssettings\">", p.root), "</a>");
	buf_adds(p.b, "</p>\n");
	for (size_t i = 0; i < page->n; i++)
		put_row(&p, page->items[i].row);
	if (page->next.p) {
		buf_addf(p.b, "<p><a href=\"%smemories?cursor=", p.root);
		buf_url(p.b, page->next);
		buf_adds(p.b, "\">");
		plain_say(&p, "Older ones");
		buf_adds(p.b, "</a></p>\n");
	}
	plain_form(&p, "memories");
	buf_adds(p.b, "<p><label for=\"text\">");
	plain_say(&p, "Remember this about me");
	buf_addf(p.b, "</label><br>\n<input id=\"text\" name=\"text\" size=\"72\" "
		 "maxlength=\"%d\"> ", LIM_PERSONAL_MEMORY_CHARS);
	plain_submit(&p, NULL, "Add");
	buf_adds(p.b, "</p>\n</form>\n");
	plain_foot(&p);
	return 0;
}

/* POST {base}/plain/memories text: 303 to the list. Errors of resource_call. */
int plain_memory_add(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_answer *answer = arena_new(rq->arena, struct resource_answer);
	struct resource_call c = {
		.r = memories, .verb = VERB_CREATE,
		.body = jx_keep(rq->arena, json_pack("{s:o}", "text", jx_string(
			str_trim(form_field(rq, "text"))))),
	};

	if (resource_call(&rq->by, &c, answer, e) < 0)
		return -1;
	plain_go(rq, rs, "memories", "");
	return 0;
}

/* The button of the form that was sent. */
static const struct button *pressed(struct request *rq)
{
	for (size_t i = 0; i < ARRAY_LEN(buttons); i++)
		if (form_field(rq, buttons[i].name).n)
			return &buttons[i];
	return NULL;
}

/*
 * POST {base}/plain/memories/{id} text and one of keep, refuse, save, delete: 303 to the
 * list. 404; errors of resource_call.
 */
int plain_memory_change(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_answer *changed = arena_new(rq->arena, struct resource_answer);
	const struct button *b = pressed(rq);
	char id[UUID_TEXT_BYTES];
	struct resource_call c = { .r = memories, .verb = VERB_PATCH };
	json_t *body = jx_keep(rq->arena, json_object());

	if (b && !b->state && str_is(str_of(b->name), "delete"))
		c.verb = VERB_DELETE;
	json_object_set_new(body, "text", jx_string(str_trim(form_field(rq, "text"))));
	if (b && b->state)
		json_object_set_new(body, "state", json_string(b->state));
	c.id = str_of(uuid_format(route_arg_uuid(rq, "id"), id));
	c.body = c.verb == VERB_PATCH ? body : NULL;
	if (resource_call(&rq->by, &c, changed, e) < 0)
		return -1;
	plain_go(rq, rs, "memories", "");
	return 0;
}
