/* SPDX-License-Identifier: MIT */
/* The threads behind all transfers: stalls, many at once, clocks. */
#include <semaphore.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/http.h"
#include "peer.h"

#define MANY 500
#define PIECES 40
#define DEEP_PAGES 24		/* of 4 KiB */
#define SPREAD_MANY 280		/* 256 stay together */

static struct http_pool *pool;

struct stream {
	const struct peer *peer;
	struct http_abort *abort;
	pthread_t caller, thread, loop;
	bool stalls_once, stalls_in_tick, pulls_in_stall;
	int tick_ms, n_stalls, n_ticks, ticks_wanted;
	bool wrong_thread;
	sem_t *stalled, *go_on;		/* on_stall: said, waited for */
	bool works;			/* the caller does something meanwhile */
	sem_t *answers;			/* meanwhile lets the peer read on */
	int n_works, sent_bytes;	/* that the peer had not read yet */
	bool works_elsewhere;
	bool deep;			/* the caller has used much of its stack */
	int n_deep_pages;		/* of that, resident afterwards */
	const char *logs;		/* a line of on_body, of this turn; or NULL */
	struct buf body;
	enum err_code got;
	struct http_result res;
};

static void check_on_loop(struct stream *s)
{
	s->wrong_thread |= pthread_equal(pthread_self(), s->caller) ||
		(s->loop && !pthread_equal(pthread_self(), s->loop));
	s->loop = pthread_self();
}

static int on_body(void *ctx, struct str bytes)
{
	struct stream *s = ctx;

	check_on_loop(s);
	if (s->logs)
		log_info("a piece");
	buf_addstr(&s->body, bytes);
	return 0;
}

static int on_batch(void *ctx)
{
	struct stream *s = ctx;

	check_on_loop(s);
	return s->stalls_once && !s->n_stalls ? HTTP_STALL : 0;
}

static void meanwhile(void *ctx)
{
	struct stream *s = ctx;

	s->works_elsewhere |= !pthread_equal(pthread_self(), s->caller);
	s->n_works++;
	if (!s->answers)
		return;
	ioctl(s->peer->fds[0], FIONREAD, &s->sent_bytes);
	sem_post(s->answers);
}

static int on_tick(void *ctx)
{
	struct stream *s = ctx;

	check_on_loop(s);
	if (++s->n_ticks == s->ticks_wanted)
		return -1;
	return s->stalls_in_tick ? HTTP_STALL : 0;
}

static void on_stall(void *ctx)
{
	struct stream *s = ctx;

	s->wrong_thread |= !pthread_equal(pthread_self(), s->caller);
	s->n_stalls++;
	if (s->stalled)
		sem_post(s->stalled);
	if (s->go_on)
		sem_wait(s->go_on);
	if (s->pulls_in_stall)
		http_abort_now(s->abort);
}

/* Uses DEEP_PAGES of the stack; where they begin. Not in the sanitizer's own stack. */
static __attribute__((noinline, no_sanitize_address)) char *use_stack(void)
{
	volatile char used[DEEP_PAGES * 4096];

	for (size_t i = 0; i < sizeof(used); i += 512)
		used[i] = 1;
	return (char *)(((uintptr_t)used + 4095) & ~(uintptr_t)4095);
}

static int resident_pages(char *from)
{
	unsigned char in_core[DEEP_PAGES - 1];
	int n = 0;

	assert_int_equal(mincore(from, sizeof(in_core) * 4096, in_core), 0);
	for (size_t i = 0; i < sizeof(in_core); i++)
		n += in_core[i] & 1;
	return n;
}

static void *run(void *ctx)
{
	struct stream *s = ctx;
	char url[64];
	struct http_request r = {
		.method = "GET", .url = url, .watch_fd = -1,
		.abort = s->abort, .tick_ms = s->tick_ms, .on_body = on_body,
		.on_batch = on_batch, .on_tick = on_tick,
		.on_stall = on_stall, .ctx = s,
		.meanwhile = s->works ? meanwhile : NULL, .sends_first = true,
	};
	struct err e = ERR_INIT;
	char *deep = s->deep ? use_stack() : NULL;

	s->caller = pthread_self();
	if (s->logs && *s->logs)
		log_bind_turn(&(struct log_turn){
			.service = "main", .workspace = "it",
			.conversation = "c1", .turn = s->logs, .client = "web",
		});
	s->body = (struct buf)BUF_INIT(1 << 20);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d/", s->peer->port);
	if (http_do(pool, &r, &s->res, &e) < 0)
		s->got = e.code;
	if (deep)
		s->n_deep_pages = resident_pages(deep);
	return NULL;
}

