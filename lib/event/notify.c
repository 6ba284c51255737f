/* SPDX-License-Identifier: MIT */
#include "event/notify.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "store/stmt.h"

#include "base/banned.h"

enum {
	ROUND_MS = 250,
	URGENT_MS = 20,		/* notices this close together are stored
				   together */
	TROUBLE_MS = 2000,	/* between attempts while the store is down */
	QUEUE_ROWS = 4096,	/* not stored yet; beyond this the oldest are
				   dropped */
	LIST_ROWS = 32,		/* rows per read */
	EVENTS = 64,
	PATCH_ROWS = 4096,	/* changes that are looked at, by their readers */
};

/*
 * Changes are looked at again for this long: a transaction that began earlier may be
 * committed later, and another node's clock may be behind.
 */
#define PATCH_US INT64_C(3000000)

/* A notice not stored yet. */
struct queued {
	struct notice_row row;
	struct queued *next;
	char text[];		/* tenant and title */
};

struct topic {			/* a watched user */
	struct topic *next;
	struct owner owner;	/* borrowed from one of subs */
	int64_t last_seq;
	struct notify_sub *subs;
};

struct notify {
	struct db *db;
	int epoll_fd, wake_fd;
	pthread_mutex_t lock;	/* of everything below */
	pthread_cond_t over;	/* a place was released */
	pthread_t thread;
	bool stop, stopping;	/* stopping: refuse subscriptions */
	struct queued *queue, **queue_end;
	size_t n_queue;
	int64_t flush_ms;	/* when to store the queue */
	struct notify_sub *incoming;
	int n_places;
	struct topic *topics;	/* changed by the thread only */
	/* the thread's own */
	struct uuid *seen;		/* changes of the round before, sorted */
	size_t n_seen;
	int64_t round_ms;		/* next look at the store */
	int64_t trouble_until_ms;	/* the store is not used before */
};

