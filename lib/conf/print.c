/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "conf/option.h"

#include "base/banned.h"

#define MASK "***"

/* -- the configuration ---------------------------------------------------------- */

static void indent(struct buf *out, int depth)
{
	buf_addf(out, "%*s", depth * 2, "");
}

/* Double-quoted YAML is JSON's, but "${" must not be read as a variable. */
static void print_text(struct buf *out, const char *s)
{
	struct buf b = BUF_INIT(out->cap);

	for (; *s; s++) {
		if (s[0] == '$' && s[1] == '{')
			buf_addc(&b, '$');
		buf_addc(&b, *s);
	}
	buf_json(out, buf_str(&b));
	buf_release(&b);
}

static void print_json(struct buf *out, const json_t *j)
{
	const char *key;
	json_t *v;
	size_t i;

	if (json_is_string(j)) {
		print_text(out, json_string_value(j));
	} else if (json_is_array(j)) {
		buf_addc(out, '[');
		json_array_foreach(j, i, v) {
			if (i)
				buf_adds(out, ", ");
			print_json(out, v);
		}
		buf_addc(out, ']');
	} else if (json_is_object(j)) {
		bool first = true;

		buf_addc(out, '{');
		json_object_foreach((json_t *)j, key, v) {
			if (!first)
				buf_adds(out, ", ");
			first = false;
			buf_json(out, str_of(key));
			buf_adds(out, ": ");
			print_json(out, v);
		}
		buf_addc(out, '}');
	} else {
		jx_dump(out, j);
	}
}

/* Of "Name: value" and "NAME=value" the name is no secret. */
static void print_secret(struct buf *out, const char *s, bool named)
{
	const char *end = named ? strpbrk(s, ":=") : NULL;
	char text[160];

	if (end && end - s < 140) {
		snprintf(text, sizeof(text), "%.*s%s" MASK, (int)(end - s), s,
			 *end == ':' ? ": " : "=");
		print_text(out, text);
	} else {
		print_text(out, *s ? MASK : "");
	}
}

static void print_list(struct buf *out, const struct conf_option *o,
		       const struct conf_list *l)
{
	buf_addc(out, '[');
	for (size_t i = 0; i < l->n; i++) {
		if (i)
			buf_adds(out, ", ");
		if (o->flags & OPT_SECRET)
			print_secret(out, l->v[i], true);
		else
			print_text(out, l->v[i]);
	}
	buf_addc(out, ']');
}

static void print_names(struct buf *out, const struct conf_option *o, unsigned v)
{
	bool first = true;

	if (o->type == OPT_FLAGS)
		buf_addc(out, '[');
	for (const struct opt_name *p = o->names; p->name; p++) {
		if (o->type == OPT_FLAGS ? !(v & p->value) : v != p->value)
			continue;
		if (!first)
			buf_adds(out, ", ");
		first = false;
		buf_adds(out, p->name);
	}
	if (o->type == OPT_FLAGS)
		buf_addc(out, ']');
}

static void print_value(struct buf *out, const struct conf_option *o,
			const char *field)
{
	const char *s;
	double d;

	switch (o->type) {
	case OPT_INT:
		buf_addf(out, "%d", *(const int *)field);
		break;
	case OPT_DOUBLE:
		d = *(const double *)field;
		if (isnan(d))
			buf_adds(out, "null");
		else
			buf_addf(out, "%.12g", d);
		break;
	case OPT_BOOL:
		buf_adds(out, *(const bool *)field ? "true" : "false");
		break;
	case OPT_STRING:
		s = *(const char *const *)field;
		if (o->flags & OPT_SECRET)
			print_secret(out, s, false);
		else
			print_text(out, s);
		break;
	case OPT_LIST:
		print_list(out, o, (const struct conf_list *)field);
		break;
	case OPT_ENUM:
	case OPT_FLAGS:
		print_names(out, o, *(const unsigned *)field);
		break;
	default:
		print_json(out, *(json_t *const *)field);
		break;
	}
}

static void print_struct(struct buf *out, enum opt_section sec,
			 const char *base, int depth, bool dash);

/* Whether the row says something that is worth a line. */
static bool worth(const struct conf_option *o, const char *base)
{
	const char *field = base + o->offset;

	if (o->type == OPT_JSON || o->type == OPT_POINTER)
		return *(void *const *)field != NULL;
	if (o->type == OPT_STRUCT && (o->flags & OPT_MAYBE))
		return ((const struct prompt *)field)->text != NULL;
	/* an empty list is not written if it would mean nobody */
	if (o->type == OPT_LIST && o->min > 0)
		return ((const struct conf_list *)field)->n > 0;
	if (o->in == SEC_IDENTITY && o->type == OPT_LIST)
		return ((const struct conf_list *)field)->n > 0;
	return true;
}

