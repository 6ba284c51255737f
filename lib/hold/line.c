/* SPDX-License-Identifier: MIT */
#include "hold/line.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/util.h"

#include "base/banned.h"


struct in_line {			/* on the stack of the thread that waits */
	struct in_line *next;	/* of the same user, in the order of arrival */
	pthread_cond_t wake;	/* it is first, or has a place */
	bool placed;
};

struct party {			/* a user of whom somebody waits */
	struct party *next;	/* whose turn comes later */
	struct uuid user;
	struct in_line *first, **end;
};

struct hold_line {
	int step_ms;
	pthread_mutex_t lock;	/* protects the following members */
	int places;		/* free; negative: that many more begin than should */
	int n_waiting;
	int64_t stepped_ms;	/* when the last place was given */
	struct party *first, **end;
};

struct hold_line *hold_line_new(int places, int step_ms)
{
	struct hold_line *l = xcalloc(1, sizeof(*l));

	pthread_mutex_init(&l->lock, NULL);
	l->places = places;
	l->step_ms = step_ms;
	l->end = &l->first;
	return l;
}

void hold_line_free(struct hold_line *l)
{
	if (!l)
		return;
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* Whose turn it is: first of the user who is first. Under the lock, as all below. */
static struct in_line *first(const struct hold_line *l)
{
	return l->first ? l->first->first : NULL;
}

static struct party *party_of(struct hold_line *l, const struct uuid *user)
{
	struct party *p = l->first;

	while (p && !uuid_eq(&p->user, user))
		p = p->next;
	if (p)
		return p;
	p = xcalloc(1, sizeof(*p));
	p->user = *user;
	p->end = &p->first;
	*l->end = p;
	l->end = &p->next;
	return p;
}

static void append(struct hold_line *l, const struct uuid *user, struct in_line *w)
{
	struct party *p = party_of(l, user);

	*p->end = w;
	p->end = &w->next;
	l->n_waiting++;
}

/* Gives the first a place, and puts its user behind the others. */
static void place_first(struct hold_line *l)
{
	struct party *p = l->first;
	struct in_line *w = p->first;

	p->first = w->next;
	l->first = p->next;
	if (!l->first)
		l->end = &l->first;
	if (p->first) {
		p->next = NULL;
		*l->end = p;
		l->end = &p->next;
	} else {
		free(p);
	}
	l->n_waiting--;
	l->places--;
	l->stepped_ms = clock_mono_ms();
	w->placed = true;
	pthread_cond_signal(&w->wake);
	if (first(l))
		pthread_cond_signal(&first(l)->wake);
}

static void wait_for_place(struct hold_line *l, struct in_line *w)
{
	struct timespec end;

	while (!w->placed) {
		if (first(l) != w) {
			pthread_cond_wait(&w->wake, &l->lock);
			continue;
		}
		end = clock_mono_at(l->stepped_ms + l->step_ms);
		if (pthread_cond_timedwait(&w->wake, &l->lock, &end) == ETIMEDOUT &&
		    !w->placed && first(l) == w)
			place_first(l);
	}
}

void hold_line_enter(struct hold_line *l, const struct uuid *user, struct hold_place *p)
{
	struct in_line w = { .next = NULL };

	p->of = l;
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	if (l->places > 0 && !l->first) {
		l->places--;
		l->stepped_ms = clock_mono_ms();
	} else {
		clock_cond_init(&w.wake);
		append(l, user, &w);
		wait_for_place(l, &w);
		pthread_cond_destroy(&w.wake);
	}
	pthread_mutex_unlock(&l->lock);
}

void hold_line_leave(struct hold_place *p)
{
	struct hold_line *l = p->of;

	if (!l)
		return;
	p->of = NULL;
	pthread_mutex_lock(&l->lock);
	l->places++;
	if (l->places > 0 && l->first)
		place_first(l);
	pthread_mutex_unlock(&l->lock);
}

int hold_line_waiting(struct hold_line *l)
{
	int n;

	pthread_mutex_lock(&l->lock);
	n = l->n_waiting;
	pthread_mutex_unlock(&l->lock);
	return n;
}
