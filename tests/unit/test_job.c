/* SPDX-License-Identifier: MIT */
/* lib/store/job over a real MariaDB, and lib/job: who takes what, and when. */
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "job/work.h"
#include "store/thread.h"
#include "store_lab.h"

#define SECOND_US INT64_C(1000000)
#define LEASE_US  (60 * SECOND_US)
#define TAKERS    8

static const struct conf no_sources;

static struct job asked(const char *subject, int64_t due_us)
{
	struct job j = { .kind = S("t"), .subject = S(subject),
			 .tenant_id = S("t"), .due_us = due_us };

	ok(store_job_ask(db, &j, &e));
	return j;
}

/* The one that is due first, taken; its subject "" when there is none. */
static struct job taken(void)
{
	struct job *rows;
	size_t n;

	ok(store_job_due(db, S("t,u"), &a, &rows, &n, &e));
	for (size_t i = 0; i < n; i++)
		if (store_job_take(db, &rows[i], LEASE_US, &e) == 1)
			return rows[i];
	return (struct job){ .subject = S("") };
}

static void one_job_from_ask_to_end(void **state)
{
	struct job j;

	(void)state;
	asked("one", 5);
	asked("one", 3);		/* the same job, earlier */
	asked("later", clock_now_us() + LEASE_US);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM job"), 2);
	j = taken();
	assert_true(str_is(j.subject, "one"));
	assert_int_equal(j.attempts, 1);
	assert_int_equal(j.asked, 2);
	assert_true(str_is(taken().subject, ""));	/* held, or not due */
	ok(store_job_done(db, &j, &e));
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM job"), 1);
	dbtest_sql("DELETE FROM job");
}

/* Of many that see it, one has it. */
static void *take_it(void *arg)
{
	struct err mine = ERR_INIT;
	struct job *j = arg;

	return store_job_take(db, j, LEASE_US, &mine) == 1 ? j : NULL;
}

static void a_job_has_one_taker(void **state)
{
	pthread_t threads[TAKERS];
	struct job *rows[TAKERS];
	int winners = 0;
	size_t n;

	(void)state;
	for (int round = 0; round < 20; round++) {
		asked("raced", 1);
		winners = 0;
		for (int i = 0; i < TAKERS; i++)
			ok(store_job_due(db, S("t"), &a, &rows[i], &n, &e));
		for (int i = 0; i < TAKERS; i++)
			assert_int_equal(pthread_create(&threads[i], NULL,
							take_it, rows[i]), 0);
		for (int i = 0; i < TAKERS; i++) {
			void *won;

			pthread_join(threads[i], &won);
			winners += won != NULL;
		}
		assert_int_equal(winners, 1);
		dbtest_sql("DELETE FROM job");
	}
}

/* What is asked for while it runs is run again; a lost lease changes nothing. */
static void asked_for_while_it_runs(void **state)
{
	struct job j, again;

	(void)state;
	asked("busy", 1);
	j = taken();
	asked("busy", 1);
	assert_true(str_is(taken().subject, ""));
	ok(store_job_done(db, &j, &e));
	again = taken();
	assert_true(str_is(again.subject, "busy"));
	/* Its lease ends, another takes it: the first can end nothing. */
	dbtest_sql("UPDATE job SET due_us = 1");
	j = taken();
	ok(store_job_done(db, &again, &e));
	ok(store_job_put_back(db, &again, JOB_NEVER_US, 9, S("late"), &e));
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM job"
				    " WHERE error IS NULL"), 1);
	ok(store_job_done(db, &j, &e));
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM job"), 0);
}

/* The purge of something that is no id fails, later and later, then for good. */
static void what_fails_is_given_up(void **state)
{
	int64_t now_us = clock_now_us(), waited_us = 0, due_us;
	struct job j = { .kind = S("conversation-purge"), .subject = S("?"),
			 .tenant_id = S("t") }, *rows;
	size_t n;

	(void)state;
	ok(store_job_ask(db, &j, &e));
	for (int i = 1; i < 12; i++) {
		clock_fix_us(now_us);
		assert_int_equal(do_jobs(), 1);
		due_us = dbtest_sql("SELECT due_us FROM job");
		assert_true(due_us - now_us >= waited_us);
		waited_us = due_us - now_us;
		assert_true(waited_us >= 30 * SECOND_US);
		assert_true(waited_us <= 3600 * SECOND_US);
		assert_int_equal(do_jobs(), 0);
		now_us = due_us;
	}
	clock_fix_us(now_us);
	assert_int_equal(do_jobs(), 1);
	ok(store_job_list(db, &a, &rows, &n, &e));
	assert_int_equal(n, 1);
	assert_true(rows[0].due_us == JOB_NEVER_US);
	assert_int_equal(rows[0].attempts, 12);
	assert_non_null(strstr(rows[0].error.p, "conversation-purge ?"));
	/* Asked for again it begins anew. */
	ok(store_job_ask(db, &j, &e));
	assert_int_equal(do_jobs(), 1);
	assert_int_equal(dbtest_sql("SELECT attempts FROM job"), 1);
	dbtest_sql("UPDATE job SET due_us = 9223372036854775807");
	clock_fix_us(now_us + INT64_C(15) * 86400 * SECOND_US);
	ok(store_tidy(db, &e));
	clock_fix_us(0);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM job"), 0);
}

