/* SPDX-License-Identifier: MIT */
/* See openapi.h. OpenAPI Specification 3.0.4 and 3.1.1, sections 4.7 and 4.8. */
#include "tool/http/openapi.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "base/limits.h"
#include "conf/rules.h"
#include "schema/schema.h"
#include "tool/http/option.h"

#include "base/banned.h"

enum {
	COPY_BYTES = 4 * LIM_OPENAPI_SCHEMA_BYTES,	/* with members of answers only */
	NAME_BYTES = 64,
};

struct import {
	const struct conf_tool *c;
	const json_t *doc;
	const char *id;			/* of the operation */
	json_t *properties, *required, *query, *headers;	/* borrowed */
	struct buf path;
	size_t left;			/* of COPY_BYTES */
	struct err *e;
};

#define refuse(im, fmt, ...) \
	err_public((im)->e, ERR_CONFIG, "operation %.40s: " fmt, (im)->id, \
		   ##__VA_ARGS__)

/* The target of a reference object; the object itself if it is not one. */
static const json_t *resolve(struct import *im, const json_t *j)
{
	for (int i = 0; i < 8 && json_is_object(j); i++) {
		struct str ref = jx_str(j, "$ref");

		if (!ref.p)
			return j;
		j = ref.n > 1 && ref.p[0] == '#'
			? jx_pointer(im->doc, ref.p + 1) : NULL;
		if (!j)
			(void)refuse(im, "there is no %.100s in the document",
				     ref.p);
	}
	return NULL;
}

/* Reports what resolve refused without an error. */
static int no_object(struct import *im, const char *what)
{
	return im->e->code ? -1 : refuse(im, "%s is not an object", what);
}

/* -- schemas ---------------------------------------------------------------- */

static json_t *copy_schema(struct import *im, const json_t *j, int depth);

/*
 * Size of a value as text, computed before it is copied: $refs to $refs double
 * with every level, so a copy that is too large must not be made.
 */
static bool within(struct import *im, const char *key, const json_t *j)
{
	size_t n = 2 + (key ? strlen(key) + 3 : 0) + json_string_length(j);

	if (n > im->left) {
		(void)refuse(im, "its schemas have more than %d bytes when "
			     "every $ref is replaced", COPY_BYTES);
		return false;
	}
	im->left -= n;
	return true;
}

/* 3.0: nullable, and exclusive bounds as booleans. */
static void modernize(json_t *schema)
{
	static const char *const bounds[][2] = {
		{ "exclusiveMinimum", "minimum" },
		{ "exclusiveMaximum", "maximum" },
	};
	json_t *type = json_object_get(schema, "type");
	json_t *list = json_object_get(schema, "enum");

	if (jx_bool(schema, "nullable", false)) {
		if (json_is_string(type))
			json_object_set_new(schema, "type", json_pack("[O,s]",
							type, "null"));
		if (json_is_array(list))
			json_array_append_new(list, json_null());
	}
	json_object_del(schema, "nullable");
	for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
		json_t *flag = json_object_get(schema, bounds[i][0]);
		json_t *bound = json_object_get(schema, bounds[i][1]);

		if (!json_is_boolean(flag))
			continue;
		if (json_is_true(flag) && bound) {
			json_object_set(schema, bounds[i][0], bound);
			json_object_del(schema, bounds[i][1]);
		} else {
			json_object_del(schema, bounds[i][0]);
		}
	}
}

/* Members that only answers have are left out. */
static void drop_read_only(json_t *schema)
{
	json_t *props = json_object_get(schema, "properties");
	json_t *required = json_object_get(schema, "required"), *name, *sub;
	const char *key;
	void *next;
	size_t i;

	json_object_foreach_safe(props, next, key, sub) {
		if (!jx_bool(sub, "readOnly", false))
			continue;
		json_array_foreach(required, i, name)
			if (str_is(str_of(key), json_string_value(name)))
				json_array_remove(required, i--);
		json_object_del(props, key);
	}
}

static json_t *copy_each(struct import *im, const json_t *j, int depth)
{
	json_t *out = json_is_array(j) ? json_array() : json_object();
	const char *key;
	json_t *v, *sub;
	size_t i;

	json_object_foreach((json_t *)j, key, v) {
		sub = within(im, key, v) ? copy_schema(im, v, depth) : NULL;
		if (!sub)
			goto fail;
		json_object_set_new(out, key, sub);
	}
	json_array_foreach((json_t *)j, i, v) {
		sub = within(im, NULL, v) ? copy_schema(im, v, depth) : NULL;
		if (!sub)
			goto fail;
		json_array_append_new(out, sub);
	}
	return out;
fail:
	json_decref(out);
	return NULL;
}