/* Of an entry of the chain, only the keys of its kind can be read back. */
static bool of_kind(const struct conf_option *o, const char *base)
{
	static const struct {
		const char *prefix;
		enum conf_identity_kind kind;
	} kinds[] = {
		{ "remote_user:", IDENTITY_REMOTE_USER },
		{ "trusted_header:", IDENTITY_TRUSTED_HEADER },
		{ "anonymous:", IDENTITY_ANONYMOUS },
	};

	if (o->in != SEC_IDENTITY)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strncmp(o->help, kinds[i].prefix,
			     strlen(kinds[i].prefix)))
			return ((const struct conf_identity *)base)->kind ==
			       kinds[i].kind;
	return true;
}

static void print_structs(struct buf *out, const struct conf_option *o,
			  const char *base, int depth)
{
	const struct opt_section_row *row = &opt_sections[o->of];
	const char *v = *(const char *const *)(base + o->offset);
	size_t n = *(const size_t *)(base + o->count_offset);

	if (!n) {
		buf_adds(out, o->type == OPT_MAP ? " {}\n" : " []\n");
		return;
	}
	buf_addc(out, '\n');
	for (size_t i = 0; i < n; i++, v += row->size) {
		if (o->type == OPT_MAP) {
			indent(out, depth + 1);
			buf_json(out, str_of(*(const char *const *)
					     (v + row->id_offset)));
			buf_adds(out, ":\n");
			print_struct(out, o->of, v, depth + 2, false);
		} else {
			print_struct(out, o->of, v, depth + 2, true);
		}
	}
}

/* dash: the first line begins a list item, two columns to the left. */
static void print_struct(struct buf *out, enum opt_section sec,
			 const char *base, int depth, bool dash)
{
	char group[64] = "";

	for (size_t i = 0; i < conf_option_count; i++) {
		const struct conf_option *o = &conf_options[i];
		const char *dot = strchr(o->key, '.');
		const char *key = dot ? dot + 1 : o->key;
		size_t n = dot ? (size_t)(dot - o->key) : 0;

		if (o->in != sec || !worth(o, base) || !of_kind(o, base))
			continue;
		if (dot && (strncmp(group, o->key, n) || group[n])) {
			snprintf(group, sizeof(group), "%.*s", (int)n, o->key);
			indent(out, depth);
			buf_addf(out, "%s:\n", group);
		}
		indent(out, depth + (dot != NULL) - dash);
		buf_addf(out, "%s%s:", dash ? "- " : "", key);
		dash = false;
		if (o->type == OPT_STRUCT || o->type == OPT_POINTER) {
			const char *in = base + o->offset;

			buf_addc(out, '\n');
			print_struct(out, o->of, o->type == OPT_STRUCT ? in
				     : *(const char *const *)in,
				     depth + 1 + (dot != NULL), false);
		} else if (o->type == OPT_MAP || o->type == OPT_SEQ) {
			print_structs(out, o, base, depth + (dot != NULL));
		} else {
			buf_addc(out, ' ');
			print_value(out, o, base + o->offset);
			buf_addc(out, '\n');
		}
	}
}

void conf_print(const struct conf *c, struct buf *out)
{
	buf_addf(out, "# %s\n", c->file);
	print_struct(out, SEC_MAIN, (const char *)c, 0, false);
	for (size_t i = 0; i < c->n_workspaces; i++) {
		buf_addf(out, "---\n# %s\n", c->workspaces[i].file);
		print_struct(out, SEC_WORKSPACE,
			     (const char *)&c->workspaces[i], 0, false);
	}
	for (size_t i = 0; i < c->n_prompts; i++) {
		buf_addf(out, "---\n# %s, prompt %s\n", c->prompts_dir,
			 c->prompts[i].name);
		print_struct(out, SEC_PROMPT, (const char *)&c->prompts[i], 0,
			     false);
	}
	for (size_t i = 0; i < c->n_catalogue; i++) {
		buf_addf(out, "---\n# %s, prompt %s\n", c->catalogue_dir,
			 c->catalogue[i].id);
		print_struct(out, SEC_CATALOGUE, (const char *)&c->catalogue[i],
			     0, false);
	}
	for (size_t i = 0; i < c->n_templates; i++) {
		buf_addf(out, "---\n# %s, template %s\n", c->templates_dir,
			 c->templates[i].agent.id);
		print_struct(out, SEC_TEMPLATE, (const char *)&c->templates[i],
			     0, false);
	}
}

/* -- the options ---------------------------------------------------------------- */

static const char *type_name(const struct conf_option *o)
{
	static const char *const names[] = {
		[OPT_INT] = "integer", [OPT_DOUBLE] = "number",
		[OPT_BOOL] = "boolean", [OPT_STRING] = "text",
		[OPT_LIST] = "list", [OPT_ENUM] = "one of",
		[OPT_FLAGS] = "some of", [OPT_JSON] = "map",
		[OPT_STRUCT] = "section", [OPT_POINTER] = "section",
		[OPT_MAP] = "map of sections",
		[OPT_SEQ] = "list of sections",
	};

	return names[o->type];
}

