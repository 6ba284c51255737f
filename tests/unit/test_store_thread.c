/* SPDX-License-Identifier: MIT */
/* lib/store over a real MariaDB: editing of threads. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits.h"
#include "thread_tree.h"

static struct turn_evicted evicted;

static void same_fork(const struct tree *t, int upto)
{
	struct uuid id = uuid_new();
	int path[NODES], n = tree_path(t, path);
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
	tree_say(&t, 0);
	for (int i = 0; i < 250; i++) {
		int path[NODES], n = tree_path(&t, path);
		int node = path[rand_r(&seed) % n], index, count, other;

		switch (rand_r(&seed) % 9) {
		case 0: case 1: case 2:
			tree_say(&t, rand_r(&seed) % 3);
			break;
		case 3:
			tree_edit(&t, path[pick(&t, &seed, path, n, true)],
			     rand_r(&seed) % 2);
			break;
		case 4:
			tree_regenerate(&t, node, rand_r(&seed) % 2);
			break;
		case 6:
			node = path[pick(&t, &seed, path, n, false)];
			if (t.v[node].role == ROLE_ASSISTANT)
				tree_correct(&t, node);
			break;
		case 5:
			same_fork(&t, pick(&t, &seed, path, n, false));
			break;
		default:
			node = t.v[node].role == ROLE_USER ? node
				: t.v[node].head;
			tree_place(&t, node, &index, &count);
			other = rand_r(&seed) % t.n;
			while (t.v[other].parent != t.v[node].parent)
				other = (other + 1) % t.n;
			if (count > 1)
				tree_choose(&t, other);
			break;
		}
		same_thread(&t);
		n = tree_path(&t, path);
		same_variants(&t, path[rand_r(&seed) % n]);
		arena_reset(&a);
	}
	assert_true(t.n > 300);
}

/* -- refusals ----------------------------------------------------------------------- */

static void what_cannot_be_edited(void **state)
{
	static struct tree t;
	struct thread_correction k;
	struct variant_page p;
	struct turn_replace r;
	struct uuid id;

	(void)state;
	tree_new(&t, "refused");
	r = redo_of(&t.id, 0, NULL);
	refused(thread_replace(db, &ann, &r, &e), ERR_CONFLICT);	/* empty */
	tree_say(&t, 1);
	r = redo_of(&t.id, 4, "x");
	refused(thread_replace(db, &ann, &r, &e), ERR_INVALID_FIELD);
	r = redo_of(&t.id, 5, NULL);
	refused(thread_replace(db, &ann, &r, &e), ERR_NOT_FOUND);
	r = redo_of(&t.id, 1, NULL);
	refused(thread_replace(db, &bob, &r, &e), ERR_NOT_FOUND);
	refused(thread_switch(db, &bob, &t.id, 1, NULL, &evicted, &e), ERR_NOT_FOUND);
	refused(thread_switch(db, &ann, &t.id, 1, NULL, &evicted, &e), ERR_NOT_FOUND);
	refused(thread_variants(db, &bob, &t.id, 1, 0, 10, &a, &p, &e),
		ERR_NOT_FOUND);
	refused(thread_variants(db, &ann, &t.id, 9, 0, 10, &a, &p, &e),
		ERR_NOT_FOUND);
	for (int64_t seq = 1; seq <= 3; seq++) {	/* question, step, result */
		k = correction_of(&t.id, seq, "x");
		refused(thread_correct(db, &ann, &k, &e), ERR_INVALID_FIELD);
	}
	k = correction_of(&t.id, 9, "x");
	refused(thread_correct(db, &ann, &k, &e), ERR_NOT_FOUND);
	k = correction_of(&t.id, 4, "x");
	refused(thread_correct(db, &bob, &k, &e), ERR_NOT_FOUND);
	k.version = 1;
	refused(thread_correct(db, &ann, &k, &e), ERR_PRECONDITION);
	same_thread(&t);
	id = uuid_new();
	refused(thread_fork(db, &bob, &t.id, 1, &id, &e), ERR_NOT_FOUND);
	refused(thread_fork(db, &ann, &t.id, 9, &id, &e), ERR_NOT_FOUND);
	refused(thread_fork(db, &ann, &t.id, 2, &id, &e), ERR_INVALID_FIELD);
	refused(thread_fork(db, &ann, &t.id, 3, &id, &e), ERR_INVALID_FIELD);
	same_thread(&t);
	tree_edit(&t, 0, 0);
	r = redo_of(&t.id, 1, "x");
	refused(thread_replace(db, &ann, &r, &e), ERR_CONFLICT);
	refused(thread_fork(db, &ann, &t.id, 4, &id, &e), ERR_CONFLICT);
	refused(thread_variants(db, &ann, &t.id, 4, 0, 10, &a, &p, &e),
		ERR_CONFLICT);
	same_thread(&t);
}