/* Wakes the thread. */
static void wake(struct notify *n)
{
	uint64_t one = 1;

	/* A full counter is readable already, which is all that is needed. */
	if (write(n->wake_fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		BUG("cannot write to an eventfd");
}

/* -- those who make notices --------------------------------------------------- */

/* Under the lock. */
static bool is_watched(const struct notify *n, const struct uuid *user)
{
	for (const struct topic *t = n->topics; t; t = t->next)
		if (uuid_eq(&t->owner.user_id, user))
			return true;
	return false;
}

static struct str copy(char **to, struct str s)
{
	struct str out = { *to, s.n };

	if (!s.p)
		return s;
	memcpy(*to, s.p, s.n);
	*to += s.n;
	return out;
}

/* Under the lock. */
static struct queued *take_first(struct notify *n)
{
	struct queued *q = n->queue;

	n->queue = q->next;
	if (!n->queue)
		n->queue_end = &n->queue;
	n->n_queue--;
	return q;
}

/*
 * Queues a notice for o's subscriptions, dated now; does nothing if n is NULL.
 * what.word must be constant; tenant and title are copied. Of QUEUE_ROWS notices not
 * stored yet the oldest gives way. Never waits for the store. Any thread.
 */
static void notify_send(struct notify *n, const struct owner *o,
			const struct notice *what)
{
	int64_t now_ms = clock_mono_ms(), flush_ms;
	struct queued *q;
	char *text;

	if (!n)
		return;
	q = xmalloc(sizeof(*q) + o->tenant_id.n + what->title.n);
	text = q->text;
	*q = (struct queued){ .row = { .owner = *o, .notice = *what } };
	q->row.owner.tenant_id = copy(&text, o->tenant_id);
	q->row.notice.title = copy(&text, what->title);
	q->row.notice.created_us = clock_now_us();
	pthread_mutex_lock(&n->lock);
	if (n->n_queue == QUEUE_ROWS)
		free(take_first(n));
	/*
	 * A watcher in another process looks every ROUND_MS, so only one of ours is served
	 * sooner.
	 */
	flush_ms = now_ms + (is_watched(n, &o->user_id) ? URGENT_MS : ROUND_MS);
	if (!n->queue || flush_ms < n->flush_ms) {
		n->flush_ms = flush_ms;
		wake(n);
	}
	*n->queue_end = q;
	n->queue_end = &q->next;
	n->n_queue++;
	pthread_mutex_unlock(&n->lock);
}

/* -- those who watch ---------------------------------------------------------- */

bool notify_reserve(struct notify *n)
{
	bool free_place;

	pthread_mutex_lock(&n->lock);
	free_place = !n->stopping;
	n->n_places += free_place;
	pthread_mutex_unlock(&n->lock);
	return free_place;
}

void notify_add(struct notify *n, struct notify_sub *sub)
{
	pthread_mutex_lock(&n->lock);
	sub->next = n->incoming;
	sub->hung_up = sub->looked = false;
	n->incoming = sub;
	wake(n);
	pthread_mutex_unlock(&n->lock);
}

int notify_count(struct notify *n)
{
	int places;

	pthread_mutex_lock(&n->lock);
	places = n->n_places;
	pthread_mutex_unlock(&n->lock);
	return places;
}

void notify_stop(struct notify *n)
{
	pthread_mutex_lock(&n->lock);
	n->stopping = true;
	wake(n);
	pthread_mutex_unlock(&n->lock);
}

void notify_wait(struct notify *n)
{
	pthread_mutex_lock(&n->lock);
	while (n->n_places)
		pthread_cond_wait(&n->over, &n->lock);
	pthread_mutex_unlock(&n->lock);
}

/* -- the thread: subscriptions ------------------------------------------------ */

static void end_sub(struct notify *n, struct notify_sub *sub)
{
	if (sub->fd >= 0)	/* may not be registered */
		(void)epoll_ctl(n->epoll_fd, EPOLL_CTL_DEL, sub->fd, NULL);
	sub->ops->end(sub);
	pthread_mutex_lock(&n->lock);
	n->n_places--;
	pthread_cond_broadcast(&n->over);
	pthread_mutex_unlock(&n->lock);
}

/* The topic of sub; a new one if the user was not watched before. */
static struct topic *topic_of(struct notify *n, const struct notify_sub *sub)
{
	struct topic *t = n->topics;

	while (t && !(uuid_eq(&t->owner.user_id, &sub->owner.user_id) &&
		      str_eq(t->owner.tenant_id, sub->owner.tenant_id)))
		t = t->next;
	if (t)
		return t;
	t = xcalloc(1, sizeof(*t));
	pthread_mutex_lock(&n->lock);
	t->next = n->topics;
	n->topics = t;
	pthread_mutex_unlock(&n->lock);
	return t;
}

static void adopt(struct notify *n)
{
	struct notify_sub *sub, *next;

	pthread_mutex_lock(&n->lock);
	sub = n->incoming;
	n->incoming = NULL;
	pthread_mutex_unlock(&n->lock);
	for (; sub; sub = next) {
		/* Edge-triggered: a half-closed client would wake the thread for ever. */
		struct epoll_event ev = { .events = EPOLLRDHUP | EPOLLET,
					  .data.ptr = sub };
		struct topic *t;

		next = sub->next;
		if (sub->fd >= 0)	/* a regular file cannot hang up */
			(void)epoll_ctl(n->epoll_fd, EPOLL_CTL_ADD, sub->fd,
					&ev);
		t = topic_of(n, sub);
		pthread_mutex_lock(&n->lock);
		t->owner = sub->owner;
		pthread_mutex_unlock(&n->lock);
		t->last_seq = MAX(t->last_seq, sub->last_seq);
		sub->next = t->subs;
		t->subs = sub;
	}
}

/* Ends the subscriptions for which over() is true, then unused topics. */
static void sweep(struct notify *n, int64_t now_ms,
		  bool (*over)(struct notify_sub *sub, int64_t now_ms))
{
	struct topic **tp = &n->topics, *t;

	while ((t = *tp)) {
		struct notify_sub **sp = &t->subs, *sub, *gone = NULL;

		while ((sub = *sp))
			if (over(sub, now_ms)) {
				*sp = sub->next;
				sub->next = gone;
				gone = sub;
			} else {
				sp = &sub->next;
			}
		pthread_mutex_lock(&n->lock);
		if (t->subs)	/* its owner's text may belong to an ended one */
			t->owner = t->subs->owner;
		else
			*tp = t->next;
		pthread_mutex_unlock(&n->lock);
		if (t->subs)
			tp = &t->next;
		else
			free(t);
		while ((sub = gone)) {
			gone = sub->next;
			end_sub(n, sub);
		}
	}
}

static bool is_over(struct notify_sub *sub, int64_t now_ms)
{
	return sub->hung_up ||
		(sub->due_ms <= now_ms && !sub->ops->due(sub, now_ms));
}

static bool all_over(struct notify_sub *sub, int64_t now_ms)
{
	(void)sub;
	(void)now_ms;
	return true;
}

/* -- the thread: the store ----------------------------------------------------- */

static void in_trouble(struct notify *n, const char *what, const struct err *e)
{
	log_err(what, e);
	n->trouble_until_ms = clock_mono_ms() + TROUBLE_MS;
}

/* Stores the queue; on failure keeps it. True if it stored something. */
static bool flush(struct notify *n, struct arena *a)
{
	struct queued *first, *q;
	struct notice_row *rows;
	struct err e = ERR_INIT;
	size_t count, i = 0;

	pthread_mutex_lock(&n->lock);
	first = n->queue;
	count = n->n_queue;
	n->queue = NULL;
	n->queue_end = &n->queue;
	n->n_queue = 0;
	pthread_mutex_unlock(&n->lock);
	if (!first)
		return false;
	rows = arena_alloc(a, count * sizeof(*rows));
	for (q = first; q; q = q->next)
		rows[i++] = q->row;
	if (notice_store(n->db, rows, count, &e) < 0) {
		in_trouble(n, "notices not stored yet", &e);
		pthread_mutex_lock(&n->lock);
		for (q = first; q->next; q = q->next)
			continue;
		/* In front of what came meanwhile, so that the order stays. */
		q->next = n->queue;
		if (!n->queue)
			n->queue_end = &q->next;
		n->queue = first;
		n->n_queue += count;
		while (n->n_queue > QUEUE_ROWS)
			free(take_first(n));
		pthread_mutex_unlock(&n->lock);
		return false;
	}
	while ((q = first)) {
		first = q->next;
		free(q);
	}
	return true;
}

/* Reads the newest notice numbers of the watched users. */
static void read_newest(struct notify *n, struct arena *a)
{
	struct err e = ERR_INIT;
	struct uuid *users;
	int64_t *last;
	size_t count = 0;

	for (struct topic *t = n->topics; t; t = t->next)
		count++;
	if (!count)
		return;
	users = arena_alloc(a, count * sizeof(*users));
	last = arena_alloc(a, count * sizeof(*last));
	count = 0;
	for (struct topic *t = n->topics; t; t = t->next)
		users[count++] = t->owner.user_id;
	if (notice_poll(n->db, users, count, last, &e) < 0) {
		in_trouble(n, "notices of those who watch", &e);
		return;
	}
	count = 0;
	for (struct topic *t = n->topics; t; t = t->next, count++)
		t->last_seq = MAX(t->last_seq, last[count]);
}

/* The number after which some subscription lacks notices; INT64_MAX: none does. */
static int64_t lacking(const struct topic *t)
{
	int64_t after = INT64_MAX;

	for (const struct notify_sub *s = t->subs; s; s = s->next)
		if (!s->hung_up && s->after < t->last_seq)
			after = MIN(after, s->after);
	return after;
}

/*
 * Reads new notices of a topic and passes them on. A subscription that does not
 * take its rows does not delay the others: the next rows go to those that have
 * taken these.
 */
static int tell_topic(struct notify *n, struct topic *t, struct arena *a,
		      struct err *e)
{
	int64_t after = lacking(t);

	while (after < t->last_seq) {
		struct notice *rows, none = { .seq = t->last_seq + 1 };
		size_t count;

		if (notice_list(n->db, &t->owner, after, LIST_ROWS, a, &rows,
				&count, e) < 0)
			return -1;
		/* All have expired: pass only their number. */
		if (!count)
			rows = &none;
		for (struct notify_sub *s = t->subs; s; s = s->next)
			if (!s->hung_up && s->after >= after &&
			    s->after < t->last_seq &&
			    !s->ops->tell(s, rows, count ? count : 1))
				s->hung_up = true;
		after = count ? rows[count - 1].seq : t->last_seq;
		arena_reset(a);
	}
	return 0;
}

static void tell_all(struct notify *n, struct arena *a)
{
	struct err e = ERR_INIT;

	for (struct topic *t = n->topics; t; t = t->next)
		if (tell_topic(n, t, a, &e) < 0) {
			in_trouble(n, "notices of those who watch", &e);
			return;
		}
}

/* -- the thread: changes of resources ------------------------------------------------ */

/* A change, and one who reads its project; or, not in one, all who are told. */
struct notify_change {
	struct uuid id, project_id, row_id, reader_id;
	struct str readers, kind, verb;
	int64_t created_us, number;
};

static const struct db_field change_fields[] = {
#define F(m, t, sql) FIELD_OF(struct notify_change, m, t)
	CHANGE_RECENT_FIELDS(F, COMMA)
#undef F
};

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct uuid));
}

