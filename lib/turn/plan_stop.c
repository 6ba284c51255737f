/* SPDX-License-Identifier: MIT */
#include "turn/plan_stop.h"

#include "base/banned.h"

static void on_turn_stopped(void *ctx)
{
	struct step_stop *s = ctx;

	http_abort_now(s->abort);
}

int turn_step_open(struct step_stop *s, struct http_abort *turn, struct err *e)
{
	*s = (struct step_stop){ .abort = http_abort_new(e), .turn = turn };
	if (!s->abort)
		return -1;
	pthread_mutex_init(&s->lock, NULL);
	s->hook = (struct http_abort_hook){ .fn = on_turn_stopped, .ctx = s };
	http_abort_on(turn, &s->hook);
	return 0;
}

void turn_step_close(struct step_stop *s)
{
	if (!s->abort)
		return;
	http_abort_off(s->turn, &s->hook);
	http_abort_free(s->abort);
	pthread_mutex_destroy(&s->lock);
	s->abort = NULL;
}

bool turn_step_stop(struct step_stop *s)
{
	bool first;

	pthread_mutex_lock(&s->lock);
	first = !s->asked;
	s->asked = true;
	/* A change under way is let finish; end_change stops the step then. */
	if (first && !s->changing)
		http_abort_now(s->abort);
	pthread_mutex_unlock(&s->lock);
	return first;
}

bool turn_step_begin_change(struct step_stop *s)
{
	bool may;

	pthread_mutex_lock(&s->lock);
	may = !s->asked;
	s->changing += may;
	pthread_mutex_unlock(&s->lock);
	return may;
}

void turn_step_end_change(struct step_stop *s)
{
	pthread_mutex_lock(&s->lock);
	if (--s->changing == 0 && s->asked)
		http_abort_now(s->abort);
	pthread_mutex_unlock(&s->lock);
}
