/* SPDX-License-Identifier: MIT */
/* resource.def as forms. */
#include "resource/form.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "conf/param.h"
#include "resource/props.h"
#include "resource/rows.h"

#include "base/banned.h"

/*
 * Special values of choices: the caller's groups; a colour; an icon; names of tools; or
 * "@path": the items of that list.
 */
#define GROUPS "{groups}"
#define COLOUR "{colour}"
#define ICON "{icon}"
#define TOOLS "{tools}"

/* Of all choices of a field, as a list or as text. */
#define CHOICES_BYTES 65536

struct input {
	enum resource_id of;
	const char *key, *label, *choices, *only;
};

static const struct input inputs[] = {
#define INPUT(id, key, label, choices, only) \
	{ RESOURCE_##id, key, label, choices, only },
#include "resource/resource.def"
};

/* Headings of forms, in their order. */
struct form_group {
	enum resource_id of;
	const char *heading, *keys;	/* keys: with blanks between them */
	bool folded;
};

enum { OPEN, FOLDED };

static const struct form_group groups_of_fields[] = {
#define GROUP(id, heading, how, keys) { RESOURCE_##id, heading, keys, how == FOLDED },
#include "resource/resource.def"
};

/* Path of the resource that an IDS field refers to, by the table of its JOIN. */
static const struct {
	const char *table, *target;
} joins[] = {
#define JOIN(id, table, target) { table, target },
#include "resource/resource.def"
};

/* Columns that name an LLM service, and what it must be able to do. */
static const struct {
	enum resource_id of;
	size_t column;
	const char *can;
} bindings[] = {
#define BINDS(id, of, table, column, can) { RESOURCE_##of, COLUMN(of, column), #can },
#include "resource/resource.def"
};

static const struct input none = { .label = "", .choices = "", .only = "" };

static const struct input *input_of(const struct resource *r,
				    const struct resource_field *f)
{
	for (size_t i = 0; i < ARRAY_LEN(inputs); i++)
		if (&resources[inputs[i].of] == r &&
		    strcmp(inputs[i].key, f->key) == 0)
			return &inputs[i];
	return &none;
}

const struct resource *resource_joined(const struct resource_field *f)
{
	for (size_t i = 0; f->type == TYPE_IDS && i < ARRAY_LEN(joins); i++)
		for (size_t k = 0; k < RESOURCE__MAX; k++)
			if (strcmp(joins[i].table, f->column) == 0 &&
			    strcmp(resources[k].table, joins[i].target) == 0)
				return &resources[k];
	return NULL;
}

/* REFERS: whose rows a REF refers to. */
static const struct {
	enum resource_id of, target;
	const char *key;
} refers[] = {
#define REFERS(of, key, target) { RESOURCE_##of, RESOURCE_##target, key },
#include "resource/resource.def"
	{ RESOURCE__MAX, RESOURCE__MAX, NULL }
};

const struct resource *resource_referred(const struct resource *r,
					 const struct resource_field *f)
{
	for (size_t i = 0; f->type == TYPE_REF && refers[i].key; i++)
		if (&resources[refers[i].of] == r && strcmp(refers[i].key, f->key) == 0)
			return &resources[refers[i].target];
	return NULL;
}

/* -- choices ------------------------------------------------------------------ */

static bool is_choice(const char *list, struct str value)
{
	struct str rest = str_of(list), known, label;

	while (resource_choice(&rest, &known, &label))
		if (str_eq(known, value))
			return true;
	return false;
}

/* Appends "value: label", with the label that YAML gives a built-in choice. */
static void add_choice(struct buf *b, const char *value, size_t n, struct str label)
{
	buf_addf(b, "%s%.*s", b->n ? " | " : "", (int)n, value);
	if (label.n)
		buf_addf(b, ": %.*s", STR_ARG(label));
}

const char *resource_choice_list(const struct conf *conf, const struct resource *r,
				 const struct resource_field *f, struct arena *a)
{
	const char *built_in = input_of(r, f)->choices, *out;
	struct str rest = str_of(built_in), value, label;
	const struct conf_choice *added, *same;
	struct buf b = BUF_INIT(CHOICES_BYTES);
	size_t n;

	added = props_choices(conf, r, f, &n);
	if (!n)
		return built_in;
	while (resource_choice(&rest, &value, &label)) {
		same = param_choice(added, n, value);
		add_choice(&b, value.p, value.n, same && *same->label
			   ? str_of(same->label) : label);
	}
	for (size_t i = 0; i < n; i++)
		if (!is_choice(built_in, str_of(added[i].value)))
			add_choice(&b, added[i].value, strlen(added[i].value),
				   str_of(added[i].label));
	out = arena_strdup(a, b.p);
	buf_release(&b);
	return out;
}

bool resource_choice(struct str *rest, struct str *value, struct str *label)
{
	struct str one;

	if (!rest->n)
		return false;
	one = str_cut(rest, '|');
	*value = str_trim(str_cut(&one, ':'));
	*label = str_trim(one);
	return true;
}

bool resource_takes(const struct conf *conf, const struct resource *r,
		    const struct resource_field *f, struct str value)
{
	size_t n;
	const struct conf_choice *added = props_choices(conf, r, f, &n);

	return is_choice(input_of(r, f)->choices, value) || param_choice(added, n, value);
}

const char *resource_choices(const struct conf *conf, const struct resource *r,
			     const struct resource_field *f, struct arena *a)
{
	struct str rest = str_of(resource_choice_list(conf, r, f, a)), value, label;
	struct buf b = BUF_INIT(CHOICES_BYTES);
	const char *out;

	while (resource_choice(&rest, &value, &label)) {
		if (b.n)
			buf_adds(&b, rest.n ? ", " : " or ");
		buf_add(&b, value.p, value.n);
	}
	out = arena_strdup(a, b.p);
	buf_release(&b);
	return out;
}

/* -- states ------------------------------------------------------------------- */

/* ENDS: in which of the built-in states nothing is left to do. */
static const struct {
	const char *done, *closed;
} ends[RESOURCE__MAX + 1] = {
#define ENDS(id, done, closed) [RESOURCE_##id] = { done, closed },
#include "resource/resource.def"
};

static bool among(const char *list, struct str value)
{
	struct str rest = str_of(list ? list : "");

	while (rest.n)
		if (str_eq(str_cut(&rest, ','), value))
			return true;
	return false;
}

enum conf_counts resource_counts(const struct conf *conf, const struct resource *r,
				 struct str state)
{
	const struct conf_entity *k = props_of(conf, r);
	const struct conf_choice *choice = param_choice(k->states, k->n_states, state);

	if (choice && choice->counts != COUNTS_DEFAULT)
		return choice->counts;
	return among(ends[r - resources].done, state) ? COUNTS_DONE
		: among(ends[r - resources].closed, state) ? COUNTS_CLOSED : COUNTS_OPEN;
}

struct str resource_ended(const struct conf *conf, const struct resource *r,
			  struct arena *a)
{
	const struct resource_field *f = r->fields;
	struct buf b = BUF_INIT(CHOICES_BYTES);
	struct str rest, value, label, out;

	while (strcmp(f->key, "stateKey") != 0)
		f++;
	rest = str_of(resource_choice_list(conf, r, f, a));
	while (resource_choice(&rest, &value, &label))
		if (resource_counts(conf, r, value) != COUNTS_OPEN)
			buf_addf(&b, "%s%.*s", b.n ? "," : "", STR_ARG(value));
	out = arena_str(a, buf_str(&b));
	buf_release(&b);
	return out;
}

/* -- labels ------------------------------------------------------------------- */

/* "expiresAt" and "expires-at" as "Expires at". */
static void write_words(struct jw *w, const struct lang *lang, const char *key,
			struct str name)
{
	struct buf b = BUF_INIT(LIM_FORM_TEXT_BYTES);

	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (i && isupper(c))
			buf_addc(&b, ' ');
		buf_addc(&b, c == '-' || c == '_' ? ' ' :
			 (char)(i ? tolower(c) : toupper(c)));
	}
	jw_kstr(w, key, lang_str(lang, buf_str(&b)));
	buf_release(&b);
}

