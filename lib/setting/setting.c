/* SPDX-License-Identifier: MIT */
#include "setting/setting.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "setting/values.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "base/zone.h"
#include "resource/form.h"

#include "base/banned.h"

#define NUMBER(n) (n)
#define NOTHING 0

const struct setting_row setting_rows[SETTING__MAX] = {
#define INTERNAL .type = SETTING_INTERNAL
#define ON_OFF .type = SETTING_BOOL, .max = 1
#define WHOLE(least, most) .type = SETTING_INT, .min = least, .max = most
#define LINES(most) .type = SETTING_TEXT, .max = most
#define LINE(most) .type = SETTING_TEXT, .max = most, .line = true
#define ONE_OF(words) .type = SETTING_CHOICE, .choices = words
#define NAME_OF(what) .type = SETTING_NAME, .of = SETTING_OF_##what
#define ALSO(name) , .alias = name
#define NAMES_OF(what, most) .type = SETTING_NAMES, \
	.of = SETTING_OF_##what, .max = most
#define TEXT_AT(level, says, value) | 1u << LEVEL_##level
#define NUMBER_AT(level, says, value) | 1u << LEVEL_##level
#define HELD_AT(level) | 1u << LEVEL_##level
#define SETTING(n, k, t, m, d, l, w, at) [SETTING_##n] = { \
	.key = k, .label = l, .what = w, t, .merge = MERGE_##m, .dflt = d, \
	.levels = 0 at },
#include "setting/setting.def"
#undef TEXT_AT
#undef NUMBER_AT
#undef HELD_AT
};

/* The levels whose values are JSON: rows, and `settings:` of the main file. */
static const unsigned held_levels[SETTING__MAX] = {
#define TEXT_AT(level, says, value)
#define NUMBER_AT(level, says, value)
#define HELD_AT(level) | 1u << LEVEL_##level
#define SETTING(n, k, t, m, d, l, w, at) [SETTING_##n] = 0 at,
#include "setting/setting.def"
#undef TEXT_AT
#undef NUMBER_AT
#undef HELD_AT
};

/* -- values of rows ------------------------------------------------------------ */

struct str setting_choice(const struct setting_row *row, int64_t i)
{
	struct str rest = str_of(row->choices ? row->choices : ""), word, label;

	while (resource_choice(&rest, &word, &label))
		if (i-- == 0)
			return word;
	return (struct str){ NULL, 0 };
}

static int wrong(const struct setting_row *row, const char *what, struct err *e)
{
	return err_field(e, ERR_INVALID_FIELD, row->key, "%s must be %s.",
			 row->key, what);
}

static int parse_int(const struct setting_row *row, const json_t *v,
		     struct setting_value *out, struct err *e)
{
	out->number = json_integer_value(v);
	if (json_is_integer(v) && out->number >= row->min &&
	    out->number <= row->max)
		return 0;
	return err_field(e, ERR_INVALID_FIELD, row->key, "%s must be a whole "
			 "number from %lld to %lld.", row->key,
			 (long long)row->min, (long long)row->max);
}

static struct str text_of(const json_t *v)
{
	return (struct str){ json_string_value(v), json_string_length(v) };
}

static int parse_text(const struct setting_row *row, const json_t *v,
		      struct setting_value *out, struct err *e)
{
	struct str s = text_of(v);

	if (!json_is_string(v))
		return wrong(row, "a string", e);
	if (!str_trim(s).n)
		return err_field(e, ERR_INVALID_FIELD, row->key, "%s must not be "
				 "empty; null unsets it.", row->key);
	if (row->line && !str_is_line(s))
		return wrong(row, "one line of text", e);
	if (strlen(s.p) != s.n)
		return wrong(row, "a text without NUL characters", e);
	if (utf8_chars(s) > (size_t)row->max)
		return err_field(e, ERR_INVALID_FIELD, row->key, "%s may have at "
				 "most %lld characters.", row->key,
				 (long long)row->max);
	out->text = s.p;
	return 0;
}

static int parse_choice(const struct setting_row *row, const json_t *v,
			struct setting_value *out, struct err *e)
{
	struct buf words = BUF_INIT(1024);
	struct str word;
	int rc;

