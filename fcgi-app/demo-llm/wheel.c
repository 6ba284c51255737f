/* SPDX-License-Identifier: MIT */
/*
 * wheel.c - the timer wheel. A slot holds the timers of every round, those of
 * a later round are left in place when the hand passes.
 */
#include "demo-llm/wheel.h"

#include "base/banned.h"

static void list_init(struct timer *head)
{
	head->prev = head->next = head;
}

static void list_add(struct timer *head, struct timer *t)
{
	t->prev = head->prev;
	t->next = head;
	head->prev->next = t;
	head->prev = t;
}

static void list_del(struct timer *t)
{
	t->prev->next = t->next;
	t->next->prev = t->prev;
	t->prev = t->next = NULL;
}

void wheel_init(struct wheel *w, int64_t now_ms)
{
	size_t i;

	for (i = 0; i < WHEEL_SLOTS; i++)
		list_init(&w->slot[i]);
	list_init(&w->fired);
	w->now_ms = now_ms;
	w->armed = 0;
}

void wheel_arm(struct wheel *w, struct timer *t, int64_t due_ms)
{
	wheel_cancel(w, t);
	if (due_ms <= w->now_ms)
		due_ms = w->now_ms + 1;
	t->due_ms = due_ms;
	list_add(&w->slot[due_ms % WHEEL_SLOTS], t);
	w->armed++;
}

void wheel_cancel(struct wheel *w, struct timer *t)
{
	if (!t->next)
		return;
	/* A fired timer was taken out of the count when it fired. */
	if (t->due_ms > w->now_ms)
		w->armed--;
	list_del(t);
}

int wheel_wait_ms(const struct wheel *w, int64_t now_ms)
{
	int64_t ms, behind = now_ms - w->now_ms;

	if (w->fired.next != &w->fired)
		return 0;
	if (!w->armed)
		return -1;
	for (ms = 1; ms < WHEEL_SLOTS; ms++) {
		const struct timer *head =
			&w->slot[(w->now_ms + ms) % WHEEL_SLOTS];

		if (head->next != head)
			break;
	}
	return ms > behind ? (int)(ms - behind) : 0;
}

void wheel_advance(struct wheel *w, int64_t now_ms)
{
	int64_t from = w->now_ms + 1;

	if (now_ms <= w->now_ms)
		return;
	if (now_ms - from >= WHEEL_SLOTS)
		from = now_ms - WHEEL_SLOTS + 1;
	w->now_ms = now_ms;
	for (; from <= now_ms; from++) {
		struct timer *head = &w->slot[from % WHEEL_SLOTS];
		struct timer *t = head->next;

		while (t != head) {
			struct timer *next = t->next;

			if (t->due_ms <= now_ms) {
				list_del(t);
				list_add(&w->fired, t);
				w->armed--;
			}
			t = next;
		}
	}
}

struct timer *wheel_pop(struct wheel *w)
{
	struct timer *t = w->fired.next;

	if (t == &w->fired)
		return NULL;
	list_del(t);
	return t;
}
