/* SPDX-License-Identifier: MIT */
/*
 * One call of a tool, from the model's text to a result that the model can
 * read. The order of checks is fixed: known → offered → still allowed →
 * arguments are JSON → they fit the schema → approved where required → run →
 * cap.
 */
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "metric/metric.h"
#include "net/http.h"
#include "schema/schema.h"
#include "tool/core/builtin.h"
#include "tool/core/family.h"
#include "tool/core/text.h"

#include "base/banned.h"

void tool_refuse(struct arena *a, enum err_code code, const char *text,
		 struct tool_result *out)
{
	struct buf b = BUF_INIT(4096);
	struct jw w = jw_on(&b);

	jw_obj(&w);
	jw_key(&w, "error");
	jw_obj(&w);
	jw_kstrz(&w, "code", err_rows[code].code);
	jw_kstrz(&w, "message", text);
	jw_end_obj(&w);
	jw_end_obj(&w);
	*out = (struct tool_result){
		.text = arena_str(a, buf_str(&b)), .is_json = true,
		.is_error = true, .full_bytes = b.n,
	};
	buf_release(&b);
}

static int find_tool(const struct tool_set *set, const struct tool_ctx *ctx,
		     struct str name, const struct tool_offer **out, struct err *e)
{
	const struct tool_offer *o = tool_set_find(set, name);
	struct buf hint = BUF_INIT(4096);
	const char **names;

	*out = o;
	if (o && tool_allowed(o->tool, ctx))
		return 0;
	if (o)
		return err_public(e, ERR_TOOL_DENIED,
				  "This user may not use the tool \"%.64s\".",
				  o->tool->name);
	names = arena_alloc(ctx->arena, (set->n + 1) * sizeof(*names));
	for (size_t i = 0; i < set->n; i++)
		names[i] = set->v[i].tool->name;
	text_names(&hint, "Tools", name, names, set->n);
	err_public(e, ERR_TOOL_UNKNOWN, "There is no tool \"%.*s\". %.170s",
		   STR_ARG(text_quote(name, 48)), hint.p);
	buf_release(&hint);
	return -1;
}

/* The model's arguments as an object; "" and null are an empty one. */
static json_t *parse(struct str args, struct arena *a, struct err *e)
{
	struct err cause = ERR_INIT;
	json_t *j;

	args = str_trim(args);
	if (args.n == 0 || str_is(args, "null"))
		args = STR("{}");
	if (args.n > LIM_TOOL_ARGS_BYTES) {
		err_public(e, ERR_TOOL_ARGS, "The arguments are longer than %d "
			   "bytes.", LIM_TOOL_ARGS_BYTES);
		return NULL;
	}
	j = jx_load_lenient(args, &cause);
	if (!j) {
		err_public(e, ERR_TOOL_ARGS, "The arguments are not valid JSON "
			   "(%.150s). Send one JSON object.", cause.text);
		return NULL;
	}
	jx_keep(a, j);
	if (!json_is_object(j)) {
		err_public(e, ERR_TOOL_ARGS,
			   "The arguments must be one JSON object.");
		return NULL;
	}
	return j;
}

/* Whether a value of this schema may be null; true if that is not clear. */
static bool takes_null(const json_t *schema)
{
	const json_t *list = json_object_get(schema, "enum"), *one;
	json_auto_t *null = json_null();
	size_t i;

	if (json_object_get(schema, "type"))
		return schema_names_type(schema, null);
	json_array_foreach((json_t *)list, i, one)
		if (json_is_null(one))
			return true;
	return !list;
}

static bool is_required(const json_t *schema, const char *key)
{
	const json_t *name;
	size_t i;

	json_array_foreach(json_object_get(schema, "required"), i, name)
		if (json_is_string(name) &&
		    !strcmp(json_string_value(name), key))
			return true;
	return false;
}

/*
 * Models send null for arguments that they leave out (in strict modes they must,
 * because every argument is required). Removes such members if the schema does not
 * allow null. args may nest as deep as JSON can.
 */
