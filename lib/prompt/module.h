/* SPDX-License-Identifier: MIT */
/*
 * The active module (E10, E12): what the user is looking at in the host page or
 * another client. A request names a module of the configuration and gives its
 * parameters; the prompt is the configuration's. A client never sends a prompt.
 *
 * Parameters of all types except text are restricted to forms that cannot carry
 * instructions, and are part of the system prompt. Texts are untrusted: they
 * are sent in the turn's envelope and taint the turn.
 */
#ifndef PROMPT_MODULE_H
#define PROMPT_MODULE_H

#include "auth/identity.h"
#include "base/json.h"

struct module_use {
	const struct conf_module *module;
	const json_t *parameters;	/* validated; an object, or NULL: none */
};

/*
 * Parses {"name": …, "parameters": {…}} of a request. ERR_UNKNOWN_FIELD and
 * ERR_INVALID_FIELD with the field: module, module.name (no such module for
 * who; the message suggests the nearest name), module.parameters,
 * module.parameters.NAME. out borrows from c and given. Any thread.
 */
int module_read(const struct conf *c, const struct identity *who,
		const json_t *given, struct module_use *out,
		struct err *e) MUST_CHECK;

#endif