/* With every $ref replaced by its target. NULL: refused. */
static json_t *copy_schema(struct import *im, const json_t *j, int depth)
{
	const json_t *from = resolve(im, j);
	json_t *out;

	if (im->e->code)
		return NULL;
	if (depth > LIM_OPENAPI_DEPTH) {
		(void)refuse(im, "a schema refers to itself, or is nested too "
			     "deep");
		return NULL;
	}
	if (json_is_object(j) && !from) {
		(void)refuse(im, "a chain of $ref is too long");
		return NULL;
	}
	if (!json_is_object(from) && !json_is_array(j))
		return json_deep_copy(j);
	out = copy_each(im, json_is_array(j) ? j : from, depth + 1);
	if (json_is_object(out)) {
		modernize(out);
		drop_read_only(out);
	}
	return out;
}

/* -- parameters ------------------------------------------------------------- */

/* A name that templates and providers accept: other characters become _. */
static void clean_name(const char *name, char out[NAME_BYTES + 1])
{
	size_t n = 0;

	for (; *name && n < NAME_BYTES; name++)
		out[n++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRS"
				  "TUVWXYZ0123456789_-", *name) ? *name : '_';
	out[n] = '\0';
}

static int add_property(struct import *im, const char *name, json_t *schema,
			bool required, struct str description)
{
	if (json_object_get(im->properties, name)) {
		json_decref(schema);
		return refuse(im, "two arguments would be named %.64s", name);
	}
	if (description.n && json_is_object(schema) &&
	    !json_object_get(schema, "description"))
		json_object_set_new(schema, "description",
				    jx_string(description));
	json_object_set_new(im->properties, name, schema);
	if (required)
		json_array_append_new(im->required, json_string(name));
	return 0;
}

/* Puts {clean} where {name} is in the path. */
static int place_in_path(struct import *im, const char *name,
			 const char *clean)
{
	struct buf want = BUF_INIT(256), out = BUF_INIT(LIM_URI_BYTES);
	const char *at;
	int rc = 0;

	buf_addf(&want, "{%s}", name);
	at = strstr(im->path.p, want.p);
	if (at) {
		buf_add(&out, im->path.p, (size_t)(at - im->path.p));
		buf_addf(&out, "{%s}", clean);
		buf_adds(&out, at + want.n);
		buf_release(&im->path);
		im->path = out;
	} else {
		rc = refuse(im, "the path has no {%.60s}", name);
		buf_release(&out);
	}
	buf_release(&want);
	return rc;
}

static int check_style(struct import *im, const json_t *p, const char *name,
		       bool in_query)
{
	struct str style = jx_str(p, "style");
	const json_t *schema = resolve(im, json_object_get(p, "schema"));
	bool list = str_is(jx_str(schema, "type"), "array");
	bool object = str_is(jx_str(schema, "type"), "object");

	if (!schema)
		return refuse(im, "parameter %.40s has no schema (content is "
			      "not supported)", name);
	if (style.p && !str_is(style, in_query ? "form" : "simple"))
		return refuse(im, "parameter %.40s: style %.20s is not "
			      "supported", name, style.p);
	if (list && (!in_query || !jx_bool(p, "explode", true)))
		return refuse(im, "parameter %.40s: a list joined by commas is "
			      "not supported", name);
	if (object)
		return refuse(im, "parameter %.40s: an object as parameter is "
			      "not supported", name);
	return 0;
}

static bool is_ours(const char *header)
{
	static const char *const names[] = {
		"Accept", "Content-Type", "Authorization",
	};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcasecmp(names[i], header) == 0)
			return true;
	return false;
}

static int add_parameter(struct import *im, const json_t *p)
{
	struct str in = jx_str(p, "in"), name = jx_str(p, "name");
	bool required = jx_bool(p, "required", false);
	bool in_path = str_is(in, "path"), in_query = str_is(in, "query");
	char clean[NAME_BYTES + 1];
	struct buf text = BUF_INIT(512);
	json_t *schema;

	if (!name.n)
		return refuse(im, "a parameter without a name");
	if (str_is(in, "cookie"))
		return required ? refuse(im, "the cookie %.40s is not supported",
					 name.p) : 0;
	if (str_is(in, "header") && is_ours(name.p))
		return 0;	/* the specification says to ignore them */
	if (check_style(im, p, name.p, in_query) < 0)
		return -1;
	clean_name(name.p, clean);
	schema = copy_schema(im, json_object_get(p, "schema"), 0);
	if (!schema || add_property(im, clean, schema, required || in_path,
				    jx_str(p, "description")) < 0)
		return -1;
	if (in_path)
		return place_in_path(im, name.p, clean);
	if (in_query) {
		buf_addf(&text, "{%s}", clean);
		json_object_set_new(im->query, name.p, json_string(text.p));
	} else {
		buf_addf(&text, "%s: {%s}", name.p, clean);
		json_array_append_new(im->headers, json_string(text.p));
	}
	buf_release(&text);
	return 0;
}

