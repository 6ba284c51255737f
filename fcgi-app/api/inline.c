/* SPDX-License-Identifier: MIT */
#include "api/inline.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "api/attachment.h"
#include "api/client.h"
#include "api/idempotent.h"
#include "app.h"
#include "auth/policy.h"
#include "base/clock.h"
#include "base/limits.h"
#include "net/guard.h"
#include "net/http.h"
#include "net/url.h"
#include "store/attachment.h"

#include "base/banned.h"

enum { GET_MS = 20000, NOTE_BYTES = 8192 };

/* A file, as a part says it. */
struct inline_file {
	struct str name;	/* or empty */
	struct str type;	/* media type; or empty */
	struct str url;		/* data:, http: or https:; or empty */
	struct str base64;	/* or empty */
	struct str id;		/* of an attachment; or empty */
};

/* -- the forms -------------------------------------------------------------------- */

static void read_source(const json_t *source, struct inline_file *f)
{
	struct str value = jx_str(source, "value");

	f->type = jx_str(source, "mimeType");
	if (str_is(jx_str(source, "type"), "url"))
		f->url = value.n ? value : jx_str(source, "url");
	else
		f->base64 = value.n ? value : jx_str(source, "data");
}

/* An address, or bytes without "data:…,". */
static void read_data(struct str data, struct inline_file *f)
{
	if (data.n > 5 && !memcmp(data.p, "data:", 5))
		f->url = data;
	else
		f->base64 = data;
}

static void read_file(const json_t *o, struct inline_file *f)
{
	f->name = jx_str(o, "filename");
	f->id = jx_str(o, "file_id");
	f->url = jx_str(o, "file_url");
	if (jx_str(o, "file_data").n)
		read_data(jx_str(o, "file_data"), f);
}

/* Members of a part with its bytes or address beside its type. */
static void read_plain(const json_t *part, struct inline_file *f)
{
	f->type = jx_str(part, "mediaType");
	if (!f->type.n)
		f->type = jx_str(part, "mimeType");
	f->name = jx_str(part, "filename");
	f->url = jx_str(part, "url");
	f->id = jx_str(part, "id");
	if (jx_str(part, "data").n)
		read_data(jx_str(part, "data"), f);
}

static bool read_part(const json_t *part, struct inline_file *f)
{
	struct str type = jx_str(part, "type");
	const json_t *audio = jx_obj(part, "input_audio");

	*f = (struct inline_file){ .name = { NULL, 0 } };
	if (str_is(type, "image_url") || str_is(type, "input_image")) {
		f->url = jx_str(jx_obj(part, "image_url"), "url");
		if (!f->url.n)
			f->url = jx_str(part, "image_url");
		f->id = jx_str(part, "file_id");
	} else if (str_is(type, "input_file")) {
		read_file(part, f);
	} else if (str_is(type, "file") && jx_obj(part, "file")) {
		read_file(jx_obj(part, "file"), f);
	} else if (str_is(type, "input_audio")) {
		f->base64 = jx_str(audio, "data");
		f->type = str_is(jx_str(audio, "format"), "mp3") ? STR("audio/mpeg")
			: STR("audio/wav");
	} else if (str_is(type, "file") || str_is(type, "binary")) {
		read_plain(part, f);
	} else if (jx_obj(part, "source")) {
		read_source(jx_obj(part, "source"), f);
	} else {
		return false;
	}
	return true;
}

bool inline_is(const json_t *part)
{
	struct inline_file ignored;

	return json_is_object(part) && read_part(part, &ignored);
}

bool inline_has(const json_t *content)
{
	const json_t *part;
	size_t i;

	json_array_foreach((json_t *)content, i, part)
		if (inline_is(part))
			return true;
	return false;
}

/* -- the bytes -------------------------------------------------------------------- */

static int wrong(const char *why, struct err *e)
{
	return err_public(e, ERR_INVALID_FIELD, "%s", why);
}

static int from_base64(struct request *rq, struct str s, struct str *out, struct err *e)
{
	static const int variants[] = {
		sodium_base64_VARIANT_ORIGINAL, sodium_base64_VARIANT_ORIGINAL_NO_PADDING,
		sodium_base64_VARIANT_URLSAFE, sodium_base64_VARIANT_URLSAFE_NO_PADDING,
	};
	char *bytes = arena_alloc(rq->arena, s.n / 4 * 3 + 4);
	size_t n;

	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		if (!sodium_base642bin((unsigned char *)bytes, s.n / 4 * 3 + 3, s.p, s.n,
				       " \r\n\t", &n, NULL, variants[i]) && n) {
			*out = (struct str){ bytes, n };
			return 0;
		}
	return wrong("It is not valid base64.", e);
}

