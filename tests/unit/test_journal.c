/* SPDX-License-Identifier: MIT */
/* store/journal.c over a real MariaDB: who may read what, and what stays. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "store/journal.h"
#include "store/wait.h"
#include "store_lab.h"

static unsigned char keys[3][JOURNAL_KEY_BYTES];

/* A turn that has begun in a conversation of its own. */
static struct turn_begin began(const struct owner *o)
{
	struct uuid id = new_conversation(o, "journal");
	struct turn_begin b = begin_of(&id, "x");

	ok(store_turn_begin(db, o, &b, &e));
	return b;
}

static struct journal_part part(const struct turn_begin *b, int key, bool first,
				int64_t seq, int64_t last, const char *text)
{
	memset(keys[key], 'k' + key, sizeof(keys[key]));
	return (struct journal_part){
		.turn_id = b->turn_id, .key = keys[key], .first = first,
		.seq = seq, .last = last, .data = S(text),
	};
}

static struct journal new_journal(void)
{
	return (struct journal){ .process = uuid_new() };
}

/* What a reader of the turn finds behind an event, with | between batches. */
static const char *told(const struct owner *o, const struct turn_begin *b,
			int64_t after, const struct turn_events *from)
{
	static char text[256];
	struct turn_events *rows;
	size_t n, at = 0;
	bool more;

	ok(store_turn_events_list(db, o, &b->turn_id, after, from, 20, &a, &rows, &n,
				  &more, &e));
	assert_false(more);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%.*s",
				       i ? "|" : "", (int)rows[i].data.n,
				       rows[i].data.p);
	return text;
}

static uint64_t trips(void)
{
	struct db_stats s;

	db_stats(db, &s);
	return s.round_trips;
}

static void each_turn_has_its_own_events(void **state)
{
	struct turn_begin x = began(&ann), y = began(&bob);
	struct journal j = new_journal();
	struct journal_part one[] = {
		part(&x, 0, true, 1, 4, "to ann"),
		part(&y, 1, true, 2, 3, "to bob"),
	}, two[] = {
		part(&y, 1, false, 4, 9, "more for bob"),
		part(&x, 0, false, 5, 5, "and ann"),
	};
	struct turn_events *rows;
	int64_t last;
	size_t n;
	bool more;

	(void)state;
	ok(journal_write(db, &j, one, 2, &e));
	assert_int_equal(j.number, 1);
	ok(journal_write(db, &j, two, 2, &e));
	assert_string_equal(told(&ann, &x, 0, NULL), "to ann|and ann");
	assert_string_equal(told(&bob, &y, 0, NULL), "to bob|more for bob");
	assert_string_equal(told(&ann, &x, 3, NULL), "to ann|and ann");
	assert_string_equal(told(&ann, &x, 4, NULL), "and ann");
	assert_string_equal(told(&ann, &x, 5, NULL), "");
	refused(store_turn_events_list(db, &ann, &y.turn_id, 0, NULL, 20, &a, &rows,
				       &n, &more, &e), ERR_NOT_FOUND);
	/* A page, and from its end on. */
	ok(store_turn_events_list(db, &bob, &y.turn_id, 0, NULL, 1, &a, &rows, &n,
				  &more, &e));
	assert_int_equal(n, 1);
	assert_true(more);
	assert_int_equal(rows[0].seq, 2);
	assert_int_equal(rows[0].n, 2);
	assert_int_equal(rows[0].number, 1);
	assert_string_equal(told(&bob, &y, 3, &rows[0]), "more for bob");
	ok(store_turn_events_last(db, &y.turn_id, &last, &e));
	assert_int_equal(last, 9);
	/* The end comes behind, wherever it was written. */
	end_with(&ann, &x, "x");
	assert_string_equal(told(&ann, &x, 0, NULL), "to ann|and ann");
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_event"), 0);
}

