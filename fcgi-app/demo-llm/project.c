/* SPDX-License-Identifier: MIT */
#include "demo-llm/project.h"

#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "demo-llm/steps.h"

#include "base/banned.h"

#define ID_CHARS 36
#define TITLE_BYTES 200
#define TASKS_MAX 8	/* made at once */
#define BLOCKS "Blocked by "	/* begins a line of what is in the way */

struct in {			/* the project that is talked about */
	const char *name, *id;	/* NULL: none */
};

static const char *member(const json_t *v, const char *key)
{
	const char *text = jx_str(v, key).p;

	return text ? text : "";
}

static const struct done *find_done(struct deeds done, const char *tool)
{
	for (size_t i = 0; i < done.n; i++)
		if (demo_tool_is(done.v[i].name, tool))
			return &done.v[i];
	return NULL;
}

/* -- which project ---------------------------------------------------------------- */

/* The text up to a mark, in the arena; NULL: there is none. */
static const char *up_to(struct arena *a, const char *from, const char *mark)
{
	const char *end = from ? strstr(from, mark) : NULL;

	return end && end - from <= TITLE_BYTES * 4
		? arena_memdup(a, from, (size_t)(end - from)) : NULL;
}

static const char *id_at(struct arena *a, const char *text)
{
	return text && strlen(text) >= ID_CHARS ? arena_memdup(a, text, ID_CHARS) : NULL;
}

/* "… in the project \"Pier\" (project_id 0192…, …". */
static struct in stated(const struct ask *a, const char *text)
{
	static const char before[] = "is in the project \"", id[] = "\" (project_id ";
	const char *at = strstr(text, before);
	struct in p = { NULL, NULL };

	if (!at)
		return p;
	p.name = up_to(a->a, at + sizeof(before) - 1, id);
	at = strstr(at, id);
	p.id = p.name ? id_at(a->a, at + sizeof(id) - 1) : NULL;
	return p;
}

/* Whether a word of the name, which says something, is in the question. */
static bool is_named(const struct ask *a, const struct words *w, const char *name)
{
	const struct words n = words_of(a->a, name);

	for (size_t i = 0; i < n.n; i++)
		if (strlen(n.w[i].low) > 3 && !is_stop_word(n.w[i].low) &&
		    words_find(w, n.w[i].low) >= 0)
			return true;
	return false;
}

/* A line of "Projects of the user": "- Pier (active, due …) [0192…]: …". */
static struct in listed(const struct ask *a, const struct words *w, const char *text)
{
	const char *line = strstr(text, "Projects of the user");
	struct in p = { NULL, NULL };

	while (line && (line = strstr(line, "\n- "))) {
		const char *end = strchr(line + 3, '\n');
		const char *id = strstr(line, ") [");

		if (id && (!end || id < end)) {
			p.name = up_to(a->a, line + 3, " (");
			p.id = id_at(a->a, id + 3);
			if (p.name && p.id && is_named(a, w, p.name))
				return p;
		}
		line += 3;
	}
	return (struct in){ NULL, NULL };
}

static const char *first_text(const json_t *list)
{
	const char *text = json_string_value(json_array_get(list, 0));

	return text ? text : "";
}

static struct in project_of(const struct ask *a, const struct words *w)
{
	const struct demo_step step = demo_step_of(a);
	struct in p = { NULL, NULL };

	/* A step knows it by the constraints of its plan. */
	if (step.title)
		p = stated(a, first_text(jx_arr(step.input, "constraints")));
	for (size_t i = 0; i < a->n && !p.id; i++)
		if (a->msgs[i].role == ROLE_SYSTEM)
			p = stated(a, a->msgs[i].text);
	for (size_t i = 0; i < a->n && !p.id; i++)
		if (a->msgs[i].role == ROLE_SYSTEM)
			p = listed(a, w, a->msgs[i].text);
	return p;
}

/* -- what is open, and what blocks it ------------------------------------------------ */

static bool is_closed(const json_t *one)
{
	static const char *const closed[] = { "done", "cancelled", "closed", "mitigated" };

	for (size_t i = 0; i < ARRAY_LEN(closed); i++)
		if (!strcmp(member(one, "stateKey"), closed[i]))
			return true;
	return false;
}

/* The title of what has this id in the graph, if it is not done; NULL. */
static const char *open_title(const json_t *graph, const char *id)
{
	static const char *const kinds[] = { "tasks", "risks", "requirements", "milestones",
					     "goals", "plans", "documents" };
	const json_t *one;
	size_t i, k;

	for (k = 0; k < ARRAY_LEN(kinds); k++)
		json_array_foreach(jx_arr(graph, kinds[k]), i, one)
			if (!strcmp(member(one, "id"), id))
				return is_closed(one) ? NULL : member(one, "title");
	return NULL;
}

