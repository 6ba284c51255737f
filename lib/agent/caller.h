/*
 * Who asks: the one description that a request, the turn that it starts, those
 * who watch the turn and its tools have in common.
 */
#ifndef AGENT_CALLER_H
#define AGENT_CALLER_H

#include "auth/identity.h"
#include "base/arena.h"
#include "conf/conf.h"
#include "store/store.h"

struct caller {		/* all borrowed */
	const struct conf *conf;	/* the generation it is answered by */
	const struct identity *who;
	struct owner owner;	/* of who's rows: tenant and user */
	struct db *db;		/* our own; NULL where there is none */
	struct arena *arena;	/* for as long as it is answered; no call's */
};

/*
 * The caller of these. who may be NULL: nobody, for whom there are no rows. db
 * and arena may be NULL where nothing asks for them.
 */
struct caller caller_of(const struct conf *c, const struct identity *who,
			struct db *db, struct arena *a);

#endif