static void option_range(struct buf *b, const struct conf_option *o)
{
	const char *sep = "";

	if (o->type == OPT_INT || o->type == OPT_DOUBLE) {
		buf_addf(b, "%.12g..%.12g", o->min, o->max);
	} else if (o->names) {
		for (const struct opt_name *p = o->names; p->name; p++) {
			buf_addf(b, "%s%s", sep, p->name);
			sep = " ";
		}
	}
}

static void option_flags(struct buf *b, const struct conf_option *o)
{
	if (o->flags & OPT_REQUIRED)
		buf_adds(b, "required ");
	if (o->flags & OPT_SECRET)
		buf_adds(b, "secret ");
	if (o->flags & OPT_RESTART)
		buf_adds(b, "restart ");
	if (b->n) {
		b->n--;
		b->p[b->n] = '\0';
	}
}

static void option_default(struct buf *b, const struct conf_option *o)
{
	if (!o->dflt)
		return;
	if (o->type == OPT_STRING && *o->dflt)
		buf_adds(b, o->dflt);
	else if (o->type == OPT_LIST || o->type == OPT_FLAGS)
		buf_addf(b, "%s", o->dflt);
	else if (*o->dflt)
		buf_adds(b, o->dflt);
}

struct doc {			/* one row in words */
	struct buf type, dflt, flags;
};

static void print_row_text(struct buf *out, const struct conf_option *o,
			   const struct doc *d)
{
	struct buf range = BUF_INIT(512);

	option_range(&range, o);
	buf_addf(out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
		 opt_sections[o->in].name, o->key, type_name(o), d->dflt.p,
		 range.p, o->unit, d->flags.p, o->help);
	buf_release(&range);
}

/* "|" would end a table's cell. */
static void md_cell(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '|' || *s == '*' || *s == '<')
			buf_addc(out, '\\');
		buf_addc(out, *s);
	}
}

static void print_row_md(struct buf *out, const struct conf_option *o,
			 const struct doc *d)
{
	buf_addf(out, "| `%s` | %s | %s%s%s | ", o->key, d->type.p,
		 d->dflt.n ? "`" : "", d->dflt.p, d->dflt.n ? "`" : "");
	md_cell(out, o->help);
	if (d->flags.n)
		buf_addf(out, " *%s*", d->flags.p);
	buf_adds(out, " |\n");
}

/* roff: a backslash and a leading dot or quote mean something. */
static void man_text(struct buf *out, const char *s)
{
	if (*s == '.' || *s == '\'')
		buf_adds(out, "\\&");
	for (; *s; s++) {
		if (*s == '\\')
			buf_addc(out, '\\');
		if (*s == '-')
			buf_addc(out, '\\');
		buf_addc(out, *s == '\\' ? 'e' : *s);
	}
}

static void print_row_man(struct buf *out, const struct conf_option *o,
			  const struct doc *d)
{
	buf_adds(out, ".TP\n.BR ");
	man_text(out, o->key);
	buf_adds(out, " \" (");
	man_text(out, d->type.p);
	if (d->dflt.n) {
		buf_adds(out, ", default ");
		man_text(out, d->dflt.p);
	}
	if (d->flags.n) {
		buf_adds(out, ", ");
		man_text(out, d->flags.p);
	}
	buf_adds(out, ")\"\n");
	man_text(out, o->help);
	buf_addc(out, '\n');
}

static void print_row(struct buf *out, const struct conf_option *o,
		      enum conf_doc form)
{
	struct doc d = {
		BUF_INIT(1024), BUF_INIT(1024), BUF_INIT(256),
	};
	struct buf range = BUF_INIT(512);

	option_range(&range, o);
	buf_adds(&d.type, type_name(o));
	if (range.n)
		buf_addf(&d.type, " %s", range.p);
	if (*o->unit)
		buf_addf(&d.type, " %s", o->unit);
	option_default(&d.dflt, o);
	option_flags(&d.flags, o);
	if (form == CONF_DOC_TEXT)
		print_row_text(out, o, &d);
	else if (form == CONF_DOC_MARKDOWN)
		print_row_md(out, o, &d);
	else
		print_row_man(out, o, &d);
	buf_release(&range);
	buf_release(&d.type);
	buf_release(&d.dflt);
	buf_release(&d.flags);
}

void conf_print_options(struct buf *out, enum conf_doc form)
{
	for (int s = 0; s < SEC__MAX; s++) {
		const struct opt_section_row *row = &opt_sections[s];

		if (form == CONF_DOC_MARKDOWN) {
			buf_adds(out, "\n### ");
			md_cell(out, row->name);
			buf_addf(out, "\n\n%s\n\n| key | type | default | "
				 "meaning |\n|---|---|---|---|\n", row->help);
		} else if (form == CONF_DOC_MAN) {
			buf_adds(out, ".SS ");
			man_text(out, row->name);
			buf_addc(out, '\n');
			man_text(out, row->help);
			buf_addc(out, '\n');
		}
		for (size_t i = 0; i < conf_option_count; i++)
			if (conf_options[i].in == (enum opt_section)s)
				print_row(out, &conf_options[i], form);
	}
}