static void variants_have_a_limit(void **state)
{
	static struct tree t;
	struct turn_replace r;
	struct conversation c;
	char id[UUID_TEXT_BYTES];

	(void)state;
	tree_new(&t, "limit");
	tree_say(&t, 0);
	uuid_format(&t.id, id);
	dbtest_sql("INSERT INTO variant SELECT UNHEX(REPLACE('%s','-','')), 1,"
		   " 1000 + seq, 9999, 1 FROM seq_1_to_%d", id,
		   LIM_VARIANTS - 2);
	r = redo_of(&t.id, 0, NULL);
	ok(thread_replace(db, &ann, &r, &e));
	assert_int_equal(r.variant_count, LIM_VARIANTS);
	tree_answer(&t, 0, &r.turn_id, r.variant_index, r.variant_count, 0);
	r = redo_of(&t.id, 0, NULL);
	refused(thread_replace(db, &ann, &r, &e), ERR_CONFLICT);
	ok(conversation_get(db, &ann, &t.id, &a, &c, &e));
	assert_int_equal(c.last_seq - c.superseded, 2);
}

/* Of a turn that was closed for its process, with a step to store. */
static void a_late_answer_has_its_number(void **state)
{
	static struct tree t;
	struct message step = { .role = ROLE_ASSISTANT, .content = S("step"),
				.kind = KIND_STEP };
	struct message answer = { .role = ROLE_ASSISTANT, .content = S("late"),
				  .kind = KIND_ANSWER,
				  .finish_reason = S("stop"),
				  .variant_index = 7, .variant_count = 7 };
	struct usage usage = usage_init(USAGE_CHAT);
	struct turn_end end = { .status = TURN_DONE, .answer = &answer,
				.usage = &usage, .last_event_seq = 9,
				.ended_us = clock_now_us() };
	char id[UUID_TEXT_BYTES];
	struct message_page p;
	struct turn_replace r;
	bool closed;

	(void)state;
	tree_new(&t, "late");
	tree_say(&t, 0);
	r = redo_of(&t.id, 0, NULL);
	ok(thread_replace(db, &ann, &r, &e));
	dbtest_sql("UPDATE turn SET lease_until_us = 1"
		   " WHERE id = UNHEX(REPLACE('%s','-',''))",
		   uuid_format(&r.turn_id, id));
	ok(store_turn_recover(db, &ann, &r.turn_id, NULL, &closed, &e));
	assert_true(closed);
	end.turn_id = usage.id = usage.turn_id = r.turn_id;
	end.conversation_id = usage.conversation_id = t.id;
	usage.workspace_id = usage.agent_id = usage.provider = usage.model =
		usage.finish_reason = S("x");
	usage.prompts = S("[]");
	ok(store_turn_end_late(db, &ann, &end, &step, 1, &e));
	ok(message_list(db, &ann, &t.id, OLDEST_FIRST, 0, 9, &a, &p, &e));
	assert_int_equal(p.n, 3);
	assert_true(str_is(p.items[1].content, "step"));
	assert_int_equal(p.items[1].variant_count, 0);
	assert_true(str_is(p.items[2].content, "late"));
	assert_int_equal(p.items[2].variant_index, 2);
	assert_int_equal(p.items[2].variant_count, 2);
}

/* -- others at work ------------------------------------------------------------------ */

struct racer {
	struct turn_replace r;
	pthread_barrier_t *gate;
	struct err e;
	int rc;
};

static void *race(void *arg)
{
	struct racer *r = arg;

	pthread_barrier_wait(r->gate);
	r->rc = thread_replace(db, &ann, &r->r, &r->e);
	return NULL;
}