static void drop_nulls(const json_t *schema, json_t *args)
{
	const json_t *properties = json_object_get(schema, "properties"), *sub;
	const json_t *items = json_object_get(schema, "items");
	const char *key;
	json_t *v;
	void *next;
	size_t i;

	json_object_foreach_safe(args, next, key, v) {
		sub = json_object_get(properties, key);
		if (!json_is_null(v))
			drop_nulls(sub, v);
		else if (sub && !takes_null(sub) && !is_required(schema, key))
			json_object_del(args, key);
	}
	json_array_foreach(args, i, v)
		drop_nulls(items, v);
}

/*
 * Models write lists, objects, numbers and booleans inside the arguments as JSON text.
 * Where the schema wants the value and not its text, the text is replaced by what it
 * says.
 */
static void open_texts(const json_t *schema, json_t *args)
{
	const json_t *properties = json_object_get(schema, "properties"), *sub;
	const char *key;
	json_t *v, *parsed;
	void *next;

	json_object_foreach_safe(args, next, key, v) {
		sub = json_object_get(properties, key);
		if (!json_is_string(v) || schema_names_type(sub, v))
			continue;
		parsed = jx_try((struct str){ json_string_value(v),
			json_string_length(v) });
		if (parsed && !json_is_null(parsed) && schema_names_type(sub, parsed))
			json_object_set(args, key, parsed);
		json_decref(parsed);
	}
}

int tool_prepare(const struct tool_set *set, const struct tool_ctx *ctx,
		 struct str name, struct str args,
		 const struct tool_offer **o, json_t **out, struct err *e)
{
	if (find_tool(set, ctx, name, o, e) < 0)
		return -1;
	*out = parse(args, ctx->arena, e);
	if (!*out)
		return -1;
	open_texts((*o)->schema, *out);
	drop_nulls((*o)->schema, *out);
	return schema_check((*o)->schema, *out, e);
}

int tool_dry_run(const struct tool_set *set, const struct tool_ctx *ctx,
		 struct str name, struct str args, struct buf *out,
		 struct err *e)
{
	const struct tool_offer *o;
	json_t *j;

	if (tool_prepare(set, ctx, name, args, &o, &j, e) < 0)
		return -1;
	if (o->tool->dry_run)
		return o->tool->dry_run(o->tool, ctx, j, out, e);
	return err_public(e, ERR_TOOL_ARGS, "%.64s cannot show what it would "
			  "send.", o->tool->name);
}

/* "[… 123 bytes left out here …]", and how to read them. */
static const char *marker_of(const struct tool *t, const struct tool_ctx *ctx,
			     const struct buf *b, size_t from, size_t to,
			     bool *kept)
{
	char text[UUID_TEXT_BYTES];
	struct uuid id;

	/* Results of tools that read kept results are not kept again. */
	*kept = t->name && !t->reads_kept &&
		read_result_keep(ctx, t->name, buf_str(b), &id);
	if (!*kept)
		return arena_printf(ctx->arena, "\n[… %zu bytes left out here "
				    "…]\n", to - from);
	return arena_printf(ctx->arena, "\n[… %zu bytes left out here; "
			    "read_result {\"result\":\"%s\",\"offset\":%zu} "
			    "reads more …]\n", to - from, uuid_format(&id, text),
			    from);
}

/*
 * Keeps head and tail of a long result with a marker between them, as valid text:
 * the head has the subject, the tail often the totals.
 */
static void cap(const struct tool *t, const struct tool_ctx *ctx,
		struct buf *b, size_t max_bytes, struct tool_result *out)
{
	struct arena *a = ctx->arena;
	struct str head = { b->p, max_bytes * 3 / 4 };
	size_t from = b->n - max_bytes / 5;
	const char *marker;
	char *text;

	head.n = utf8_complete(head);
	while (from < b->n && ((unsigned char)b->p[from] & 0xc0) == 0x80)
		from++;
	marker = marker_of(t, ctx, b, head.n, from, &out->kept);
	text = arena_alloc(a, head.n + strlen(marker) + b->n - from + 1);
	memcpy(text, head.p, head.n);
	memcpy(text + head.n, marker, strlen(marker));
	memcpy(text + head.n + strlen(marker), b->p + from, b->n - from);
	out->text = (struct str){ text, head.n + strlen(marker) + b->n - from };
	text[out->text.n] = '\0';
	out->is_json = false;
	out->truncated = true;
}

static void cap_result(const struct tool *t, const struct tool_ctx *ctx,
		       struct buf *b, struct tool_result *out)
{
	size_t max_bytes = tool_result_cap(t, ctx);

