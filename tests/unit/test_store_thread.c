/* lib/store over a real MariaDB: editing of threads. */
#include "store/thread.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "store_lab.h"

/* -- a thread and what it should be ------------------------------------------- */

enum { NODES = 2000 };

struct node {
	int parent;		/* -1: it begins the thread */
	int chosen;		/* the child that is in the thread; -1: none */
	int head;		/* first row of the answer that it belongs to */
	int64_t seq, role;
	bool step;
};

struct tree {
	struct uuid id;
	struct node v[NODES];
	int n, chosen;		/* chosen: the first of the thread; -1: none */
	int64_t last_seq;
};

static void tree_new(struct tree *t, const char *title)
{
	*t = (struct tree){ .id = new_conversation(&ann, title), .chosen = -1 };
}

static int *slot(struct tree *t, int parent)
{
	return parent < 0 ? &t->chosen : &t->v[parent].chosen;
}

static int add_node(struct tree *t, int parent, int64_t role, bool step)
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
static int path_of(const struct tree *t, int *path)
{
	int n = 0;

	for (int i = t->chosen; i >= 0; i = t->v[i].chosen)
		path[n++] = i;
	return n;
}

/* Which of how many it is among what follows its parent. */
static void place_of(const struct tree *t, int node, int *index, int *count)
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
		place_of(t, v->role == ROLE_USER ? node : v->head, index, count);
	if (*count < 2)
		*index = *count = 0;
}

/* -- the same in the store ------------------------------------------------------ */

/* Steps, then the answer, of a turn that was begun after node. */
static void answer(struct tree *t, int node, const struct uuid *turn_id,
		   int64_t index, int64_t count, int steps)
{
	struct message m = { .role = ROLE_ASSISTANT, .content = S("answer"),
			     .meta = S("{\"finish_reason\":\"stop\"}"),
			     .variant_index = index, .variant_count = count };
	struct turn_end end = { .turn_id = *turn_id, .conversation_id = t->id,
				.status = TURN_DONE, .answer = &m };

	for (int i = 0; i < steps; i++) {
		struct message rows[] = {
			{ .role = ROLE_ASSISTANT, .content = S(""),
			  .meta = S("{\"step\":true,\"toolCalls\":[]}") },
			{ .role = ROLE_TOOL, .content = S("{}"),
			  .meta = S("{\"callId\":\"c\"}") },
		};

		ok(turn_append(db, &ann, &t->id, turn_id, rows, 2, &e));
		node = add_node(t, node, ROLE_ASSISTANT, true);
		node = add_node(t, node, ROLE_TOOL, false);
	}
	ok(turn_end(db, &ann, &end, &e));
	node = add_node(t, node, ROLE_ASSISTANT, false);
	assert_int_equal(m.seq, t->v[node].seq);
}

static void say(struct tree *t, int steps)
{
	struct turn_begin b = begin_of(&t->id, "text");
	int path[NODES], n = path_of(t, path), node;

	ok(turn_begin(db, &ann, &b, &e));
	node = add_node(t, n ? path[n - 1] : -1, ROLE_USER, false);
	assert_int_equal(b.user.seq, t->v[node].seq);
	answer(t, node, &b.turn_id, 0, 0, steps);
}

static struct turn_redo redo_of(const struct uuid *id, int64_t seq,
				const char *edit)
{
	return (struct turn_redo){ .turn_id = uuid_new(), .conversation_id = *id,
				   .seq = seq, .edit = edit != NULL,
				   .content = S(edit ? edit : "") };
}

static void edit(struct tree *t, int node, int steps)
{
	struct turn_redo r = redo_of(&t->id, t->v[node].seq, "again");
	int index, count;

	ok(thread_redo(db, &ann, &r, &e));
	node = add_node(t, t->v[node].parent, ROLE_USER, false);
	assert_int_equal(r.user.seq, t->v[node].seq);
	place_of(t, node, &index, &count);
	assert_int_equal(r.user.variant_index, index);
	assert_int_equal(r.user.variant_count, count);
	assert_int_equal(r.variant_count, 0);
	answer(t, node, &r.turn_id, 0, 0, steps);
}

/* node: a user message, or a row that answers it. */
static void regenerate(struct tree *t, int node, int steps)
{
	struct turn_redo r = redo_of(&t->id, t->v[node].seq, NULL);
	int index, count;

	ok(thread_redo(db, &ann, &r, &e));
	while (t->v[node].role != ROLE_USER)
		node = t->v[node].parent;
	assert_int_equal(r.user.seq, t->v[node].seq);
	answer(t, node, &r.turn_id, r.variant_index, r.variant_count, steps);
	place_of(t, t->v[node].chosen, &index, &count);
	assert_int_equal(r.variant_index, index);
	assert_int_equal(r.variant_count, count);
}