static bool was_seen(const struct notify *n, const struct uuid *id)
{
	return n->n_seen &&
		bsearch(id, n->seen, n->n_seen, sizeof(*n->seen), compare) != NULL;
}

static bool is_reader(const struct notify_sub *s, const char *id)
{
	for (size_t i = 0; i < s->n_readers; i++)
		if (memcmp(s->readers[i].b, id, sizeof(s->readers[i].b)) == 0)
			return true;
	return false;
}

static bool reads(const struct notify_sub *s, const struct notify_change *c)
{
	const size_t each = sizeof(struct uuid);

	if (!c->readers.p)
		return s->projects && is_reader(s, (const char *)c->reader_id.b);
	for (size_t i = 0; i + each <= c->readers.n; i += each)
		if (is_reader(s, c->readers.p + i))
			return true;
	return false;
}

/* Whether it is new to this subscriber. */
static bool is_new(const struct notify *n, const struct notify_sub *s,
		   const struct notify_change *c, int64_t now_us)
{
	/* A new one has seen nothing: what the last round told the others is new to it. */
	if (!s->looked)
		return c->created_us > now_us - MAX(PATCH_US, s->back_us);
	return c->created_us > now_us - PATCH_US && !was_seen(n, &c->id);
}

/* What was changed of a list is read again once. */
static bool has_word(const struct notice *rows, size_t n, const struct notice *one)
{
	for (size_t i = 0; one->kind == NOTICE_REFRESH && i < n; i++)
		if (rows[i].kind == one->kind && str_eq(rows[i].word, one->word))
			return true;
	return false;
}

