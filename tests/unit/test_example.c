/* SPDX-License-Identifier: MIT */
/* The examples of fields (lib/resource/resource.def) are values of them. */
#include "unit.h"

#include <stdlib.h>

#include "resource/call.h"
#include "resource/form.h"

static const struct conf conf = { .file = "" };

/* Whether clients can give it; members of PROPS have examples of their own, from YAML. */
static bool is_given(const struct resource_field *f)
{
	return (f->mode == MODE_EDIT || f->mode == MODE_ONCE) && f->type != TYPE_PROPS;
}

static void put(json_t *body, const struct resource *r, const struct resource_field *f,
		struct arena *a)
{
	struct str choices = str_of(resource_choice_list(&conf, r, f, a)), value, label;
	struct buf b = BUF_INIT(4096);
	struct jw w = jw_on(&b);
	json_t *j;

	if (f->type == TYPE_ENUM) {
		assert_string_equal(f->example, "");
		assert_true(resource_choice(&choices, &value, &label));
		jw_str(&w, value);
	} else {
		resource_write_example(&w, f);
	}
	j = json_loadb(b.p, b.n, JSON_DECODE_ANY, NULL);
	assert_non_null(j);
	assert_int_equal(json_object_set_new(body, f->key, j), 0);
	buf_release(&b);
}

static void each_has_one_that_fits(void **state)
{
	struct arena a = ARENA_INIT;
	struct resource_row row;
	size_t n = 0;

	(void)state;
	for (size_t i = 0; i < RESOURCE__MAX; i++) {
		const struct resource *r = &resources[i];
		struct err e = ERR_INIT;
		json_t *body = json_object();

		for (size_t k = 0; k < r->n_fields; k++) {
			const struct resource_field *f = &r->fields[k];

			if (!is_given(f))
				continue;
			if (f->type != TYPE_ENUM && !*f->example)
				fail_msg("%s.%s has no example", r->name, f->key);
			put(body, r, f, &a);
			n++;
		}
		if (!r->record && resource_draft(&conf, r, VERB_CREATE, body, &a, &row, &e) < 0)
			fail_msg("%s: %s", r->name, e.text);
		json_decref(body);
	}
	assert_true(n > 150);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_has_one_that_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
