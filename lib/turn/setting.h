/* The settings of the caller of a turn (agent/said.h). */
#ifndef TURN_SETTING_H
#define TURN_SETTING_H

#include "agent/said.h"
#include "turn/turn.h"

/* The value that counts in the turn. */
struct setting_value turn_setting(const struct turn_run *t, enum setting_id id);

/* Asks store_turn_begin for the settings. Keeps what *s is made of in t's arena. */
void turn_settings_ask(const struct turn_run *t, struct turn_begin *b,
		       struct setting_said **s);

/*
 * Takes what it brought, and reads the rest: of callers with many groups, and all
 * of it if the begin had to be looked up. Then the turn has its settings. Database
 * errors.
 */
int turn_settings_take(struct turn_run *t, const struct turn_begin *b,
		       struct setting_said *s, struct err *e) MUST_CHECK;

/* Reads them, for a turn that does not begin so. Database errors. */
int turn_settings_read(struct turn_run *t, struct err *e) MUST_CHECK;

#endif