static struct str from_percent(struct request *rq, struct str s)
{
	char *out = arena_alloc(rq->arena, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		bool coded = s.p[i] == '%' && i + 2 < s.n && hex_digit(s.p[i + 1]) >= 0 &&
			hex_digit(s.p[i + 2]) >= 0;

		out[n++] = coded ? (char)(16 * hex_digit(s.p[i + 1]) +
					  hex_digit(s.p[i + 2])) : s.p[i];
		i += coded ? 2 : 0;
	}
	return (struct str){ out, n };
}

/* data:[TYPE][;…][;base64],… (RFC 2397). */
static int from_data_url(struct request *rq, struct inline_file *f, struct str *out,
			 struct err *e)
{
	struct str rest = { f->url.p + 5, f->url.n - 5 };
	struct str head = str_cut(&rest, ','), type = head;
	size_t n = head.n;

	type = str_cut(&head, ';');
	if (!f->type.n)
		f->type = type;
	if (!rest.n)
		return wrong("It is empty.", e);
	if (n >= 7 && !strncasecmp(f->url.p + 5 + n - 7, ";base64", 7))
		return from_base64(rq, rest, out, e);
	*out = from_percent(rq, rest);
	return 0;
}

static int on_body(void *ctx, struct str bytes)
{
	buf_addstr(ctx, bytes);
	return 0;
}

/*
 * Reads an address that a client gave: no private ones, no redirects, which could lead
 * to such. Its path ends with the name. All of a request share the limits.
 */
static int from_web(struct request *rq, struct inline_file *f,
		    struct inline_files *all, struct str *out, struct err *e)
{
	const struct net_guard guard = { .allow = NULL };
	size_t most = LIM_INLINE_GET_BYTES - MIN(all->read, LIM_INLINE_GET_BYTES);
	int64_t now_ms = clock_mono_ms();
	struct buf body = BUF_INIT(most + 1);
	struct http_result res = { .status = 0 };
	const struct http_request r = {
		.method = "GET", .url = arena_str(rq->arena, f->url).p, .guard = &guard,
		.watch_fd = -1, .max_body_bytes = most, .on_body = on_body,
		.total_timeout_ms = (int)MIN(all->until_ms - now_ms, GET_MS),
		.ctx = &body,
	};
	struct err why = ERR_INIT;
	int rc;

	if (now_ms >= all->until_ms || !most)
		return wrong("The files of the message took too long, or are too large "
			     "together.", e);
	rc = http_do(rq->app->http, &r, &res, &why);
	all->read += body.n;
	if (rc < 0)
		err_public(e, ERR_INVALID_FIELD, "%s", why.code == ERR_TOO_BIG
			   ? "It is too large." : why.code == ERR_ADDRESS_REFUSED
			   ? "Its address may not be reached from here."
			   : "Its address cannot be reached.");
	else if (res.status != 200 || !body.n || !buf_ok(&body))
		err_public(e, ERR_INVALID_FIELD, "Its address answered with the status "
			   "%d.", res.status);
	*out = (struct str){ arena_memdup(rq->arena, body.p, body.n), body.n };
	buf_release(&body);
	if (!f->name.n) {
		f->name = f->url;
		f->name.n = strcspn(arena_str(rq->arena, f->url).p, "?#");
	}
	return e->code ? -1 : 0;
}

static int read_bytes(struct request *rq, struct inline_file *f,
		      struct inline_files *all, struct str *out, struct err *e)
{
	if (!all->until_ms)
		all->until_ms = clock_mono_ms() + GET_MS;
	if (f->base64.n)
		return from_base64(rq, f->base64, out, e);
	if (f->url.n > 5 && !strncasecmp(f->url.p, "data:", 5))
		return from_data_url(rq, f, out, e);
	if ((f->url.n > 7 && !strncasecmp(f->url.p, "http://", 7)) ||
	    (f->url.n > 8 && !strncasecmp(f->url.p, "https://", 8)))
		return from_web(rq, f, all, out, e);
	return wrong("It has neither data nor an address of http or https.", e);
}

/* A name for one that has none: "image.png". */
static struct str name_of(struct request *rq, const struct inline_file *f)
{
	struct str kind = f->type, ending;

	if (f->name.n)
		return f->name;
	ending = kind;
	kind = str_cut(&ending, '/');
	return !kind.n ? STR("file") : str_of(arena_printf(rq->arena, "%.*s.%.*s",
		STR_ARG(kind), STR_ARG(ending)));
}

/* -- the attachment ---------------------------------------------------------------- */

