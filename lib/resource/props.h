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

#include "base/json.h"
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

/* -- lists: SIFTED ------------------------------------------------------------------- */

#define PROPS_PREFIX "props."

/* Whether lists of r can be limited and ordered by members. */
bool props_sifted(const struct resource *r);

/* Appends the parameters of a list that are about members; returns how many. */
size_t props_params(const struct conf *conf, const struct resource *r,
		    struct resource_param *out);

/* The members that it can be ordered by: numbers and days; returns how many. */
size_t props_orders(const struct conf *conf, const struct resource *r,
		    const struct conf_param *out[LIM_MODULE_PARAMS]);

/* A parameter with its value. */
struct props_sieve {
	const struct conf_param *of;
	enum resource_end end;
	bool others;		/* all but these values */
	bool one;		/* values is a choice, also if it has a comma */
	struct str values;	/* separated by commas; a day */
	double number;		/* an end of a range */
};

/*
 * Reads a value: of a choice, an id or a list one or several, separated by commas, after a
 * ! all but these; true or false; an end of a range. ERR_INVALID_FIELD naming the
 * parameter. In a.
 */
int props_sieve(const struct resource_param *p, struct str text, struct arena *a,
		struct props_sieve *out, struct err *e) MUST_CHECK;

/* Whether a value of PROPS (NULL: it has no members) passes all of them. */
bool props_pass(const struct props_sieve *v, size_t n, const json_t *props);

/*
 * What a value of PROPS has of a member that lists are ordered by: type d, or s for a day
 * (in a); NULL if it has none that fits.
 */
struct db_val props_value(const struct conf_param *of, const json_t *props, struct arena *a);

#endif
