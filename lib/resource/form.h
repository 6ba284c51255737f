/*
 * What a form asks for, from resource.def: the fields of a resource with their
 * labels, ranges and choices. Clients that draw forms from it need no code of a
 * resource (docs/page.md).
 */
#ifndef RESOURCE_FORM_H
#define RESOURCE_FORM_H

#include "base/json.h"
#include "resource/resource.h"

/*
 * Writes the members of the form of r, without braces: name, path, title, what,
 * parent, order, search, readOnly, most, idKey, labelKey, fields. groups: those of the
 * caller, which a field may offer as its choices.
 */
void resource_form(struct jw *w, const struct resource *r,
		   const struct str *groups, size_t n_groups);

/*
 * Whether the field takes the value: what its row INPUT lists; anything if there
 * is none, or it lists what only the caller knows.
 */
bool resource_takes(const struct resource *r, const struct resource_field *f,
		    struct str value);

/* The choices as a sentence has them, "private, team or tenant". In a. */
const char *resource_choices(const struct resource *r,
			     const struct resource_field *f, struct arena *a);

/*
 * The choice at *rest of a list "value: label | value: label", and *rest moved
 * behind it. label is empty where the list has none. False at the end.
 */
bool resource_choice(struct str *rest, struct str *value, struct str *label);

/* Whether a list is of choices, and does not say another kind of control. */
bool resource_choice_words(struct str list);

/* What the field's INPUT row says as choices; "" without one. */
const char *resource_choice_list(const struct resource *r,
				 const struct resource_field *f);

#endif