/* The measure of all this: what a round costs, with however many turns. */
static void a_round_is_one_statement(void **state)
{
	enum { N = 40 };
	struct journal j = new_journal();
	struct journal_part parts[N];
	uint64_t before;

	(void)state;
	for (int i = 0; i < N; i++) {
		struct turn_begin b = began(&ann);

		parts[i] = part(&b, 0, true, 1, 1, "x");
	}
	ok(journal_write(db, &j, parts, N, &e));
	for (int i = 0; i < N; i++)
		parts[i].first = false;
	before = trips();
	ok(journal_write(db, &j, parts, N, &e));
	assert_int_equal(trips() - before, 1);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_journal WHERE"
				    " LENGTH(turns) = %d", N * 32), 2);
}

/* A failed write was stored after all: the next one takes its place. */
static void a_row_is_written_again(void **state)
{
	struct turn_begin x = began(&ann);
	struct journal j = new_journal();
	struct journal_part p = part(&x, 0, true, 1, 2, "one ");

	(void)state;
	ok(journal_write(db, &j, &p, 1, &e));
	/* As far as the process knows, it failed: never the same number again. */
	p = part(&x, 0, true, 1, 3, "one two");
	ok(journal_write(db, &j, &p, 1, &e));
	assert_int_equal(j.number, 2);
	assert_string_equal(told(&ann, &x, 0, NULL), "one two");
	/* Who has read the first one finds the rest, from its place on too. */
	assert_string_equal(told(&ann, &x, 2, &(struct turn_events){
		.process = j.process, .number = 1 }), "one two");
}

static void another_process_goes_on(void **state)
{
	struct turn_begin x = began(&ann);
	struct journal j = new_journal(), k = new_journal();
	struct journal_part p = part(&x, 0, true, 1, 2, "one");
	struct turn_wait wait = { .id = uuid_new(), .kind = WAIT_QUESTION,
		.call_id = S("c"), .tool = S("t"), .args = S("{}"),
		.digest = S("01234567890123456789012345678901"),
		.expires_us = clock_now_us() + 1000000000 };
	struct turn_pause pause = {
		.turn_id = x.turn_id, .conversation_id = x.conversation_id,
		.waits = &wait, .n_waits = 1, .last_event_seq = 5,
		.until_us = wait.expires_us };
	struct turn_events tail = { .turn_id = x.turn_id, .seq = 3, .n = 1,
				    .data = S("two") }, *rows;
	struct turn_decision d = { .id = wait.id, .kind = WAIT_QUESTION,
		.status = WAIT_ANSWERED, .result = S("1") };
	struct turn_resume resume = { .turn_id = x.turn_id, .decisions = &d,
				      .n = 1, .via = S("test") };
	struct turn_end end = { .turn_id = x.turn_id, .status = TURN_DONE,
		.conversation_id = x.conversation_id, .events = &tail,
		.n_events = 1, .last_event_seq = 12 };
	size_t n;
	bool more;

	(void)state;
	ok(journal_write(db, &j, &p, 1, &e));
	pause.events = &tail;
	pause.n_events = 1;
	ok(store_turn_pause(db, &ann, &pause, &e));
	/* While it waits, for however long, no journal is needed for it. */
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_event"), 2);
	p = part(&x, 0, false, 9, 9, "late");
	ok(journal_write(db, &j, &p, 1, &e));
	assert_string_equal(told(&ann, &x, 0, NULL), "one|two");
	ok(store_turn_resume(db, &ann, &resume, &e));
	assert_true(resume.resumed);
	/* What was on its way when it paused is not of this run. */
	p = part(&x, 0, true, 9, 9, "late");
	ok(journal_write(db, &j, &p, 1, &e));
	assert_string_equal(told(&ann, &x, 0, NULL), "one|two");
	p = part(&x, 1, true, 6, 8, "three");
	p.resumes = end.resumes = 1;
	ok(journal_write(db, &k, &p, 1, &e));
	assert_string_equal(told(&ann, &x, 0, NULL), "one|two|three");
	/* A place in the first one's journal means nothing in this one. */
	assert_string_equal(told(&ann, &x, 3, &(struct turn_events){
		.process = j.process, .number = 7 }), "three");
	tail.seq = 9;
	tail.data = S("four");
	ok(store_turn_end(db, &ann, &end, &e));
	assert_string_equal(told(&ann, &x, 0, NULL), "one|two|three|four");
	/* In pages too, whatever part they end in. */
	for (int64_t i = 0, after = 0; i < 4; i++) {
		ok(store_turn_events_list(db, &ann, &x.turn_id, after, NULL, 1, &a,
					  &rows, &n, &more, &e));
		assert_int_equal(n, 1);
		assert_true(more);
		assert_true(rows[0].seq > after);
		after = rows[0].seq + rows[0].n - 1;
	}
}

