/* SPDX-License-Identifier: MIT */
#include "turn/note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "turn/loop.h"
#include "turn/operation.h"
#include "context/remember.h"

#include "base/banned.h"

enum { NOTES = 16 };		/* lines queued per call */

struct note_line {
	enum tool_note_status status;
	char tool[65], text[4 * TURN_LINE_CHARS + 1];
};

struct note_kept {		/* one of what is not dropped */
	struct note_kept *next;
	struct resource_changes changes;
	struct turn_wait *waits;
	size_t n_waits;
	struct tool_operation operation;	/* action NULL: none */
	struct str delta;
	enum tool_mode mode;
};

/* -- in any thread ----------------------------------------------------------------- */

static bool add_line(struct call_notes *s, const struct tool_note *n)
{
	struct note_line *to;

	if (!s->lines)
		s->lines = xcalloc(NOTES, sizeof(*s->lines));
	to = s->n_lines ? &s->lines[s->n_lines - 1] : NULL;
	/*
	 * A later progress replaces an earlier one that was not told yet; starts and ends
	 * stay.
	 */
	if (!to || to->status != NOTE_PROGRESS || n->status != NOTE_PROGRESS)
		to = s->n_lines < NOTES ? &s->lines[s->n_lines++] : NULL;
	if (!to)
		return false;
	to->status = n->status;
	snprintf(to->tool, sizeof(to->tool), "%.*s", STR_ARG(utf8_head(n->tool, 64)));
	snprintf(to->text, sizeof(to->text), "%.*s",
		 STR_ARG(utf8_head(n->text, TURN_LINE_CHARS)));
	return true;
}

static void add_note(struct call_notes *s, const struct tool_note *n)
{
	struct note_kept *k = arena_new(&s->arena, struct note_kept);

	*k = (struct note_kept){
		.n_waits = n->n_waits, .mode = n->mode,
		.delta = arena_str(&s->arena, n->delta),
	};
	if (n->changes)
		resource_changes_copy(&k->changes, n->changes, &s->arena);
	if (n->operation) {
		k->operation = *n->operation;
		k->operation.name = arena_str(&s->arena, n->operation->name);
	}
	k->waits = arena_zalloc(&s->arena, n->n_waits, sizeof(*k->waits));
	for (size_t i = 0; i < n->n_waits; i++)
		store_turn_wait_copy(&k->waits[i], &n->waits[i], &s->arena);
	if (s->last)
		s->last->next = k;
	else
		s->first = k;
	s->last = k;
}

bool notes_add(struct call_notes *s, const struct tool_note *n)
{
	if (n->plan.n) {
		free(s->plan);
		s->plan = xcalloc(n->plan.n + 1, 1);
		memcpy(s->plan, n->plan.p, n->plan.n);
		return true;
	}
	if (!n->changes && !n->n_waits && !n->operation && !n->delta.n)
		return add_line(s, n);
	add_note(s, n);
	return true;
}

bool notes_any(const struct call_notes *s)
{
	return s->n_lines || s->plan || s->first;
}

/* -- in the turn's thread ---------------------------------------------------------- */

/* The tool's open line, or a new one; NULL if there are too many. */
static struct turn_line *line_of(struct turn_loop *l, struct turn_call *c,
				 const char *tool)
{
	struct turn_line **at = &c->lines, *open = NULL;
	size_t n = 0;

	for (; *at; at = &(*at)->next, n++)
		if (!(*at)->ended && strcmp((*at)->tool, tool) == 0)
			open = *at;
	if (open || n == TURN_LINES)
		return open;
	*at = arena_new(l->arena, struct turn_line);
	**at = (struct turn_line){ .next = NULL };
	memcpy((*at)->tool, tool, strlen(tool) + 1);
	return *at;
}

/* Keeps it for the call's row, so that late readers see the same progress. */
static void keep_line(struct turn_loop *l, struct turn_call *c, const struct note_line *n)
{
	/* An agent's calls have no rows: the turn keeps the lines for its own call. */
	struct turn_line *line = l->within.parent ? NULL : line_of(l, c, n->tool);

	if (!line)
		return;
	line->ended = n->status == NOTE_SUCCESS || n->status == NOTE_ERROR;
	line->is_error = n->status == NOTE_ERROR;
	if (n->text[0])
		memcpy(line->text, n->text, sizeof(line->text));
}

static void tell_line(struct turn_loop *l, struct turn_call *c, const struct note_line *n)
{
	static const struct str status[] = {
		[NOTE_START] = STR("start"), [NOTE_PROGRESS] = STR("progress"),
		[NOTE_SUCCESS] = STR("success"), [NOTE_ERROR] = STR("error"),
	};
	struct turn_event ev = {
		.type = TURN_EV_TOOL_PROGRESS, .call_id = c->id,
		.tool_name = str_of(n->tool), .code = status[n->status],
		.text = str_of(n->text),
	};

	keep_line(l, c, n);
	relay_emit(&l->relay, &ev);
}

/* The turn decides what of it is told; an agent passes it on. */
static void tell_state(struct turn_loop *l, const struct note_kept *k)
{
	const bool fresh = k->mode && k->mode != l->log.mode;
	struct turn_event ev = { .type = TURN_EV_AGENT_STATE, .args = k->delta };

	if (!l->within.parent && !context_remembers(l->run))
		ev.args = STR("{}");
	if (!fresh && str_is(ev.args, "{}"))
		return;
	if (fresh) {
		l->log.mode = k->mode;
		ev.code = str_of(tool_mode_name(k->mode));
	}
	relay_emit(&l->relay, &ev);
}

static void tell_kept(struct turn_loop *l, struct turn_call *c, const struct note_kept *k)
{
	struct turn_waits *w = &l->waits;

	operation_changes(l, c, &k->changes);
	if (k->operation.action)
		operation_tell(l, &k->operation);
	if (k->delta.n)
		tell_state(l, k);
	for (size_t i = 0; i < k->n_waits; i++) {
		struct turn_event ev = event_of_wait(&k->waits[i]);

		w->announced = arena_room(l->arena, w->announced, w->n_announced, 1,
					  &w->announced_room, sizeof(*w->announced));
		w->announced[w->n_announced++] = k->waits[i].id;
		relay_emit(&l->relay, &ev);
	}
}

void notes_tell(struct turn_loop *l, struct turn_call *c, struct call_notes *s)
{
	for (size_t i = 0; i < s->n_lines; i++)
		tell_line(l, c, &s->lines[i]);
	for (const struct note_kept *k = s->first; k; k = k->next)
		tell_kept(l, c, k);
	if (s->plan) {
		struct turn_event ev = {
			.type = TURN_EV_PLAN, .call_id = c->id, .args = str_of(s->plan),
		};

		relay_emit(&l->relay, &ev);
	}
	relay_flush(&l->relay);
	arena_release(&s->arena);
	free(s->lines);
	free(s->plan);
}
