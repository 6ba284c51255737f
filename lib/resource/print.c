/* SPDX-License-Identifier: MIT */
/* resource.def as text: for the command, and for docs/openapi.yaml. */
#include <string.h>

#include "resource/form.h"
#include "resource/props.h"
#include "resource/rows.h"

#include "base/banned.h"

/* -- the list ---------------------------------------------------------------- */

/* "kind TAB name TAB table TAB column, or the row's other argument" */
static const char *const lines[][4] = {
#define RESOURCE(id, table, name, path, r, w, owner, ...) \
	{ "resource", #id, table, #owner " " path },
#define RETIRED(column, id, table, name, path, r, w, owner, ...) \
	{ "resource", #id, table, #owner " " path },
#define RECORD RESOURCE
#define ROOT(id, table, owner) { "root", #id, table, "id" },
#define PART(id, root, table, column, rows) { "part", #root, table, column },
#define LINK(id, root, table, column, set) { "link", #root, table, set },
#define HIDDEN(id, root, table, column) { "hidden", #root, table, column },
#define LEAF(id, branch, table, column) { "part", #branch, table, column },
#define BRANCH(id, root, table, column) { "part", #root, table, column },
#define SEALED(id, table, column) { "sealed", #id, table, column },
#define KEEP(id, table, column, seconds, condition) \
	{ "keep", #id, table, #seconds " s" },
#define PRUNED(table, how) { "pruned", "-", table, how },
#define LASTING(table, why) { "lasting", "-", table, why },
#define ERASE(id, table, column, tenant) { "erase", #id, table, column },
#define FORGET(id, table, column, set) { "forget", #id, table, column },
#define GOES(table, column, with) { "goes", with, table, column },
#include "resource/resource.def"
};

void resource_print(struct buf *out)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		buf_addf(out, "%s\t%s\t%s\t%s\n", lines[i][0], lines[i][1],
			 lines[i][2], lines[i][3]);
}

/* -- OpenAPI ------------------------------------------------------------------ */

static void body(struct buf *out, const char *name, const char *use)
{
	buf_addf(out, "      requestBody:\n        required: true\n"
		 "        content: {application/json: {schema: {$ref: "
		 "\"#/components/schemas/%s%s\"}}}\n", name, use);
}

static void answer(struct buf *out, const char *status, const char *what,
		   const char *name)
{
	buf_addf(out, "        \"%s\":\n          description: %s\n"
		 "          headers: {ETag: {schema: {type: string}}}\n"
		 "          content: {application/json: {schema: {$ref: "
		 "\"#/components/schemas/%s\"}}}\n", status, what, name);
}

/* The path in OpenAPI's form: without types. */
static void put_path(struct buf *out, const char *path)
{
	for (const char *p = path; *p; p++)
		if (*p == ':')
			p += strcspn(p, "}") - 1;
		else
			buf_addc(out, *p);
}

/* "prompts/{parent:uuid}/shares" as "prompts_shares", for operation ids. */
static void put_id(struct buf *out, const char *path)
{
	for (const char *p = path; *p; p++) {
		if (p[0] == '/' && p[1] == '{')
			p += strcspn(p, "}");
		else
			buf_addc(out, (char)(*p == '/' ? '_' : *p));
	}
}

static void operation(struct buf *out, const struct resource *r,
		      const char *method, const char *verb, const char *summary)
{
	buf_addf(out, "    %s:\n      operationId: ", method);
	put_id(out, r->path);
	buf_addf(out, "_%s\n      summary: %s %s\n", verb, summary, r->what);
}

#define UUID_IN_PATH(name) "{name: " name ", in: path, required: true, " \
	"schema: {type: string, format: uuid}}"

#define PROBLEMS(...) \
	buf_adds(out, __VA_ARGS__ \
		 "        default: {$ref: \"#/components/responses/Problem\"}\n")
#define REFUSED(status, name) \
	"        \"" status "\": {$ref: \"#/components/responses/" name "\"}\n"

static void print_path_name(struct buf *out, const struct resource *r,
			    const char *more, bool one)
{
	bool nested = resource_is_nested(r);
	bool deep = nested && str_starts(str_of(r->path),
					 STR("workspaces/{workspace:slug}/"));

	buf_adds(out, "  /");
	put_path(out, r->path);
	buf_addf(out, "%s:\n", more);
	if (nested || one)
		buf_addf(out, "    parameters: [%s%s%s%s]\n",
			 deep ? "{$ref: \"#/components/parameters/workspace\"}, " : "",
			 deep ? "{name: parent, in: path, required: true, schema: {type: string}}"
			 : nested ? UUID_IN_PATH("parent") : "",
			 nested && one ? ", " : "",
			 one ? UUID_IN_PATH("id") : "");
}

#define BYTES "application/octet-stream: {schema: {type: string, " \
	"contentEncoding: binary}}"
#define COMPLETE "{name: Upload-Complete, in: header, schema: {enum: [\"?0\", " \
	"\"?1\"], default: \"?1\"}, description: \"?0: further parts follow\"}"
#define LENGTH "{name: Upload-Length, in: header, schema: {type: integer, " \
	"minimum: 0}, description: \"Bytes of the whole file; checked. Required if the last part is empty\"}"
#define LARGE REFUSED("400", "BadRequest") REFUSED("404", "NotFound") \
	REFUSED("409", "Conflict") REFUSED("413", "Problem") \
	REFUSED("422", "Invalid")

/* Without it a change of a GUARDED row is refused. */
static void print_if_match(struct buf *out, const struct resource *r)
{
	buf_addf(out, "      parameters: [{name: If-Match, in: header, %s"
		 "schema: {type: string}}]\n",
		 resource_is_guarded(r) ? "required: true, " : "");
}

static void print_delete(struct buf *out, const struct resource *r)
{
	operation(out, r, "delete", "delete", "Delete one");
	if (resource_is_guarded(r))
		print_if_match(out, r);
	buf_adds(out, "      responses:\n"
		 "        \"204\": {description: Deleted}\n");
	PROBLEMS(REFUSED("404", "NotFound"));
}

/* Uploading a whole file, or its first part. */
static void print_upload(struct buf *out, const struct resource *r)
{
	operation(out, r, "post", "upload", "Upload one");
	buf_adds(out, "      parameters: [{$ref: \"#/components/parameters/"
		 "idempotencyKey\"}, {name: name, in: query, schema: {type: "
		 "string}, description: The name that it is shown with}, "
		 "{name: Upload-Offset, in: header, schema: {const: 0}}, "
		 LENGTH ", " COMPLETE "]\n"
		 "      requestBody:\n        content: {" BYTES ", "
		 "multipart/form-data: {schema: {type: object, properties: "
		 "{file: {type: string, contentEncoding: binary}}}}}\n"
		 "      responses:\n");
	answer(out, "201", "Stored; Location has its address", r->name);
	PROBLEMS(LARGE);
}

/* Appending a part, and completing the file. */
static void print_append(struct buf *out, const struct resource *r)
{
	operation(out, r, "patch", "append", "Upload the next part of one");
	buf_adds(out, "      parameters: [{name: Upload-Offset, in: header, "
		 "required: true, schema: {type: integer, minimum: 0}, "
		 "description: \"Bytes that came before: the record's size\"}, "
		 LENGTH ", " COMPLETE "]\n"
		 "      requestBody:\n        content: {" BYTES "}\n"
		 "      responses:\n");
	answer(out, "200", "The record", r->name);
	PROBLEMS(LARGE);
	print_delete(out, r);
}

static void print_param(struct buf *out, const struct resource *r,
			const struct resource_param *p)
{
	const char *type = p->field ? resource_types[p->field->type].schema : NULL;
	struct arena a = ARENA_INIT;

	if (!p->field && props_sifted(r))
		buf_addf(out, "{name: order, in: query, description: \"- for "
			 "the largest first\", schema: {anyOf: [{enum: [%s]}, {type: string, "
			 "pattern: \"^-?props[.]\"}]}}, ",
			 resource_order_names(NULL, r, ", ", &a));
	else if (!p->field)
		buf_addf(out, "{name: order, in: query, description: \"- for "
			 "the largest first\", schema: {enum: [%s]}}, ",
			 resource_order_names(NULL, r, ", ", &a));
	else if (p->field->type == TYPE_ENUM)
		buf_addf(out, "{name: %s, in: query, description: \"%s (%s)\", "
			 "schema: {type: string}}, ", p->name, p->help,
			 resource_choices(NULL, r, p->field, &a));
	else
		buf_addf(out, "{name: %s, in: query, description: \"%s\", "
			 "schema: {type: %s%s}}, ", p->name, p->help, type,
			 p->field->type == TYPE_DATE ? ", format: date"
			 : p->field->type == TYPE_TIME ? ", format: date-time"
			 : p->field->type == TYPE_UUID ? ", format: uuid" : "");
	arena_release(&a);
}

static void print_all(struct buf *out, const struct resource *r)
{
	struct resource_param params[RESOURCE_PARAMS_MAX];
	const size_t n = resource_params(NULL, r, params);

	print_path_name(out, r, "", false);
	operation(out, r, "get", "list", "List every");
	buf_adds(out, "      parameters: [");
	for (size_t i = 0; i < n; i++)
		print_param(out, r, &params[i]);
	if (props_sifted(r))
		buf_adds(out, "{name: props, in: query, style: form, explode: true, "
			 "description: \"Each field that the installation declares has "
			 "parameters of its own: props.stage, or for a range "
			 "props.effortFrom and props.effortTo\", schema: {type: object, "
			 "additionalProperties: {type: string}}}, ");
	buf_addf(out, "%s%s{$ref: \"#/components/parameters/"
		 "cursor\"}, {$ref: \"#/components/parameters/pageSize\"}]\n"
		 "      responses:\n"
		 "        \"200\":\n          description: A page of the list, newest first\n"
		 "          content:\n            application/json:\n"
		 "              schema:\n                allOf: [{$ref: "
		 "\"#/components/schemas/List\"}]\n"
		 "                properties:\n"
		 "                  items: {type: array, items: {$ref: "
		 "\"#/components/schemas/%s\"}}\n",
		 resource_is_searched(r) ? "{$ref: \"#/components/parameters/q\"}, " : "",
		 resource_is_filed(r)
		       ? "{$ref: \"#/components/parameters/category\"}, " : "",
		 r->name);
	PROBLEMS(REFUSED("400", "BadRequest") REFUSED("404", "NotFound"));
	if (r->upload)
		print_upload(out, r);
	if (r->record)
		return;
	operation(out, r, "post", "create", "Create one");
	buf_adds(out, "      parameters: [{$ref: \"#/components/parameters/"
		 "idempotencyKey\"}]\n");
	body(out, r->name, "New");
	buf_adds(out, "      responses:\n");
	answer(out, "201", "Created; Location has its address", r->name);
	PROBLEMS(REFUSED("404", "NotFound")
		 REFUSED("409", "Conflict") REFUSED("422", "Invalid"));
}

static void print_one(struct buf *out, const struct resource *r)
{
	print_path_name(out, r, "/{id}", true);
	operation(out, r, "get", "get", "Get one");
	buf_adds(out, "      responses:\n");
	answer(out, "200", "The record", r->name);
	PROBLEMS(REFUSED("404", "NotFound"));
	if (r->upload)
		print_append(out, r);
	if (r->record)
		return;
	operation(out, r, "patch", "patch", "Change one");
	print_if_match(out, r);
	body(out, r->name, "Patch");
	buf_adds(out, "      responses:\n");
	answer(out, "200", "The changed record", r->name);
	PROBLEMS(REFUSED("404", "NotFound")
		 REFUSED("409", "Conflict") REFUSED("422", "Invalid"));
	print_delete(out, r);
}

/* The values of an ENUM that clients may give. */
static void print_enum(struct buf *out, const struct resource *r,
		       const struct resource_field *f)
{
	struct str rest = str_of(resource_choice_list(NULL, r, f, NULL)), value, label;
	const bool open = props_adds(r, f);
	const char *sep = "";

	if (f->type != TYPE_ENUM)
		return;
	/* Others are of YAML. */
	buf_adds(out, open ? "anyOf: [{enum: [" : "enum: [");
	while (resource_choice(&rest, &value, &label)) {
		/* YAML 1.1 reads a bare no as false. */
		buf_addf(out, str_is(value, "no") ? "%s\"%.*s\"" : "%s%.*s", sep,
			 STR_ARG(value));
		sep = ", ";
	}
	buf_addf(out, "%s%s, ", f->flags & RESOURCE_NULLABLE ? ", null]" : "]",
		 open ? "}, {maxLength: 32}]" : "");
}

/* A record shows of a secret only whether it is set. */
static const char *shown_key(const struct resource_field *f, const char *use)
{
	return !*use && f->type == TYPE_SECRET ? "Set" : "";
}

static void print_field(struct buf *out, const struct resource *r,
			const struct resource_field *f, const char *use)
{
	const char *type = resource_types[f->type].schema;

	if (*shown_key(f, use)) {
		buf_addf(out, "        %sSet: {type: boolean, description: "
			 "\"Whether it has one\"}\n", f->key);
		return;
	}
	buf_addf(out, "        %s: {", f->key);
	if (type)
		buf_addf(out, f->flags & RESOURCE_NULLABLE
			 ? "type: [%s, \"null\"], " : "type: %s, ", type);
	if (f->type == TYPE_TIME)
		buf_adds(out, "format: date-time, ");
	if (f->type == TYPE_DATE)
		buf_adds(out, "format: date, ");
	if (f->type == TYPE_UUID)
		buf_adds(out, "format: uuid, ");
	if (resource_is_markdown(f))
		buf_adds(out, "contentMediaType: text/markdown, ");
	if (f->type == TYPE_IDS)
		buf_addf(out, "items: {type: string, format: uuid}, "
			 "maxItems: %lld, ", (long long)f->max);
	if (f->type == TYPE_SECRET)
		buf_adds(out, "writeOnly: true, ");
	if (f->type == TYPE_LIST && !f->max)
		buf_adds(out, "items: {type: string}, ");
	else if (f->type == TYPE_LIST)
		buf_addf(out, "items: {type: string, minLength: 1, maxLength: "
			 "%lld}, maxItems: %lld, ", (long long)f->max,
			 (long long)f->min);
	else if (f->type != TYPE_IDS && (f->min || f->max))
		buf_addf(out, resource_types[f->type].body == FIELD_TEXT
			 ? "minLength: %lld, maxLength: %lld, "
			 : "minimum: %lld, maximum: %lld, ",
			 (long long)f->min, (long long)f->max);
	if (*use)
		print_enum(out, r, f);
	buf_addf(out, "description: \"%s%s\"}\n", f->help,
		 resource_is_unlisted(f) && !*use ? "; not in lists" : "");
}

/* Whether the field is in this schema: record, New or Patch. */
static bool in_schema(const struct resource_field *f, const char *use)
{
	if (!*use)
		return !resource_is_hidden(f);
	return f->mode == MODE_EDIT || (f->mode == MODE_ONCE && *use == 'N');
}

/* Whether the schema has a member; a share that cannot be changed has none in its Patch. */
static bool has_any(const struct resource *r, const char *use)
{
	bool any = !*use;

	for (size_t i = 0; !any && i < r->n_fields; i++)
		any = in_schema(&r->fields[i], use);
	return any;
}

/* Members that functions add to the records of a resource. */
static const struct {
	enum resource_id of;
	const char *key, *schema, *help;
} extras[] = {
#define EXTRA(id, key, schema, help) { RESOURCE_##id, key, schema, help },
#include "resource/resource.def"
};

static void print_extras(struct buf *out, const struct resource *r)
{
	for (size_t i = 0; i < ARRAY_LEN(extras); i++)
		if (&resources[extras[i].of] == r)
			buf_addf(out, "        %s: {%s, description: \"%s\"}\n",
				 extras[i].key, extras[i].schema,
				 extras[i].help);
}

/* Whether some of its rows may come from files. */
static bool has_files(const struct resource *r)
{
	for (size_t i = 0; i < ARRAY_LEN(extras); i++)
		if (&resources[extras[i].of] == r &&
		    !strcmp(extras[i].key, "source"))
			return true;
	return r->owner == OWNER_SHARED;
}

static void print_schema(struct buf *out, const struct resource *r,
			 const char *use)
{
	const char *sep = "";

	buf_addf(out, "    %s%s:\n      type: object\n", r->name, use);
	if (*use)
		buf_adds(out, "      additionalProperties: false\n");
	buf_adds(out, "      required: [");
	for (size_t i = 0; *use != 'P' && i < r->n_fields; i++) {
		if (!in_schema(&r->fields[i], use) || (*use
		    ? !(r->fields[i].flags & RESOURCE_REQUIRED)
		    : resource_is_unlisted(&r->fields[i])))
			continue;
		buf_addf(out, "%s%s%s", sep, r->fields[i].key,
			 shown_key(&r->fields[i], use));
		sep = ", ";
	}
	buf_addf(out, "%s%s]\n      properties:%s\n", *use ? "" : sep,
		 *use ? "" : "id, createdAt, updatedAt",
		 has_any(r, use) ? "" : " {}");
	if (!*use)
		buf_adds(out, "        id: {type: string, format: uuid}\n");
	for (size_t i = 0; i < r->n_fields; i++)
		if (in_schema(&r->fields[i], use))
			print_field(out, r, &r->fields[i], use);
	if (!*use) {
		print_extras(out, r);
		/* Rows of files have no times. */
		const char *time = has_files(r)
			? "anyOf: [{$ref: \"#/components/schemas/Time\"}, "
			  "{type: \"null\"}]"
			: "$ref: \"#/components/schemas/Time\"";

		if (r->owner == OWNER_SHARED || resource_is_guarded(r))
			buf_adds(out, "        version: {type: integer, "
				 "description: Raised by every change}\n");
		if (r->owner == OWNER_SHARED)
			buf_adds(out, "        source: {enum: [config, api], "
				 "description: \"config: of a file, read-only\"}\n"
				 "        canEdit: {type: boolean, description: "
				 "Whether the caller may change it}\n");
		if (r->owner == OWNER_SHARED && resource_is_top(r))
			buf_adds(out, "        isOwner: {type: boolean, description: "
				 "\"Whether the caller may delete it and say who "
				 "else works with it\"}\n");
		buf_addf(out, "        createdAt: {%s}\n"
			 "        updatedAt: {%s}\n", time, time);
	}
}

void resource_print_paths(struct buf *out)
{
	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		if (resources[i].named)
			continue;
		print_all(out, &resources[i]);
		print_one(out, &resources[i]);
	}
}

void resource_print_schemas(struct buf *out)
{
	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		if (!resources[i].named)
			print_schema(out, &resources[i], "");
		if (resources[i].record)
			continue;
		print_schema(out, &resources[i], "New");
		print_schema(out, &resources[i], "Patch");
	}
}
