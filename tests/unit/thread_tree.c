/* SPDX-License-Identifier: MIT */
#include "thread_tree.h"

#include <stdio.h>

#include "base/limits.h"

void tree_new(struct tree *t, const char *title)
{
	*t = (struct tree){ .id = new_conversation(&ann, title), .chosen = -1 };
}

static int *slot(struct tree *t, int parent)
{
	return parent < 0 ? &t->chosen : &t->v[parent].chosen;
}

int tree_add(struct tree *t, int parent, int64_t role, bool step)
{
	int i = t->n++;

	assert_true(i < NODES);
	t->v[i] = (struct node){ .parent = parent, .chosen = -1, .head = i,
				 .seq = ++t->last_seq, .role = role,
				 .step = step };
	if (parent >= 0 && role != ROLE_USER && t->v[parent].role != ROLE_USER)
		t->v[i].head = t->v[parent].head;
	*slot(t, parent) = i;
	return i;
}

/* The thread's rows, by their places in t->v. */
int tree_path(const struct tree *t, int *path)
{
	int n = 0;

	for (int i = t->chosen; i >= 0; i = t->v[i].chosen)
		path[n++] = i;
	return n;
}

/* Which of how many it is among what follows its parent. */
void tree_place(const struct tree *t, int node, int *index, int *count)
{
	*index = *count = 0;
	for (int i = 0; i < t->n; i++) {
		if (t->v[i].parent != t->v[node].parent)
			continue;
		++*count;
		if (i <= node)
			++*index;
	}
}

/* What a page should say of a row. */
static void number_of(const struct tree *t, int node, int *index, int *count)
{
	const struct node *v = &t->v[node];

	*index = *count = 0;
	if (v->role == ROLE_USER || (v->role == ROLE_ASSISTANT && !v->step))
		tree_place(t, v->role == ROLE_USER ? node : v->head, index, count);
	if (*count < 2)
		*index = *count = 0;
}

/* -- the same in the store ------------------------------------------------------ */

/* Steps, then the answer, of a turn that was begun after node. */
void tree_answer(struct tree *t, int node, const struct uuid *turn_id,
		   int64_t index, int64_t count, int steps)
{
	struct message m = { .role = ROLE_ASSISTANT, .content = S("answer"),
			     .meta = S("{\"finish_reason\":\"stop\"}"),
			     .kind = KIND_ANSWER, .finish_reason = S("stop"),
			     .variant_index = index, .variant_count = count };
	struct turn_end end = { .turn_id = *turn_id, .conversation_id = t->id,
				.status = TURN_DONE, .answer = &m };

	for (int i = 0; i < steps; i++) {
		struct message rows[] = {
			{ .role = ROLE_ASSISTANT, .content = S(""),
			  .meta = S("{\"step\":true,\"toolCalls\":[]}"),
			  .kind = KIND_STEP },
			{ .role = ROLE_TOOL, .content = S("{}"),
			  .meta = S("{\"callId\":\"c\"}"),
			  .kind = KIND_RESULT },
		};

		ok(store_turn_append(db, &ann, &t->id, turn_id, 0, rows, 2, &e));
		node = tree_add(t, node, ROLE_ASSISTANT, true);
		node = tree_add(t, node, ROLE_TOOL, false);
	}
	ok(store_turn_end(db, &ann, &end, &e));
	node = tree_add(t, node, ROLE_ASSISTANT, false);
	assert_int_equal(m.seq, t->v[node].seq);
}

void tree_say(struct tree *t, int steps)
{
	struct turn_begin b = begin_of(&t->id, "text");
	int path[NODES], n = tree_path(t, path), node;

	ok(store_turn_begin(db, &ann, &b, &e));
	node = tree_add(t, n ? path[n - 1] : -1, ROLE_USER, false);
	assert_int_equal(b.user.seq, t->v[node].seq);
	tree_answer(t, node, &b.turn_id, 0, 0, steps);
}

struct turn_replace redo_of(const struct uuid *id, int64_t seq,
				const char *edit)
{
	return (struct turn_replace){ .turn_id = uuid_new(), .conversation_id = *id,
				   .seq = seq, .edit = edit != NULL,
				   .content = S(edit ? edit : "") };
}

void tree_edit(struct tree *t, int node, int steps)
{
	struct turn_replace r = redo_of(&t->id, t->v[node].seq, "again");
	int index, count;

	ok(thread_replace(db, &ann, &r, &e));
	node = tree_add(t, t->v[node].parent, ROLE_USER, false);
	assert_int_equal(r.user.seq, t->v[node].seq);
	tree_place(t, node, &index, &count);
	assert_int_equal(r.user.variant_index, index);
	assert_int_equal(r.user.variant_count, count);
	assert_int_equal(r.variant_count, 0);
	tree_answer(t, node, &r.turn_id, 0, 0, steps);
}