/* -- dead turns -------------------------------------------------------------- */

static void take_text(struct event_summary *to, int64_t seq, struct str data)
{
	(void)seq;
	buf_addstr(&to->text, data);
}

static void a_dead_turn_keeps_its_text(void **state)
{
	struct turn_begin x = began(&ann);
	struct journal j = new_journal();
	struct journal_part p = part(&x, 0, true, 1, 4, "so ");
	struct message_page page;
	struct turn t;
	bool closed;

	(void)state;
	ok(journal_write(db, &j, &p, 1, &e));
	p = part(&x, 0, false, 5, 7, "far");
	ok(journal_write(db, &j, &p, 1, &e));
	clock_fix_us(clock_now_us() + 2 * TURN_LEASE_US);
	ok(store_turn_recover(db, &ann, &x.turn_id, take_text, &closed, &e));
	clock_fix_us(0);
	assert_true(closed);
	ok(message_history(db, &ann, &x.conversation_id, 0, 1, &a, &page, &e));
	assert_true(str_is(page.items[0].content, "so far"));
	ok(store_turn_get(db, &ann, &x.turn_id, &a, &t, &e));
	assert_int_equal(t.last_event_seq, 7 + TURN_SEQ_GAP);
	/* Its process was only slow: what it writes is not the turn's. */
	p = part(&x, 0, false, 8, 8, "late");
	ok(journal_write(db, &j, &p, 1, &e));
	p = part(&x, 0, true, 9, 9, "later");
	ok(journal_write(db, &j, &p, 1, &e));
	assert_string_equal(told(&ann, &x, 0, NULL), "so |far");
}

/* -- news -------------------------------------------------------------------- */

struct news {
	struct uuid turn;
	int64_t last;
	int n;
};

static void take_news(void *ctx, const struct uuid *turn, int64_t last)
{
	struct news *n = ctx;

	n->n++;
	if (uuid_eq(turn, &n->turn))
		n->last = last;
}

static void news_name_the_turns(void **state)
{
	struct turn_begin x = began(&ann), y = began(&ann);
	struct journal j = new_journal();
	struct journal_part p[] = { part(&x, 0, true, 1, 4, "a"),
				    part(&y, 1, true, 1, 60000, "b") };
	struct news got = { .turn = y.turn_id };
	int64_t number = -1;

	(void)state;
	ok(journal_news(db, &j.process, &number, take_news, &got, &e));
	assert_int_equal(number, 0);
	for (int i = 0; i < 70; i++)
		ok(journal_write(db, &j, p, 2, &e));
	ok(journal_news(db, &j.process, &number, take_news, &got, &e));
	assert_int_equal(number, 70);
	assert_int_equal(got.n, 140);
	assert_int_equal(got.last, 60000);
	ok(journal_news(db, &j.process, &number, take_news, &got, &e));
	assert_int_equal(got.n, 140);
	number = -1;
	ok(journal_news(db, &j.process, &number, take_news, &got, &e));
	assert_int_equal(number, 70);
	assert_int_equal(got.n, 140);
}

/* -- what stays ---------------------------------------------------------------- */

static int64_t rows_of(const struct journal *j)
{
	char text[UUID_TEXT_BYTES];

	return dbtest_sql("SELECT COUNT(*) FROM turn_journal WHERE process ="
			  " UNHEX(REPLACE('%s', '-', ''))",
			  uuid_format(&j->process, text));
}