static void choose(struct tree *t, int head)
{
	ok(thread_choose(db, &ann, &t->id, t->v[head].seq, NULL, &e));
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

static void same_thread(const struct tree *t)
{
	int path[NODES], n = path_of(t, path), at = 0;
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
static void same_variants(const struct tree *t, int node)
{
	const struct node *v = &t->v[node];
	int head = v->role == ROLE_USER ? node : v->head, index, count, i = -1;
	struct variant_page p;

	place_of(t, head, &index, &count);
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

static void same_fork(const struct tree *t, int upto)
{
	struct uuid id = uuid_new();
	int path[NODES], n = path_of(t, path);
	struct message_page p = { .next_seq = 0 };
	struct conversation c;
	int at = 0;

	ok(thread_fork(db, &ann, &t->id, t->v[path[upto]].seq, &id, &e));
	assert_true(upto < n);
	ok(conversation_get(db, &ann, &id, &a, &c, &e));
	assert_int_equal(c.last_seq - c.superseded, upto + 1);
	assert_int_equal(c.forked_seq, t->v[path[upto]].seq);
	do {
		ok(message_list(db, &ann, &id, OLDEST_FIRST, p.next_seq, 100,
				&a, &p, &e));
		for (size_t i = 0; i < p.n; i++, at++) {
			assert_int_equal(p.items[i].seq, t->v[path[at]].seq);
			assert_int_equal(p.items[i].variant_count, 0);
			assert_true(uuid_is_nil(&p.items[i].turn_id));
		}
	} while (p.more);
	assert_int_equal(at, upto + 1);
	ok(conversation_delete(db, &ann, &id, &e));
}

/* A row of the path that may be edited, regenerated or forked at. */
static int pick(const struct tree *t, unsigned *seed, const int *path, int n,
		bool user)
{
	for (;;) {
		int i = rand_r(seed) % n;

		if (user ? t->v[path[i]].role == ROLE_USER
		    : !t->v[path[i]].step && t->v[path[i]].role != ROLE_TOOL)
			return i;
	}
}

/*
 * Any editing in any order leaves the thread that a tree with a chosen branch
 * at every fork has.
 */
static void edits_are_choices_in_a_tree(void **state)
{
	static struct tree t;
	unsigned seed = 7;

	(void)state;
	tree_new(&t, "tree");
	say(&t, 0);
	for (int i = 0; i < 250; i++) {
		int path[NODES], n = path_of(&t, path);
		int node = path[rand_r(&seed) % n], index, count, other;

		switch (rand_r(&seed) % 8) {
		case 0: case 1: case 2:
			say(&t, rand_r(&seed) % 3);
			break;
		case 3:
			edit(&t, path[pick(&t, &seed, path, n, true)],
			     rand_r(&seed) % 2);
			break;
		case 4:
			regenerate(&t, node, rand_r(&seed) % 2);
			break;
		case 5:
			same_fork(&t, pick(&t, &seed, path, n, false));
			break;
		default:
			node = t.v[node].role == ROLE_USER ? node
				: t.v[node].head;
			place_of(&t, node, &index, &count);
			other = rand_r(&seed) % t.n;
			while (t.v[other].parent != t.v[node].parent)
				other = (other + 1) % t.n;
			if (count > 1)
				choose(&t, other);
			break;
		}
		same_thread(&t);
		n = path_of(&t, path);
		same_variants(&t, path[rand_r(&seed) % n]);
		arena_reset(&a);
	}
	assert_true(t.n > 300);
}

/* -- refusals ----------------------------------------------------------------------- */

static void what_cannot_be_edited(void **state)
{
	static struct tree t;
	struct variant_page p;
	struct turn_redo r;
	struct uuid id;

	(void)state;
	tree_new(&t, "refused");
	r = redo_of(&t.id, 0, NULL);
	refused(thread_redo(db, &ann, &r, &e), ERR_CONFLICT);	/* empty */
	say(&t, 1);
	r = redo_of(&t.id, 4, "x");
	refused(thread_redo(db, &ann, &r, &e), ERR_INVALID_FIELD);
	r = redo_of(&t.id, 5, NULL);
	refused(thread_redo(db, &ann, &r, &e), ERR_NOT_FOUND);
	r = redo_of(&t.id, 1, NULL);
	refused(thread_redo(db, &bob, &r, &e), ERR_NOT_FOUND);
	refused(thread_choose(db, &bob, &t.id, 1, NULL, &e), ERR_NOT_FOUND);
	refused(thread_choose(db, &ann, &t.id, 1, NULL, &e), ERR_NOT_FOUND);
	refused(thread_variants(db, &bob, &t.id, 1, 0, 10, &a, &p, &e),
		ERR_NOT_FOUND);
	refused(thread_variants(db, &ann, &t.id, 9, 0, 10, &a, &p, &e),
		ERR_NOT_FOUND);
	id = uuid_new();
	refused(thread_fork(db, &bob, &t.id, 1, &id, &e), ERR_NOT_FOUND);
	refused(thread_fork(db, &ann, &t.id, 9, &id, &e), ERR_NOT_FOUND);
	refused(thread_fork(db, &ann, &t.id, 2, &id, &e), ERR_INVALID_FIELD);
	refused(thread_fork(db, &ann, &t.id, 3, &id, &e), ERR_INVALID_FIELD);
	same_thread(&t);
	edit(&t, 0, 0);
	r = redo_of(&t.id, 1, "x");
	refused(thread_redo(db, &ann, &r, &e), ERR_CONFLICT);
	refused(thread_fork(db, &ann, &t.id, 4, &id, &e), ERR_CONFLICT);
	refused(thread_variants(db, &ann, &t.id, 4, 0, 10, &a, &p, &e),
		ERR_CONFLICT);
	same_thread(&t);
}

static void variants_have_a_limit(void **state)
{
	static struct tree t;
	struct turn_redo r;
	char id[UUID_TEXT_BYTES];

	(void)state;
	tree_new(&t, "limit");
	say(&t, 0);
	uuid_format(&t.id, id);
	dbtest_sql("INSERT INTO variant SELECT UNHEX(REPLACE('%s','-','')), 1,"
		   " 1000 + seq, 9999, 1 FROM seq_1_to_%d", id,
		   LIM_VARIANTS - 2);
	r = redo_of(&t.id, 0, NULL);
	ok(thread_redo(db, &ann, &r, &e));
	assert_int_equal(r.variant_count, LIM_VARIANTS);
	answer(&t, 0, &r.turn_id, r.variant_index, r.variant_count, 0);
	r = redo_of(&t.id, 0, NULL);
	refused(thread_redo(db, &ann, &r, &e), ERR_CONFLICT);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM message WHERE"
		" conversation_id = UNHEX(REPLACE('%s','-','')) AND"
		" superseded_seq IS NULL", id), 2);
}

/* -- others at work ------------------------------------------------------------------ */

struct racer {
	struct turn_redo r;
	pthread_barrier_t *gate;
	struct err e;
	int rc;
};

static void *race(void *arg)
{
	struct racer *r = arg;

	pthread_barrier_wait(r->gate);
	r->rc = thread_redo(db, &ann, &r->r, &r->e);
	return NULL;
}

static void of_many_editors_one_wins(void **state)
{
	enum { N = 6, ROUNDS = 12 };
	static struct tree t;
	pthread_barrier_t gate;

	(void)state;
	tree_new(&t, "editors");
	say(&t, 0);
	pthread_barrier_init(&gate, NULL, N);
	for (int round = 0; round < ROUNDS; round++) {
		int path[NODES];
		struct racer r[N];
		pthread_t threads[N];
		const struct racer *won = NULL;

		path_of(&t, path);
		for (int i = 0; i < N; i++) {
			r[i] = (struct racer){
				.r = redo_of(&t.id, t.v[path[0]].seq,
					     i % 2 ? "edit" : NULL),
				.gate = &gate, .e = ERR_INIT };
			pthread_create(&threads[i], NULL, race, &r[i]);
		}
		for (int i = 0; i < N; i++) {
			pthread_join(threads[i], NULL);
			if (r[i].rc == 0) {
				assert_null(won);
				won = &r[i];
			} else if (r[i].e.code != ERR_BUSY) {
				fail_msg("%s", r[i].e.text);
			}
		}
		assert_non_null(won);
		if (won->r.edit)
			answer(&t, add_node(&t, -1, ROLE_USER, false),
			       &won->r.turn_id, 0, 0, 0);
		else
			answer(&t, path[0], &won->r.turn_id,
			       won->r.variant_index, won->r.variant_count, 0);
		same_thread(&t);
	}
	pthread_barrier_destroy(&gate);
}

/* A process that died in it: the answer is closed as the variant that it is. */
static void a_dead_turn_keeps_its_place(void **state)
{
	static struct tree t;
	struct turn_redo r, again;
	struct message_page p;
	bool closed;

	(void)state;
	tree_new(&t, "dead");
	say(&t, 0);
	r = redo_of(&t.id, 0, NULL);
	ok(thread_redo(db, &ann, &r, &e));
	again = redo_of(&t.id, 1, "x");
	refused(thread_redo(db, &ann, &again, &e), ERR_BUSY);
	refused(thread_choose(db, &ann, &t.id, 2, NULL, &e), ERR_BUSY);
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	ok(turn_recover(db, &ann, &r.turn_id, NULL, &closed, &e));
	assert_true(closed);
	add_node(&t, 0, ROLE_ASSISTANT, false);
	same_thread(&t);
	same_variants(&t, 2);
	/* Who wants to edit closes it too. */
	r = redo_of(&t.id, 0, NULL);
	ok(thread_redo(db, &ann, &r, &e));
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	ok(thread_choose(db, &ann, &t.id, 2, NULL, &e));
	add_node(&t, 0, ROLE_ASSISTANT, false);
	t.v[0].chosen = 1;
	same_thread(&t);
	r = redo_of(&t.id, 0, NULL);
	ok(thread_redo(db, &ann, &r, &e));
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	add_node(&t, 0, ROLE_ASSISTANT, false);
	edit(&t, 0, 0);
	same_thread(&t);
	ok(message_history(db, &ann, &t.id, 0, 10, &a, &p, &e));
	assert_int_equal(p.n, 2);
	clock_fix_us(0);
}

static void kill_links(void)
{
	dbtest_sql("KILL HARD USER lamplighter");
	dbtest_until(dbtest_sql("SELECT COUNT(*) FROM information_schema."
		"processlist WHERE user = 'lamplighter'") == 0);
}

/* A commit whose answer is lost: it was done, or it was not. */
struct losing {
	struct turn_redo *redo;
	const struct uuid *fork;	/* or NULL */
	struct uuid id;
	int64_t head_seq;		/* to choose, when neither */
	bool done;			/* before the link is lost */
	int tries;
};

static int work(struct db *on, struct losing *k, struct err *err)
{
	if (k->redo)
		return thread_redo(on, &ann, k->redo, err);
	if (k->fork)
		return thread_fork(on, &ann, &k->id, 1, k->fork, err);
	return thread_choose(on, &ann, &k->id, k->head_seq, NULL, err);
}

static int lose(struct db *tx, void *ctx, struct err *err)
{
	struct losing *k = ctx;
	struct conversation c;

	if (k->tries++ || !k->done) {
		if (work(tx, k, err))
			return -1;
		if (k->tries == 1)
			kill_links();
		return 0;
	}
	if (work(db, k, err) || conversation_get(tx, &ann, &k->id, &a, &c, err))
		return -1;
	kill_links();
	return 0;
}

static void lost_commits_are_looked_up(void **state)
{
	static struct tree t;
	struct conversation c;

	(void)state;
	tree_new(&t, "lost");
	say(&t, 0);
	for (int done = 0; done < 2; done++) {
		struct turn_redo r = redo_of(&t.id, 0, NULL);
		struct losing k = { .redo = &r, .id = t.id, .done = done };
		struct uuid id = uuid_new();
		int head = t.n;

		ok(db_tx(db, lose, &k, &e));
		assert_int_equal(k.tries, 2);
		answer(&t, 0, &r.turn_id, r.variant_index, r.variant_count, 1);
		same_thread(&t);
		r = redo_of(&t.id, 1, "x");
		k = (struct losing){ .redo = &r, .id = t.id, .done = done };
		ok(db_tx(db, lose, &k, &e));
		answer(&t, add_node(&t, -1, ROLE_USER, false), &r.turn_id, 0, 0,
		       0);
		same_thread(&t);
		k = (struct losing){ .id = t.id, .done = done, .head_seq = 1 };
		ok(db_tx(db, lose, &k, &e));
		t.chosen = 0;
		same_thread(&t);
		k = (struct losing){ .id = t.id, .done = done,
				     .head_seq = t.v[1].seq };
		ok(db_tx(db, lose, &k, &e));
		t.v[0].chosen = 1;
		same_thread(&t);
		same_variants(&t, 1);
		choose(&t, head);
		k = (struct losing){ .id = t.id, .done = done, .fork = &id };
		ok(db_tx(db, lose, &k, &e));
		ok(conversation_get(db, &ann, &id, &a, &c, &e));
		assert_int_equal(c.last_seq, 1);
	}
}

/* -- long threads, deleting ------------------------------------------------------------ */

static void long_tails(void **state)
{
	static struct tree t;
	struct uuid id = uuid_new();
	char hex[UUID_TEXT_BYTES];
	struct turn_redo r;
	struct message_page p;
	struct conversation c;
	int64_t t0, us[3], page_us = INT64_MAX;

	(void)state;
	tree_new(&t, "long");
	uuid_format(&t.id, hex);
	dbtest_sql("INSERT INTO message (conversation_id, seq, role,"
		   " created_us, content, meta) SELECT"
		   " UNHEX(REPLACE('%s','-','')), seq, 2 - seq %% 2, 1000 + seq,"
		   " REPEAT('word ', 100), '{}' FROM seq_1_to_100000", hex);
	dbtest_sql("UPDATE conversation SET last_seq = 100000"
		   " WHERE id = UNHEX(REPLACE('%s','-',''))", hex);
	t0 = clock_mono_us();
	ok(thread_fork(db, &ann, &t.id, 100000, &id, &e));
	us[0] = clock_mono_us() - t0;
	ok(conversation_get(db, &ann, &id, &a, &c, &e));
	assert_int_equal(c.last_seq, 100000);
	assert_int_equal(c.superseded, 0);
	t0 = clock_mono_us();
	r = redo_of(&t.id, 1, NULL);
	ok(thread_redo(db, &ann, &r, &e));
	us[1] = clock_mono_us() - t0;
	add_node(&t, -1, ROLE_USER, false);
	t.last_seq = 100000;
	answer(&t, 0, &r.turn_id, r.variant_index, r.variant_count, 0);
	/* A page behind all that was superseded is a range still, if a long one. */
	for (int i = 0; i < 5; i++) {
		t0 = clock_mono_us();
		ok(message_list(db, &ann, &t.id, NEWEST_FIRST, 0, 30, &a, &p,
				&e));
		page_us = MIN(page_us, clock_mono_us() - t0);
		assert_int_equal(p.n, 2);
	}
	t0 = clock_mono_us();
	ok(thread_choose(db, &ann, &t.id, 2, NULL, &e));
	us[2] = clock_mono_us() - t0;
	ok(message_list(db, &ann, &t.id, NEWEST_FIRST, 0, 30, &a, &p, &e));
	assert_int_equal(p.items[0].seq, 100000);
	print_message("# 100,000 messages: fork %d ms, supersede %d ms, choose "
		      "%d ms, page behind them %d ms\n", (int)(us[0] / 1000),
		      (int)(us[1] / 1000), (int)(us[2] / 1000),
		      (int)(page_us / 1000));
	for (int i = 0; i < 3; i++)	/* a statement's time is up at 20 s */
		assert_true(us[i] < 15000000);
}

static void deleting_leaves_nothing(void **state)
{
	static const char *const tables[] = { "message", "variant", "turn" };
	static struct tree t;
	struct uuid fork = uuid_new();
	char hex[UUID_TEXT_BYTES];
	struct conversation c;

	(void)state;
	tree_new(&t, "deleted");
	say(&t, 1);
	regenerate(&t, 0, 1);
	edit(&t, 0, 0);
	ok(thread_fork(db, &ann, &t.id, t.last_seq, &fork, &e));
	ok(conversation_get(db, &ann, &fork, &a, &c, &e));
	assert_true(uuid_eq(&c.forked_from, &t.id));
	ok(conversation_delete(db, &ann, &t.id, &e));
	uuid_format(&t.id, hex);
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM %s WHERE"
			" conversation_id = UNHEX(REPLACE('%s','-',''))",
			tables[i], hex), 0);
	ok(conversation_get(db, &ann, &fork, &a, &c, &e));
	assert_true(uuid_is_nil(&c.forked_from));
}

static int open_it(void **state)
{
	*state = (char *)"t_store_thread";
	return store_lab_open(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_are_choices_in_a_tree),
		cmocka_unit_test(what_cannot_be_edited),
		cmocka_unit_test(variants_have_a_limit),
		cmocka_unit_test(of_many_editors_one_wins),
		cmocka_unit_test(a_dead_turn_keeps_its_place),
		cmocka_unit_test(lost_commits_are_looked_up),
		cmocka_unit_test(long_tails),
		cmocka_unit_test(deleting_leaves_nothing),
	};

	return cmocka_run_group_tests_name("store_thread", tests, open_it,
					   store_lab_close);
}