static struct notice notice_of(const struct notify_change *c)
{
	return c->readers.p ? (struct notice){
		.kind = NOTICE_REFRESH, .word = c->kind, .done = -1, .total = -1,
	} : (struct notice){
		.kind = NOTICE_PATCH, .subject_id = c->row_id,
		.conversation_id = c->project_id, .word = c->kind,
		.title = c->verb, .done = c->number,
	};
}

/* Passes on what this subscriber reads and has not got. */
static void tell_changes(const struct notify *n, struct notify_sub *s,
			 const struct notify_change *v, size_t count, int64_t now_us,
			 struct arena *a)
{
	struct notice *rows = arena_zalloc(a, count, sizeof(*rows));
	const struct uuid *last = NULL;
	size_t k = 0;

	for (size_t i = 0; i < count; i++) {
		/* Several of its readers may be this one. */
		if ((last && uuid_eq(last, &v[i].id)) || !reads(s, &v[i]) ||
		    !is_new(n, s, &v[i], now_us))
			continue;
		last = &v[i].id;
		rows[k] = notice_of(&v[i]);
		k += !has_word(rows, k, &rows[k]);
	}
	s->looked = true;
	if (k && !s->ops->patch(s, rows, k))
		s->hung_up = true;
}

/* Keeps the ids for the next round. */
static void note_seen(struct notify *n, const struct notify_change *v, size_t count)
{
	n->seen = xrealloc(n->seen, MAX(count, 1) * sizeof(*n->seen));
	for (size_t i = 0; i < count; i++)
		n->seen[i] = v[i].id;
	n->n_seen = count;
	qsort(n->seen, count, sizeof(*n->seen), compare);
}

