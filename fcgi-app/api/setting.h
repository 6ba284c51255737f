/* SPDX-License-Identifier: MIT */
/* Storing settings, for the API and the plain pages. */
#ifndef API_SETTING_H
#define API_SETTING_H

#include "domain/choice.h"
#include "setting/values.h"
#include "api/api.h"

/*
 * Changes s->v[0], which was just read: one try. *stored is false if another change
 * came first. Errors of choice_changed.
 */
int api_setting_change(struct request *rq, struct setting_values *s,
		       const json_t *change, bool *stored,
		       struct err *e) MUST_CHECK;

#endif