	for (int64_t i = 0; (word = setting_choice(row, i)).p; i++)
		if (json_is_string(v) && str_eq(word, text_of(v))) {
			out->text = json_string_value(v);
			out->number = i;
			return 0;
		}
	for (int64_t i = 0; (word = setting_choice(row, i)).p; i++)
		buf_addf(&words, "%s%.*s", i ? ", " : "", STR_ARG(word));
	rc = err_field(e, ERR_INVALID_FIELD, row->key, "%s must be one of: "
		       "%s.", row->key, buf_str(&words).p);
	buf_release(&words);
	return rc;
}

static bool is_name(const json_t *v)
{
	struct str s = text_of(v);

	return json_is_string(v) && s.n && s.n <= LIM_SLUG_BYTES &&
		strspn(s.p, "abcdefghijklmnopqrstuvwxyz0123456789_-") == s.n;
}

static int parse_language(const struct setting_row *row, const json_t *v,
			  struct setting_value *out, struct err *e)
{
	const char *tag, *name;

	for (size_t i = 0; json_is_string(v) && lang_choice(i, &tag, &name); i++)
		if (strcasecmp(json_string_value(v), tag) == 0) {
			out->text = tag;
			return 0;
		}
	return wrong(row, "the tag of a language that there are texts in, such as en", e);
}

static int parse_name(const struct setting_row *row, const json_t *v,
		      struct setting_value *out, struct err *e)
{
	if (row->of == SETTING_OF_WORKSPACES && json_is_string(v) &&
	    !strcasecmp(json_string_value(v), AUTO_WORKSPACE)) {
		out->text = AUTO_WORKSPACE;
		return 0;
	}
	if (row->of == SETTING_OF_LANGUAGES)
		return parse_language(row, v, out, e);
	if (!is_name(v))
		return wrong(row, "an id of lower case letters, digits, - and _", e);
	out->text = json_string_value(v);
	return 0;
}

static int parse_names(const struct setting_row *row, const json_t *v,
		       struct setting_value *out, struct err *e)
{
	const json_t *name;
	size_t i;

	if (!json_is_array(v) || json_array_size(v) > (size_t)row->max)
		return err_field(e, ERR_INVALID_FIELD, row->key, "%s must be an "
				 "array of at most %lld ids.", row->key,
				 (long long)row->max);
	json_array_foreach((json_t *)v, i, name)
		if (!is_name(name))
			return err_field(e, ERR_INVALID_FIELD, row->key,
					 "%s[%zu] must be an id of lower case "
					 "letters, digits, - and _.",
					 row->key, i);
	out->list = v;
	return 0;
}

int setting_parse(const struct setting_row *row, const json_t *v,
		  struct setting_value *out, struct err *e)
{
	switch (row->type) {
	case SETTING_BOOL:
		out->number = json_is_true(v);
		return json_is_boolean(v) ? 0 : wrong(row, "true or false", e);
	case SETTING_INT:
		return parse_int(row, v, out, e);
	case SETTING_TEXT:
		return parse_text(row, v, out, e);
	case SETTING_CHOICE:
		return parse_choice(row, v, out, e);
	case SETTING_NAME:
		return parse_name(row, v, out, e);
	case SETTING_NAMES:
		return parse_names(row, v, out, e);
	case SETTING_INTERNAL:
		break;
	}
	return wrong(row, "left to the configuration", e);
}

/* -- the effective value ------------------------------------------------------- */

bool setting_held(const struct setting_holder *h, enum setting_id id,
		  struct setting_value *out)
{
	const struct setting_row *row = &setting_rows[id];
	const json_t *v = h->values ? json_object_get(h->values, row->key) : NULL;
	struct err ignored = ERR_INIT;

	if (!v && h->values && row->alias)	/* as the main file may call it */
		v = json_object_get(h->values, row->alias);
	return v && setting_parse(row, v, out, &ignored) == 0;
}

/* The value of a level without rows; false: none. */
static bool find_at(enum setting_level level, enum setting_id id,
		    const struct setting_scope *in, struct setting_value *out)
{
	switch (id) {
#define TEXT_AT(l, says, value) case LEVEL_##l: \
	if (says) out->text = (value); \
	return says;
#define NUMBER_AT(l, says, value) case LEVEL_##l: \
	if (says) out->number = (value); \
	return says;
#define HELD_AT(l)
#define SETTING(n, key, type, merge, dflt, label, what, levels) \
	case SETTING_##n: \
	switch (level) { levels default: return false; }
#include "setting/setting.def"
	case SETTING__MAX:
		break;
	}
	return false;
}

