/* SPDX-License-Identifier: MIT */
/*
 * Kind image_text: the text in an image, read by a model with vision (A19, A21,
 * A69), for chat models without it: they give a URL, the image is fetched here,
 * by the rules of web_visit, and one call of the other model, without tools and
 * without a loop, writes out its text. The result is untrusted text.
 */
#include <sodium.h>
#include <stddef.h>
#include <strings.h>

#include "base/clock.h"
#include "base/limits.h"
#include "llm/llm.h"
#include "net/http.h"
#include "prompt/builtin.h"
#include "tool/agent/agent.h"
#include "tool/schemas.h"
#include "tool/web/web.h"

#include "base/banned.h"

enum {
	TIMEOUT_MS = 120000,
	FETCH_MS = 20000,
};

static const char request[] = "Write out the text in this image.";

/* -- the image -------------------------------------------------------------- */

static bool is_data_url(struct str s)
{
	return s.n >= 5 && !strncasecmp(s.p, "data:", 5);
}

/*
 * RFC 2397. Its media type is ignored. The data must come from the user or a
 * result: in an image that the model made, a drawn URL would count as one from
 * a result.
 */
static int read_data_url(const struct tool_ctx *ctx, struct str url,
			 struct llm_image *out, struct err *e)
{
	static const int variants[] = {
		sodium_base64_VARIANT_ORIGINAL,
		sodium_base64_VARIANT_ORIGINAL_NO_PADDING,
	};
	struct str rest = url, head = str_cut(&rest, ',');
	unsigned char *bytes;
	size_t n, room = rest.n / 4 * 3 + 3;

	if (web_check_origin(ctx, url, e) < 0)
		return -1;
	if (!rest.n || head.n < 7 ||
	    strncasecmp(head.p + head.n - 7, ";base64", 7))
		return err_public(e, ERR_TOOL_ARGS, "A data: URL must have the "
				  "form data:image/png;base64,…");
	bytes = arena_alloc(ctx->arena, room);
	for (size_t i = 0; i < ARRAY_LEN(variants); i++)
		if (sodium_base642bin(bytes, room, rest.p, rest.n, "\r\n ", &n,
				      NULL, variants[i]) == 0)
			return llm_image_read((struct str){ (char *)bytes, n },
					      ctx->arena, out, e);
	return err_public(e, ERR_TOOL_ARGS, "The base64 of the data: URL is "
			  "not complete. Give it exactly as it is, or give the "
			  "image's address.");
}

static int read_address(const struct tool_ctx *ctx, const struct conf_tool *c,
			struct str asked, int timeout_ms,
			struct llm_image *out, struct err *e)
{
	static const char *const headers[] = {
		"Accept: image/png, image/jpeg, image/webp, image/gif",
	};
	const struct web_want want = {
		.what = "The image", .headers = headers,
		.n_headers = ARRAY_LEN(headers),
		.allow = &c->image_text->allow_private,
		.max_bytes = LIM_IMAGE_BYTES,
		.timeout_ms = MIN(timeout_ms, FETCH_MS),
	};
	struct buf url = BUF_INIT(8192), body = BUF_INIT(LIM_IMAGE_BYTES);
	struct http_result res = { .status = 0 };
	int rc = web_fetch(ctx, &want, asked, &url, &body, &res, e);

	if (rc == 0)
		rc = llm_image_read(buf_str(&body), ctx->arena, out, e);
	buf_release(&url);
	buf_release(&body);
	return rc;
}

/* -- the tool --------------------------------------------------------------- */

/* The declaration as an agent without a prompt: its model, and timeout_ms. */
static const struct conf_tool *as_agent(const struct conf_tool *c,
					struct arena *a, int timeout_ms)
{
	struct conf_tool_agent *agent = arena_new(a, struct conf_tool_agent);
	struct conf_tool *tool = arena_new(a, struct conf_tool);

