/* SPDX-License-Identifier: MIT */
/*
 * The caller: shared by a request, the turn that it starts, the turn's
 * followers and its tools; and by the admin command.
 */
#ifndef AUTH_CALLER_H
#define AUTH_CALLER_H

#include "auth/identity.h"
#include "auth/owner.h"
#include "base/arena.h"
#include "conf/conf.h"
#include "db/db.h"

struct resource_changes;	/* resource/change.h */
struct own_instances;	/* domain/stored_service.h */
struct setting_values;	/* setting/values.h */
struct token_cache;	/* store/token_cache.h */

struct caller {		/* everything is borrowed */
	const struct conf *conf;	/* the configuration for this request */
	const struct identity *who;
	/* The language that the caller reads; models read English, whoever calls */
	const struct lang *lang;
	struct owner owner;	/* owner of who's rows: tenant and user */
	/* The product's database; NULL if there is none */
	struct db *db;
	struct arena *arena;	/* lives as long as the request */
	/* Settings in rows; NULL: none, or not read yet. */
	const struct setting_values *settings;
	struct own_instances *own;	/* of who, for records; NULL: not kept */
	struct token_cache *tokens;	/* of the process; NULL: none */
	struct resource_changes *changes;	/* collects them; NULL: nobody does */
	/*
	 * The admin command: it reaches rows of every group, and what it writes is
	 * the installation's.
	 */
	bool installation;
	bool has_room;	/* room for all that it stores was taken (hold/stored.h) */
};

/*
 * Makes a caller. who may be NULL: nobody, who has no rows. db and arena may be
 * NULL if they are not needed.
 */
struct caller caller_of(const struct conf *c, const struct identity *who,
			struct db *db, struct arena *a);

#endif
