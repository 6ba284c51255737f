/* SPDX-License-Identifier: MIT */
/*
 * Choosing a prompt, filling in its blanks, and finding what to mention, as pages
 * and forms: what the page with JavaScript does with / and @. Each leads to a
 * form with the message, which is not sent yet.
 */
#include "plain/plain.h"

#include <stdio.h>

#include "api/resource.h"
#include "api/scope.h"
#include "app.h"
#include "base/blank.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "tool/mention/mention.h"

#include "base/banned.h"

/* The conversation for which something is chosen. */
struct purpose {
	struct conversation c;	/* where there is one */
	bool given;
	char path[64];		/* path of the form that sends, below the
				 * root */
};

/* The conversation of a text; "" is a new one. ERR_NOT_FOUND. */
static int read_purpose(struct request *rq, struct str text, struct purpose *out,
			struct err *e)
{
	struct uuid id;
	char name[UUID_TEXT_BYTES];

	*out = (struct purpose){ .path = "new" };
	if (!text.n)
		return 0;
	if (!uuid_parse(text, &id))
		return err_set(e, ERR_NOT_FOUND, "no conversation's id");
	if (conversation_get(rq->app->db, &rq->by.owner, &id, rq->arena, &out->c,
			     e) < 0)
		return -1;
	out->given = true;
	snprintf(out->path, sizeof(out->path), "conversations/%s",
		 uuid_format(&id, name));
	return 0;
}

static int purpose_of_query(struct request *rq, struct purpose *out,
			    struct err *e)
{
	struct str text;

	return req_query(rq, "conversation", &text, e) < 0 ? -1
		: read_purpose(rq, text, out, e);
}

/* The id as the value of a parameter or a field; empty for a new one. */
static const char *id_of(struct request *rq, const struct purpose *to)
{
	char *text = arena_alloc(rq->arena, UUID_TEXT_BYTES);

	text[0] = '\0';
	return to->given ? uuid_format(&to->c.id, text) : text;
}

static void put_value(struct buf *b, struct str s)
{
	buf_adds(b, " value=\"");
	html_text(b, s);
	buf_addc(b, '"');
}

/* A form that asks for q; it ends with its button. */
static void put_search(struct plain *p, const struct purpose *to,
		       const char *path, const char *label, struct str q,
		       struct str mentions)
{
	buf_addf(p->b, "<form action=\"%s%s\"><p><label for=\"q\">", p->root, path);
	plain_say(p, label);
	buf_adds(p->b, "</label> <input id=\"q\" name=\"q\" size=\"30\"");
	put_value(p->b, q);
	buf_addf(p->b, ">%s<input type=\"hidden\" name=\"conversation\" value=\"%s\">",
		 p->steps ? PLAIN_STEPS : "", id_of(p->rq, to));
	if (mentions.n) {
		buf_adds(p->b, "<input type=\"hidden\" name=\"mentions\"");
		put_value(p->b, mentions);
		buf_addc(p->b, '>');
	}
	buf_addc(p->b, ' ');
	plain_submit(p, NULL, "Search");
	buf_adds(p->b, "</p></form>\n");
}

/* The form with a message that is not sent yet. */
static void put_message(struct plain *p, const struct purpose *to,
			struct str content)
{
	p->web = to->given && plain_has_web(p->rq, &to->c);
	plain_message_form(p, to->path);
	if (!to->given)
		plain_agent_choice(p);
	plain_message_fields(p, content);
}

/* -- prompts ---------------------------------------------------------------------- */

static const struct resource *const prompts = &resources[RESOURCE_PROMPT];

/*
 * GET {base}/plain/prompts?q=&category=&conversation=&cursor=: prompts by name.
 * 200; 404 for a conversation that is not the caller's; 422.
 */
