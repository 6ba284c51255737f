/* SPDX-License-Identifier: MIT */
/* The settings of the caller of a turn (setting/values.h). */
#ifndef CONTEXT_SETTING_H
#define CONTEXT_SETTING_H

#include "setting/values.h"
#include "context/request.h"

/* The effective value in this turn. */
struct setting_value context_setting(const struct turn_run *t, enum setting_id id);

/*
 * The time zone of the user (base/zone.h): the one that they have set, else that of
 * their device, of their groups, of the deployment. Empty: the process's.
 */
struct str context_zone(const struct turn_run *t);

/* Adds the read of the settings to b; *s keeps it. In t's arena. */
void context_settings_ask(const struct turn_run *t, struct turn_begin *b,
			  struct setting_values **s);

/*
 * Applies what store_turn_begin read, and reads the rest: for callers with many
 * groups, or everything if the begin was a repetition. Database errors.
 */
int context_settings_take(struct turn_run *t, const struct turn_begin *b,
			  struct setting_values *s, struct err *e) MUST_CHECK;

/*
 * Reads the settings of a turn that does not start with store_turn_begin.
 * Database errors.
 */
int context_settings_read(struct turn_run *t, struct err *e) MUST_CHECK;

#endif
