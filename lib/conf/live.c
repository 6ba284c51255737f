/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "conf/option.h"
#include "conf/read.h"

#include "base/banned.h"

#define LOOK_MS   1000		/* between two checks of the files */
#define SETTLE_US 300000	/* a file that is being written is not read */
#define YOUNG_US  2500000	/* then a young file is old enough to trust */

struct conf_live {
	char *file;
	conf_check *check;		/* may be NULL */
	_Atomic int64_t next_look_ms;	/* monotonic */
	atomic_bool looking;
	/*
	 * Guards what follows; held for a few instructions, never across I/O.
	 */
	pthread_mutex_t lock;
	const struct conf *now;		/* one reference is ours */
	struct err broken;		/* why the files are not in force */
	/* Only the thread that set `looking` uses these. */
	struct conf_sources src;	/* of the last reading, good or bad */
	uint64_t bad_hash;		/* of the last bad reading; 0 = good */
};

static struct conf *read_checked(const char *file, struct conf_sources *src,
				 conf_check *check, struct err *e)
{
	struct conf *c = conf_read(file, src, NULL, e);

	if (!c || !check || check(c, e) == 0)
		return c;
	conf_put(c);
	return NULL;
}

struct conf_live *conf_live_open(const char *main_file, conf_check *check,
				 struct err *e)
{
	struct conf_live *l = xcalloc(1, sizeof(*l));

	l->check = check;
	l->now = read_checked(main_file, &l->src, check, e);
	if (!l->now) {
		sources_release(&l->src);
		free(l);
		return NULL;
	}
	l->file = xstrdup(main_file);
	pthread_mutex_init(&l->lock, NULL);
	atomic_store(&l->next_look_ms, clock_mono_ms() + LOOK_MS);
	return l;
}

void conf_live_close(struct conf_live *l)
{
	if (!l)
		return;
	conf_put(l->now);
	sources_release(&l->src);
	pthread_mutex_destroy(&l->lock);
	free(l->file);
	free(l);
}

/* -- what a reload cannot change ------------------------------------------------ */

bool conf_list_eq(const struct conf_list *a, const struct conf_list *b)
{
	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (strcmp(a->v[i], b->v[i]))
			return false;
	return a->n == b->n;
}

static bool differs(const struct conf_option *o, const char *a, const char *b)
{
	a += o->offset;
	b += o->offset;
	if (o->type == OPT_INT)
		return *(const int *)a != *(const int *)b;
	if (o->type == OPT_BOOL)
		return *(const bool *)a != *(const bool *)b;
	if (o->type == OPT_STRING)
		return strcmp(*(const char *const *)a, *(const char *const *)b);
	if (o->type == OPT_ENUM)
		return *(const int *)a != *(const int *)b;
	if (o->type == OPT_LIST)
		return !conf_list_eq((const struct conf_list *)a,
				     (const struct conf_list *)b);
	if (o->type != OPT_STRUCT)
		BUG("OPT_RESTART on a type that differs() does not know");
	for (size_t i = 0; i < conf_option_count; i++)
		if (conf_options[i].in == o->of &&
		    differs(&conf_options[i], a, b))
			return true;
	return false;
}

static void warn_restart(const struct conf *old, const struct conf *now)
{
	struct buf names = BUF_INIT(1024);

	for (size_t i = 0; i < conf_option_count; i++) {
		const struct conf_option *o = &conf_options[i];

		if (o->in != SEC_MAIN || !(o->flags & OPT_RESTART) ||
		    !differs(o, (const char *)old, (const char *)now))
			continue;
		buf_addf(&names, "%s%s", names.n ? " " : "", o->key);
	}
	if (names.n)
		log_warn("changed options take effect only after a restart",
			 "options", names.p);
	buf_release(&names);
}

/* -- the generation in force ---------------------------------------------------- */

/* Replaces the generation in use by c; takes c. */
static void publish(struct conf_live *l, struct conf *c)
{
	const struct conf *old = c;
	char number[24];

	pthread_mutex_lock(&l->lock);
	if (c->hash != l->now->hash) {
		old = l->now;
		l->now = c;
	}
	err_clear(&l->broken);
	pthread_mutex_unlock(&l->lock);
	if (old != c) {
		snprintf(number, sizeof(number), "%llu",
			 (unsigned long long)c->generation);
		log_info("configuration loaded", "file", l->file, "generation",
			 number);
		warn_restart(old, c);
	} else if (l->bad_hash) {
		log_info("the broken configuration was reverted", "file", l->file);
	}
	conf_put(old);
}

/* One thread at a time; src and bad_hash are its own. */
static void reread(struct conf_live *l)
{
	struct conf_sources src;
	struct err e = ERR_INIT;
	struct conf *c = read_checked(l->file, &src, l->check, &e);

	sources_release(&l->src);
	l->src = src;
	if (c) {
		publish(l, c);
		l->bad_hash = 0;
		return;
	}
	pthread_mutex_lock(&l->lock);
	l->broken = e;
	pthread_mutex_unlock(&l->lock);
	if (l->bad_hash != src.hash)
		log_err("new configuration refused, the old one remains in use", &e);
	l->bad_hash = src.hash;
}

static bool must_reread(const struct conf_live *l, bool settle)
{
	int64_t now = clock_now_us();
	int64_t newest;

	if (sources_changed(&l->src)) {
		newest = sources_newest_us(&l->src);
		return !settle || newest > now || newest < now - SETTLE_US;
	}
	/* Written so shortly before the read that its time stamp proves nothing. */
	return sources_young(&l->src) && now > l->src.read_us + YOUNG_US;
}

static void reload_if_changed(struct conf_live *l, bool settle)
{
	bool idle = false;

	if (!atomic_compare_exchange_strong(&l->looking, &idle, true))
		return;
	atomic_store(&l->next_look_ms, clock_mono_ms() + LOOK_MS);
	if (must_reread(l, settle))
		reread(l);
	atomic_store(&l->looking, false);
}

void conf_live_look(struct conf_live *l)
{
	reload_if_changed(l, false);
}

const struct conf *conf_live_get(struct conf_live *l)
{
	const struct conf *c;

	if (clock_mono_ms() >= atomic_load(&l->next_look_ms))
		reload_if_changed(l, true);
	pthread_mutex_lock(&l->lock);
	c = conf_ref(l->now);
	pthread_mutex_unlock(&l->lock);
	return c;
}

bool conf_live_ok(struct conf_live *l, struct err *e)
{
	bool ok;

	if (clock_mono_ms() >= atomic_load(&l->next_look_ms))
		reload_if_changed(l, true);
	pthread_mutex_lock(&l->lock);
	ok = l->broken.code == ERR_NONE;
	if (!ok && e->code == ERR_NONE)
		*e = l->broken;
	pthread_mutex_unlock(&l->lock);
	return ok;
}
