/* SPDX-License-Identifier: MIT */
/*
 * Forms from resource.def: the fields of a resource with labels, ranges and
 * choices. Clients that draw forms from them need no code for single resources
 * (docs/page.md).
 */
#ifndef RESOURCE_FORM_H
#define RESOURCE_FORM_H

#include "auth/caller.h"
#include "base/json.h"
#include "resource/resource.h"

/*
 * Writes the members of r's form, without braces: name, path, title, what, parent,
 * order, search, readOnly, most, idKey, labelKey, fields, groups (of fields); in place of a
 * PROPS field those of its members, by "props.member". Its texts are in the caller's
 * language; fields that offer groups as choices have the caller's.
 */
void resource_form(struct jw *w, const struct caller *by, const struct resource *r);

/* Of these only name, title and parent. */
void resource_form_head(struct jw *w, const struct lang *lang, const struct resource *r);

/* The resource whose ids a REF field has (REFERS); NULL for other fields. */
const struct resource *resource_referred(const struct resource *r,
					 const struct resource_field *f);

/* The resource whose ids an IDS field has; NULL for other fields. */
const struct resource *resource_joined(const struct resource_field *f);

/*
 * Of these functions, conf has what YAML adds to the choices (props.h); NULL: nothing.
 *
 * Whether value is among the choices of an ENUM field.
 */
bool resource_takes(const struct conf *conf, const struct resource *r,
		    const struct resource_field *f, struct str value);

/* The choices as text, "private, team or tenant". In a. */
const char *resource_choices(const struct conf *conf, const struct resource *r,
			     const struct resource_field *f, struct arena *a);

/*
 * Takes the next choice of a list "value: label | value: label" from *rest.
 * label is empty if the list has none. False at the end.
 */
bool resource_choice(struct str *rest, struct str *value, struct str *label);

/* All choices of the field, or its kind of control; "" without one. In a. */
const char *resource_choice_list(const struct conf *conf, const struct resource *r,
				 const struct resource_field *f, struct arena *a);

/*
 * What counts in a state of a resource with states (ENDS): COUNTS_DONE, COUNTS_CLOSED, or
 * COUNTS_OPEN, also for one that is not known any more.
 */
enum conf_counts resource_counts(const struct conf *conf, const struct resource *r,
				 struct str state);

/* The states in which nothing is left to do, "done,cancelled". In a. */
struct str resource_ended(const struct conf *conf, const struct resource *r,
			  struct arena *a);

#endif
