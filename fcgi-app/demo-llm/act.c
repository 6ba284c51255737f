/* SPDX-License-Identifier: MIT */
#include "demo-llm/act.h"

#include <ctype.h>
#include <string.h>

#include "base/utf8.h"

#include "base/banned.h"

#define SUBJECT_BYTES 120
#define ERROR_BYTES 300
#define FIELDS_MAX 16

bool demo_tool_is(const char *name, const char *want)
{
	size_t n = name ? strlen(name) : 0, m = strlen(want);

	return n >= m && !strcmp(name + n - m, want);
}

static const struct done *find_done(struct deeds done, const char *tool)
{
	for (size_t i = 0; i < done.n; i++)
		if (demo_tool_is(done.v[i].name, tool))
			return &done.v[i];
	return NULL;
}

static const char *member(const json_t *v, const char *key)
{
	const char *text = jx_str(v, key).p;

	return text ? text : "";
}

/* Appends why a call did not work: the message of its error, if it has one. */
static void say_failure(struct arena *a, struct out *say,
			const struct done *d)
{
	json_t *v = result_json(a, d->result->text);
	const char *why = member(jx_obj(v, "error"), "message");

	if (!*why)
		why = d->result->text;
	out_printf(say, "%.*s", (int)strnlen(why, ERROR_BYTES), why);
	why = member(v, "output");
	out_printf(say, "%s%.*s", *why ? " " : "",
		   (int)strnlen(why, ERROR_BYTES), why);
}

static bool failed(struct arena *a, const struct done *d)
{
	return d->result->is_error ||
	       jx_obj(result_json(a, d->result->text), "error");
}

/* -- "Open a ticket: the printer is out of toner, urgent" ------------------- */

/* Index of the word behind "open a new ticket about", or 0. */
static size_t ticket_subject(const struct words *w)
{
	size_t i = word_in(w, 0, "please") ? 1 : 0;

	if (!word_in(w, i, "open create raise file log make write submit"))
		return 0;
	if (!word_in(w, ++i, "a an one another"))
		return 0;
	for (i++; word_in(w, i, "new urgent high low normal support help desk"); i++)
		;
	if (!word_in(w, i, "ticket issue request"))
		return 0;
	for (i++; word_in(w, i, "about for that saying because with subject as"); i++)
		;
	return i < w->n ? i : 0;
}