/* A run that ends its process each time is given up as well. */
static void what_never_ends_is_given_up(void **state)
{
	struct job j = { .kind = S("conversation-purge"), .subject = S("x"),
			 .tenant_id = S("t") };

	(void)state;
	ok(store_job_ask(db, &j, &e));
	dbtest_sql("UPDATE job SET attempts = 12");
	assert_int_equal(do_jobs(), 1);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM job WHERE due_us ="
		" 9223372036854775807 AND error LIKE '%%never came%%'"), 1);
	dbtest_sql("DELETE FROM job");
}

/* Turns whose process died are ended without anybody reading them. */
static void dead_turns_are_closed(void **state)
{
	struct uuid one = new_conversation(&ann, "one"),
		    two = new_conversation(&bob, "two");
	struct turn_begin dead = begin_of(&one, "hello"),
			  live = begin_of(&two, "hello");
	struct turn t;

	(void)state;
	ok(store_turn_begin(db, &ann, &dead, &e));
	dbtest_sql("UPDATE conversation SET unindexed = NULL");
	assert_int_equal(job_look(db, &no_sources, &e), 0);
	clock_fix_us(clock_now_us() + 3 * TURN_LEASE_US);
	ok(store_turn_begin(db, &bob, &live, &e));
	assert_int_equal(job_look(db, &no_sources, &e), 1);
	assert_int_equal(job_look(db, &no_sources, &e), 1);	/* still one job */
	assert_int_equal(do_jobs(), 1);
	ok(store_turn_get(db, &ann, &dead.turn_id, &a, &t, &e));
	assert_int_equal(t.status, TURN_INTERRUPTED);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM usage_record"
				    " WHERE estimated"), 1);
	ok(store_turn_get(db, &bob, &live.turn_id, &a, &t, &e));
	assert_int_equal(t.status, TURN_RUNNING);
	assert_int_equal(job_look(db, &no_sources, &e), 1);	/* what was said is indexed */
	assert_int_equal(do_jobs(), 2);
	assert_int_equal(job_look(db, &no_sources, &e), 0);
	clock_fix_us(0);
	dbtest_sql("DELETE FROM job");
}

static void plan_has(const char *sql, const char *key)
{
	char want[64];
	const char *plan = dbtest_text("EXPLAIN FORMAT=JSON %s", sql);

	snprintf(want, sizeof(want), "\"key\": \"%s\"", key);
	if (strstr(plan, "filesort") || !strstr(plan, want))
		fail_msg("%s: %s", sql, plan);
}

/* Among many failed jobs the old ones are found without sorting them all. */
static void looks_have_keys(void **state)
{
	(void)state;
	dbtest_sql("INSERT INTO job (kind, subject, tenant_id, due_us,"
		   " created_us) SELECT 't', seq, 't',"
		   " 9223372036854775807, seq FROM seq_1_to_5000");
	dbtest_sql("ANALYZE TABLE job, turn");
	plan_has("DELETE FROM job WHERE created_us < 10 AND due_us ="
		 " 9223372036854775807 ORDER BY created_us LIMIT 1000",
		 "job_due_age");
	plan_has("SELECT id FROM turn WHERE status = 1"
		 " AND lease_until_us < 10 LIMIT 1", "turn_status");
	plan_has("SELECT DISTINCT c.tenant_id, c.user_id FROM conversation c"
		 " FORCE INDEX (conversation_unindexed) WHERE c.unindexed = 1"
		 " AND c.tenant_id >= '' AND (c.tenant_id > '' OR c.user_id > '')"
		 " AND c.tenant_id > '' AND c.copy_of IS NULL"
		 " ORDER BY c.tenant_id, c.user_id LIMIT 100",
		 "conversation_unindexed");
	dbtest_sql("DELETE FROM job");
}

/* -- of persons ------------------------------------------------------------------- */