	*agent = (struct conf_tool_agent){
		.llm_service = c->image_text->llm_service,
		.capability = LLM_CAN_VISION,
	};
	*tool = *c;
	tool->agent = agent;
	tool->timeout_ms = timeout_ms;
	return tool;
}

static int read_image(const struct tool *t, const struct tool_ctx *ctx,
		      const json_t *args, struct buf *out, bool *is_json,
		      struct err *e)
{
	const struct conf_tool *c = t->data;
	int64_t until_ms = clock_mono_ms() + t->timeout_ms;
	struct str asked = str_trim(jx_str(args, "image"));
	struct llm_image image;
	struct tool_task task = {
		.prompt = &prompt_image_text, .input = STR(request),
		.images = &image, .n_images = 1,
	};
	struct err cause = ERR_INIT;
	int rc;

	*is_json = false;
	if (!ctx->host)
		return err_public(e, ERR_TOOL_FAILED, "The tool \"%s\" works "
				  "only in a conversation.", t->name);
	rc = is_data_url(asked)
		? read_data_url(ctx, asked, &image, &cause)
		: read_address(ctx, c, asked, t->timeout_ms, &image, &cause);
	if (rc < 0 && (cause.code == ERR_MEDIA_TYPE ||
		       cause.code == ERR_TOO_BIG))
		return err_public(e, ERR_TOOL_FAILED, "%s",
				  err_message(&cause));
	if (rc < 0) {
		*e = cause;
		return -1;
	}
	task.tool = as_agent(c, ctx->arena,
			     (int)MAX(until_ms - clock_mono_ms(), 1));
	return ctx->host->agent(ctx, &task, out, e);
}

/* What would be read, and which model would be asked. */
static int dry_run(const struct tool *t, const struct tool_ctx *ctx,
		   const json_t *args, struct buf *out, struct err *e)
{
	const struct conf_tool *c = t->data;
	struct str asked = str_trim(jx_str(args, "image"));
	const struct llm_service *s = tool_agent_service(ctx->turn.by.conf,
		as_agent(c, ctx->arena, t->timeout_ms)->agent);

	(void)e;
	if (is_data_url(asked))
		buf_addf(out, "image: a data: URL of %zu bytes\n", asked.n);
	else
		buf_addf(out, "GET %.*s\n", STR_ARG(asked));
	buf_addf(out, "llm_service: %s\nprompt: %s\ninput: %s\n",
		 s ? s->id : "none", prompt_image_text.text, request);
	return 0;
}

/* -- the kind --------------------------------------------------------------- */

static bool advertise(const struct tool *t, const struct tool_ctx *ctx)
{
	(void)t;
	return ctx->turn.depth < TOOL_DEPTH;
}

static int check_image_tool(const struct conf *conf, const struct workspace *w,
			    const struct conf_tool *c, struct err *e)
{
	const char *id = c->image_text->llm_service;
	const struct conf_tool_agent agent = {
		.llm_service = id, .capability = LLM_CAN_VISION,
	};
	const struct llm_service *s = tool_agent_service(conf, &agent);
	const char *near = catalog_service_near(conf, str_of(id));
	struct err fault = ERR_INIT;

	(void)w;
	if (!s && *id)
		return err_field(e, ERR_CONFIG, "image_text.llm_service",
				 "there is no LLM service \"%.60s\"." STR_MEANT,
				 id, STR_MEANT_ARG(near));
	if (!s)
		return err_field(e, ERR_CONFIG, "image_text", "needs an LLM "
				 "service with the capability vision, and there "
				 "is none");
	if (llm_check_can(s, LLM_CAN_VISION, &fault) < 0)
		return err_field(e, ERR_CONFIG, "image_text.llm_service", "%s",
				 err_message(&fault));
	return 0;
}

const struct tool_kind kind_image_text = {
	.name = "image_text",
	.section = offsetof(struct conf_tool, image_text),
	.check = check_image_tool,
	.row = {
		.schema = SCHEMA_image_text,
		.timeout_ms = TIMEOUT_MS, .advertise = advertise,
		.run = read_image, .dry_run = dry_run,
	},
};