static void start(struct stream *s)
{
	pthread_attr_t a;

	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, 256 * 1024);
	assert_int_equal(pthread_create(&s->thread, &a, run, s), 0);
	pthread_attr_destroy(&a);
}

static void end(struct stream *s, enum err_code want)
{
	pthread_join(s->thread, NULL);
	assert_int_equal(s->got, want);
	assert_false(s->wrong_thread || s->works_elsewhere);
	buf_release(&s->body);
}

/* -- servers --------------------------------------------------------------- */

static int serve_pieces(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	peer_stream(fd);
	for (int i = 0; i < PIECES; i++)
		peer_chunk(fd, "0123456789");
	return peer_end(fd);
}

static int serve_one_piece(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	peer_stream(fd);
	peer_chunk(fd, "0123456789");
	return peer_stall(fd);
}

static int serve_silence(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return peer_stall(fd);
}

/* A stream that lasts: longer than the second after which its caller is one that waits. */
static int serve_slowly(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	peer_stream(fd);
	peer_chunk(fd, "0123456789");
	poll(NULL, 0, 1500);
	return peer_end(fd);
}

/* Answers when all are there, so that all run at once. */
static int serve_all_at_once(struct peer *p, int fd, int n)
{
	int64_t until = clock_mono_ms() + 60000;

	(void)n;
	while (atomic_load(&p->n_reqs) < MANY && clock_mono_ms() < until)
		poll(NULL, 0, 2);	/* looked at again and again */
	peer_stream(fd);
	for (int i = 0; i < PIECES; i++)
		peer_chunk(fd, "0123456789");
	if (n % 5 == 0)
		return -1;	/* cut */
	return peer_end(fd);
}

/* -- tests ----------------------------------------------------------------- */

/* One client does not read; the other stream does not notice. */
static void a_stall_is_its_own(void **state)
{
	struct peer *p = peer_start(serve_pieces);
	sem_t stalled, go_on;
	struct stream slow = { .peer = p, .stalls_once = true,
		.stalled = &stalled, .go_on = &go_on };
	size_t n_body;

	(void)state;
	sem_init(&stalled, 0, 0);
	sem_init(&go_on, 0, 0);
	start(&slow);
	sem_wait(&stalled);
	n_body = slow.body.n;
	for (int i = 0; i < 5; i++) {
		struct stream s = { .peer = p };

		start(&s);
		pthread_join(s.thread, NULL);
		assert_int_equal(s.body.n, PIECES * 10);
		assert_int_equal(s.got, ERR_NONE);
		assert_false(s.wrong_thread);
		buf_release(&s.body);
	}
	/* Its own answer has come as well, and waits. */
	assert_int_equal(slow.body.n, n_body);
	assert_int_equal(slow.res.status, 0);
	sem_post(&go_on);
	pthread_join(slow.thread, NULL);
	assert_int_equal(slow.res.status, 200);
	assert_int_equal(slow.body.n, PIECES * 10);
	assert_int_equal(slow.n_stalls, 1);
	assert_int_equal(slow.got, ERR_NONE);
	assert_false(slow.wrong_thread);
	buf_release(&slow.body);
	sem_destroy(&stalled);
	sem_destroy(&go_on);
	peer_stop(p);
}

static void abort_in_a_stall(void **state)
{
	struct peer *p = peer_start(serve_one_piece);
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i < 20; i++) {
		sem_t stalled, go_on;
		struct stream s = { .peer = p, .stalls_once = true,
			.abort = http_abort_new(&e) };

		assert_non_null(s.abort);
		sem_init(&stalled, 0, 0);
		sem_init(&go_on, 0, 0);
		if (i % 2) {	/* by itself, before it continues */
			s.pulls_in_stall = true;
			start(&s);
		} else {	/* by somebody else, while it blocks */
			s.stalled = &stalled;
			s.go_on = &go_on;
			start(&s);
			sem_wait(&stalled);
			http_abort_now(s.abort);
			sem_post(&go_on);
		}
		end(&s, ERR_CANCELLED);
		assert_int_equal(s.n_stalls, 1);
		http_abort_free(s.abort);
		sem_destroy(&stalled);
		sem_destroy(&go_on);
	}
	peer_stop(p);
}