static const char *priority_in(const struct words *w)
{
	static const char *const names[] = { "urgent", "high", "low" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (words_find(w, names[i]) >= 0)
			return names[i];
	return "normal";
}

static enum act open_ticket(const struct ask *a, const struct words *w,
			    struct deeds done, struct plan *p, struct out *say)
{
	const char *tool = ask_tool(a, "create_ticket");
	const struct done *d = find_done(done, "create_ticket");
	size_t from = tool ? ticket_subject(w) : 0;
	const json_t *v;
	char *subject;

	if (!from)
		return ACT_NONE;
	if (!d) {
		subject = arena_strdup(a->a, words_text(w, from, w->n - from));
		*subject = (char)toupper((unsigned char)*subject);
		subject[utf8_complete((struct str){ subject,
			strnlen(subject, SUBJECT_BYTES) })] = '\0';
		plan_call(p, NULL, tool, jx_keep(a->a, json_pack("{s:s, s:s}",
			  "subject", subject, "priority", priority_in(w))));
		return ACT_CALL;
	}
	if (failed(a->a, d)) {
		out_puts(say, "No ticket was opened: ");
		say_failure(a->a, say, d);
		return ACT_SAID;
	}
	/* The user may have changed what was asked for. */
	v = result_json(a->a, d->result->text);
	out_printf(say, "Ticket **%lld** is open: %s (priority %s).",
		   (long long)jx_int(v, "ticket", 0), member(v, "subject"),
		   member(v, "priority"));
	return ACT_SAID;
}

/* -- "Set the title to Printer and the priority to high" --------------------- */

struct setting {		/* a field of the page's form that is named */
	const char *field;	/* as the tool's schema has it */
	size_t from, to;	/* its words */
};

static const json_t *fields_of(const struct ask *a, const char *tool)
{
	const json_t *t;
	size_t i;

	json_array_foreach(a->tools, i, t)
		if (!strcmp(member(t, "name"), tool))
			return jx_arr(jx_obj(jx_obj(json_object_get(t, "schema"),
				      "properties"), "field"), "enum");
	return NULL;
}

/* The longest field whose words stand at i; 0 when none does. */
static size_t field_at(struct arena *a, const json_t *fields,
		       const struct words *w, size_t i, const char **field)
{
	const json_t *f;
	size_t k, longest = 0;

	json_array_foreach(fields, k, f) {
		const char *name = json_string_value(f);
		const char *label = name ? label_text(a, name) : "";
		size_t n = *label ? words_at(w, i, label) : 0;

		if (n > longest) {
			longest = n;
			*field = name;
		}
	}
	return longest;
}

static size_t find_settings(struct arena *a, const json_t *fields,
			    const struct words *w, struct setting *v)
{
	size_t n = 0;

	for (size_t i = 1; i < w->n && n < FIELDS_MAX; i++) {
		size_t len = field_at(a, fields, w, i, &v[n].field);

		if (!len)
			continue;
		v[n].from = i;
		v[n++].to = i + len;
		i += len - 1;
	}
	return n;
}

/* What stands behind a field: up to the next, without the words between. */
static const char *value_of(const struct words *w, size_t from, size_t to)
{
	while (from < to && word_in(w, from, "to as is with be of for"))
		from++;
	while (to > from && word_in(w, to - 1, "and the its"))
		to--;
	return from < to ? words_text(w, from, to - from) : "";
}

static enum act set_fields(const struct ask *a, const struct words *w,
			   struct deeds done, struct plan *p, struct out *say)
{
	const char *tool = ask_tool(a, "set_field");
	struct setting v[FIELDS_MAX];
	size_t n = 0, first = word_in(w, 0, "please") ? 1 : 0, said = 0;

	if (tool && word_in(w, first, "set fill enter put change choose select"))
		n = find_settings(a->a, fields_of(a, tool), w, v);
	if (!n)
		return ACT_NONE;
	for (size_t i = 0; i < done.n; i++) {
		const struct done *d = &done.v[i];

		if (!demo_tool_is(d->name, "set_field"))
			continue;
		out_printf(say, "%s**%s**", said++ ? "\n- " : "- ",
			   label_text(a->a, member(d->args, "field")));
		if (!failed(a->a, d)) {
			out_printf(say, " is now %s", member(d->args, "value"));
			continue;
		}
		out_puts(say, " is as it was: ");
		say_failure(a->a, say, d);
	}
	if (said)
		return ACT_SAID;
	for (size_t i = 0; i < n; i++)
		plan_call(p, NULL, tool, jx_keep(a->a, json_pack("{s:s, s:s}",
			  "field", v[i].field, "value",
			  value_of(w, v[i].to, i + 1 < n ? v[i + 1].from
							 : w->n))));
	return ACT_CALL;
}

enum act act(const struct ask *a, const struct words *w, struct deeds done,
	     struct plan *p, struct out *say)
{
	enum act did = open_ticket(a, w, done, p, say);

	return did == ACT_NONE ? set_fields(a, w, done, p, say) : did;
}

/* -- asking back --------------------------------------------------------------- */

/* The dataset that is all there is in w, or NULL. */
static const struct dataset *only_dataset(const struct catalogue *c,
					  const struct words *w)
{
	const struct dataset *d = NULL;

	for (size_t i = 0; i < w->n; i++) {
		if (word_in(w, i, "tell me us about something anything more "
			    "want need to know please a the our your i"))
			continue;
		for (size_t k = 0; k < c->n && !d; k++)
			if (demo_dataset_is(&c->dataset[k], w, i))
				d = &c->dataset[k];
		if (!d || !demo_dataset_is(d, w, i))
			return NULL;
	}
	return d;
}

bool act_ask_back(const struct ask *a, const struct catalogue *c,
		  const struct words *w, struct plan *p)
{
	const char *tool = ask_tool(a, "ask_user");
	const struct dataset *d = tool ? only_dataset(c, w) : NULL;
	const char *many = d ? d->many : NULL, *by = NULL;
	json_t *options;

	if (!d)
		return false;
	for (size_t i = 0; i < d->n && !by; i++)
		if (d->column[i].n_values)
			by = d->column[i].label;
	options = json_pack("[s, s]", arena_printf(a->a, "How many %s are there?", many),
			    arena_printf(a->a, "List the first 5 %s", many));
	if (by)
		json_array_append_new(options, json_string(arena_printf(a->a,
			"How many %s are there by %s?", many, by)));
	plan_call(p, NULL, tool, jx_keep(a->a, json_pack("{s:s, s:o}",
		  "question", arena_printf(a->a, "What about the %s?", many),
		  "options", options)));
	return true;
}

const char *act_choice(struct arena *a, struct deeds done)
{
	const struct done *d = find_done(done, "ask_user");

	if (!d)
		return NULL;
	return failed(a, d) ? "" : arena_strdup(a, member(
			result_json(a, d->result->text), "answer"));
}
