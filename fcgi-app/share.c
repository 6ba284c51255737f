#include "share.h"

#include <pthread.h>
#include <stdlib.h>

#include "auth/identity.h"
#include "base/buf.h"
#include "base/util.h"

#include "base/banned.h"

#define BUCKETS 1024

/* Seconds until a retry is useful: answers end soon, streams do not. */
static const int retry_after_s[SHARE__MAX] = {
	[SHARE_TURNS] = 5, [SHARE_ANSWERS] = 5, [SHARE_STREAMS] = 30, [SHARE_BYTES] = 5,
	[SHARE_BODIES] = 5,
};

struct holder {			/* a user with something */
	struct holder *next;
	struct uuid user;
	int64_t n[SHARE__MAX];
};

struct share {
	pthread_mutex_t lock;	/* protects the following members */
	int64_t all[SHARE__MAX];
	struct holder *buckets[BUCKETS];
};

struct share *share_new(void)
{
	struct share *s = xcalloc(1, sizeof(*s));

	pthread_mutex_init(&s->lock, NULL);
	return s;
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
static struct holder **find(struct share *s, const struct uuid *user)
{
	struct holder **at = &s->buckets[(user->b[14] << 8 | user->b[15]) %
					 BUCKETS];

	while (*at && !uuid_eq(&(*at)->user, user))
		at = &(*at)->next;
	return at;
}

static int64_t users_limit(const struct share_limit *l)
{
	return l->part > 1 ? MAX(l->all / l->part, l->at_least) : INT64_MAX;
}

/* Whether the user, who has this much, may have n more. Under the lock. */
static int allow(const struct share *s, enum share_kind kind, int64_t has,
		 int64_t n, const struct share_limit *l, struct err *e)
{
	if (!l->all || (!has && !s->all[kind]))
		return 0;
	e->retry_after_s = retry_after_s[kind];
	if (has && has + n > users_limit(l))
		return err_set(e, ERR_SHARE, "the user has %lld already",
			       (long long)has);
	if (s->all[kind] + n > l->all)
		return err_set(e, ERR_OVERLOADED, "all users have %lld already",
			       (long long)s->all[kind]);
	e->retry_after_s = 0;
	return 0;
}

int share_take(struct share *s, const struct uuid *user, enum share_kind kind,
	       int64_t n, struct share_limit limit, struct share_part *part,
	       struct err *e)
{
	struct holder **at;
	int rc;

	if (part->of)
		BUG("a share taken twice");
	if (!s)
		return 0;
	pthread_mutex_lock(&s->lock);
	at = find(s, user);
	rc = allow(s, kind, *at ? (*at)->n[kind] : 0, n, &limit, e);
	if (rc == 0) {
		if (!*at) {
			*at = xcalloc(1, sizeof(**at));
			(*at)->user = *user;
		}
		(*at)->n[kind] += n;
		s->all[kind] += n;
		*part = (struct share_part){ s, *user, kind, n };
	}
	pthread_mutex_unlock(&s->lock);
	return rc;
}

void share_give(struct share_part *part)
{
	struct share *s = part->of;
	struct holder **at, *h;
	int64_t left = 0;

	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	at = find(s, &part->user);
	h = *at;
	h->n[part->kind] -= part->n;
	s->all[part->kind] -= part->n;
	for (int i = 0; i < SHARE__MAX; i++)
		left += h->n[i];
	if (!left)
		*at = h->next;
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
	h = user ? *find(s, user) : NULL;
	n = !user ? s->all[kind] : h ? h->n[kind] : 0;
	pthread_mutex_unlock(&s->lock);
	return n;
}