static void write_label(struct jw *w, const struct lang *lang, struct str label,
			struct str otherwise)
{
	if (label.n)
		jw_kstr(w, "label", lang_str(lang, label));
	else
		write_words(w, lang, "label", otherwise);
}

/* The last part of "prompts/{parent:uuid}/shares". */
static struct str last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return str_of(slash ? slash + 1 : path);
}

/* The path without the types of its parameters; without parameters also a name. */
static void write_path(struct jw *w, const char *key, const char *path,
		       bool params)
{
	struct buf b = BUF_INIT(LIM_FORM_TEXT_BYTES);

	for (const char *p = path; *p; p++) {
		if (!params && p[0] == '/' && p[1] == '{')
			p += strcspn(p, "}");
		else if (*p == ':')
			p += strcspn(p, "}") - 1;
		else
			buf_addc(&b, *p);
	}
	jw_kstr(w, key, buf_str(&b));
	buf_release(&b);
}

/* -- fields ------------------------------------------------------------------- */

static const char *type_of(const struct resource_field *f,
			   const struct input *in)
{
	if (strcmp(in->choices, COLOUR) == 0)
		return "colour";
	if (strcmp(in->choices, ICON) == 0)
		return "icon";
	if (strcmp(in->choices, TOOLS) == 0)
		return "tools";
	if (f->type == TYPE_LIST && *in->choices == '@')
		return "ids";
	return resource_types[f->type].form;
}

