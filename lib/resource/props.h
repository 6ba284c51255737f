/* SPDX-License-Identifier: MIT */
/*
 * What YAML adds to a kind of what is in projects (`entities:`): members of its PROPS
 * field, and values of typeKey and stateKey. conf may be NULL: nothing is added.
 *
 * The value of a PROPS field is a JSON object, NULL if it is empty. Members whose
 * declaration is gone stay in it, and are read; they are not written any more, except to
 * remove them.
 */
#ifndef RESOURCE_PROPS_H
#define RESOURCE_PROPS_H

#include "conf/conf.h"
#include "resource/resource.h"

/* What is declared for the resource; never NULL. */
const struct conf_entity *props_of(const struct conf *conf, const struct resource *r);

/* Whether YAML can add choices to the field; those that it has added. */
bool props_adds(const struct resource *r, const struct resource_field *f);
const struct conf_choice *props_choices(const struct conf *conf, const struct resource *r,
					const struct resource_field *f, size_t *n);

/*
 * Checks what a client gives for the PROPS field f: each member is declared and has its
 * type, or is null. creating: what is required is there. ERR_UNKNOWN_FIELD and
 * ERR_INVALID_FIELD naming "props.member".
 */
int props_check(const struct conf *conf, const struct resource *r,
		const struct resource_field *f, const json_t *given, bool creating,
		struct err *e) MUST_CHECK;

/*
 * The value that a merge patch (RFC 7396) makes of now, which may be NULL: members that
 * are null go, others stay. patch NULL or JSON null: all go. In a. ERR_INVALID_FIELD
 * beyond LIM_PROPS_BYTES, and if one would go that is required.
 */
int props_merge(const struct conf *conf, const struct resource *r,
		const struct resource_field *f, struct str now, const json_t *patch,
		struct arena *a, struct db_val *out, struct err *e) MUST_CHECK;

/* The names of the members, "effort, stage"; empty: there are none. In a. */
const char *props_names(const struct conf *conf, const struct resource *r,
			struct arena *a);

#endif
