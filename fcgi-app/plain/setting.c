/* SPDX-License-Identifier: MIT */
/*
 * The caller's own settings as a form: what GET /settings says of each, without
 * JavaScript. An error is shown at its field, and then nothing is saved.
 */
#include "plain/plain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "domain/choice.h"
#include "setting/values.h"
#include "api/setting.h"
#include "app.h"
#include "base/limits.h"
#include "base/util.h"

#include "base/banned.h"

enum { TRIES = 10 };	/* to store a change while others change the same */

/* The form as it is shown. */
struct plain_settings {
	struct plain p;
	const struct setting_values *values;
	json_t *items;		/* as GET /settings has them */
	const struct err *wrong;	/* of one field, or NULL */
};

static bool is_mine(const struct setting_row *row)
{
	return row->type != SETTING_INTERNAL && row->type != SETTING_NAMES &&
		row->levels & 1u << LEVEL_USER;
}

/* -- the form ---------------------------------------------------------------------- */

/* A value of JSON as a control has it; NULL where it is null. */
static const char *text_of(struct arena *a, const json_t *v)
{
	return json_is_string(v) ? json_string_value(v)
		: json_is_boolean(v) ? json_is_true(v) ? "true" : "false"
		: json_is_integer(v)
		? arena_printf(a, "%lld", (long long)json_integer_value(v))
		: NULL;
}

static void put_option(struct buf *b, const char *value, const char *label,
		       const char *selected)
{
	buf_adds(b, "<option value=\"");
	html_text(b, str_of(value));
	buf_adds(b, strcmp(value, selected) ? "\">" : "\" selected>");
	html_text(b, str_of(label));
	buf_adds(b, "</option>");
}

/* The text of a value: its label, yes or no, or the value. */
static const char *shown(const struct plain *p, const json_t *item, const char *value)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(item, "choices"), i, one)
		if (str_is(jx_str(one, "value"), value))
			return json_string_value(json_object_get(one, "label"));
	if (str_is(jx_str(item, "type"), "boolean"))
		return plain_text(p, strcmp(value, "true") ? N_("No") : N_("Yes"));
	return value;
}

static void put_select(struct plain *p, const json_t *item, const char *key,
		       const char *value)
{
	struct buf *b = p->b;
	const json_t *one;
	size_t i;

	buf_addf(b, "<select id=\"%s\" name=\"%s\">", key, key);
	put_option(b, "", plain_text(p, "Not set"), value);
	if (str_is(jx_str(item, "type"), "boolean")) {
		put_option(b, "true", plain_text(p, "Yes"), value);
		put_option(b, "false", plain_text(p, "No"), value);
	}
	json_array_foreach(json_object_get(item, "choices"), i, one)
		put_option(b, jx_str(one, "value").p, jx_str(one, "label").p,
			   value);
	buf_adds(b, "</select>");
}

static void put_control(struct plain *p, const struct setting_row *row,
			const json_t *item, const char *value)
{
	struct buf *b = p->b;

	if (row->type == SETTING_TEXT && !row->line) {
		buf_addf(b, "<textarea id=\"%s\" name=\"%s\" rows=\"5\" "
			 "cols=\"72\">\n", row->key, row->key);
		html_text(b, str_of(value));
		buf_adds(b, "</textarea>");
	} else if (row->type == SETTING_TEXT || row->type == SETTING_INT) {
		buf_addf(b, "<input id=\"%s\" name=\"%s\" size=\"%d\" value=\"",
			 row->key, row->key, row->type == SETTING_INT ? 12 : 40);
		html_text(b, str_of(value));
		buf_adds(b, "\">");
	} else {
		put_select(p, item, row->key, value);
	}
}

static void put_help(struct plain_settings *f, const json_t *item)
{
	const char *value = text_of(f->p.rq->arena,
				    json_object_get(item, "value"));
	struct buf now = BUF_INIT(8 * LIM_TITLE_CHARS + 8192);

	buf_adds(f->p.b, "<br>\n<span class=\"small\">");
	html_text(f->p.b, jx_str(item, "help"));
	if (value && !str_is(jx_str(item, "from"), "user") &&
	    strlen(value) <= LIM_TITLE_CHARS) {
		buf_addc(f->p.b, ' ');
		html_text(&now, str_of(shown(&f->p, item, value)));
		plain_sayf(&f->p, "Now: %s.", buf_str(&now).p);
	}
	buf_adds(f->p.b, "</span></p>\n");
	buf_release(&now);
}

/* As it was sent, if there is an error; else as stored. */
static void put_setting(struct plain_settings *f, const json_t *item)
{
	const struct setting_row *row = setting_find(jx_str(item, "key"));
	const char *stored = text_of(f->p.rq->arena, json_object_get(
		json_object_get(item, "says"), "user"));
	struct str sent = f->wrong ? form_field(f->p.rq, row->key)
		: (struct str){ NULL, 0 };
	struct buf *b = f->p.b;

	buf_addf(b, "<p><label for=\"%s\">", row->key);
	html_text(b, jx_str(item, "label"));
	buf_adds(b, "</label><br>\n");
	put_control(&f->p, row, item, sent.p ? arena_str(f->p.rq->arena, sent).p
		    : stored ? stored : "");
	put_help(f, item);
	if (f->wrong && strcmp(f->wrong->field, row->key) == 0) {
		buf_adds(b, "<p class=\"error\">");
		html_text(b, str_of(err_message(f->wrong)));
		buf_adds(b, "</p>\n");
	}
}