static const char *const mode_names[] = {
	[MODE_EDIT] = "edit", [MODE_ONCE] = "once", [MODE_GIVEN] = "given",
	[MODE_NOTED] = "given",
};

/* What a form is written with. */
struct form_ask {
	const struct caller *by;
	const struct resource *r;
	struct arena a;
};

/* A choice; of a state, closed says whether nothing is left to do in it. */
static void write_choice(struct jw *w, struct form_ask *k, const struct resource_field *f,
			 struct str value, struct str label)
{
	jw_obj(w);
	jw_kstr(w, "value", value);
	write_label(w, k->by->lang, label, value);
	if (f && ends[k->r - resources].closed && strcmp(f->key, "stateKey") == 0)
		jw_kbool(w, "closed", resource_counts(k->by->conf, k->r, value) != COUNTS_OPEN);
	jw_end_obj(w);
}

static void write_choices(struct jw *w, struct form_ask *k,
			  const struct resource_field *f)
{
	struct str rest = str_of(resource_choice_list(k->by->conf, k->r, f, &k->a));
	struct str value, label;

	jw_key(w, "choices");
	if (!str_is(rest, GROUPS) && f->type != TYPE_ENUM) {
		jw_null(w);
		return;
	}
	jw_arr(w);
	for (size_t i = 0; i < k->by->who->n_groups && str_is(rest, GROUPS); i++)
		write_choice(w, k, NULL, k->by->who->groups[i], k->by->who->groups[i]);
	if (str_is(rest, GROUPS))
		rest.n = 0;
	while (resource_choice(&rest, &value, &label))
		write_choice(w, k, f, value, label);
	jw_end_arr(w);
}

/* What a new row has without a word about it: the first choice, or null. */
static void write_default(struct jw *w, const struct resource_field *f,
			  const struct input *in)
{
	struct str rest = str_of(in->choices), value = { 0 }, label;

	if (f->flags & RESOURCE_FIRST)
		(void)resource_choice(&rest, &value, &label);
	jw_kstr(w, "default", value);
}

/* "tier=team" as {"key": "tier", "value": "team"}. */
static void write_only(struct jw *w, const struct input *in)
{
	struct str rest = str_of(in->only), key;

	jw_key(w, "only");
	if (!rest.n) {
		jw_null(w);
		return;
	}
	key = str_cut(&rest, '=');
	jw_obj(w);
	jw_kstr(w, "key", key);
	jw_kstr(w, "value", rest);
	jw_end_obj(w);
}

/* The list of the services that can do what the field binds one for; or false. */
static bool write_services(struct jw *w, const struct resource_field *f)
{
	char path[80] = "workspaces/{workspace}/llm-services?can=";
	const size_t n = strlen(path);

	for (size_t i = 0; i < ARRAY_LEN(bindings); i++) {
		if (f != &resources[bindings[i].of].fields[bindings[i].column])
			continue;
		for (size_t k = 0; bindings[i].can[k] && n + k + 1 < sizeof(path);
		     k++)
			path[n + k] = (char)tolower(
				(unsigned char)bindings[i].can[k]);
		jw_kstrz(w, "of", path);
		return true;
	}
	return false;
}