/* n jobs of the user that do nothing: conversations that are gone. */
static void queue_of(const struct owner *o, int n)
{
	char hex[UUID_TEXT_BYTES];

	dbtest_sql("INSERT INTO job (kind, subject, tenant_id, user_id, due_us,"
		   " created_us) SELECT 'conversation-purge', UUID(), 'default',"
		   " UNHEX(REPLACE('%s','-','')), 1, 1 FROM seq_1_to_%d",
		   uuid_format(&o->user_id, hex), n);
}

static int64_t left_of(const struct owner *o)
{
	char hex[UUID_TEXT_BYTES];

	return dbtest_sql("SELECT COUNT(*) FROM job WHERE user_id ="
			  " UNHEX(REPLACE('%s','-',''))",
			  uuid_format(&o->user_id, hex));
}

static void ask(const struct owner *by, const char *kind, const struct uuid *subject)
{
	ok(store_job_ask_for(db, S(kind), by, subject, &e));
}

/* What is done is noted, in that order. */
static void begin_to_note(void)
{
	dbtest_sql("CREATE TABLE IF NOT EXISTS done (n INT AUTO_INCREMENT PRIMARY KEY,"
		   " subject VARCHAR(64))");
	dbtest_sql("TRUNCATE done");
	dbtest_sql("CREATE OR REPLACE TRIGGER note AFTER DELETE ON job FOR EACH ROW"
		   " INSERT INTO done (subject) VALUES (OLD.subject)");
}

static int64_t place_of(const struct uuid *subject)
{
	char id[UUID_TEXT_BYTES];

	return dbtest_sql("SELECT n FROM done WHERE subject = '%s'",
			  uuid_format(subject, id));
}

static size_t do_jobs_of(int user_jobs)
{
	const struct conf conf = { .limits.user_jobs = user_jobs };
	size_t n = 0;

	ok(job_work(db, &conf, NULL, NULL, clock_mono_ms() + 60000, NULL, &n, &e));
	return n;
}

static void nobody_waits_for_a_long_queue(void **state)
{
	const struct uuid of_bob = uuid_new(), of_nobody = uuid_new(),
			  of_both = uuid_new();
	const struct owner nobody = { .tenant_id = S("default") };

	(void)state;
	begin_to_note();
	queue_of(&ann, 300);
	ask(&ann, "conversation-purge", &of_both);
	ask(&bob, "conversation-purge", &of_bob);
	ask(&nobody, "conversation-purge", &of_nobody);
	/* Whoever asks again, it waits for the queue of neither of them. */
	ask(&bob, "conversation-purge", &of_both);
	ask(&ann, "conversation-purge", &of_both);
	assert_int_equal(left_of(&ann), 300);
	assert_int_equal(do_jobs_of(2), 303);
	assert_in_range(place_of(&of_nobody), 1, 6);
	assert_in_range(place_of(&of_both), 1, 6);
	assert_in_range(place_of(&of_bob), 1, 3);
	dbtest_sql("DROP TRIGGER note");
}

static void so_many_run_at_the_same_time(void **state)
{
	const struct uuid of_bob = uuid_new(), other = uuid_new();
	int64_t running, all;

	(void)state;
	queue_of(&ann, 10);
	ask(&bob, "conversation-purge", &of_bob);
	for (int i = 0; i < 2; i++) {	/* in other processes */
		struct uuid first = { { 0 } };
		struct job j;

		assert_int_equal(store_job_next(db, S("conversation-purge"), &first,
						&ann.user_id, &a, &j, &e), 1);
		assert_int_equal(store_job_take(db, &j, LEASE_US, &e), 1);
	}
	ok(store_job_held(db, &ann.user_id, &running, &all, &e));
	assert_int_equal(running, 2);
	assert_int_equal(all, 10);
	assert_int_equal(do_jobs_of(2), 1);		/* bob's */
	assert_int_equal(left_of(&ann), 10);
	assert_int_equal(left_of(&bob), 0);
	assert_int_equal(dbtest_sql("SELECT MAX(attempts) FROM job"
				    " WHERE NOT taken"), 0);
	/* What is nobody's is not counted. */
	ask(&(struct owner){ .tenant_id = S("default") }, "conversation-purge",
	    &other);
	assert_int_equal(do_jobs_of(2), 1);
	/* One more may run, of whatever is due. */
	assert_int_equal(do_jobs_of(3), 8);
	/* A process died: its job is taken up when its lease is over. */
	queue_of(&ann, 5);
	dbtest_sql("UPDATE job SET due_us = 2 WHERE taken LIMIT 1");
	assert_int_equal(do_jobs_of(2), 6);
	assert_int_equal(do_jobs_of(0), 0);
	ok(store_job_held(db, &ann.user_id, &running, &all, &e));
	assert_int_equal(running, 1);
	assert_int_equal(all, 1);
	dbtest_sql("DELETE FROM job");
}