int plain_prompts(struct request *rq, struct response *rs, struct err *e)
{
	struct resource_call c = {
		.r = prompts, .verb = VERB_LIST, .query = { .uncounted = true },
	};
	struct resource_answer *page = arena_new(rq->arena,
						 struct resource_answer);
	struct purpose to;
	struct plain p;

	if (plain_open(rq, &p, e) < 0 || purpose_of_query(rq, &to, e) < 0 ||
	    api_resource_query(rq, prompts, &c.query, e) < 0 ||
	    resource_call(&rq->by, &c, page, e) < 0)
		return -1;
	plain_begin(&p, rs, 200, str_of(plain_text(&p, "Choose a prompt")));
	put_search(&p, &to, "prompts", N_("Words in its name or text"), c.query.q,
		   STR(""));
	plain_list_head(&p, page->n, N_("No prompts were found."));
	for (size_t i = 0; i < page->n; i++) {
		char id[UUID_TEXT_BYTES];

		buf_addf(p.b, "<li><a href=\"%sprompts/%s?conversation=%s%s\">",
			 p.root, uuid_format(&page->items[i].row->id, id), id_of(rq, &to),
			 p.steps ? "&amp;steps=1" : "");
		html_text(p.b, resource_text(page->items[i].row, COLUMN(PROMPT, name)));
		buf_adds(p.b, "</a> <span class=\"small\">");
		html_text(p.b, resource_text(page->items[i].row, COLUMN(PROMPT, description)));
		buf_adds(p.b, "</span></li>\n");
	}
	if (page->n)
		buf_adds(p.b, "</ul>\n");
	if (page->more) {
		buf_adds(p.b, "<p>");
		plain_say(&p, "There are more: type words that are in one.");
		buf_adds(p.b, "</p>\n");
	}
	plain_foot(&p);
	return 0;
}

/* A prompt whose blanks are being filled in. */
struct plain_blanks {
	struct plain p;
	struct purpose to;
	struct resource_row prompt;
	struct blank *blanks;
	size_t n;
	struct str values[LIM_BLANKS];		/* as the form says */
	const char *wrong[LIM_BLANKS];		/* or NULL */
	struct buf mentions;			/* references, a blank between */
};

static int open_filling(struct request *rq, struct plain_blanks *f, struct err *e)
{
	return plain_open(rq, &f->p, e) < 0 ||
	       resource_visible(&rq->by, prompts, route_arg_uuid(rq, "id"),
				&f->prompt, e) < 0 ||
	       blank_parse(resource_text(&f->prompt, COLUMN(PROMPT, body)), rq->arena,
			   &f->blanks, &f->n, e) < 0 ? -1 : 0;
}

static void put_choices(struct buf *b, const struct blank *blank, size_t i,
			struct str value)
{
	buf_addf(b, "<select id=\"b%zu\" name=\"b%zu\">", i, i);
	for (size_t k = 0; k < blank->n_choices; k++) {
		buf_adds(b, "<option");
		put_value(b, blank->choices[k]);
		buf_adds(b, str_eq(blank->choices[k], value) ? " selected>" : ">");
		html_text(b, blank->choices[k]);
		buf_adds(b, "</option>");
	}
	buf_adds(b, "</select>");
}

static void put_blank(struct plain_blanks *f, size_t i)
{
	const struct blank *blank = &f->blanks[i];
	struct buf *b = f->p.b, dataset = BUF_INIT(8192);

	buf_addf(b, "<p><label for=\"b%zu\">", i);
	html_text(b, blank->name);
	if (blank->type == BLANK_RECORD) {
		html_text(&dataset, blank->dataset);
		buf_addc(b, ' ');
		plain_sayf(&f->p, "(key of one of %s)", buf_str(&dataset).p);
		buf_release(&dataset);
	}
	buf_adds(b, "</label><br>\n");
	if (blank->type == BLANK_CHOICE) {
		put_choices(b, blank, i, f->values[i]);
	} else {
		buf_addf(b, "<input id=\"b%zu\" name=\"b%zu\" size=\"60\"%s", i, i,
			 blank->type == BLANK_DATE ? " type=\"date\"" : "");
		put_value(b, f->values[i]);
		buf_addf(b, f->wrong[i] ? " aria-describedby=\"e%zu\">" : ">", i);
	}
	if (f->wrong[i]) {
		buf_addf(b, "<br>\n<span class=\"error\" id=\"e%zu\">", i);
		plain_say(&f->p, f->wrong[i]);
		buf_adds(b, "</span>");
	}
	buf_adds(b, "</p>\n");
}