/* The path of the list that an id or ids refer to, or null. */
static const char *list_of(const struct resource *r,
			   const struct resource_field *f,
			   const struct input *in)
{
	const struct resource *joined = resource_joined(f);
	const struct resource *to = resource_referred(r, f);

	if (*in->choices == '@')
		return in->choices + 1;
	if (f->flags & RESOURCE_PARENT) {
		const struct resource *root = resource_of_root(r->of);

		return root ? root->path : "conversations";
	}
	/* Of what is below others there is no list. */
	if (to && to->owner != OWNER_MIXED && !resource_is_nested(to))
		return to->path;
	return joined ? joined->path : NULL;
}

static void write_number(struct jw *w, const char *key, bool is_set, double x)
{
	jw_key(w, key);
	if (is_set)
		jw_real(w, x);
	else
		jw_null(w);
}

/* How a member of props looks in a form. */
static const char *const member_types[] = {
	[PARAM_TEXT] = "text", [PARAM_LIST] = "lines", [PARAM_CHOICE] = "text",
	[PARAM_INTEGER] = "integer", [PARAM_NUMBER] = "number", [PARAM_DATE] = "date",
	[PARAM_ID] = "text", [PARAM_BOOLEAN] = "boolean",
};

enum { LINE_CHARS = 200 };	/* longer texts have several lines */

static void write_member(struct jw *w, struct form_ask *k, const struct resource_field *f,
			 const struct conf_param *p)
{
	const bool number = p->type == PARAM_INTEGER || p->type == PARAM_NUMBER;
	const bool bounded = !isnan(p->min) || !isnan(p->max);
	const double most = p->type == PARAM_LIST ? LIM_PARAM_ITEMS
		: p->type == PARAM_ID ? LIM_MODULE_ID_CHARS : p->max_chars;

	jw_obj(w);
	jw_kstrz(w, "key", arena_printf(&k->a, "%s.%s", f->key, p->name));
	write_label(w, k->by->lang, str_of(p->label), str_of(p->name));
	jw_kstrz(w, "help", p->description);
	jw_kstrz(w, "type", member_types[p->type]);
	jw_kstrz(w, "mode", mode_names[f->mode]);
	jw_kbool(w, "required", p->required);
	jw_kbool(w, "nullable", !p->required);
	write_number(w, "min", number && bounded,
		     isnan(p->min) ? -LIM_PARAM_NUMBER : p->min);
	write_number(w, "max", !number || bounded, !number ? most
		     : isnan(p->max) ? LIM_PARAM_NUMBER : p->max);
	jw_kbool(w, "multiline", p->type == PARAM_TEXT && p->max_chars > LINE_CHARS);
	jw_kbool(w, "markdown", false);
	jw_key(w, "choices");
	if (p->type == PARAM_CHOICE)
		jw_arr(w);
	else
		jw_null(w);
	for (size_t i = 0; i < p->n_choices; i++)
		write_choice(w, k, NULL, str_of(p->choices[i].value),
			     str_of(p->choices[i].label));
	if (p->type == PARAM_CHOICE)
		jw_end_arr(w);
	jw_kstrz(w, "default", NULL);
	jw_kstrz(w, "only", NULL);
	jw_kstrz(w, "of", NULL);
	jw_kstrz(w, "example", *p->example ? p->example : NULL);
	jw_end_obj(w);
}