static void say_blocks(struct out *say, const json_t *graph, const char *id)
{
	const json_t *edge;
	const char *other;
	size_t i;

	json_array_foreach(jx_arr(graph, "edges"), i, edge) {
		const char *relation = member(edge, "relation");
		const char *from = member(edge, "fromId"), *to = member(edge, "toId");

		if (!strcmp(relation, "blocks") && !strcmp(to, id))
			other = open_title(graph, from);
		else if (!strcmp(relation, "depends_on") && !strcmp(from, id))
			other = open_title(graph, to);
		else
			continue;
		if (other)
			out_printf(say, "\n  - " BLOCKS "**%s**", other);
	}
}

static void say_open(struct out *say, const json_t *graph, const char *name)
{
	const json_t *one;
	size_t i, n = 0;

	json_array_foreach(jx_arr(graph, "tasks"), i, one)
		n += !is_closed(one);
	if (!n) {
		out_printf(say, "Nothing is open in **%s**.", name);
		return;
	}
	out_printf(say, "Open in **%s**: %zu task%s.\n", name, n, n == 1 ? "" : "s");
	json_array_foreach(jx_arr(graph, "tasks"), i, one) {
		const char *due = member(one, "dueDate");

		if (is_closed(one))
			continue;
		out_printf(say, "\n- **%s** (%s%s%s)", member(one, "title"),
			   member(one, "stateKey"), *due ? ", due " : "", due);
		say_blocks(say, graph, member(one, "id"));
	}
}

static bool asks_open(const struct words *w)
{
	return words_find(w, "open blocks blocked blocking due overdue left next status") >= 0 &&
		!words_have(w, "open a") && words_find(w, "ticket tickets") < 0;
}

static enum act tell_open(const struct ask *a, const struct words *w, struct deeds done,
			  struct in in, struct plan *p, struct out *say)
{
	const char *graph = ask_tool(a, "get_onto_project_graph");
	const char *list = ask_tool(a, "list_onto_tasks");
	const char *tool = graph ? graph : list;
	const struct done *d = tool ? find_done(done, tool) : NULL;
	json_t *v;

	if (!tool || !asks_open(w))
		return ACT_NONE;
	if (!d) {
		plan_call(p, NULL, tool, jx_keep(a->a, json_pack("{s:s}", "project_id",
								 in.id)));
		return ACT_CALL;
	}
	v = result_json(a->a, d->result->text);
	if (json_is_array(json_object_get(v, "items")))
		json_object_set(v, "tasks", json_object_get(v, "items"));
	say_open(say, v, in.name);
	return ACT_SAID;
}

/* -- tasks ------------------------------------------------------------------------------ */

static void plan_task(const struct ask *a, struct in in, const char *title, struct plan *p)
{
	plan_call(p, NULL, ask_tool(a, "create_onto_task"), jx_keep(a->a, json_pack(
		"{s:s, s:s}", "project_id", in.id, "title", title)));
}

/* Says which calls of that tool did it. False: there were none. */
static bool say_done(const struct ask *a, struct deeds done, const char *tool,
		     const char *what, struct out *say)
{
	bool any = false;

	for (size_t i = 0; i < done.n; i++) {
		const struct done *d = &done.v[i];
		const json_t *v;

		if (!demo_tool_is(d->name, tool))
			continue;
		v = result_json(a->a, d->result->text);
		any = true;
		if (d->result->is_error || jx_obj(v, "error"))
			out_printf(say, "- It did not work: %s\n",
				   member(jx_obj(v, "error"), "message"));
		else
			out_printf(say, "- %s: **%s**\n", what, member(v, "title"));
	}
	return any;
}

/* What the last answer says is in the way: each becomes a task. */
static size_t tasks_of_answer(const struct ask *a, struct in in, struct plan *p)
{
	const char *text = "";
	size_t n = 0;

	for (long i = ask_last_user(a) - 1; i >= 0 && !*text; i--)
		if (a->msgs[i].role == ROLE_ASSISTANT)
			text = a->msgs[i].text;
	while (n < TASKS_MAX && (text = strstr(text, BLOCKS "**"))) {
		const char *title = up_to(a->a, text + sizeof(BLOCKS) + 1, "**");

		text += sizeof(BLOCKS);
		if (!title)
			continue;
		plan_task(a, in, arena_printf(a->a, "Resolve: %s", title), p);
		n++;
	}
	return n;
}

/* Index of the word behind "add a task to", or 0. */
static size_t task_title(const struct words *w)
{
	size_t i = word_in(w, 0, "please") ? 1 : 0;

	if (!word_in(w, i, "add create make") || !word_in(w, ++i, "a another"))
		return 0;
	while (word_in(w, ++i, "new urgent"))
		continue;
	if (!word_in(w, i, "task"))
		return 0;
	while (word_in(w, ++i, "to called named that says for"))
		continue;
	return i < w->n ? i : 0;
}

static enum act make_tasks(const struct ask *a, const struct words *w, struct deeds done,
			   struct in in, struct plan *p, struct out *say)
{
	const bool all = words_find(w, "tasks") >= 0 && words_find(w, "turn make create") >= 0;
	const size_t at = task_title(w);
	char *title;