/* Its id: the same one for the same file of a request that is repeated with its key. */
static struct uuid id_for(const struct request *rq, const struct str *bytes)
{
	struct err ignored = ERR_INIT;
	struct uuid key;

	if (idempotent_id(rq, "inline", &key, &ignored) <= 0)
		return uuid_new();
	return uuid_of_name((struct str){ (const char *)key.b, sizeof(key.b) }, *bytes);
}

static int take_one(struct request *rq, struct inline_file *f, struct inline_files *all,
		    struct uuid *id, struct err *e)
{
	struct attachment t;
	struct str bytes;

	if (!policy_may(rq->by.who, PERM_CONVERSATIONS_WRITE))
		return wrong("You may not store files.", e);
	if (f->id.n && !f->url.n && !f->base64.n) {
		if (uuid_parse(f->id, id)) {
			if (attachment_get(rq->app->db, &rq->by.owner, id, rq->arena, &t,
					   e) == 0)
				return 0;
			if (e->code != ERR_NOT_FOUND)
				return -1;
			err_clear(e);
		}
		return wrong("There is no file with its id.", e);
	}
	if (read_bytes(rq, f, all, &bytes, e) < 0)
		return -1;
	*id = id_for(rq, &bytes);
	return api_attachment_put(rq, id, name_of(rq, f), bytes, e);
}

/* Whether an error says something about the file, and not about the server. */
static bool is_the_files(const struct err *e)
{
	return e->public[0] && err_row(e)->http_status < 500;
}

static void refuse(struct request *rq, struct inline_files *f, const struct inline_file *s,
		   const struct err *why)
{
	const bool named = s->name.n && s->name.n < 200;
	char *name = arena_strdup(rq->arena, named ? arena_str(rq->arena, s->name).p
				  : "a file");

	/* The name is the client's; the line is ours. */
	for (char *p = name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == '[' || *p == ']')
			*p = ' ';
	f->refused++;
	if (f->note.n < NOTE_BYTES)
		f->note = str_of(arena_printf(rq->arena, "%.*s%s[An attachment of the "
			"message, %s, could not be used: %s]", STR_ARG(f->note),
			f->note.n ? "\n" : "", name, why->public));
}

int inline_take(struct request *rq, const json_t *content, struct inline_files *f,
		struct err *e)
{
	size_t most = (size_t)MAX(rq->conf->attach.message_files, 0), i;
	const json_t *part;

	if (!f->ids)
		f->ids = jx_keep(rq->arena, json_array());
	json_array_foreach((json_t *)content, i, part) {
		char text[UUID_TEXT_BYTES];
		struct err why = ERR_INIT;
		struct uuid id;
		struct inline_file s;
		int rc;

		if (!json_is_object(part) || !read_part(part, &s))
			continue;
		rc = f->tried++ < 2 * most && json_array_size(f->ids) < most
			? take_one(rq, &s, f, &id, &why)
			: wrong("The message has too many files.", &why);
		if (rc == 0) {
			json_array_append_new(f->ids, json_string(uuid_format(&id, text)));
			continue;
		}
		if (!is_the_files(&why)) {
			*e = why;
			return -1;
		}
		refuse(rq, f, &s, &why);
	}
	return 0;
}

/* The metadata with what the model is told of them. */
static struct str meta_with(struct request *rq, struct str meta, struct str note)
{
	json_t *o = meta.n ? jx_try(meta) : json_object(), *given;

	jx_keep(rq->arena, o);
	given = json_object_get(o, "given");
	if (!given) {
		given = json_array();
		json_object_set_new(o, "given", given);
	}
	json_array_append_new(given, json_pack("{s:s, s:o}", "role", "system", "content",
					       jx_string(note)));
	return str_of(jx_text(rq->arena, o));
}

int inline_use(struct request *rq, const struct inline_files *f, struct turn_request *in,
	       struct err *e)
{
	json_t *before = in->options.attachments;

	if (f->note.n && !json_array_size(f->ids) && !str_trim(in->content).n)
		return err_field(e, ERR_INVALID_FIELD, "messages", "%.*s",
				 (int)MIN(f->note.n, 200), f->note.p);
	if (json_array_size(f->ids)) {
		if (before)
			json_array_extend(f->ids, before);
		in->options.attachments = f->ids;
		if (!str_trim(in->content).n)
			in->content = STR("[See what is attached.]");
	}
	if (f->note.n)
		in->meta = meta_with(rq, in->meta, f->note);
	return 0;
}

void inline_tell(struct response *rs, const struct inline_files *f)
{
	char text[24];

	if (!f->refused)
		return;
	snprintf(text, sizeof(text), "%zu", f->refused);
	resp_header(rs, "X-Refused-Attachments", text);
}