/* Whether v replaces best. */
static bool wins(const struct setting_scope *in, enum setting_merge merge,
		 const struct setting_value *v, const struct setting_value *best)
{
	if (in->passed && v->text && !strcmp(v->text, in->passed))
		return false;
	if (best->level == LEVEL_BUILT_IN)
		return true;
	return merge == MERGE_MOST ? v->number > best->number
		: merge == MERGE_LEAST && v->number < best->number;
}

/* Whether all levels allow users and teams to choose this value. */
static bool may_select(enum setting_id id, const struct setting_scope *in,
		       const struct setting_value *v)
{
	return id != SETTING_LLM_SERVICE || v->level == LEVEL_TENANT ||
		setting_lists(SETTING_LLM_SERVICES, in, str_of(v->text));
}

/* `settings:` of the main file, as a holder. */
static struct setting_holder of_file(const struct conf *c)
{
	return (struct setting_holder){
		.level = LEVEL_INSTALLATION, .values = c->settings,
	};
}

static void merge_held(enum setting_level level, enum setting_id id,
		       const struct setting_scope *in,
		       struct setting_value *best)
{
	const struct setting_holder file = of_file(in->conf);
	const bool rows = level != LEVEL_INSTALLATION;
	const size_t n = rows ? in->values ? in->values->n : 0 : 1;

	for (size_t i = 0; i < n; i++) {
		const struct setting_holder *h = rows ? &in->values->v[i] : &file;
		struct setting_value v = { .level = level };

		if (h->level == level && setting_held(h, id, &v) &&
		    may_select(id, in, &v) &&
		    wins(in, setting_rows[id].merge, &v, best))
			*best = v;
	}
}

struct setting_value setting_get(enum setting_id id,
				 const struct setting_scope *in)
{
	const struct setting_row *row = &setting_rows[id];
	struct setting_value best = {
		.level = LEVEL_BUILT_IN, .number = row->dflt,
	};

	for (int l = 0; l < LEVEL_BUILT_IN; l++) {
		struct setting_value v = { .level = (enum setting_level)l };

		if (!(row->levels & 1u << l))
			continue;
		if (held_levels[id] & 1u << l)
			merge_held(v.level, id, in, &best);
		else if (find_at(v.level, id, in, &v) &&
			 wins(in, row->merge, &v, &best))
			best = v;
	}
	return best;
}

bool setting_lists(enum setting_id id, const struct setting_scope *in,
		   struct str name)
{
	const unsigned levels = setting_rows[id].levels;
	const struct setting_holder file = of_file(in->conf);
	const size_t n = in->values ? in->values->n : 0;
	bool offered = false;	/* for everyone: teams can only restrict it */

	for (size_t i = 0; i <= n; i++) {
		const struct setting_holder *h = i < n ? &in->values->v[i] : &file;
		struct setting_value v = { .level = h->level };

		if (!(levels & 1u << v.level) || !setting_held(h, id, &v))
			continue;
		if (!jx_lists(v.list, name))
			return false;
		offered |= v.level >= LEVEL_TENANT;
	}
	return offered;
}

const struct setting_row *setting_find(struct str key)
{
	for (int i = 0; i < SETTING__MAX; i++)
		if (str_is(key, setting_rows[i].key) ||
		    (setting_rows[i].alias && str_is(key, setting_rows[i].alias)))
			return &setting_rows[i];
	return NULL;
}

static int unknown(const char *key, struct err *e)
{
	const char *keys[SETTING__MAX], *near;
	size_t n = 0, len = strlen(key);

	for (int i = 0; i < SETTING__MAX; i++)
		if (setting_rows[i].type != SETTING_INTERNAL)
			keys[n++] = setting_rows[i].key;
	near = len > LIM_SLUG_BYTES ? NULL
		: str_nearest(str_of(key), keys, n, sizeof(*keys),
			      (int)MAX(len / 2, 1));
	if (near)
		return err_field(e, ERR_UNKNOWN_FIELD, key, "There is no setting "
				 "\"%.60s\"; did you mean \"%s\"?", key, near);
	return err_field(e, ERR_UNKNOWN_FIELD, key,
			 "There is no setting \"%.60s\".", key);
}

static int not_here(const struct setting_row *row, struct err *e)
{
	struct buf levels = BUF_INIT(256);
	int rc;

	for (int l = LEVEL_USER; l <= LEVEL_TENANT; l++)
		if (row->levels & 1u << l)
			buf_addf(&levels, "%s%s", levels.n ? " and " : "",
				 setting_level_name((enum setting_level)l));
	rc = err_field(e, ERR_INVALID_FIELD, row->key, "%s can only be set on the level %s.",
		       row->key, buf_str(&levels).p);
	buf_release(&levels);
	return rc;
}

