/* SPDX-License-Identifier: MIT */
#include "demo-llm/steps.h"

#include <string.h>

#include "base/json.h"

#include "base/banned.h"

#define WRITES "Write the summary"

static const char *member(const json_t *v, const char *key)
{
	const char *text = jx_str(v, key).p;

	return text ? text : "";
}

/* -- the requests of steps --------------------------------------------------------- */

struct demo_step demo_step_of(const struct ask *a)
{
	const long user = ask_last_user(a);
	const char *at = user < 0 ? NULL : strchr(a->msgs[user].text, '{');
	struct str all = str_of(at);
	struct demo_step s = { NULL, NULL };

	if (!at)
		return s;
	s.input = jx_keep(a->a, jx_try((struct str){ at, jx_extent(all) }));
	if (jx_obj(s.input, "step") && jx_str(s.input, "goal").n)
		s.title = jx_str(jx_obj(s.input, "step"), "title").p;
	return s;
}

bool demo_step_writes(const struct demo_step *s, struct out *say)
{
	const json_t *v;
	const char *name;

	if (strncmp(s->title, WRITES, sizeof(WRITES) - 1) != 0)
		return false;
	out_printf(say, "## %s\n", member(s->input, "goal"));
	json_object_foreach(jx_obj(s->input, "inputs"), name, v)
		out_printf(say, "\n### %s\n\n%s\n", name,
			   json_string_value(v) ? json_string_value(v) : "");
	return true;
}

/* -- the plan ----------------------------------------------------------------------- */

static json_t *one_step(const char *title, const char *executor, const char *output,
			json_t *tools)
{
	return json_pack("{s:s, s:s, s:s, s:[s], s:o}", "title", title, "intent",
			 !strcmp(executor, "tooling") ? "create" : "research", "executor",
			 executor, "outputs", output, "tools", tools);
}

/* The first of the two tools that is offered, or NULL. */
static const char *either(const struct ask *a, const char *one, const char *other)
{
	const char *tool = ask_tool(a, one);

	return tool ? tool : ask_tool(a, other);
}

/* What does not depend on each other; outputs gets the names of what they make. */
static json_t *finding(const struct ask *a, const char *name, json_t *outputs)
{
	const char *graph = either(a, "get_onto_project_graph", "list_onto_tasks");
	const char *list = ask_tool(a, "list_datasets"), *query = ask_tool(a, "query_data");
	const char *search = ask_tool(a, "search_knowledge");
	const char *ticket = ask_tool(a, "create_ticket");
	json_t *steps = json_array();

	if (graph)
		json_array_append_new(steps, one_step(arena_printf(a->a,
			"What is open in %s, and what blocks it?", name), "research",
			"Open", json_pack("[s]", graph)));
	if (list && query)
		json_array_append_new(steps, one_step(
			"How many tickets are open in each category?", "research",
			"Tickets", json_pack("[s, s]", list, query)));
	if (search)
		json_array_append_new(steps, one_step(
			"What does the handbook say about calibration?", "research",
			"Rules", json_pack("[s]", search)));
	if (ticket)
		json_array_append_new(steps, one_step(
			"Open a ticket: the calibration papers of the pilot for the audit",
			"tooling", "Ticket", json_pack("[s]", ticket)));
	for (size_t i = 0; i < json_array_size(steps); i++)
		json_array_append(outputs, json_array_get(json_object_get(
			json_array_get(steps, i), "outputs"), 0));
	return steps;
}

static json_t *audit(const struct ask *a, const char *name, const char *id)
{
	json_t *outputs = json_array(), *steps = finding(a, name, outputs);

	return jx_keep(a->a, json_pack(
		"{s:s, s:[s], s:[{s:s, s:s, s:o}, {s:s, s:s, s:[{s:s, s:s, s:s, s:o}]}]}",
		"goal", arena_printf(a->a, "The audit of %s is prepared", name),
		"constraints", arena_printf(a->a, "It is in the project \"%s\" (project_id %s)",
					    name, id),
		"stages",
		"name", "Find out and ask for", "mode", "parallel", "steps", steps,
		"name", "Write", "mode", "sequence", "steps",
		"title", WRITES " from what was found", "intent", "draft", "executor", "writer",
		"inputs", outputs));
}

/* What came of it, with the text of its last step. */
static void say_plan(const struct ask *a, const struct done *d, struct out *say)
{
	json_t *v = result_json(a->a, d->result->text), *s;
	const char *last = "";
	size_t i, n = 0;

	json_array_foreach(jx_arr(v, "steps"), i, s) {
		n += !strcmp(member(s, "status"), "done");
		last = member(s, "result");
	}
	if (d->result->is_error || !i)
		out_printf(say, "The plan did not come to an end: %s",
			   member(jx_obj(v, "error"), "message"));
	else
		out_printf(say, "The plan is over: %zu of %zu steps are done.\n\n%s", n, i, last);
}

enum act demo_plan_audit(const struct ask *a, const struct words *w, struct deeds done,
			 const char *name, const char *id, struct plan *p, struct out *say)
{
	const char *tool = ask_tool(a, "plan");

	if (!tool || !word_in(w, word_in(w, 0, "please") ? 1 : 0, "prepare") ||
	    words_find(w, "audit") < 0)
		return ACT_NONE;
	for (size_t i = 0; i < done.n; i++)
		if (demo_tool_is(done.v[i].name, "plan")) {
			say_plan(a, &done.v[i], say);
			return ACT_SAID;
		}
	plan_call(p, NULL, tool, audit(a, name, id));
	return ACT_CALL;
}
