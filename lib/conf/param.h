/* SPDX-License-Identifier: MIT */
/*
 * Values of what is declared in YAML as a struct conf_param: parameters of modules, and
 * members of props. No I/O; any thread.
 */
#ifndef CONF_PARAM_H
#define CONF_PARAM_H

#include "base/json.h"
#include "conf/conf.h"

/*
 * What the value must be, to follow "must be "; NULL: it is that. The text may be in buf.
 * v is not JSON null.
 */
const char *param_wrong(const struct conf_param *p, const json_t *v, char *buf,
			size_t n_bytes);

/* The choice with this value among n; NULL: none. */
const struct conf_choice *param_choice(const struct conf_choice *v, size_t n,
				       struct str value);

/* The one of this name among n; NULL: none. */
const struct conf_param *param_find(const struct conf_param *v, size_t n,
				    const char *name);

/* The name among n that was probably meant; NULL: none is near. */
const char *param_nearest(const struct conf_param *v, size_t n, const char *wrong);

/* Its example as a value of its type. New; NULL: it has none. */
json_t *param_example(const struct conf_param *p);

#endif