static int put_filling(struct plain_blanks *f, struct response *rs, int status)
{
	struct request *rq = f->p.rq;
	char id[UUID_TEXT_BYTES];

	plain_begin(&f->p, rs, status, resource_text(&f->prompt, COLUMN(PROMPT, name)));
	plain_form(&f->p, arena_printf(rq->arena, "prompts/%s",
				       uuid_format(&f->prompt.id, id)));
	buf_addf(f->p.b, "<input type=\"hidden\" name=\"conversation\" "
		 "value=\"%s\">\n", id_of(rq, &f->to));
	for (size_t i = 0; i < f->n; i++)
		put_blank(f, i);
	buf_adds(f->p.b, "<p>");
	plain_submit(&f->p, NULL, "Use prompt");
	buf_adds(f->p.b, "</p></form>\n");
	plain_foot(&f->p);
	return 0;
}

static int put_filled(struct plain_blanks *f, struct response *rs)
{
	struct request *rq = f->p.rq;
	struct str body = resource_text(&f->prompt, COLUMN(PROMPT, body));
	struct buf text = BUF_INIT(LIM_BODY_BYTES);

	blank_fill(body, f->blanks, f->values, f->n, &text);
	f->p.mentions = arena_str(rq->arena, buf_str(&f->mentions));
	f->p.prompt = uuid_format(&f->prompt.id, arena_alloc(rq->arena,
							     UUID_TEXT_BYTES));
	plain_begin(&f->p, rs, 200, resource_text(&f->prompt, COLUMN(PROMPT, name)));
	put_message(&f->p, &f->to, buf_str(&text));
	plain_foot(&f->p);
	buf_release(&text);
	return 0;
}

/*
 * GET {base}/plain/prompts/{id}?conversation=: a form with its blanks; without
 * any, the message. 200; 404.
 */
int plain_prompt(struct request *rq, struct response *rs, struct err *e)
{
	struct plain_blanks *f = arena_new(rq->arena, struct plain_blanks);

	f->mentions = (struct buf)BUF_INIT(LIM_BLANKS * LIM_MENTION_REF_BYTES);
	if (purpose_of_query(rq, &f->to, e) < 0 || open_filling(rq, f, e) < 0)
		return -1;
	return f->n ? put_filling(f, rs, 200) : put_filled(f, rs);
}

/* Finds the record with that key, as a handle; returns NULL, or the error. */
static const char *take_record(struct plain_blanks *f, const struct blank *blank,
			       struct str *value)
{
	struct request *rq = f->p.rq;
	struct tool_ctx ctx = {
		.turn = { .by = rq->by, .env = rq->app->deps.tools },
		.arena = rq->arena,
	};
	const struct mention_ask ask = { .ctx = &ctx, .db = rq->app->db };
	struct err e = ERR_INIT;
	struct mention_item m;
	struct buf ref = BUF_INIT(4 * LIM_MENTION_REF_BYTES);
	struct str text;
	size_t at = 0;

	buf_addf(&ref, "record:%.*s/", STR_ARG(blank->dataset));
	buf_url(&ref, *value);
	text = arena_str(rq->arena, buf_str(&ref));
	buf_release(&ref);
	ctx.turn.workspace = f->to.given
		? scope_workspace(rq, f->to.c.workspace_id, &e)
		: catalog_each(&rq->by, &at);
	err_clear(&e);
	if (!ctx.turn.workspace || !mention_is_ref(text) ||
	    mention_look(&ask, text, &m, &e) < 0)
		return N_("There is no such record, or you may not see it.");
	buf_addf(&f->mentions, "%s%.*s", f->mentions.n ? " " : "", STR_ARG(text));
	*value = str_of(arena_printf(rq->arena, "@%.*s",
				     STR_ARG(mention_handle(text))));
	return NULL;
}

/* True if the form has a value for it. */
static bool take_value(struct plain_blanks *f, size_t i)
{
	const struct blank *blank = &f->blanks[i];
	struct str *v = &f->values[i];
	char name[24];
	bool found = blank->type != BLANK_CHOICE;

	snprintf(name, sizeof(name), "b%zu", i);
	*v = str_trim(form_field(f->p.rq, name));
	for (size_t k = 0; k < blank->n_choices; k++)
		found |= str_eq(*v, blank->choices[k]);
	if (!v->n || !found)
		f->wrong[i] = found ? N_("Fill this in.") : N_("Choose one of these.");
	else if (utf8_chars(*v) > LIM_PROMPT_CHARS)
		f->wrong[i] = N_("This is too long.");
	return !f->wrong[i];
}