/* node: a user message, or a row that answers it. */
void tree_regenerate(struct tree *t, int node, int steps)
{
	struct turn_replace r = redo_of(&t->id, t->v[node].seq, NULL);
	int index, count;

	ok(thread_replace(db, &ann, &r, &e));
	while (t->v[node].role != ROLE_USER)
		node = t->v[node].parent;
	assert_int_equal(r.user.seq, t->v[node].seq);
	tree_answer(t, node, &r.turn_id, r.variant_index, r.variant_count, steps);
	tree_place(t, t->v[node].chosen, &index, &count);
	assert_int_equal(r.variant_index, index);
	assert_int_equal(r.variant_count, count);
}

struct thread_correction correction_of(const struct uuid *id, int64_t seq,
				       const char *name)
{
	return (struct thread_correction){
		.conversation_id = *id, .seq = seq, .version = -1,
		.answer = { .content = S("mine"), .meta = S("{\"corrected\":true}"),
			    .finish_reason = S("stop"), .client_id = S(name) },
	};
}

void tree_correct(struct tree *t, int node)
{
	char name[24];
	struct thread_correction c;
	int index, count;

	snprintf(name, sizeof(name), "%d", t->n);
	c = correction_of(&t->id, t->v[node].seq, name);
	ok(thread_correct(db, &ann, &c, &e));
	while (node >= 0 && t->v[node].role != ROLE_USER)
		node = t->v[node].parent;
	node = tree_add(t, node, ROLE_ASSISTANT, false);
	assert_int_equal(c.answer.seq, t->v[node].seq);
	tree_place(t, node, &index, &count);
	assert_int_equal(c.answer.variant_index, index);
	assert_int_equal(c.answer.variant_count, count);
}

void tree_choose(struct tree *t, int head)
{
	ok(thread_switch(db, &ann, &t->id, t->v[head].seq, NULL,
			 &(struct turn_evicted){ .status = 0 }, &e));
	*slot(t, t->v[head].parent) = head;
}

/* -- comparing -------------------------------------------------------------------- */

static void same_rows(const struct tree *t, const int *path, size_t n,
		      const struct message *rows, bool backwards)
{
	for (size_t i = 0; i < n; i++) {
		const struct message *m = &rows[backwards ? n - 1 - i : i];
		int index, count;

		number_of(t, path[i], &index, &count);
		assert_int_equal(m->seq, t->v[path[i]].seq);
		assert_int_equal(m->role, t->v[path[i]].role);
		assert_int_equal(m->variant_index, index);
		assert_int_equal(m->variant_count, count);
	}
}

void same_thread(const struct tree *t)
{
	int path[NODES], n = tree_path(t, path), at = 0;
	struct message_page p;
	struct conversation c;

	ok(conversation_get(db, &ann, &t->id, &a, &c, &e));
	assert_int_equal(c.last_seq, t->last_seq);
	assert_int_equal(c.last_seq - c.superseded, n);
	p.next_seq = 0;
	do {
		ok(message_list(db, &ann, &t->id, OLDEST_FIRST, p.next_seq, 7,
				&a, &p, &e));
		assert_int_equal(p.version, c.version);
		same_rows(t, path + at, p.n, p.items, false);
		at += (int)p.n;
	} while (p.more);
	assert_int_equal(at, n);
	do {
		ok(message_list(db, &ann, &t->id, NEWEST_FIRST, p.next_seq, 7,
				&a, &p, &e));
		at -= (int)p.n;
		same_rows(t, path + at, p.n, p.items, true);
	} while (p.more);
	assert_int_equal(at, 0);
	ok(message_history(db, &ann, &t->id, 0, 10, &a, &p, &e));
	same_rows(t, path + n - p.n, p.n, p.items, false);
}

/* The list at a row of the thread has what the tree has there. */
void same_variants(const struct tree *t, int node)
{
	const struct node *v = &t->v[node];
	int head = v->role == ROLE_USER ? node : v->head, index, count, i = -1;
	struct variant_page p;

	tree_place(t, head, &index, &count);
	ok(thread_variants(db, &ann, &t->id, v->seq, 0, LIM_PAGE_MAX, &a, &p,
			   &e));
	assert_int_equal(p.total, count);
	assert_int_equal(p.n, count);
	for (size_t k = 0; k < p.n; k++) {
		for (i++; t->v[i].parent != t->v[head].parent; i++)
			continue;
		assert_int_equal(p.items[k].v.head_seq, t->v[i].seq);
		assert_int_equal(p.items[k].v.last_seq == 0, i == head);
		/* As it would be in the thread. */
		for (size_t m = 0, at = (size_t)i; m < p.items[k].n; m++) {
			same_rows(t, &(int){ (int)at }, 1,
				  &p.items[k].messages[m], false);
			at = (size_t)t->v[at].chosen;
		}
	}
}