/* One go is limited in time: housekeeping comes again. */
static bool pruned(const struct journal *j, int64_t n)
{
	ok(journal_prune(db, take_text, clock_mono_ms() + 200, &e));
	return rows_of(j) == n;
}

static void old_rows_go(void **state)
{
	struct turn_begin x = began(&ann), y = began(&ann), dead = began(&bob);
	struct journal j = new_journal(), k = new_journal();
	struct journal_part p = part(&x, 0, true, 1, 1, "x");
	struct message_page page;
	struct turn t;

	(void)state;
	for (int i = 0; i < 300; i++, p.first = false, p.seq++, p.last++)
		ok(journal_write(db, &j, &p, 1, &e));
	p = part(&y, 1, true, 1, 1, "y");
	ok(journal_write(db, &j, &p, 1, &e));
	p = part(&dead, 2, true, 1, 1, "its text");
	ok(journal_write(db, &k, &p, 1, &e));
	end_with(&ann, &x, "x");
	ok(journal_prune(db, take_text, clock_mono_ms() + 200, &e));	/* not an hour old */
	assert_int_equal(rows_of(&j), 301);
	clock_fix_us(clock_now_us() + JOURNAL_KEEP_US + 1000000);
	ok(store_turn_touch(db, &y.turn_id, 1, &e));
	/* What y tells is needed while it runs; who died is closed. */
	dbtest_until(pruned(&j, 1) && pruned(&k, 0));
	assert_string_equal(told(&ann, &y, 0, NULL), "y");
	ok(store_turn_get(db, &bob, &dead.turn_id, &a, &t, &e));
	assert_int_equal(t.status, TURN_INTERRUPTED);
	ok(message_history(db, &bob, &dead.conversation_id, 0, 1, &a, &page,
			   &e));
	assert_true(str_is(page.items[0].content, "its text"));
	end_with(&ann, &y, "x");
	dbtest_until(pruned(&j, 0));
	clock_fix_us(0);
}

static int64_t prune_until_ms;
static int n_closed;

/* Of each turn that is closed: takes all the time there is. */
static void dawdle(struct event_summary *told, int64_t seq, struct str packed)
{
	take_text(told, seq, packed);
	n_closed++;
	while (clock_mono_ms() < prune_until_ms)
		continue;
}

/* However many turns one process has left: those of this one wait. */
static void pruning_ends_in_time(void **state)
{
	struct turn_begin x = began(&ann), y = began(&bob);
	struct journal j = new_journal();
	struct journal_part p[] = { part(&x, 0, true, 1, 1, "x"),
				    part(&y, 1, true, 1, 1, "y") };

	(void)state;
	ok(journal_write(db, &j, p, 2, &e));
	clock_fix_us(clock_now_us() + JOURNAL_KEEP_US + 1000000);
	n_closed = 0;
	prune_until_ms = clock_mono_ms() + 500;
	ok(journal_prune(db, dawdle, prune_until_ms, &e));
	assert_in_range(n_closed, 0, 1);
	assert_int_equal(rows_of(&j), 1);
	dbtest_until(pruned(&j, 0));
	clock_fix_us(0);
}

/* U17: no text of a deleted conversation can be read, in no row that is left. */
static void a_deletion_leaves_no_text(void **state)
{
	struct turn_begin x = began(&ann), y = began(&bob);
	struct journal j = new_journal();
	struct journal_part p[] = {
		part(&x, 0, true, 1, 1, "the secret of ann"),
		part(&y, 1, true, 1, 1, "not hers") };
	char text[UUID_TEXT_BYTES];

	(void)state;
	ok(journal_write(db, &j, p, 2, &e));
	end_with(&ann, &x, "x");
	ok(conversation_delete(db, &ann, &x.conversation_id, &e));
	assert_true(do_jobs() >= 1);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn_journal WHERE"
				    " LOCATE('secret', data)"), 0);
	/* It was not there before, and its key is not there any more. */
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM turn WHERE id ="
				    " UNHEX(REPLACE('%s', '-', ''))",
				    uuid_format(&x.turn_id, text)), 0);
	assert_int_equal(rows_of(&j), 1);
	assert_string_equal(told(&bob, &y, 0, NULL), "not hers");
}