static int read_items(struct request *rq, struct plain_settings *f, struct err *e)
{
	struct buf b = BUF_INIT(LIM_SETTINGS_PAGE_BYTES);
	struct jw w = jw_on(&b);
	struct choices c;

	if (choices_read(&rq->by, f->values, &c, e) < 0)
		return -1;
	jw_arr(&w);
	for (int i = 0; i < SETTING__MAX; i++)
		if (is_mine(&setting_rows[i]))
			choice_describe(&w, &c, (enum setting_id)i);
	jw_end_arr(&w);
	if (buf_ok(&b))
		f->items = jx_keep(rq->arena, jx_load(buf_str(&b), e));
	else
		(void)err_set(e, ERR_TOO_BIG, "the page of settings");
	buf_release(&b);
	return f->items ? 0 : -1;
}

static int answer(struct request *rq, struct response *rs,
		  struct plain_settings *f, struct err *e)
{
	struct str saved;
	json_t *item;
	size_t i;

	if (plain_open(rq, &f->p, e) < 0 || read_items(rq, f, e) < 0 ||
	    req_query(rq, "saved", &saved, e) < 0)
		return -1;
	plain_begin(&f->p, rs, f->wrong ? err_row(f->wrong)->http_status : 200,
		    str_of(plain_text(&f->p, "Settings")));
	if (saved.p && !f->wrong) {
		buf_adds(f->p.b, "<p class=\"waiting\">");
		plain_say(&f->p, "Your settings are saved.");
		buf_adds(f->p.b, "</p>\n");
	}
	plain_form(&f->p, "settings");
	json_array_foreach(f->items, i, item)
		put_setting(f, item);
	buf_adds(f->p.b, "<p>");
	plain_submit(&f->p, NULL, "Save");
	buf_addf(f->p.b, "%s</p>\n</form>\n", f->p.steps ? PLAIN_STEPS : "");
	plain_foot(&f->p);
	return 0;
}

/* GET {base}/plain/settings?saved=: 200, the form. */
int plain_settings(struct request *rq, struct response *rs, struct err *e)
{
	struct setting_values *values = setting_holders(rq->by.who, rq->arena);
	struct plain_settings f = { .values = values };

	if (setting_read(rq->app->db, rq->by.who->tenant, values, rq->arena, e) < 0)
		return -1;
	return answer(rq, rs, &f, e);
}

/* -- saving ------------------------------------------------------------------------ */

/*
 * The value of a control as JSON; an invalid number stays a text, and is
 * refused.
 */
static json_t *value_of(const struct setting_row *row, const char *text)
{
	char *end;
	long long n;

	if (!*text)
		return json_null();
	if (row->type == SETTING_BOOL)
		return json_boolean(strcmp(text, "true") == 0);
	if (row->type != SETTING_INT)
		return json_string(text);
	errno = 0;
	n = strtoll(text, &end, 10);
	return *end || errno ? json_string(text) : json_integer(n);
}

static json_t *change_of(struct request *rq)
{
	json_t *change = jx_keep(rq->arena, json_object());

	for (int i = 0; i < SETTING__MAX; i++) {
		const struct setting_row *row = &setting_rows[i];
		struct str s = form_field(rq, row->key);

		/* A text is kept as typed; a blank one is unset. */
		if (is_mine(row) && s.p)
			json_object_set_new(change, row->key, value_of(row,
				str_trim(s).n ? arena_str(rq->arena, s).p : ""));
	}
	return change;
}

/*
 * POST {base}/plain/settings: 303 to the form; 422 is the form with what is wrong
 * at its field, and nothing is saved. Fields that are not sent stay as they are.
 */
int plain_settings_save(struct request *rq, struct response *rs, struct err *e)
{
	struct setting_values *values = setting_holders(rq->by.who, rq->arena);
	json_t *change = change_of(rq);
	struct err wrong = { .code = ERR_NONE, .lang = e->lang };
	struct plain_settings f = { .values = values, .wrong = &wrong };
	bool stored = false;

	for (int tries = 0; tries < TRIES && !stored; tries++) {
		if (setting_read(rq->app->db, rq->by.who->tenant, values,
				 rq->arena, e) < 0)
			return -1;
		if (setting_check(change, LEVEL_USER, &wrong) < 0 ||
		    api_setting_change(rq, values, change, &stored, &wrong) < 0) {
			if (*wrong.field)
				return answer(rq, rs, &f, e);
			*e = wrong;
			return -1;
		}
	}
	if (!stored)
		return err_set(e, ERR_DB_RETRY, "settings that others change all "
			       "the time");
	resp_see_other(rs, form_field(rq, "steps").n
		       ? "settings?saved=1&steps=1" : "settings?saved=1");
	return 0;
}