static void *work_on(void *arg)
{
	const struct conf conf = { .limits.user_jobs = 2 };
	struct err mine = ERR_INIT;
	size_t n = 0;

	(void)arg;
	if (job_work(db, &conf, NULL, NULL, clock_mono_ms() + 60000, NULL, &n, &mine) < 0)
		fail_msg("%s", mine.text);
	return (void *)(uintptr_t)n;
}

/* Of processes that work at the same time, each job has one. */
static void many_work_on_a_queue(void **state)
{
	enum { N = 200 };
	pthread_t threads[TAKERS];
	size_t n = 0;

	(void)state;
	queue_of(&ann, N);
	for (int i = 0; i < TAKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, work_on, NULL), 0);
	for (int i = 0; i < TAKERS; i++) {
		void *ran;

		pthread_join(threads[i], &ran);
		n += (uintptr_t)ran;
	}
	assert_int_equal(n, N);
	assert_int_equal(dbtest_sql("SELECT COUNT(*) FROM job"), 0);
}

/* The statement reads one row by the key, and sorts nothing. */
static void reads_one(const char *sql, const char *key)
{
	plan_has(sql, key);
	if (!strstr(dbtest_text("ANALYZE FORMAT=JSON %s", sql), "\"r_rows\": 1,"))
		fail_msg("%s", dbtest_text("ANALYZE FORMAT=JSON %s", sql));
}

/* One user has many: the next one is found without reading them. */
static void a_queue_is_not_read(void **state)
{
	const struct uuid of_bob = uuid_new();
	char sql[600], hex[UUID_TEXT_BYTES];

	(void)state;
	queue_of(&ann, 100000);
	ask(&bob, "conversation-purge", &of_bob);
	/* The keys of both, whoever is first. */
	for (int i = 0; i < 2; i++) {
		snprintf(sql, sizeof(sql), "SELECT kind, args FROM job"
			 " FORCE INDEX (job_person) WHERE user_id %s"
			 " UNHEX(REPLACE('%s','-','')) AND user_id <="
			 " REPEAT(CHAR(255), 16) AND due_us <= %lld AND"
			 " FIND_IN_SET(kind, 'conversation-purge')"
			 " ORDER BY user_id, due_us LIMIT 1", i ? ">=" : ">",
			 i ? uuid_format(&bob.user_id, hex)
			   : "00000000-0000-0000-0000-000000000000",
			 (long long)clock_now_us());
		reads_one(sql, "job_person");
	}
	dbtest_sql("UPDATE job SET taken = 1, due_us = 9000000000000000"
		   " ORDER BY due_us LIMIT 1");
	snprintf(sql, sizeof(sql), "SELECT COUNT(*) FROM job"
		 " FORCE INDEX (job_running) WHERE user_id ="
		 " UNHEX(REPLACE('%s','-','')) AND taken = 1 AND due_us > 1"
		 " AND NOT (kind = 'x' AND subject = 'x')",
		 uuid_format(&ann.user_id, hex));
	reads_one(sql, "job_running");
	dbtest_sql("DELETE FROM job");
}

static void unknown_kinds_are_left(void **state)
{
	(void)state;
	asked("of a newer program", 1);
	assert_int_equal(do_jobs(), 0);
	assert_int_equal(dbtest_sql("SELECT attempts FROM job"), 0);
	dbtest_sql("DELETE FROM job");
}

/* -- copies of threads ---------------------------------------------------------- */

/* A thread of n messages, each of so many bytes. */
static struct uuid thread_of(int n, int bytes)
{
	struct uuid id = new_conversation(&ann, "heavy");
	char hex[UUID_TEXT_BYTES];

	uuid_format(&id, hex);
	dbtest_sql("INSERT INTO message (conversation_id, seq, role,"
		   " created_us, kind, content) SELECT UNHEX(REPLACE('%s','-','')),"
		   " seq, 2 - seq %% 2, seq, 3 - 2 * (seq %% 2), REPEAT('x', %d) FROM seq_1_to_%d",
		   hex, bytes, n);
	dbtest_sql("UPDATE conversation SET last_seq = %d"
		   " WHERE id = UNHEX(REPLACE('%s','-',''))", n, hex);
	return id;
}