static int check_value(const char *key, const json_t *v,
		       enum setting_level level, struct err *e)
{
	const struct setting_row *row = setting_find(str_of(key));
	struct setting_value out;

	if (!row || row->type == SETTING_INTERNAL)
		return unknown(key, e);
	if (json_is_null(v))
		return 0;
	if (!(row->levels & 1u << level))
		return not_here(row, e);
	if (setting_parse(row, v, &out, e) < 0)
		return -1;
	return row != &setting_rows[SETTING_TIME_ZONE] ||
		zone_known(str_of(out.text)) ? 0
		: err_field(e, ERR_INVALID_FIELD, row->key, "%s must be a time "
			    "zone of this system, such as Europe/Berlin (package "
			    "tzdata).", row->key);
}

int setting_check(const json_t *change, enum setting_level level, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)change, key, v)
		if (check_value(key, v, level, e) < 0)
			return -1;
	return 0;
}

/* Refuses what the file says elsewhere: here nobody would read it. */
static int check_held(const json_t *values, struct err *e)
{
	const unsigned in_file = 1u << LEVEL_INSTALLATION;

	for (int i = 0; i < SETTING__MAX; i++) {
		const struct setting_row *row = &setting_rows[i];

		if (json_object_get(values, row->key) && row->levels & in_file &&
		    !(held_levels[i] & in_file))
			return err_field(e, ERR_INVALID_FIELD, row->key,
					 "%s has a key of its own, outside "
					 "settings.", row->key);
	}
	return 0;
}

int setting_conf_error(const struct conf *c, const struct err *why, struct err *e)
{
	const struct setting_row *row = setting_find(str_of(why->field));
	const char *key = why->field;
	char path[160];

	if (row && row->alias && !json_object_get(c->settings, key))
		key = row->alias;
	snprintf(path, sizeof(path), "settings.%s", key);
	return err_public(e, ERR_CONFIG, "%s:%d: settings: %s", c->file,
			  conf_line(c->file, path), err_message(why));
}

int setting_check_conf(const struct conf *c, struct err *e)
{
	struct err why = ERR_INIT;

	if (!c->settings ||
	    (setting_check(c->settings, LEVEL_INSTALLATION, &why) == 0 &&
	     check_held(c->settings, &why) == 0))
		return 0;
	return setting_conf_error(c, &why, e);
}

const char *setting_level_name(enum setting_level level)
{
	static const char *const names[] = {
		[LEVEL_TOOL] = "tool", [LEVEL_AGENT] = "agent",
		[LEVEL_WORKSPACE] = "workspace", [LEVEL_USER] = "user",
		[LEVEL_TEAM] = "team", [LEVEL_TENANT] = "tenant",
		[LEVEL_INSTALLATION] = "installation",
		[LEVEL_BUILT_IN] = "built-in",
	};

	return names[level];
}

/* -- output ------------------------------------------------------------------- */

static const char *const merges[] = {
	[MERGE_FIRST] = "the nearest", [MERGE_MOST] = "the strictest",
	[MERGE_LEAST] = "the smallest", [MERGE_COMMON] = "what all list",
};

static void print_levels(struct buf *out, const struct setting_row *row)
{
	const char *comma = "";

	for (int l = 0; l < LEVEL_BUILT_IN; l++)
		if (row->levels & 1u << l) {
			buf_addf(out, "%s%s", comma,
				 setting_level_name((enum setting_level)l));
			comma = ", ";
		}
}

static void print_row(struct buf *out, const struct setting_row *row,
		      const char *before, const char *between, const char *after)
{
	buf_addf(out, "%s%s%s", before, row->key, between);
	print_levels(out, row);
	buf_addf(out, "%s%s%s%s%s", between, merges[row->merge], between,
		 row->what, after);
}

void setting_print(struct buf *out)
{
	for (int i = 0; i < SETTING__MAX; i++)
		print_row(out, &setting_rows[i], "", "\t", "\n");
}

void setting_print_table(struct buf *out)
{
	buf_adds(out, "| setting | levels, nearest first | which counts | "
		 "what |\n|---|---|---|---|\n");
	for (int i = 0; i < SETTING__MAX; i++)
		print_row(out, &setting_rows[i], "| ", " | ", " |\n");
}