static void stall_in_a_tick(void **state)
{
	struct peer *p = peer_start(serve_silence);
	struct stream s = { .peer = p, .tick_ms = 2, .ticks_wanted = 4,
		.stalls_in_tick = true };

	(void)state;
	start(&s);
	end(&s, ERR_CANCELLED);
	assert_int_equal(s.n_ticks, 4);
	assert_int_equal(s.n_stalls, 3);
	peer_stop(p);
}

/* Aborts, ticks and a busy stream next to each other. */
static void clocks_of_many(void **state)
{
	struct peer *silent = peer_start(serve_silence);
	struct peer *busy = peer_start(serve_pieces);
	struct stream s[60];
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(s); i++) {
		s[i] = (struct stream){ .peer = i % 3 ? silent : busy };
		if (i % 3 == 1) {
			s[i].tick_ms = 1 + (int)i % 7;
			s[i].ticks_wanted = 1 + (int)i % 5;
		}
		if (i % 3 == 2) {
			s[i].abort = http_abort_new(&e);
			assert_non_null(s[i].abort);
		}
		start(&s[i]);
	}
	for (size_t i = 2; i < ARRAY_LEN(s); i += 3)
		http_abort_now(s[i].abort);
	for (size_t i = 0; i < ARRAY_LEN(s); i++) {
		size_t want = i % 3 ? 0 : PIECES * 10;

		pthread_join(s[i].thread, NULL);
		assert_int_equal(s[i].body.n, want);
		assert_int_equal(s[i].n_ticks, s[i].ticks_wanted);
		assert_int_equal(s[i].got, i % 3 ? ERR_CANCELLED : ERR_NONE);
		buf_release(&s[i].body);
		http_abort_free(s[i].abort);
	}
	peer_stop(silent);
	peer_stop(busy);
}

static void five_hundred_at_once(void **state)
{
	struct peer *p = peer_start(serve_all_at_once);
	struct stream *s = calloc(MANY, sizeof(*s));
	int n_cut = 0, n_elsewhere = 0;

	(void)state;
	for (int i = 0; i < MANY; i++) {
		s[i].peer = p;
		start(&s[i]);
	}
	for (int i = 0; i < MANY; i++) {
		pthread_join(s[i].thread, NULL);
		assert_int_equal(s[i].body.n, PIECES * 10);
		assert_false(s[i].wrong_thread);
		n_elsewhere += !pthread_equal(s[i].loop, s[0].loop);
		if (s[i].got == ERR_UPSTREAM_EARLY_END)
			n_cut++;
		else
			assert_int_equal(s[i].got, ERR_NONE);
		buf_release(&s[i].body);
	}
	assert_int_equal(n_cut, MANY / 5);
	/* Of many, no thread has most. */
	assert_in_range(n_elsewhere, MANY / 4, MANY);
	free(s);
	peer_stop(p);
}

/* A few are served by one thread; each is stopped wherever it runs. */
static void shared_out_and_stopped(void **state)
{
	struct peer *p = peer_start(serve_one_piece);
	struct stream *s = calloc(SPREAD_MANY, sizeof(*s));
	struct err e = ERR_INIT;
	int n_elsewhere = 0;

	(void)state;
	for (int i = 0; i < SPREAD_MANY; i++) {
		s[i] = (struct stream){ .peer = p, .abort = http_abort_new(&e) };
		assert_non_null(s[i].abort);
		start(&s[i]);
		while (atomic_load(&p->n_reqs) <= i)
			poll(NULL, 0, 1);
	}
	for (int i = SPREAD_MANY - 1; i >= 0; i--)
		http_abort_now(s[i].abort);
	for (int i = 0; i < SPREAD_MANY; i++) {
		end(&s[i], ERR_CANCELLED);
		http_abort_free(s[i].abort);
		n_elsewhere += s[i].loop && !pthread_equal(s[i].loop, s[0].loop);
		if (i < 256)
			assert_int_equal(n_elsewhere, 0);
	}
	assert_in_range(n_elsewhere, 1, SPREAD_MANY - 256);
	free(s);
	peer_stop(p);
}