static void of_many_editors_one_wins(void **state)
{
	enum { N = 6, ROUNDS = 12 };
	static struct tree t;
	pthread_barrier_t gate;

	(void)state;
	tree_new(&t, "editors");
	tree_say(&t, 0);
	pthread_barrier_init(&gate, NULL, N);
	for (int round = 0; round < ROUNDS; round++) {
		int path[NODES];
		struct racer r[N];
		pthread_t threads[N];
		const struct racer *won = NULL;

		tree_path(&t, path);
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
			tree_answer(&t, tree_add(&t, -1, ROLE_USER, false),
			       &won->r.turn_id, 0, 0, 0);
		else
			tree_answer(&t, path[0], &won->r.turn_id,
			       won->r.variant_index, won->r.variant_count, 0);
		same_thread(&t);
	}
	pthread_barrier_destroy(&gate);
}

/* A process that died in it: the answer is closed as the variant that it is. */
static void a_dead_turn_keeps_its_place(void **state)
{
	static struct tree t;
	struct turn_replace r, again;
	struct message_page p;
	bool closed;

	(void)state;
	tree_new(&t, "dead");
	tree_say(&t, 0);
	r = redo_of(&t.id, 0, NULL);
	ok(thread_replace(db, &ann, &r, &e));
	again = redo_of(&t.id, 1, "x");
	refused(thread_replace(db, &ann, &again, &e), ERR_BUSY);
	refused(thread_switch(db, &ann, &t.id, 2, NULL, &evicted, &e), ERR_BUSY);
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	ok(store_turn_recover(db, &ann, &r.turn_id, NULL, &closed, &e));
	assert_true(closed);
	tree_add(&t, 0, ROLE_ASSISTANT, false);
	same_thread(&t);
	same_variants(&t, 2);
	/* Who wants to edit closes it too. */
	r = redo_of(&t.id, 0, NULL);
	ok(thread_replace(db, &ann, &r, &e));
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	ok(thread_switch(db, &ann, &t.id, 2, NULL, &evicted, &e));
	assert_true(uuid_eq(&evicted.id, &r.turn_id));
	assert_int_equal(evicted.status, TURN_INTERRUPTED);
	tree_add(&t, 0, ROLE_ASSISTANT, false);
	t.v[0].chosen = 1;
	same_thread(&t);
	r = redo_of(&t.id, 0, NULL);
	ok(thread_replace(db, &ann, &r, &e));
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	tree_add(&t, 0, ROLE_ASSISTANT, false);
	tree_edit(&t, 0, 0);
	same_thread(&t);
	ok(message_history(db, &ann, &t.id, 0, 10, &a, &p, &e));
	assert_int_equal(p.n, 2);
	clock_fix_us(0);
}

/*
 * A turn that waited and was given up has no answer: its first step is what is
 * numbered, then and whenever it comes back.
 */
static void steps_alone_are_a_variant(void **state)
{
	struct message rows[] = {
		{ .role = ROLE_ASSISTANT, .content = S(""),
		  .meta = S("{\"step\":true,\"toolCalls\":[]}"),
		  .kind = KIND_STEP },
		{ .role = ROLE_TOOL, .content = S("{}"), .meta = S("{}") },
	};
	static struct tree t;
	struct variant_page v;
	struct message_page p;
	struct turn_begin b;
	struct turn_replace r;
	char id[UUID_TEXT_BYTES];
	int64_t head;

	(void)state;
	tree_new(&t, "waits");
	tree_say(&t, 0);
	r = redo_of(&t.id, 0, NULL);
	ok(thread_replace(db, &ann, &r, &e));
	ok(store_turn_append(db, &ann, &t.id, &r.turn_id, 0, rows, 2, &e));
	dbtest_sql("UPDATE turn SET status = %d WHERE id ="
		   " UNHEX(REPLACE('%s','-',''))", TURN_WAITING,
		   uuid_format(&r.turn_id, id));
	b = begin_of(&t.id, "next");
	ok(store_turn_begin(db, &ann, &b, &e));
	assert_int_equal(b.user.seq, 5);
	end_with(&ann, &b, "answer");
	for (int i = 0; i < 2; i++) {
		ok(message_list(db, &ann, &t.id, OLDEST_FIRST, 0, 10, &a, &p,
				&e));
		assert_int_equal(p.n, 5);
		assert_int_equal(p.items[1].seq, 3);
		for (int k = 0; k < 5; k++)
			assert_int_equal(p.items[k].variant_count,
					 k == 1 ? 2 : 0);
		assert_int_equal(p.items[1].variant_index, 2);
		ok(thread_switch(db, &ann, &t.id, 2, NULL, &evicted, &e));
		ok(thread_variants(db, &ann, &t.id, 2, 0, 10, &a, &v, &e));
		assert_int_equal(v.n, 2);
		assert_int_equal(v.items[1].messages[0].variant_index, 2);
		assert_int_equal(v.items[1].messages[3].variant_count, 0);
		for (int k = 0; k < 2; k++) {
			ok(thread_variant_at(db, &ann, &t.id, 2, k + 1, &head,
					     &e));
			assert_int_equal(head, v.items[k].v.head_seq);
		}
		refused(thread_variant_at(db, &ann, &t.id, 2, 3, &head, &e),
			ERR_NOT_FOUND);
		refused(thread_variant_at(db, &ann, &t.id, 2, 0, &head, &e),
			ERR_NOT_FOUND);
		refused(thread_variant_at(db, &bob, &t.id, 2, 1, &head, &e),
			ERR_NOT_FOUND);
		ok(thread_variant_at(db, &ann, &t.id, 1, 1, &head, &e));
		assert_int_equal(head, 1);	/* it has no other */
		ok(thread_switch(db, &ann, &t.id, 3, NULL, &evicted, &e));
	}
}