	out->full_bytes = b->n;
	if (!utf8_valid(buf_str(b))) {
		/* Each bad byte becomes U+FFFD, which has three. */
		struct buf clean = BUF_INIT(3 * LIM_RAW_RESULT_BYTES);

		utf8_scrub(&clean, buf_str(b));
		buf_release(b);
		*b = clean;
	}
	if (b->n > max_bytes || !buf_ok(b))
		cap(t, ctx, b, MIN(max_bytes, b->n), out);
	else
		out->text = arena_str(ctx->arena, buf_str(b));
}

/* A call that needs approval is refused where nobody can be asked. */
static int check_gate(const struct tool *t, const struct tool_ctx *ctx,
		      const json_t *args, struct err *e)
{
	if (t->visibility != TOOL_SERVER)
		return err_public(e, ERR_TOOL_DENIED, "The tool \"%.64s\" "
				  "cannot be used from here.", t->name);
	if (!ctx->approved && !t->resumes && tool_asks(t, ctx, args, NULL))
		return err_public(e, ERR_TOOL_NOT_APPROVED, "The tool "
				  "\"%.64s\" needs the user's approval, which "
				  "cannot be asked for here.", t->name);
	return 0;
}

static int run_tool(const struct tool_set *set, const struct tool_ctx *ctx,
		    struct str name, struct str args, struct buf *b,
		    struct tool_result *out, const struct tool **tool,
		    struct err *e)
{
	struct tool_ctx inner = *ctx;
	const struct tool_offer *o;
	json_t *j;

	/* A full turn must not change anything that it could not tell the model of. */
	if (arena_check(ctx->arena, e) < 0 ||
	    tool_prepare(set, ctx, name, args, &o, &j, e) < 0 ||
	    check_gate(o->tool, ctx, j, e) < 0)
		return -1;
	*tool = o->tool;
	if (ctx->turn.abort && http_aborted(ctx->turn.abort))
		return err_set(e, ERR_CANCELLED, "before the tool ran");
	out->is_json = out->ran = true;
	inner.approved = false;	/* the calls below it are not */
	/* Of the gate only: the tool's own schema does not have it. */
	if (tool_declares(o->tool))
		json_object_del(j, TOOL_MODE_KEY);
	return o->tool->run(o->tool, &inner, j, b, &out->is_json, e);
}

void tool_call(const struct tool_set *set, const struct tool_ctx *ctx,
	       struct str name, struct str args, struct tool_result *out)
{
	struct buf b = BUF_INIT(LIM_RAW_RESULT_BYTES);
	int64_t start = clock_mono_ms();
	const struct tool *tool = NULL;
	struct err e = ERR_INIT;
	int rc;

	*out = (struct tool_result){ .is_json = true };
	rc = run_tool(set, ctx, name, args, &b, out, &tool, &e);
	if (rc < 0) {
		bool ran = out->ran;

		/* What has a text for the model is its mistake, and not the log's. */
		if (!e.public[0])
			log_err("tool call", &e);
		tool_refuse(ctx->arena, e.code, err_message(&e), out);
		out->ran = ran;
	} else {
		cap_result(tool, ctx, &b, out);
		out->is_error = rc > 0;
		out->foreign = true;
	}
	out->duration_ms = clock_mono_ms() - start;
	metric_add(METRIC_TOOL_CALLS, tool ? tool_family_name(tool) : NULL,
		   rc == 0 ? "ok" : !out->ran ? "refused"
		   : e.code == ERR_CANCELLED ? "cancelled" : "error", 1);
	buf_release(&b);
}

void tool_accept(const struct tool *t, const struct tool_ctx *ctx,
		 struct str text, struct tool_result *out)
{
	static const struct tool any;
	struct buf b = BUF_INIT(LIM_RAW_RESULT_BYTES);
	json_t *j = jx_try(text);

	*out = (struct tool_result){ .is_json = j != NULL };
	json_decref(j);
	buf_addstr(&b, text);
	if (t)	/* else an answer to a question */
		metric_add(METRIC_TOOL_CALLS, tool_family_name(t), "ok", 1);
	cap_result(t ? t : &any, ctx, &b, out);
	buf_release(&b);
}
