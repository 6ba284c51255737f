/* SPDX-License-Identifier: MIT */
/*
 * ask.c - the neutral request.
 */
#include "demo-llm/ask.h"

#include <string.h>

#include "base/banned.h"

struct msg *ask_add(struct ask *a, enum role role, const char *text)
{
	struct msg *m;

	a->msgs = arena_room(a->a, a->msgs, a->n, 1, &a->cap, sizeof(*m));
	m = &a->msgs[a->n++];
	*m = (struct msg){.role = role, .text = text ? text : ""};
	return m;
}

const char *ask_content(struct ask *a, const json_t *content)
{
	struct out o = {0};
	json_t *part;
	size_t i;

	if (json_is_string(content))
		return json_string_value(content);
	json_array_foreach(content, i, part) {
		const char *text = json_string_value(
			json_object_get(part, "text"));

		if (!text)
			continue;
		if (out_size(&o))
			out_puts(&o, "\n");
		out_puts(&o, text);
	}
	return out_keep(&o, a->a);
}

void ask_add_call(struct ask *a, struct msg *m, const char *id,
		  const char *name, json_t *args)
{
	json_t *call = json_object();

	if (!m->calls)
		m->calls = jx_keep(a->a, json_array());
	json_object_set_new(call, "id", json_string(id ? id : ""));
	json_object_set_new(call, "name", json_string(name ? name : ""));
	json_object_set_new(call, "args", args ? args : json_object());
	json_array_append_new(m->calls, call);
}

void ask_add_tool(struct ask *a, const char *name, const char *description,
		  json_t *schema)
{
	json_t *tool = json_object();

	if (!a->tools)
		a->tools = jx_keep(a->a, json_array());
	json_object_set_new(tool, "name", json_string(name));
	json_object_set_new(tool, "description",
			    json_string(description ? description : ""));
	json_object_set(tool, "schema", schema);
	json_array_append_new(a->tools, tool);
}

/* The name of the call with that id before message i, or NULL. */
static const char *call_name(const struct ask *a, size_t i, const char *id)
{
	while (i-- > 0) {
		json_t *call;
		size_t k;

		json_array_foreach(a->msgs[i].calls, k, call)
			if (!strcmp(json_string_value(
					json_object_get(call, "id")), id))
				return json_string_value(
					json_object_get(call, "name"));
	}
	return NULL;
}

/* Are all calls of message i answered by the tool messages right behind? */
static int check_answers(const struct ask *a, size_t i, struct refusal *w)
{
	json_t *call;
	size_t k, t;

	json_array_foreach(a->msgs[i].calls, k, call) {
		const char *id = json_string_value(
			json_object_get(call, "id"));
		bool found = false;

		for (t = i + 1; t < a->n && a->msgs[t].role == ROLE_TOOL; t++)
			if (a->msgs[t].call_id &&
			    !strcmp(a->msgs[t].call_id, id))
				found = true;
		if (!found)
			return refuse(w, 400, "messages",
				"tool call '%s' in message %zu has no tool "
				"result directly after it", id, i);
	}
	return 0;
}

int ask_finish(struct ask *a, bool strict, struct refusal *w)
{
	size_t i;

	for (i = 0; i < a->n; i++) {
		struct msg *m = &a->msgs[i];
		const char *name;

		a->chars += strlen(m->text);
		if (m->calls && strict && check_answers(a, i, w))
			return -1;
		if (m->role != ROLE_TOOL)
			continue;
		name = m->call_id ? call_name(a, i, m->call_id) : NULL;
		if (!name && strict)
			return refuse(w, 400, "messages",
				"tool result '%s' in message %zu answers no "
				"tool call before it",
				m->call_id ? m->call_id : "", i);
		if (name && !m->tool_name)
			m->tool_name = name;
	}
	if (!a->n)
		return refuse(w, 400, "messages", "messages must not be empty");
	return 0;
}

long ask_last_user(const struct ask *a)
{
	size_t i = a->n;

	while (i-- > 0)
		if (a->msgs[i].role == ROLE_USER)
			return (long)i;
	return -1;
}

size_t ask_rounds(const struct ask *a)
{
	size_t i, rounds = 0;

	for (i = (size_t)(ask_last_user(a) + 1); i < a->n; i++)
		if (a->msgs[i].role == ROLE_TOOL &&
		    (i == 0 || a->msgs[i - 1].role != ROLE_TOOL))
			rounds++;
	return rounds;
}

const char *ask_tool(const struct ask *a, const char *name)
{
	json_t *tool;
	size_t i;

	json_array_foreach(a->tools, i, tool) {
		const char *s = json_string_value(
			json_object_get(tool, "name"));
		size_t n = strlen(s), m = strlen(name);

		if (n >= m && !strcmp(s + n - m, name) &&
		    (n == m || s[n - m - 1] == '_' || s[n - m - 1] == '-'))
			return s;
	}
	return NULL;
}