static int messages_of(const struct uuid *id)
{
	char hex[UUID_TEXT_BYTES];

	uuid_format(id, hex);
	return (int)dbtest_sql("SELECT COUNT(*) FROM message WHERE"
			       " conversation_id = UNHEX(REPLACE('%s','-',''))",
			       hex);
}

/* A batch is so many bytes as well: a time limit is not met by rows alone. */
static void a_fork_is_copied_by_bytes(void **state)
{
	enum { N = 40, BYTES = 1 << 20 };
	struct uuid from = thread_of(N, BYTES), id = uuid_new();

	(void)state;
	ok(thread_fork(db, &ann, &from, N, &id, &e));
	assert_int_equal(messages_of(&id), 4);
	assert_int_equal(thread_copy(db, &id, 0, &e), 0);
	assert_int_equal(messages_of(&id), 8);
	assert_true(do_jobs() > 0);
	assert_int_equal(messages_of(&id), N);
	/* One that is more than a batch is copied as well. */
	from = thread_of(3, 5 << 20);
	id = uuid_new();
	ok(thread_fork(db, &ann, &from, 3, &id, &e));
	assert_int_equal(messages_of(&id), 1);
	do_jobs();
	assert_int_equal(messages_of(&id), 3);
}

/*
 * A batch that the server does not take, for whatever reason, is tried smaller;
 * else neither the fork would be whole nor its original ever be purged.
 */
static void a_batch_that_fails_is_made_smaller(void **state)
{
	enum { N = 1500 };
	struct uuid from = thread_of(N, 10), id = uuid_new();
	struct err why = ERR_INIT;

	(void)state;
	dbtest_sql("CREATE TRIGGER small BEFORE INSERT ON message FOR EACH ROW"
		   " IF (SELECT COALESCE(copy_seq, %d) FROM (SELECT 1) one LEFT"
		   " JOIN conversation ON id = NEW.conversation_id) - NEW.seq"
		   " >= 200 THEN SIGNAL SQLSTATE '45000'; END IF", N);
	ok(thread_fork(db, &ann, &from, N, &id, &e));
	assert_int_equal(messages_of(&id), 125);
	assert_int_equal(thread_copy_forks(db, &from, INT64_MAX, &e), 1);
	assert_int_equal(messages_of(&id), N);
	/* What never succeeds ends as an error. */
	dbtest_sql("DROP TRIGGER small");
	id = uuid_new();
	dbtest_sql("CREATE TRIGGER never BEFORE INSERT ON message FOR EACH ROW"
		   " SIGNAL SQLSTATE '45000'");
	assert_int_equal(thread_fork(db, &ann, &from, N, &id, &why), -1);
	assert_int_equal(why.code, ERR_DB);
	dbtest_sql("DROP TRIGGER never");
}

/* Whatever asks says for whom. */
static void jobs_have_a_person(void **state)
{
	const struct uuid id = new_conversation(&ann, "a"), fork = uuid_new(),
			  from = thread_of(40, 1 << 20), of_bob = new_conversation(&bob, "b");

	(void)state;
	dbtest_sql("DELETE FROM job");
	ok(conversation_delete(db, &ann, &id, &e));
	ok(thread_fork(db, &ann, &from, 40, &fork, &e));
	assert_int_equal(left_of(&ann), 2);
	/* An administrator deletes what others said. */
	ok(conversation_delete_by(db, &ann.user_id, &bob, &of_bob, &e));
	assert_int_equal(left_of(&ann), 3);
	assert_int_equal(left_of(&bob), 0);
	do_jobs();
}

static int open_it(void **state)
{
	*state = (char *)"t_job";
	return store_lab_open(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_job_from_ask_to_end),
		cmocka_unit_test(a_job_has_one_taker),
		cmocka_unit_test(asked_for_while_it_runs),
		cmocka_unit_test(what_fails_is_given_up),
		cmocka_unit_test(what_never_ends_is_given_up),
		cmocka_unit_test(dead_turns_are_closed),
		cmocka_unit_test(looks_have_keys),
		cmocka_unit_test(nobody_waits_for_a_long_queue),
		cmocka_unit_test(so_many_run_at_the_same_time),
		cmocka_unit_test(many_work_on_a_queue),
		cmocka_unit_test(jobs_have_a_person),
		cmocka_unit_test(a_queue_is_not_read),
		cmocka_unit_test(unknown_kinds_are_left),
		cmocka_unit_test(a_fork_is_copied_by_bytes),
		cmocka_unit_test(a_batch_that_fails_is_made_smaller),
	};

	return cmocka_run_group_tests(tests, open_it, store_lab_close);
}
