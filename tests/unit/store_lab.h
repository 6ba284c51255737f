/* SPDX-License-Identifier: MIT */
/* What the tests of the store share: one database, two users, whole turns. */
#ifndef UNIT_STORE_LAB_H
#define UNIT_STORE_LAB_H

#include "dbtest.h"
#include "store/conversation.h"
#include "store/turn.h"
#include "store/user.h"

extern struct db *db;
extern struct owner ann, bob;

/* Group set-up and teardown; *state is the database's name. */
int store_lab_open(void **state);
int store_lab_close(void **state);

struct str S(const char *s);
struct owner person(const char *tenant, const char *login);
struct uuid new_conversation(const struct owner *o, const char *title);

/* A begin of this conversation with this text, and the end that goes with it. */
struct turn_begin begin_of(const struct uuid *conversation,
			   const char *content);
void end_with(const struct owner *o, const struct turn_begin *b,
	      const char *text);

/* Runs the jobs that are due until there are none. Returns how many ran. */
size_t do_jobs(void);

#endif
