/* SPDX-License-Identifier: MIT */
/* A configuration that was read: who holds it, and what is looked up in it. */
#include "conf/conf.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/banned.h"

const struct conf *conf_ref(const struct conf *c)
{
	__atomic_add_fetch((int *)&c->refs, 1, __ATOMIC_RELAXED);
	return c;
}

void conf_put(const struct conf *c)
{
	struct conf *mine = (struct conf *)c;

	if (!c || __atomic_sub_fetch(&mine->refs, 1, __ATOMIC_ACQ_REL))
		return;
	arena_release(&mine->arena);
	free(mine);
}

const void *conf_derived(const struct conf *c, enum conf_derived what,
		      const void *(*make)(const struct conf *c, struct arena *a))
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct conf *mine = (struct conf *)c;
	const void *out = __atomic_load_n(&c->derived[what], __ATOMIC_ACQUIRE);

	if (out)
		return out;
	pthread_mutex_lock(&lock);
	if (!c->derived[what])
		__atomic_store_n(&mine->derived[what], make(c, &mine->arena),
				 __ATOMIC_RELEASE);
	out = c->derived[what];
	pthread_mutex_unlock(&lock);
	return out;
}

/* -- look-ups ------------------------------------------------------------------- */

#define FIND(array, count, member, key) \
	for (size_t i = 0; i < (count); i++) \
		if ((array)[i].member && str_is((key), (array)[i].member)) \
			return &(array)[i]; \
	return NULL

const struct llm_service *conf_llm(const struct conf *c, struct str id)
{
	FIND(c->llms, c->n_llms, id, id);
}

const struct conf_mcp *conf_mcp(const struct conf *c, struct str id)
{
	FIND(c->mcp_servers, c->n_mcp_servers, id, id);
}

const struct conf_intake *conf_source(const struct conf *c, struct str name)
{
	FIND(c->knowledge.sources, c->knowledge.n_sources, name, name);
}

const struct conf_db *conf_database(const struct conf *c, struct str id)
{
	if (str_is(id, "app"))
		return &c->db;
	FIND(c->databases, c->n_databases, id, id);
}

const struct conf_entity *conf_entity(const struct conf *c, const char *kind)
{
	static const struct conf_entity nothing;

	for (size_t i = 0; c && kind && i < c->n_entities; i++)
		if (strcmp(c->entities[i].kind, kind) == 0)
			return &c->entities[i];
	return &nothing;
}

bool conf_list_has(const struct conf_list *l, struct str s)
{
	for (size_t i = 0; i < l->n; i++)
		if (str_is(s, l->v[i]))
			return true;
	return false;
}