/* The path's parameters that the operation does not override; then its own. */
static int add_parameters(struct import *im, const json_t *item,
			  const json_t *op)
{
	const json_t *own = jx_arr(op, "parameters");
	const json_t *lists[2] = { jx_arr(item, "parameters"), own };
	json_t *raw, *other;
	size_t i, k;

	for (size_t l = 0; l < 2; l++)
		json_array_foreach((json_t *)lists[l], i, raw) {
			const json_t *p = resolve(im, raw);
			bool again = false;

			if (!p)
				return no_object(im, "a parameter");
			json_array_foreach((json_t *)own, k, other) {
				const json_t *o = resolve(im, other);

				again |= l == 0 &&
					 str_eq(jx_str(o, "name"),
						jx_str(p, "name")) &&
					 str_eq(jx_str(o, "in"),
						jx_str(p, "in"));
			}
			if (!again && add_parameter(im, p) < 0)
				return -1;
		}
	return 0;
}

/* -- bodies and operations -------------------------------------------------- */

static int add_body(struct import *im, const json_t *op, bool *has_body,
		    bool *form)
{
	static const char *const types[] = {
		"application/json", "application/x-www-form-urlencoded",
	};
	const json_t *raw = json_object_get(op, "requestBody");
	const json_t *body = raw ? resolve(im, raw) : NULL, *media = NULL;
	json_t *schema;
	size_t i;

	*has_body = body != NULL;
	if (!body)
		return raw ? no_object(im, "the body") : 0;
	for (i = 0; i < ARRAY_LEN(types) && !media; i++)
		media = json_object_get(jx_obj(body, "content"), types[i]);
	*form = i == ARRAY_LEN(types);
	if (!media)
		return refuse(im, "a body that is neither JSON nor a form is "
			      "not supported");
	schema = copy_schema(im, json_object_get(media, "schema"), 0);
	if (!schema)
		return im->e->code ? -1 : refuse(im, "the body has no schema");
	return add_property(im, "body", schema,
			    jx_bool(body, "required", false),
			    jx_str(body, "description"));
}

static json_t *describe(const json_t *op, struct str path, const char *method)
{
	struct buf b = BUF_INIT(4 * LIM_OPENAPI_TEXT_BYTES);
	struct str summary = jx_str(op, "summary");
	struct str text = jx_str(op, "description");
	json_t *out;

	buf_addstr(&b, summary);
	if (text.n && !str_eq(text, summary)) {
		buf_adds(&b, b.n ? "\n" : "");
		text.n = MIN(text.n, LIM_OPENAPI_TEXT_BYTES);
		buf_addstr(&b, text);
	}
	if (!b.n)
		buf_addf(&b, "%s %.*s", method, STR_ARG(path));
	out = jx_string(buf_str(&b));
	buf_release(&b);
	return out;
}

static int base_url(struct import *im, struct buf *out)
{
	const json_t *servers = jx_arr(im->doc, "servers");
	struct str url = str_of(im->c->openapi->base_url);

	if (!url.n)
		url = jx_str(json_array_get(servers, 0), "url");
	if (!str_starts(url, STR("http://")) &&
	    !str_starts(url, STR("https://")))
		return err_public(im->e, ERR_CONFIG, "base_url is needed: the "
				  "document's server has no complete URL");
	if (memchr(url.p, '{', url.n))
		return err_public(im->e, ERR_CONFIG, "base_url is needed: the "
				  "document's server has variables");
	while (url.n && url.p[url.n - 1] == '/')
		url.n--;
	buf_addstr(out, url);
	return 0;
}

static const struct {
	const char *key, *method;
	enum tool_effect effect;
} methods[] = {
	{ "get", "GET", TOOL_READ }, { "head", "HEAD", TOOL_READ },
	{ "post", "POST", TOOL_WRITE }, { "put", "PUT", TOOL_WRITE },
	{ "patch", "PATCH", TOOL_WRITE }, { "delete", "DELETE", TOOL_DESTRUCTIVE },
};

/* Every {name} of a template must be an argument by now. */
static int check_placed(struct import *im)
{
	for (const char *p = strchr(im->path.p, '{'); p; p = strchr(p, '{')) {
		size_t n = strcspn(++p, "}");

		if (!json_object_getn(im->properties, p, n))
			return refuse(im, "the path's {%.*s} has no parameter",
				      (int)MIN(n, 60), p);
	}
	return 0;
}