static void kill_links(void)
{
	dbtest_sql("KILL HARD USER lamplighter");
	dbtest_until(dbtest_sql("SELECT COUNT(*) FROM information_schema."
		"processlist WHERE user = 'lamplighter'") == 0);
}

/* A commit whose answer is lost: it was done, or it was not. */
struct losing {
	struct turn_replace *redo;
	struct thread_correction *correct;
	const struct uuid *fork;	/* or NULL */
	struct uuid id;
	int64_t head_seq;		/* to choose, when neither */
	bool done;			/* before the link is lost */
	int tries;
};

static int work(struct db *on, struct losing *k, struct err *err)
{
	if (k->redo)
		return thread_replace(on, &ann, k->redo, err);
	if (k->correct)
		return thread_correct(on, &ann, k->correct, err);
	if (k->fork)
		return thread_fork(on, &ann, &k->id, 1, k->fork, err);
	return thread_switch(on, &ann, &k->id, k->head_seq, NULL, &evicted, err);
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
	tree_say(&t, 0);
	for (int done = 0; done < 2; done++) {
		struct turn_replace r = redo_of(&t.id, 0, NULL);
		struct losing k = { .redo = &r, .id = t.id, .done = done };
		struct thread_correction fix;
		struct uuid id = uuid_new();
		int head = t.n, path[NODES], n;

		ok(db_tx(db, lose, &k, &e));
		assert_int_equal(k.tries, 2);
		tree_answer(&t, 0, &r.turn_id, r.variant_index, r.variant_count, 1);
		same_thread(&t);
		r = redo_of(&t.id, 1, "x");
		k = (struct losing){ .redo = &r, .id = t.id, .done = done };
		ok(db_tx(db, lose, &k, &e));
		tree_answer(&t, tree_add(&t, -1, ROLE_USER, false), &r.turn_id, 0, 0,
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
		tree_choose(&t, head);
		n = tree_path(&t, path);
		fix = correction_of(&t.id, t.v[path[n - 1]].seq, done ? "b" : "a");
		k = (struct losing){ .correct = &fix, .id = t.id, .done = done };
		ok(db_tx(db, lose, &k, &e));
		head = tree_add(&t, 0, ROLE_ASSISTANT, false);
		assert_int_equal(fix.answer.seq, t.v[head].seq);
		same_thread(&t);
		same_variants(&t, head);
		/* One that another node has begun meanwhile is not ours. */
		k = (struct losing){ .id = t.id, .done = done, .fork = &id };
		if (done)
			refused(db_tx(db, lose, &k, &e), ERR_DB_DUPLICATE);
		else
			ok(db_tx(db, lose, &k, &e));
		ok(conversation_get(db, &ann, &id, &a, &c, &e));
		assert_int_equal(c.last_seq, 1);
	}
}

/* An Idempotency-Key that two requests used at once: one of them is refused. */
static void a_turns_id_is_taken_once(void **state)
{
	static struct tree t;
	struct turn_begin b;
	struct turn_replace r;

	(void)state;
	tree_new(&t, "twice");
	b = begin_of(&t.id, "text");
	ok(store_turn_begin(db, &ann, &b, &e));
	tree_answer(&t, tree_add(&t, -1, ROLE_USER, false), &b.turn_id, 0, 0, 0);
	refused(store_turn_begin(db, &ann, &b, &e), ERR_DB_DUPLICATE);
	same_thread(&t);
	r = redo_of(&t.id, 0, NULL);
	r.turn_id = b.turn_id;
	refused(thread_replace(db, &ann, &r, &e), ERR_DB_DUPLICATE);
	same_thread(&t);
	r = redo_of(&t.id, 1, "x");
	r.turn_id = b.turn_id;
	refused(thread_replace(db, &ann, &r, &e), ERR_DB_DUPLICATE);
	same_thread(&t);
	tree_say(&t, 0);
}

/* -- long threads, deleting ------------------------------------------------------------ */

static void long_tails(void **state)
{
	enum { LONG = 20000 };
	static struct tree t;
	struct uuid id = uuid_new();
	char hex[UUID_TEXT_BYTES];
	struct turn_replace r;
	struct message_page p;
	struct conversation c;
	int64_t t0, us[3], page_us = INT64_MAX;

	(void)state;
	tree_new(&t, "long");
	uuid_format(&t.id, hex);
	dbtest_sql("INSERT INTO message (conversation_id, seq, role,"
		   " created_us, kind, content, meta) SELECT"
		   " UNHEX(REPLACE('%s','-','')), seq, 2 - seq %% 2, 1000 + seq,"
		   " 3 - 2 * (seq %% 2), REPEAT('word ', 100), '{}' FROM seq_1_to_%d", hex, LONG);
	dbtest_sql("UPDATE conversation SET last_seq = %d"
		   " WHERE id = UNHEX(REPLACE('%s','-',''))", LONG, hex);
	t0 = clock_mono_us();
	ok(thread_fork(db, &ann, &t.id, LONG, &id, &e));
	us[0] = clock_mono_us() - t0;
	ok(conversation_get(db, &ann, &id, &a, &c, &e));
	assert_int_equal(c.last_seq, LONG);
	assert_int_equal(c.superseded, 0);
	t0 = clock_mono_us();
	r = redo_of(&t.id, 1, NULL);
	ok(thread_replace(db, &ann, &r, &e));
	us[1] = clock_mono_us() - t0;
	tree_add(&t, -1, ROLE_USER, false);
	t.last_seq = LONG;
	tree_answer(&t, 0, &r.turn_id, r.variant_index, r.variant_count, 0);
	/* A page behind all that was superseded is a range still, if a long one. */
	for (int i = 0; i < 5; i++) {
		t0 = clock_mono_us();
		ok(message_list(db, &ann, &t.id, NEWEST_FIRST, 0, 30, &a, &p,
				&e));
		page_us = MIN(page_us, clock_mono_us() - t0);
		assert_int_equal(p.n, 2);
	}
	t0 = clock_mono_us();
	ok(thread_switch(db, &ann, &t.id, 2, NULL, &evicted, &e));
	us[2] = clock_mono_us() - t0;
	ok(message_list(db, &ann, &t.id, NEWEST_FIRST, 0, 30, &a, &p, &e));
	assert_int_equal(p.items[0].seq, LONG);
	print_message("# %d messages: fork %d ms, supersede %d ms, choose %d "
		      "ms, page behind them %d ms\n", LONG, (int)(us[0] / 1000),
		      (int)(us[1] / 1000), (int)(us[2] / 1000),
		      (int)(page_us / 1000));
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
	tree_say(&t, 1);
	tree_regenerate(&t, 0, 1);
	tree_edit(&t, 0, 0);
	ok(thread_fork(db, &ann, &t.id, t.last_seq, &fork, &e));
	ok(conversation_get(db, &ann, &fork, &a, &c, &e));
	assert_true(uuid_eq(&c.forked_from, &t.id));
	ok(conversation_delete(db, &ann, &t.id, &e));
	do_jobs();
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
		cmocka_unit_test(a_late_answer_has_its_number),
		cmocka_unit_test(of_many_editors_one_wins),
		cmocka_unit_test(a_dead_turn_keeps_its_place),
		cmocka_unit_test(steps_alone_are_a_variant),
		cmocka_unit_test(lost_commits_are_looked_up),
		cmocka_unit_test(a_turns_id_is_taken_once),
		cmocka_unit_test(long_tails),
		cmocka_unit_test(deleting_leaves_nothing),
	};

	return cmocka_run_group_tests_name("store_thread", tests, open_it,
					   store_lab_close);
}