static void write_field(struct jw *w, struct form_ask *k, const struct resource_field *f)
{
	const struct resource *r = k->r;
	const struct input *in = input_of(r, f);
	const bool listed = f->type == TYPE_LIST, bounded = f->min || f->max;

	jw_obj(w);
	jw_kstrz(w, "key", f->key);
	write_label(w, k->by->lang, str_of(in->label), str_of(f->key));
	jw_kstrz(w, "help", lang_text(k->by->lang, f->help));
	jw_kstrz(w, "type", type_of(f, in));
	jw_kstrz(w, "mode", mode_names[f->mode]);
	jw_kbool(w, "required", f->flags & RESOURCE_REQUIRED);
	jw_kbool(w, "nullable", f->flags & RESOURCE_NULLABLE);
	jw_kint_if(w, "min", bounded && !listed, f->min);
	jw_kint_if(w, "max", bounded, listed ? f->min : f->max);
	jw_kbool(w, "multiline", (f->type == TYPE_TEXT || resource_is_markdown(f)) &&
		 f->mode != MODE_GIVEN && !(f->flags & RESOURCE_LINE));
	/* A prompt is shown as it is sent. */
	jw_kbool(w, "markdown", f == resource_by_parts(r) &&
		 !(f->flags & RESOURCE_AUTHORED));
	write_choices(w, k, f);
	write_default(w, f, in);
	write_only(w, in);
	if (!write_services(w, f))
		jw_kstrz(w, "of", list_of(r, f, in));
	jw_kstrz(w, "example", *f->example ? lang_text(k->by->lang, f->example) : NULL);
	jw_end_obj(w);
}

/* The key of a row's id in paths. */
static const char *id_of(const struct resource *r)
{
	return r->named ? r->fields[r->name_at].key : "id";
}

/* The field that identifies a row for people: the name, else the first text. */
static const char *name_of(const struct resource *r)
{
	const char *first = NULL;

	for (size_t i = 0; i < r->n_fields; i++) {
		const struct resource_field *f = &r->fields[i];

		if (f->flags & RESOURCE_SORT || strcmp(f->key, "name") == 0)
			return f->key;
		if (!first && f->type == TYPE_TEXT && !resource_is_hidden(f) &&
		    strcmp(f->key, id_of(r)) != 0)
			first = f->key;
	}
	return first;
}

/* The name of a form: "prompts", "prompts/shares". */
static void write_name(struct jw *w, const char *key, const struct resource *r)
{
	if (resource_is_nested(r))
		write_path(w, key, r->path, false);
	else
		jw_kstr(w, key, last_of(r->path));
}

static void write_groups(struct jw *w, const struct lang *lang, const struct resource *r)
{
	jw_key(w, "groups");
	jw_arr(w);
	for (size_t i = 0; i < ARRAY_LEN(groups_of_fields); i++) {
		const struct form_group *g = &groups_of_fields[i];
		struct str rest = str_of(g->keys);

		if (&resources[g->of] != r)
			continue;
		jw_obj(w);
		jw_kstrz(w, "heading", lang_text(lang, g->heading));
		jw_kbool(w, "folded", g->folded);
		jw_key(w, "fields");
		jw_arr(w);
		while (rest.n)
			jw_str(w, str_cut(&rest, ' '));
		jw_end_arr(w);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

void resource_form_head(struct jw *w, const struct lang *lang, const struct resource *r)
{
	const struct resource *parent = resource_is_nested(r)
		? resource_of_root(r->of) : NULL;

	write_name(w, "name", r);
	write_words(w, lang, "title", last_of(r->path));
	if (parent)
		write_name(w, "parent", parent);
	else
		jw_kstrz(w, "parent", NULL);
}

static void write_fields(struct jw *w, struct form_ask *k, const struct resource_field *f)
{
	const struct conf_entity *added = props_of(k->by->conf, k->r);

	if (f->type != TYPE_PROPS && !resource_is_hidden(f))
		write_field(w, k, f);
	for (size_t i = 0; f->type == TYPE_PROPS && i < added->n_props; i++)
		write_member(w, k, f, &added->props[i]);
}

void resource_form(struct jw *w, const struct caller *by, const struct resource *r)
{
	struct form_ask k = { by, r, ARENA_INIT };

	resource_form_head(w, by->lang, r);
	write_path(w, "path", r->path, true);
	jw_kstrz(w, "what", lang_text(by->lang, r->what));
	jw_kstrz(w, "order", r->order == ORDER_NAME ? "name" : "newest");
	jw_kbool(w, "search", resource_is_searched(r));
	jw_kbool(w, "readOnly", r->record);
	jw_kint(w, "most", r->most);
	jw_kstrz(w, "idKey", id_of(r));
	jw_kstrz(w, "labelKey", name_of(r));
	jw_key(w, "fields");
	jw_arr(w);
	for (size_t i = 0; i < r->n_fields; i++)
		write_fields(w, &k, &r->fields[i]);
	jw_end_arr(w);
	write_groups(w, by->lang, r);
	arena_release(&k.a);
}
