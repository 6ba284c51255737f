/*
 * The active module (E10, E12): what the host page, or another client, says its
 * user looks at. A request names a module that the configuration declares, and
 * gives it parameters; its prompt is the configuration's. A client never sends a
 * prompt.
 *
 * Parameters of all types but text are checked to have a form in which nothing
 * can be said, and stand in a part of the system prompt. Texts are data of others:
 * they are sent in the turn's envelope and taint the turn.
 */
#ifndef PROMPT_MODULE_H
#define PROMPT_MODULE_H

#include "auth/identity.h"
#include "base/json.h"

struct module_use {
	const struct conf_module *module;
	const json_t *parameters;	/* checked; an object, or NULL: none */
};

/*
 * Reads {"name": …, "parameters": {…}}, as a request has it. ERR_UNKNOWN_FIELD
 * and ERR_INVALID_FIELD, with the field: module, module.name (none of that name
 * for who; the message has the nearest one), module.parameters,
 * module.parameters.NAME. out borrows from c and given. Any thread.
 */
int module_read(const struct conf *c, const struct identity *who,
		const json_t *given, struct module_use *out,
		struct err *e) MUST_CHECK;

#endif
