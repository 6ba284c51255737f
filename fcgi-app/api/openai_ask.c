/* SPDX-License-Identifier: MIT */
/* Values of an OpenAI request that more than one of its readers has. */
#include <ctype.h>

#include "api/client.h"
#include "api/openai.h"

#include "base/banned.h"

bool oai_idle(const json_t *v)
{
	return !v || json_is_null(v) || json_is_false(v) ||
	       (json_is_array(v) && !json_array_size(v)) ||
	       (json_is_object(v) && !json_object_size(v));
}

bool oai_is_system(const json_t *message)
{
	return str_is(jx_str(message, "role"), "system") ||
	       str_is(jx_str(message, "role"), "developer");
}

void oai_model(struct jw *w, struct str id, int64_t created_us)
{
	jw_obj(w);
	jw_kstr(w, "id", id);
	jw_kstrz(w, "object", "model");
	jw_kint(w, "created", created_us / 1000000);
	jw_kstrz(w, "owned_by", "lamplighter");
	jw_end_obj(w);
}

void oai_ignored(struct buf *b, const char *prefix, struct str name)
{
	size_t n = 0;

	while (n < name.n && (isalnum((unsigned char)name.p[n]) || name.p[n] == '_' ||
			      name.p[n] == '-'))
		n++;
	if (n && n == name.n)
		buf_addf(b, "%s%s%.*s", b->n ? ", " : "", prefix, STR_ARG(name));
}

int oai_text(struct request *rq, const json_t *message, struct str *out,
		struct err *e)
{
	const json_t *content = json_object_get(message, "content");

	*out = STR("");
	if (!content || json_is_null(content))
		return 0;
	return client_message_text(rq, content, out, e);
}