/*
 * POST {base}/plain/prompts/{id} conversation, b0, b1, …: the message with the
 * blanks filled in, not sent; 422 is the form again, with what is wrong at each
 * field. Nothing is stored. 404.
 */
int plain_fill(struct request *rq, struct response *rs, struct err *e)
{
	struct plain_blanks *f = arena_new(rq->arena, struct plain_blanks);
	bool fine = true;

	f->mentions = (struct buf)BUF_INIT(LIM_BLANKS * LIM_MENTION_REF_BYTES);
	if (read_purpose(rq, form_field(rq, "conversation"), &f->to, e) < 0 ||
	    open_filling(rq, f, e) < 0)
		return -1;
	for (size_t i = 0; i < f->n; i++)
		fine &= take_value(f, i);
	for (size_t i = 0; fine && i < f->n; i++)
		if (f->blanks[i].type == BLANK_RECORD) {
			f->wrong[i] = take_record(f, &f->blanks[i],
						  &f->values[i]);
			fine = !f->wrong[i];
		}
	if (fine)
		put_filled(f, rs);
	else
		put_filling(f, rs, 422);
	buf_release(&f->mentions);
	return 0;
}

/* -- mentions ---------------------------------------------------------------------- */

static void put_found(struct plain *p, const struct purpose *to,
		      const struct mention_item *m, struct str mentions)
{
	struct buf *b = p->b;

	buf_addf(b, "<li><a href=\"%s%s?mentions=", p->root, to->path);
	buf_url(b, mentions);
	if (mentions.n)
		buf_adds(b, "%20");
	buf_url(b, m->ref);
	buf_adds(b, p->steps ? "&amp;steps=1#send\">" : "#send\">");
	html_text(b, m->label);
	buf_adds(b, "</a> <span class=\"small\">@");
	html_text(b, mention_handle(m->ref));
	if (m->description.n) {
		buf_adds(b, ", ");
		html_text(b, m->description);
	}
	buf_adds(b, "</span></li>\n");
}

/*
 * GET {base}/plain/mentions?q=&conversation=&mentions=: what can be mentioned;
 * each leads to the form of the message with it, and with those of mentions.
 * 200; 404; 422.
 */
int plain_mentions(struct request *rq, struct response *rs, struct err *e)
{
	struct tool_ctx ctx = {
		.turn = { .by = rq->by, .env = rq->app->deps.tools },
		.arena = rq->arena,
	};
	struct mention_ask ask = { .ctx = &ctx, .db = rq->app->db };
	struct mention_list found;
	struct purpose to;
	struct str mentions;
	struct plain p;
	size_t at = 0;

	if (plain_open(rq, &p, e) < 0 || purpose_of_query(rq, &to, e) < 0 ||
	    req_query_text(rq, "q", LIM_MENTION_TYPED_CHARS, &ask.q, e) < 0 ||
	    req_query(rq, "mentions", &mentions, e) < 0)
		return -1;
	ctx.turn.workspace = to.given ? scope_workspace(rq, to.c.workspace_id, e)
		: catalog_each(&rq->by, &at);
	if (!ctx.turn.workspace)
		return err_set(e, ERR_NOT_FOUND, "no workspace for the caller");
	ask.q = str_trim(ask.q);
	mention_find(&ask, LIM_MENTION_FOUND, &found);
	plain_begin(&p, rs, 200, str_of(plain_text(&p, "Mention")));
	put_search(&p, &to, "mentions", N_("Name, number or words"), ask.q, mentions);
	plain_list_head(&p, found.n, N_("Nothing was found."));
	for (size_t i = 0; i < found.n; i++)
		put_found(&p, &to, &found.v[i], mentions);
	if (found.n)
		buf_adds(p.b, "</ul>\n");
	plain_foot(&p);
	return 0;
}