static void look_at_changes(struct notify *n, struct arena *a)
{
	const int64_t now_us = clock_now_us();
	int64_t since_us = now_us - PATCH_US;
	struct err e = ERR_INIT;
	struct notify_change *v;
	size_t count;

	if (!n->topics)
		return;
	for (const struct topic *t = n->topics; t; t = t->next)
		for (const struct notify_sub *s = t->subs; s; s = s->next)
			if (!s->looked)
				since_us = MIN(since_us, now_us - s->back_us);
	if (db_list(n->db, STMT_CHANGE_RECENT,
		    DB_ARGS(DB_I(since_us), DB_I(PATCH_ROWS)), a,
		    change_fields, sizeof(*v), 0, &v, &count, &e)) {
		in_trouble(n, "changes of resources", &e);
		return;
	}
	if (count)
		for (struct topic *t = n->topics; t; t = t->next)
			for (struct notify_sub *s = t->subs; s; s = s->next)
				if (!s->hung_up)
					tell_changes(n, s, v, count, now_us, a);
	note_seen(n, v, count);
}

/* -- the thread ---------------------------------------------------------------- */

/* What is due now. */
struct schedule {
	bool flush, look, tell;
	bool stopping, ends;
};

static struct schedule plan_of(struct notify *n, int64_t now_ms)
{
	bool in_time = now_ms >= n->trouble_until_ms;
	struct schedule p = {
		.look = in_time && n->topics && now_ms >= n->round_ms,
		.tell = in_time,
	};

	pthread_mutex_lock(&n->lock);
	p.ends = n->stop;
	p.stopping = n->stopping || n->stop;
	p.flush = n->queue && (n->stop || (in_time && now_ms >= n->flush_ms));
	pthread_mutex_unlock(&n->lock);
	return p;
}

/* When something is due next; INT64_MAX: nothing by itself. */
static int64_t next_ms(struct notify *n)
{
	int64_t at_ms = n->topics ? n->round_ms : INT64_MAX;

	pthread_mutex_lock(&n->lock);
	if (n->queue)
		at_ms = MIN(at_ms, MAX(n->flush_ms, n->trouble_until_ms));
	if (n->incoming || n->stop || (n->stopping && n->topics))
		at_ms = 0;
	pthread_mutex_unlock(&n->lock);
	for (const struct topic *t = n->topics; t; t = t->next)
		for (const struct notify_sub *s = t->subs; s; s = s->next)
			at_ms = MIN(at_ms, s->due_ms);
	return at_ms;
}

/* Sleeps until at_ms, a wake-up, or a hang-up. */
static void sleep_until(struct notify *n, int64_t at_ms)
{
	struct epoll_event events[EVENTS];
	int64_t left_ms = MAX(at_ms - clock_mono_ms(), 0);
	uint64_t ignored;
	int got = epoll_wait(n->epoll_fd, events, EVENTS,
			     at_ms == INT64_MAX ? -1
			     : (int)MIN(left_ms, 60000));

	for (int i = 0; i < got; i++) {
		struct notify_sub *sub = events[i].data.ptr;

		/* A half-closed connection shows only when it is written to. */
		if (sub && !(events[i].events & (EPOLLHUP | EPOLLERR)))
			sub->due_ms = 0;
		else if (sub)
			sub->hung_up = true;
		else if (read(n->wake_fd, &ignored, sizeof(ignored)) < 0 &&
			 errno != EAGAIN)
			BUG("cannot read an eventfd");
	}
}

static void *notify_main(void *p)
{
	struct arena a = ARENA_INIT;
	struct notify *n = p;
	struct schedule todo;

	do {
		int64_t now_ms;

		sleep_until(n, next_ms(n));
		now_ms = clock_mono_ms();
		adopt(n);
		todo = plan_of(n, now_ms);
		if (todo.flush && flush(n, &a))
			/*
			 * Our own watchers need not wait for the round to see what was
			 * stored just now.
			 */
			todo.look = n->topics != NULL;
		if (todo.look) {
			read_newest(n, &a);
			look_at_changes(n, &a);
		}
		arena_reset(&a);
		if (now_ms >= n->round_ms)
			n->round_ms = now_ms + ROUND_MS;
		if (todo.tell)
			tell_all(n, &a);
		arena_reset(&a);
		sweep(n, now_ms, todo.stopping ? all_over : is_over);
	} while (!todo.ends);
	arena_release(&a);
	return NULL;
}