/* A follower's place is a place in the key, however long the journal is. */
static void a_place_is_a_range(void **state)
{
	struct turn_begin x = began(&ann);
	struct journal j = new_journal();
	struct journal_part p = part(&x, 0, true, 1, 1, "x");
	int64_t before;

	(void)state;
	for (int i = 0; i < 500; i++, p.first = false, p.seq++, p.last++)
		ok(journal_write(db, &j, &p, 1, &e));
	before = dbtest_sql("SELECT VARIABLE_VALUE FROM"
		" information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME = 'HANDLER_READ_NEXT'");
	assert_string_equal(told(&ann, &x, 499, &(struct turn_events){
		.process = j.process, .number = 499 }), "x");
	assert_in_range(dbtest_sql("SELECT VARIABLE_VALUE FROM"
		" information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME = 'HANDLER_READ_NEXT'") - before, 0, 20);
}

/*
 * Of the rows of others, which a turn without a place has to look through, the
 * data is not read: else a pause after most of an hour takes seconds.
 */
static void others_data_is_not_read(void **state)
{
	enum { ROWS = 2000, PAGES = 12 };	/* of each row's data */
	struct turn_begin x = began(&ann);
	struct journal j = new_journal();
	struct journal_part p = part(&x, 0, true, 1, 1, "x");
	char id[UUID_TEXT_BYTES];
	int64_t before;

	(void)state;
	ok(journal_write(db, &j, &p, 1, &e));
	uuid_format(&j.process, id);
	dbtest_sql("INSERT INTO turn_journal (process, number, created_us, turns,"
		   " data) SELECT UNHEX(REPLACE('%s','-','')), 1 + seq, %lld,"
		   " REPEAT('t', 640), REPEAT('d', %d * 16384)"
		   " FROM seq_1_to_%d", id, (long long)clock_now_us(), PAGES,
		   ROWS);
	j.number += ROWS;
	p = part(&x, 0, false, 2, 2, "y");
	ok(journal_write(db, &j, &p, 1, &e));
	before = dbtest_sql("SELECT VARIABLE_VALUE FROM"
		" information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME = 'INNODB_BUFFER_POOL_READ_REQUESTS'");
	assert_string_equal(told(&ann, &x, 0, NULL), "x|y");
	assert_in_range(dbtest_sql("SELECT VARIABLE_VALUE FROM"
		" information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME = 'INNODB_BUFFER_POOL_READ_REQUESTS'")
		- before, 0, 4 * ROWS);
	before = dbtest_sql("SELECT VARIABLE_VALUE FROM"
		" information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME = 'INNODB_BUFFER_POOL_READ_REQUESTS'");
	end_with(&ann, &x, "x");
	assert_in_range(dbtest_sql("SELECT VARIABLE_VALUE FROM"
		" information_schema.GLOBAL_STATUS"
		" WHERE VARIABLE_NAME = 'INNODB_BUFFER_POOL_READ_REQUESTS'")
		- before, 0, 4 * ROWS);
}

static int open_it(void **state)
{
	*state = (char *)"t_journal";
	return store_lab_open(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_turn_has_its_own_events),
		cmocka_unit_test(a_round_is_one_statement),
		cmocka_unit_test(a_row_is_written_again),
		cmocka_unit_test(another_process_goes_on),
		cmocka_unit_test(a_dead_turn_keeps_its_text),
		cmocka_unit_test(news_name_the_turns),
		cmocka_unit_test(old_rows_go),
		cmocka_unit_test(pruning_ends_in_time),
		cmocka_unit_test(a_deletion_leaves_no_text),
		cmocka_unit_test(a_place_is_a_range),
		cmocka_unit_test(others_data_is_not_read),
	};

	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