/* One connection serves threads that come one after the other. */
static void warm_across_threads(void **state)
{
	struct peer *p = peer_start(serve_pieces);

	(void)state;
	for (int i = 0; i < 10; i++) {
		struct stream s = { .peer = p };

		start(&s);
		pthread_join(s.thread, NULL);
		assert_int_equal(s.got, ERR_NONE);
		assert_int_equal(s.res.reused, i > 0);
		buf_release(&s.body);
	}
	assert_int_equal(atomic_load(&p->n_conns), 1);
	peer_stop(p);
}

static sem_t read_on;

/* After an answer, the next request is read when the test says so. */
static int serve_and_wait(struct peer *p, int fd, int n)
{
	serve_pieces(p, fd, n);
	sem_wait(&read_on);
	return 0;
}

/* What the caller does meanwhile begins when its request was sent, and is always done. */
static void a_request_comes_first(void **state)
{
	struct peer *peer;
	struct stream first = { .peer = NULL };

	(void)state;
	sem_init(&read_on, 0, 0);
	peer = peer_start(serve_and_wait);
	first.peer = peer;
	start(&first);
	end(&first, ERR_NONE);
	for (int i = 0; i < 20; i++) {
		struct stream s = { .peer = peer, .works = true, .answers = &read_on,
				    .stalls_once = i % 2 == 0 };

		start(&s);
		end(&s, ERR_NONE);
		assert_true(s.res.reused);
		assert_int_equal(s.n_works, 1);
		assert_in_range(s.sent_bytes, 1, 65536);
		assert_int_equal(s.n_stalls, i % 2 == 0);
	}
	sem_post(&read_on);
	peer_stop(peer);
	sem_destroy(&read_on);
}

/* Who waits for long keeps no more of the stack than it stands on. */
static void a_long_wait_gives_back_its_stack(void **state)
{
	struct peer *peers[] = { peer_start(serve_pieces), peer_start(serve_slowly) };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(peers); i++) {
		struct stream s = { .peer = peers[i], .deep = true };

		start(&s);
		end(&s, ERR_NONE);
		if (i)
			assert_in_range(s.n_deep_pages, 0, DEEP_PAGES / 2);
		else
			assert_int_equal(s.n_deep_pages, DEEP_PAGES - 1);
		peer_stop(peers[i]);
	}
}

static void a_request_that_is_not_sent(void **state)
{
	struct peer *peer = peer_start(serve_pieces), gone = { .port = peer->port };
	struct stream s = { .peer = &gone, .works = true };

	(void)state;
	peer_stop(peer);
	start(&s);
	end(&s, ERR_UPSTREAM_CONNECT);
	assert_int_equal(s.n_works, 1);
}

/* Runs one that logs, and reads what it logged. */
static void logged(const char *turn, char *line, size_t size)
{
	struct stream s = { .peer = peer_start(serve_pieces), .logs = turn };
	int fds[2], saved = dup(STDERR_FILENO);
	ssize_t n;

	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDERR_FILENO);
	start(&s);
	end(&s, ERR_NONE);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(fds[1]);
	n = read(fds[0], line, size - 1);
	close(fds[0]);
	assert_true(n > 0);
	line[n] = '\0';
	peer_stop((struct peer *)s.peer);
}

/* A44: lines of the loop belong to the turn whose bytes it handles, and to no other. */
static void lines_of_the_loop(void **state)
{
	char line[8000];

	(void)state;
	logged("t1", line, sizeof(line));
	assert_non_null(strstr(line, "msg=\"a piece\" service=main workspace=it "
				     "conversation=c1 turn=t1 client=web\n"));
	logged("", line, sizeof(line));
	assert_non_null(strstr(line, "msg=\"a piece\"\n"));
}

static int setup(void **state)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	*state = pool = peer_pool_open(16);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stall_is_its_own),
		cmocka_unit_test(abort_in_a_stall),
		cmocka_unit_test(stall_in_a_tick),
		cmocka_unit_test(clocks_of_many),
		cmocka_unit_test(five_hundred_at_once),
		cmocka_unit_test(shared_out_and_stopped),
		cmocka_unit_test(warm_across_threads),
		cmocka_unit_test(a_request_comes_first),
		cmocka_unit_test(a_long_wait_gives_back_its_stack),
		cmocka_unit_test(a_request_that_is_not_sent),
		cmocka_unit_test(lines_of_the_loop),
	};

	return cmocka_run_group_tests(tests, setup, peer_pool_close);
}