/* The operation as an entry of the result; NULL: refused. */
static json_t *import_one(struct import *im, const json_t *item,
			  const json_t *op, struct str path, size_t m)
{
	json_t *schema = json_pack("{s:s,s:{},s:[]}", "type", "object",
				   "properties", "required");
	json_t *out = json_pack("{s:{},s:[],s:s,s:i}", "query", "headers",
				"method", methods[m].method, "effect",
				(int)methods[m].effect);
	char clean[NAME_BYTES + 1];
	struct buf name = BUF_INIT(256);
	bool has_body = false, form = false;
	const char *wrong;
	json_t *relaxed;

	im->properties = json_object_get(schema, "properties");
	im->required = json_object_get(schema, "required");
	im->query = json_object_get(out, "query");
	im->headers = json_object_get(out, "headers");
	im->path = (struct buf)BUF_INIT(LIM_URI_BYTES);
	im->left = COPY_BYTES;
	if (base_url(im, &im->path) < 0)
		goto fail;
	buf_addstr(&im->path, path);
	if (add_parameters(im, item, op) < 0 ||
	    add_body(im, op, &has_body, &form) < 0 || check_placed(im) < 0)
		goto fail;
	wrong = check_url_template(im->path.p);
	if (wrong) {
		(void)refuse(im, "its URL %s", wrong);
		goto fail;
	}
	if (json_dumpb(schema, NULL, 0, JSON_COMPACT) > LIM_OPENAPI_SCHEMA_BYTES) {
		(void)refuse(im, "the schema of its arguments has more than %d "
			     "bytes", LIM_OPENAPI_SCHEMA_BYTES);
		goto fail;
	}
	buf_addf(&name, "%s_%.*s", im->c->name, NAME_BYTES, im->id);
	clean_name(name.p, clean);
	relaxed = schema_relaxed(schema, clean);
	json_object_set_new(out, "parameters", relaxed);
	json_object_set_new(out, "name", json_string(clean));
	json_object_set_new(out, "url", json_string(im->path.p));
	json_object_set_new(out, "description",
			    describe(op, path, methods[m].method));
	if (has_body)
		json_object_set_new(out, "body", json_string("{body}"));
	json_object_set_new(out, "form", json_boolean(form));
	goto done;
fail:
	json_decref(out);
	out = NULL;
done:
	buf_release(&name);
	buf_release(&im->path);
	json_decref(schema);
	return out;
}

static bool picked(const struct conf_list *globs, const char *id, bool *used)
{
	bool any = false;

	for (size_t i = 0; i < globs->n; i++)
		if (fnmatch(globs->v[i], id, 0) == 0)
			used[i] = any = true;
	return any;
}

static int import_path(struct import *im, struct str path, const json_t *item,
		       bool *used, json_t *out)
{
	for (size_t m = 0; m < ARRAY_LEN(methods); m++) {
		const json_t *op = jx_obj(item, methods[m].key);
		struct str id = jx_str(op, "operationId");
		json_t *one;

		if (!id.n || !picked(&im->c->openapi->operations, id.p, used))
			continue;
		im->id = id.p;
		one = import_one(im, item, op, path, m);
		/* Long names are cut, so two may have become one. */
		if (one && jx_find(out, "name", jx_str(one, "name"))) {
			(void)refuse(im, "another operation has the same name, "
				     "%.64s",
				     jx_str(one, "name").p);
			json_decref(one);
			one = NULL;
		}
		if (!one)
			return -1;
		json_array_append_new(out, one);
	}
	return 0;
}

json_t *openapi_import(const struct conf_tool *c, struct err *e)
{
	const struct conf_tool_openapi *o = c->openapi;
	struct import im = { .c = c, .doc = o->document, .id = "?", .e = e };
	json_t *out = json_array(), *item;
	bool used[256] = { false };
	const char *path;
	int rc = 0;

	if (!str_starts(jx_str(im.doc, "openapi"), STR("3.")))
		rc = err_public(e, ERR_CONFIG, "%.100s is not an OpenAPI 3 "
				"document", o->file);
	json_object_foreach(jx_obj(im.doc, "paths"), path, item)
		if (rc == 0)
			rc = import_path(&im, str_of(path), resolve(&im, item),
					 used, out);
	for (size_t i = 0; rc == 0 && i < o->operations.n; i++)
		if (!used[i])
			rc = err_public(e, ERR_CONFIG, "no operationId matches "
					"\"%.60s\"", o->operations.v[i]);
	if (rc == 0 && e->code == ERR_NONE)
		return out;
	json_decref(out);
	return NULL;
}