static void release(struct notify *n)
{
	while (n->queue)
		free(take_first(n));
	free(n->seen);
	if (n->epoll_fd >= 0)
		close(n->epoll_fd);
	if (n->wake_fd >= 0)
		close(n->wake_fd);
	pthread_cond_destroy(&n->over);
	pthread_mutex_destroy(&n->lock);
	free(n);
}

struct notify *notify_new(struct db *db, struct err *e)
{
	struct notify *n = xcalloc(1, sizeof(*n));
	struct epoll_event ev = { .events = EPOLLIN };
	char text[64];
	int rc = 0;

	n->db = db;
	n->queue_end = &n->queue;
	pthread_mutex_init(&n->lock, NULL);
	pthread_cond_init(&n->over, NULL);
	n->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	n->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (n->epoll_fd < 0 || n->wake_fd < 0 ||
	    epoll_ctl(n->epoll_fd, EPOLL_CTL_ADD, n->wake_fd, &ev) < 0)
		rc = errno;
	if (!rc)
		rc = pthread_create(&n->thread, NULL, notify_main, n);
	if (!rc)
		return n;
	err_set(e, ERR_OVERLOADED, "no thread for notifications: %s",
		err_errno(rc, text, sizeof(text)));
	release(n);
	return NULL;
}

void notify_free(struct notify *n)
{
	if (!n)
		return;
	pthread_mutex_lock(&n->lock);
	n->stop = true;
	wake(n);
	pthread_mutex_unlock(&n->lock);
	pthread_join(n->thread, NULL);
	release(n);
}

/* -- what the notices of each kind say ------------------------------------- */

void notify_turn(struct notify *n, const struct owner *o,
		 const struct uuid *turn, const struct uuid *conversation,
		 enum turn_status status)
{
	notify_send(n, o, &(struct notice){
		.kind = NOTICE_TURN_STATUS, .subject_id = *turn,
		.conversation_id = *conversation,
		.word = str_of(store_turn_status_name(status)),
		.done = -1, .total = -1 });
}

void notify_evicted(struct notify *n, const struct owner *o,
		    const struct uuid *conversation,
		    const struct turn_evicted *v)
{
	if (!uuid_is_nil(&v->id))
		notify_turn(n, o, &v->id, conversation, v->status);
}

void notify_title(struct notify *n, const struct owner *o,
		  const struct uuid *conversation, struct str title)
{
	notify_send(n, o, &(struct notice){
		.kind = NOTICE_TITLE, .conversation_id = *conversation,
		.title = title, .done = -1, .total = -1 });
}

void notify_conversation(struct notify *n, const struct owner *o,
			 const struct uuid *conversation, const char *change,
			 struct str title)
{
	notify_send(n, o, &(struct notice){
		.kind = NOTICE_CONVERSATION, .conversation_id = *conversation,
		.word = str_of(change), .title = title,
		.done = -1, .total = -1 });
}

void notify_job(struct notify *n, const struct owner *o, const struct uuid *job,
		const char *status, int64_t done, int64_t total)
{
	notify_send(n, o, &(struct notice){
		.kind = NOTICE_JOB_PROGRESS, .subject_id = *job,
		.word = str_of(status), .done = done, .total = total });
}

void notify_refresh(struct notify *n, const struct owner *o, const char *what,
		    const struct uuid *conversation)
{
	struct notice refresh = {
		.kind = NOTICE_REFRESH, .word = str_of(what),
		.done = -1, .total = -1,
	};

	if (conversation)
		refresh.conversation_id = *conversation;
	notify_send(n, o, &refresh);
}

void notify_or_store(struct notify *n, struct db *db, const struct owner *o,
		     const struct notice *what)
{
	struct notice_row row = { .owner = *o, .notice = *what };
	struct err e = ERR_INIT;

	row.notice.done = row.notice.total = -1;
	row.notice.created_us = clock_now_us();
	if (n)
		notify_send(n, o, &row.notice);
	else if (notice_store(db, &row, 1, &e) < 0)
		log_err("a notice", &e);
}
