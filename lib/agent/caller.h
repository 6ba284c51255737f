/*
 * The caller: the one description that a request, the turn that it starts, the
 * followers of the turn and its tools share.
 */
#ifndef AGENT_CALLER_H
#define AGENT_CALLER_H

#include "auth/identity.h"
#include "base/arena.h"
#include "conf/conf.h"
#include "store/store.h"

struct setting_said;	/* agent/said.h */

struct caller {		/* all borrowed */
	const struct conf *conf;	/* the generation it is answered by */
	const struct identity *who;
	struct owner owner;	/* of who's rows: tenant and user */
	struct db *db;		/* our own; NULL where there is none */
	struct arena *arena;	/* for as long as it is answered; no call's */
	/* What their rows say of settings; NULL: nothing, or not read yet. */
	const struct setting_said *said;
};

/*
 * A caller from its parts. who may be NULL: nobody, who has no rows. db and arena
 * may be NULL if nothing needs them.
 */
struct caller caller_of(const struct conf *c, const struct identity *who,
			struct db *db, struct arena *a);

#endif