	if (!ask_tool(a, "create_onto_task") || (!all && !at))
		return ACT_NONE;
	if (say_done(a, done, "create_onto_task", "Task", say))
		return ACT_SAID;
	if (at) {
		title = arena_strdup(a->a, words_text(w, at, w->n - at));
		*title = (char)toupper((unsigned char)*title);
		plan_task(a, in, title, p);
		return ACT_CALL;
	}
	if (tasks_of_answer(a, in, p))
		return ACT_CALL;
	out_puts(say, "I see nothing in my last answer that is in the way. Ask what blocks "
		 "the project first.");
	return ACT_SAID;
}

/* -- a document in another place --------------------------------------------------------- */

static const char *id_in_tree(const struct words *w, size_t from, size_t to,
			      const json_t *nodes)
{
	const json_t *one;
	size_t i;

	json_array_foreach(nodes, i, one) {
		const size_t n = words_of(w->a, member(one, "title")).n;
		const char *title = member(one, "title"), *below;

		for (size_t k = from; n && k + n <= to; k++)
			if (!strcasecmp(words_text(w, k, n), title))
				return member(one, "id");
		below = id_in_tree(w, from, to, jx_arr(one, "children"));
		if (below)
			return below;
	}
	return NULL;
}

static enum act move(const struct ask *a, const struct words *w, struct deeds done,
		     struct in in, struct plan *p, struct out *say)
{
	const char *tree = ask_tool(a, "get_document_tree");
	const char *tool = ask_tool(a, "move_document_in_tree");
	const struct done *read = find_done(done, "get_document_tree");
	const long under = words_find(w, "under below into");
	const char *what, *where;
	const json_t *root;

	if (!tree || !tool || under < 0 || !word_in(w, 0, "move put"))
		return ACT_NONE;
	if (say_done(a, done, "move_document_in_tree", "Moved", say))
		return ACT_SAID;
	if (!read) {
		plan_call(p, NULL, tree, jx_keep(a->a, json_pack("{s:s}", "project_id",
								 in.id)));
		return ACT_CALL;
	}
	root = jx_arr(result_json(a->a, read->result->text), "root");
	what = id_in_tree(w, 1, (size_t)under, root);
	where = id_in_tree(w, (size_t)under + 1, w->n, root);
	if (!what || !where) {
		out_puts(say, "I do not find both documents by these titles.");
		return ACT_SAID;
	}
	plan_call(p, NULL, tool, jx_keep(a->a, json_pack("{s:s, s:s}", "document_id", what,
							 "parent_id", where)));
	return ACT_CALL;
}

/* -- a new project ------------------------------------------------------------------------- */

static enum act make_project(const struct ask *a, const struct words *w, struct deeds done,
			     struct plan *p, struct out *say)
{
	const char *tool = ask_tool(a, "create_onto_project");
	const struct done *d = find_done(done, "create_onto_project");
	const long at = words_find(w, "called named");
	size_t end = (size_t)at + 1;
	const char *name, *text;
	json_t *v;

	if (!tool)
		return ACT_NONE;
	if (d) {
		v = result_json(a->a, d->result->text);
		if (d->result->is_error || jx_obj(v, "error"))
			out_printf(say, "No project was made: %s",
				   member(jx_obj(v, "error"), "message"));
		else
			out_printf(say, "The project **%s** is there, with a context "
				   "document of what you said.", member(v, "name"));
		return ACT_SAID;
	}
	if (at < 0 || words_find(w, "project") < 0) {
		out_puts(say, "What shall the project be called? Say for example: a project "
			 "called Winter tyres, to have all cars ready by November.");
		return ACT_SAID;
	}
	while (end < w->n && !word_in(w, end, "to for so that which about with because"))
		end++;
	name = words_text(w, (size_t)at + 1, end - (size_t)at - 1);
	text = words_text(w, 0, w->n);
	plan_call(p, NULL, tool, jx_keep(a->a, json_pack("{s:s, s:s, s:{s:s, s:s}}",
		  "name", name, "description", text, "context_document", "title", "Context",
		  "content", arena_printf(a->a, "# Purpose\n\n%s\n", text))));
	return ACT_CALL;
}

enum act project_act(const struct ask *a, const struct words *w, struct deeds done,
		     struct plan *p, struct out *say)
{
	const struct in in = project_of(a, w);
	enum act did;

	if (ask_tool(a, "create_onto_project"))
		return make_project(a, w, done, p, say);
	if (!in.id)
		return ACT_NONE;
	did = demo_plan_audit(a, w, done, in.name, in.id, p, say);
	if (did == ACT_NONE)
		did = make_tasks(a, w, done, in, p, say);
	if (did == ACT_NONE)
		did = move(a, w, done, in, p, say);
	return did == ACT_NONE ? tell_open(a, w, done, in, p, say) : did;
}
