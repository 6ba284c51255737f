/* SPDX-License-Identifier: MIT */
#include "hold/share.h"

#include <pthread.h>
#include <stdlib.h>

#include "auth/identity.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/util.h"

#include "base/banned.h"

#define BUCKETS 1024

const struct share_row share_rows[SHARE__MAX] = {
#define SHARE(id, key_, unit_, retry_after_s_, what_) \
	[SHARE_##id] = { .key = key_, .unit = unit_, .what = what_, \
			 .retry_after_s = retry_after_s_ },
#include "hold/share.def"
};

struct holder {			/* a user with something */
	struct holder *next;
	struct uuid user;
	int64_t n[SHARE__MAX];
};

struct share {
	pthread_mutex_t lock;	/* protects the following members */
	pthread_cond_t given;	/* something was given back */
	int n_waiting;
	int64_t all[SHARE__MAX];
	struct holder *buckets[BUCKETS];
};

struct share *share_new(void)
{
	struct share *s = xcalloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	clock_cond_init(&s->given);
	return s;
}

static struct share *of_process;

static void make_process(void)
{
	of_process = share_new();
}

struct share *share_process(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, make_process);
	return of_process;
}

void share_free(struct share *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < BUCKETS; i++)
		while (s->buckets[i]) {
			struct holder *h = s->buckets[i];

			s->buckets[i] = h->next;
			free(h);
		}
	pthread_cond_destroy(&s->given);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

struct uuid share_user(const struct identity *who, struct str address)
{
	struct buf name = BUF_INIT(256);
	struct uuid u;

	if (who->kind != IDENTITY_ANONYMOUS)
		return who->user_id;
	buf_addf(&name, "%s/address", who->user_id_text);
	u = uuid_of_name(buf_str(&name), address);
	buf_release(&name);
	return u;
}

/* The link to the user's holder, or where to insert it. Under the lock. */
static struct holder **holder_of(struct share *s, const struct uuid *user)
{
	struct holder **at = &s->buckets[(user->b[14] << 8 | user->b[15]) %
					 BUCKETS];

	while (*at && !uuid_eq(&(*at)->user, user))
		at = &(*at)->next;
	return at;
}

int64_t share_most(const struct share_limit *l)
{
	return l->part > 1 ? MAX(l->all / l->part, l->at_least) : INT64_MAX;
}

/* Whether the user, who has this much, may have n more. Under the lock. */
static int allow(const struct share *s, enum share_kind kind, int64_t has,
		 int64_t n, const struct share_limit *l, struct err *e)
{
	if (!l->all || (!has && !s->all[kind]))
		return 0;
	e->retry_after_s = share_rows[kind].retry_after_s;
	if (has && has + n > share_most(l))
		return err_set(e, ERR_SHARE, "the user has %lld already",
			       (long long)has);
	if (s->all[kind] + n > l->all)
		return err_set(e, ERR_OVERLOADED, "all users have %lld already",
			       (long long)s->all[kind]);
	e->retry_after_s = 0;
	return 0;
}

/* Under the lock. */
static int take_share(struct share *s, const struct uuid *user, enum share_kind kind,
		      int64_t n, const struct share_limit *limit, struct share_part *part,
		      struct err *e)
{
	struct holder **at = holder_of(s, user);

	if (allow(s, kind, *at ? (*at)->n[kind] : 0, n, limit, e) < 0)
		return -1;
	if (!*at) {
		*at = xcalloc(1, sizeof(**at));
		(*at)->user = *user;
	}
	(*at)->n[kind] += n;
	s->all[kind] += n;
	*part = (struct share_part){ s, *user, kind, n };
	return 0;
}

int share_wait(struct share *s, const struct uuid *user, enum share_kind kind,
	       int64_t n, struct share_limit limit, int64_t until_ms,
	       struct share_part *part, struct err *e)
{
	struct timespec end = clock_mono_at(until_ms);
	struct err why;
	int rc, late = 0;

	if (part->of)
		BUG("a share taken twice");
	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	for (;;) {
		why = (struct err)ERR_INIT;
		rc = take_share(s, user, kind, n, &limit, part, &why);
		if (rc == 0 || late || clock_mono_ms() >= until_ms)
			break;
		s->n_waiting++;
		late = pthread_cond_timedwait(&s->given, &s->lock, &end);
		s->n_waiting--;
	}
	pthread_mutex_unlock(&s->lock);
	if (rc)
		*e = why;
	return rc;
}

int share_take(struct share *s, const struct uuid *user, enum share_kind kind,
	       int64_t n, struct share_limit limit, struct share_part *part,
	       struct err *e)
{
	return share_wait(s, user, kind, n, limit, 0, part, e);
}

void share_give(struct share_part *part)
{
	struct share *s = part->of;
	struct holder **at, *h;
	int64_t left = 0;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	at = holder_of(s, &part->user);
	h = *at;
	h->n[part->kind] -= part->n;
	s->all[part->kind] -= part->n;
	for (int i = 0; i < SHARE__MAX; i++)
		left += h->n[i];
	if (!left)
		*at = h->next;
	if (s->n_waiting)
		pthread_cond_broadcast(&s->given);
	pthread_mutex_unlock(&s->lock);
	if (!left)
		free(h);
	*part = (struct share_part){ .of = NULL };
}

int64_t share_count(struct share *s, const struct uuid *user,
		    enum share_kind kind)
{
	struct holder *h;
	int64_t n;

	pthread_mutex_lock(&s->lock);
	h = user ? *holder_of(s, user) : NULL;
	n = !user ? s->all[kind] : h ? h->n[kind] : 0;
	pthread_mutex_unlock(&s->lock);
	return n;
}
