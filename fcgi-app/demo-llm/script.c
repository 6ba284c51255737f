/* SPDX-License-Identifier: MIT */
/*
 * script.c - reading of scripted scenarios: one row per member.
 */
#include "demo-llm/script.h"

#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"

#include "base/banned.h"

enum kind { K_TEXT, K_LONG, K_REAL, K_BOOL, K_CALLS, K_USAGE, K_FAULT, K_THEN };

struct row {
	const char *name;
	enum kind kind;
	size_t at;
	long min, max;
};

#define AT(member) offsetof(struct script, member)

static const struct row rows[] = {
	{"text", K_TEXT, AT(text), 0, 0},
	{"tokens", K_LONG, AT(tokens), 0, SCRIPT_TOKENS_MAX},
	{"rate", K_REAL, AT(rate), 0, 1000000},
	{"first_byte_ms", K_LONG, AT(first_byte_ms), 0, 3600000},
	{"chunk_bytes", K_LONG, AT(chunk_bytes), 0, 1000000},
	{"reasoning", K_TEXT, AT(reasoning), 0, 0},
	{"narration", K_TEXT, AT(narration), 0, 0},
	{"tool_calls", K_CALLS, AT(tool_calls), 0, 0},
	{"finish", K_TEXT, AT(finish), 0, 0},
	{"usage", K_USAGE, AT(usage), 0, 0},
	{"error", K_FAULT, AT(fault), 0, 0},
	{"stall_after", K_LONG, AT(stall_after), 0, SCRIPT_TOKENS_MAX},
	{"cut_after", K_LONG, AT(cut_after), 0, SCRIPT_TOKENS_MAX},
	{"garbage_after", K_LONG, AT(garbage_after), 0, SCRIPT_TOKENS_MAX},
	{"html", K_BOOL, AT(html), 0, 0},
	{"empty", K_BOOL, AT(empty), 0, 0},
	{"no_done", K_BOOL, AT(no_done), 0, 0},
	{"then", K_THEN, AT(then), 0, 0},
	{"fail_times", K_LONG, AT(fail_times), 0, 1000000},
	{"id", K_TEXT, AT(id), 0, 0},
};

static int read_calls(json_t *v, struct refusal *w)
{
	json_t *call, *m;
	const char *key;
	size_t i;

	if (!json_is_array(v) || json_array_size(v) > 128)
		return refuse(w, 400, "tool_calls",
			      "script: tool_calls must be a list of at most 128");
	json_array_foreach(v, i, call) {
		if (!json_is_string(json_object_get(call, "name")))
			return refuse(w, 400, "tool_calls",
				"script: tool_calls[%zu] needs a name", i);
		json_object_foreach(call, key, m) {
			if (!strcmp(key, "args") || !strcmp(key, "name"))
				continue;
			if (!strcmp(key, "id") && json_is_string(m))
				continue;
			return refuse(w, 400, key,
				"script: tool_calls[%zu] has a wrong member "
				"'%s'", i, key);
		}
	}
	return 0;
}

static int read_fault(struct fault *f, json_t *v, struct refusal *w)
{
	const char *key;
	json_t *m;

	if (!json_is_object(v))
		return refuse(w, 400, "error",
			      "script: error must be an object");
	f->on = true;
	f->status = 500;
	json_object_foreach(v, key, m) {
		if (!strcmp(key, "status") && json_is_integer(m) &&
		    json_integer_value(m) >= 200 && json_integer_value(m) < 600)
			f->status = (int)json_integer_value(m);
		else if (!strcmp(key, "body") &&
			 (json_is_object(m) || json_is_array(m) ||
			  json_is_string(m)))
			f->body = m;
		else if (!strcmp(key, "retry_after") &&
			 (json_is_number(m) || json_is_string(m)))
			f->retry_after = m;
		else if (!strcmp(key, "after_tokens") && json_is_integer(m) &&
			 json_integer_value(m) >= 0)
			f->after_tokens = (long)json_integer_value(m);
		else
			return refuse(w, 400, key,
				"script: error has a wrong member '%s'", key);
	}
	return 0;
}

/* Stores one member; -1 when its type or range is wrong. */
static int read_row(struct script *s, const struct row *r, json_t *v)
{
	char *at = (char *)s + r->at;
	double d;

	switch (r->kind) {
	case K_TEXT:
		if (!json_is_string(v))
			return -1;
		*(const char **)(void *)at = json_string_value(v);
		return 0;
	case K_LONG:
		if (!json_is_integer(v) || json_integer_value(v) < r->min ||
		    json_integer_value(v) > r->max)
			return -1;
		*(long *)(void *)at = (long)json_integer_value(v);
		return 0;
	case K_REAL:
		d = json_number_value(v);
		if (!json_is_number(v) || d < (double)r->min ||
		    d > (double)r->max)
			return -1;
		*(double *)(void *)at = d;
		return 0;
	case K_BOOL:
		if (!json_is_boolean(v))
			return -1;
		*(bool *)at = json_is_true(v);
		return 0;
	case K_USAGE:
		if (!json_is_object(v) && !json_is_false(v))
			return -1;
		s->usage = v;
		return 0;
	default:
		return -1;
	}
}

static int read_depth(struct script *s, const json_t *v, int depth,
		      struct refusal *w)
{
	struct script inner;
	const char *key;
	json_t *m;
	size_t i;

	*s = (struct script){.tokens = -1, .stall_after = -1, .cut_after = -1,
			     .garbage_after = -1, .fault.after_tokens = -1};
	if (!json_is_object(v))
		return refuse(w, 400, "script", "script: must be an object");
	if (depth > SCRIPT_DEPTH_MAX)
		return refuse(w, 400, "then", "script: then nested too deep");
	json_object_foreach((json_t *)v, key, m) {
		for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (!strcmp(rows[i].name, key))
				break;
		if (i == sizeof(rows) / sizeof(rows[0]))
			return refuse(w, 400, key,
				      "script: unknown member '%s'", key);
		if (rows[i].kind == K_CALLS) {
			if (read_calls(m, w))
				return -1;
			s->tool_calls = m;
		} else if (rows[i].kind == K_FAULT) {
			if (read_fault(&s->fault, m, w))
				return -1;
		} else if (rows[i].kind == K_THEN) {
			if (read_depth(&inner, m, depth + 1, w))
				return -1;
			s->then = m;
		} else if (read_row(s, &rows[i], m)) {
			return refuse(w, 400, key,
				"script: member '%s' has a wrong type or is "
				"out of range", key);
		}
	}
	if (s->text && s->tokens >= 0)
		return refuse(w, 400, "tokens",
			      "script: text and tokens exclude each other");
	if (s->fail_times && !s->id)
		return refuse(w, 400, "id", "script: fail_times needs an id");
	return 0;
}

int script_read(struct script *s, const json_t *v, struct refusal *w)
{
	return read_depth(s, v, 0, w);
}

json_t *script_json(const char *text, const char **rest, struct refusal *w)
{
	struct str s = str_of(text + strspn(text, " \t\r\n"));
	struct err e = ERR_INIT;
	size_t n = jx_extent(s);
	json_t *v;

	s.n = n ? n : s.n;
	v = jx_load(s, &e);
	if (!json_is_object(v) && !json_is_array(v)) {
		refuse(w, 400, "script", "script: not a JSON object: %s",
		       v ? "a single value" : err_message(&e));
		json_decref(v);
		return NULL;
	}
	if (rest)
		*rest = s.p + n;
	return v;
}
