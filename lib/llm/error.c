/* SPDX-License-Identifier: MIT */
/*
 * Classification goes by the provider's own words first and by status last
 * (P-A9): a 429 may mean "wait" or "pay", a 400 may mean "too long". The retry
 * rules are those of the official OpenAI client:
 * x-should-retry decides when present; else 408, 409, 429 and 5xx.
 */
#include "llm/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/utf8.h"

#include "base/banned.h"

enum {
	BACKOFF_MS = 500, BACKOFF_MAX_MS = 8000,
	LEAST_TOKENS = 256,	/* less is no size of a context */
	MANY_TOOLS = 1023,	/* more is no number of tools */
};

/* What an error body says, as far as it does. Borrowed. */
struct error_body {
	struct str message, type, code, param;
	int64_t number;		/* a numeric code, or 0 */
	const json_t *details;	/* Google's list, or NULL */
	struct str raw;		/* metadata.raw, failed_generation */
};

/* Signs, compared case-insensitively; the first match decides. */
static const struct {
	const char *sign;
	enum err_code code;
} code_signs[] = {		/* in code, type or status */
	{ "insufficient_quota", ERR_UPSTREAM_QUOTA },
	{ "billing", ERR_UPSTREAM_QUOTA },
	{ "insufficient_balance", ERR_UPSTREAM_QUOTA },
	{ "credit", ERR_UPSTREAM_QUOTA },
	{ "context_length", ERR_UPSTREAM_CONTEXT },
	{ "context_window", ERR_UPSTREAM_CONTEXT },
	{ "exceed_context_size", ERR_UPSTREAM_CONTEXT },
	{ "request_too_large", ERR_UPSTREAM_CONTEXT },
	{ "content_filter", ERR_UPSTREAM_FILTER },
	{ "content_policy", ERR_UPSTREAM_FILTER },
	{ "moderation", ERR_UPSTREAM_FILTER },
	{ "invalid_api_key", ERR_UPSTREAM_AUTH },
	{ "authentication_error", ERR_UPSTREAM_AUTH },
	{ "permission_error", ERR_UPSTREAM_AUTH },
	{ "UNAUTHENTICATED", ERR_UPSTREAM_AUTH },
	{ "PERMISSION_DENIED", ERR_UPSTREAM_AUTH },
	{ "model_not_found", ERR_UPSTREAM_MODEL },
	{ "DeploymentNotFound", ERR_UPSTREAM_MODEL },
	{ "rate_limit", ERR_UPSTREAM_RATE },
	{ "RateLimitReached", ERR_UPSTREAM_RATE },
	{ "too_many_requests", ERR_UPSTREAM_RATE },
	{ "RESOURCE_EXHAUSTED", ERR_UPSTREAM_RATE },
	{ "overloaded", ERR_UPSTREAM_OVERLOAD },
	{ "unavailable", ERR_UPSTREAM_OVERLOAD },
	{ "timeout", ERR_UPSTREAM_TIMEOUT },
	{ "not_found_error", ERR_UPSTREAM_MODEL },
}, text_signs[] = {		/* in the message (2.4) */
	{ "prompt is too long", ERR_UPSTREAM_CONTEXT },
	{ "prompt too long", ERR_UPSTREAM_CONTEXT },
	{ "maximum context length", ERR_UPSTREAM_CONTEXT },
	{ "exceeded max context length", ERR_UPSTREAM_CONTEXT },
	{ "context window", ERR_UPSTREAM_CONTEXT },
	{ "exceeds the available context size", ERR_UPSTREAM_CONTEXT },
	{ "input token count", ERR_UPSTREAM_CONTEXT },
	{ "Request too large for model", ERR_UPSTREAM_CONTEXT },
	{ "insufficient balance", ERR_UPSTREAM_QUOTA },
	{ "credit balance is too low", ERR_UPSTREAM_QUOTA },
	{ "spend limit", ERR_UPSTREAM_QUOTA },
	{ "requires more credits", ERR_UPSTREAM_QUOTA },
	{ "content management policy", ERR_UPSTREAM_FILTER },
	{ "Loading model", ERR_UPSTREAM_OVERLOAD },
	{ "overloaded", ERR_UPSTREAM_OVERLOAD },
};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has(struct str s, const char *sign)
{
	size_t n = strlen(sign);

	for (size_t i = 0; n <= s.n && i <= s.n - n; i++)
		if (strncasecmp(s.p + i, sign, n) == 0)
			return true;
	return false;
}

static void read_details(struct error_body *s, const json_t *detail)
{
	const json_t *first = json_array_get(detail, 0);
	const json_t *loc = json_object_get(first, "loc");
	const json_t *name = json_array_get(loc, json_array_size(loc) - 1);

	if (json_is_string(detail))
		s->message = (struct str){ json_string_value(detail),
			json_string_length(detail) };
	else if (json_is_object(first))
		s->message = jx_str(first, "msg");
	if (json_is_string(name))	/* Pydantic: where it stands */
		s->param = (struct str){ json_string_value(name),
			json_string_length(name) };
}

static void read_object(struct error_body *s, const json_t *o)
{
	const json_t *code = json_object_get(o, "code");
	const json_t *message = json_object_get(o, "message");

	s->message = jx_str(o, "message");
	if (json_is_object(message))	/* Mistral: {"detail": [{"msg"}]} */
		read_details(s, json_object_get(message, "detail"));
	s->type = jx_str(o, "type");
	if (!s->type.n)
		s->type = jx_str(o, "status");
	s->code = jx_str(o, "code");
	if (jx_str(o, "param").n)
		s->param = jx_str(o, "param");
	s->number = json_is_integer(code) ? json_integer_value(code) : 0;
	if (s->code.n == 3 && s->code.p[0] >= '4' && s->code.p[0] <= '5')
		s->number = strtol(s->code.p, NULL, 10);
	s->details = jx_arr(o, "details");
	s->raw = jx_str(jx_obj(o, "metadata"), "raw");
	if (!s->raw.n)
		s->raw = jx_str(o, "failed_generation");
}

/* All forms of P-A3 and P-A11; other objects have no meaning. */
static struct error_body read_body(const json_t *j)
{
	struct error_body s = { .number = 0 };
	const json_t *err;

	if (json_is_array(j) && json_array_size(j) == 1)
		j = json_array_get(j, 0);
	err = json_object_get(j, "error");
	if (!err && jx_obj(j, "response"))	/* Responses: response.failed */
		err = json_object_get(jx_obj(j, "response"), "error");
	if (json_is_object(err)) {
		read_object(&s, err);
	} else if (json_is_string(err)) {
		s.message = (struct str){ json_string_value(err),
			json_string_length(err) };
	} else if (json_is_object(j)) {
		read_object(&s, j);
		if (!s.message.n)
			read_details(&s, json_object_get(j, "detail"));
	}
	return s;
}

bool llm_is_error(struct str name, const json_t *j)
{
	const json_t *err;

	if (json_is_array(j) && json_array_size(j) == 1)
		j = json_array_get(j, 0);
	err = json_object_get(j, "error");
	if (json_is_object(err))
		return json_object_size(err) != 0;
	if (json_is_string(err))
		return json_string_length(err) != 0;
	return str_is(name, "error") || str_is(jx_str(j, "object"), "error");
}

static enum err_code by_status(int status)
{
	switch (status) {
	case 401: case 403:
		return ERR_UPSTREAM_AUTH;
	case 402:
		return ERR_UPSTREAM_QUOTA;
	case 404:
		return ERR_UPSTREAM_MODEL;
	case 408: case 504:
		return ERR_UPSTREAM_TIMEOUT;
	case 413:
		return ERR_UPSTREAM_CONTEXT;
	case 429:
		return ERR_UPSTREAM_RATE;
	case 409: case 498: case 502: case 503: case 529:
		return ERR_UPSTREAM_OVERLOAD;
	default:
		return status >= 400 && status < 500 ? ERR_UPSTREAM_REQUEST
			: ERR_UPSTREAM;
	}
}

static enum err_code classify(const struct error_body *s, int status)
{
	for (size_t i = 0; i < ARRAY_LEN(text_signs); i++)
		if (has(s->message, text_signs[i].sign))
			return text_signs[i].code;
	for (size_t i = 0; i < ARRAY_LEN(code_signs); i++)
		if (has(s->code, code_signs[i].sign) ||
		    has(s->type, code_signs[i].sign))
			return code_signs[i].code;
	return by_status(status);
}

/*
 * Parts of a request by the names that refusals give them, and how it is sent
 * without them. Servers word refusals in many ways, but all of them name the part.
 */
static const struct {
	const char *name;
	unsigned repair;
} parts[] = {
	{ "max_tokens", REPAIR_OUTPUT },
	{ "max_completion_tokens", REPAIR_OUTPUT },
	{ "num_predict", REPAIR_OUTPUT },
	{ "temperature", REPAIR_SAMPLING },
	{ "top_p", REPAIR_TOP_P },
	{ "seed", REPAIR_WISHES },
	{ "presence_penalty", REPAIR_WISHES },
	{ "frequency_penalty", REPAIR_WISHES },
	{ "stream_options", REPAIR_STREAM_OPTIONS },
	{ "include_usage", REPAIR_STREAM_OPTIONS },
	{ "include_obfuscation", REPAIR_STREAM_OPTIONS },
	{ "parallel_tool_calls", REPAIR_PARALLEL },
	{ "parallel tool calls", REPAIR_PARALLEL },
	{ "tool_choice", REPAIR_TOOL_CHOICE },
	{ "tool choice", REPAIR_TOOL_CHOICE },
	{ "reasoning_effort", REPAIR_EFFORT },
	{ "reasoning.effort", REPAIR_EFFORT },
	{ "output_config.effort", REPAIR_EFFORT },
	{ "effort parameter", REPAIR_EFFORT },
	{ "thinking", REPAIR_EFFORT },
	{ "response_format", REPAIR_FORMAT },
	{ "response mime type", REPAIR_FORMAT },
	{ "output_config.format", REPAIR_FORMAT },
	{ "json_schema", REPAIR_FORMAT },
	{ "json_object", REPAIR_FORMAT },
};

/* How much of s is the name, in whatever case, as frequencyPenalty too; 0: it is not. */
static size_t begins_with(struct str s, const char *name)
{
	size_t i = 0;

	for (; *name; name++) {
		if (*name == '_' && (i >= s.n || s.p[i] != '_'))
			continue;
		if (i >= s.n || strncasecmp(s.p + i, name, 1) != 0)
			return 0;
		i++;
	}
	return i;
}

static bool names(struct str s, const char *part)
{
	for (size_t i = 0; i < s.n; i++)
		if (begins_with((struct str){ s.p + i, s.n - i }, part))
			return true;
	return false;
}

/* Whether the refusal is about the text that a model's template makes. */
static bool is_about_roles(struct str m)
{
	return has(m, "alternat") || (has(m, "role") && has(m, "after"));
}

static bool is_unsupported(const struct error_body *s)
{
	static const char *const signs[] = {
		"support", "unrecognized", "unknown", "not permitted",
		"deprecated", "Extra inputs",
	};

	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		if (has(s->message, signs[i]))
			return true;
	return has(s->code, "unsupported");
}

/* Reasoning of earlier answers: the server misses it, or does not take it. */
static unsigned reasoning_repairs(const struct error_body *s)
{
	static const char *const names[] = {
		"reasoning_content", "reasoning_details", "[].thinking",
		"extra_content", "\"reasoning\"",
	};
	struct str m = s->message;

	if ((has(m, "signature") && (has(m, "thought") || has(m, "thinking"))) ||
	    has(s->raw, "thought signature") || has(m, "content and thinking"))
		return REPAIR_STRIP;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (has(m, names[i]) || str_is(s->param, names[i]))
			return is_unsupported(s) ? REPAIR_STRIP
				: REPAIR_REASONING;
	return 0;
}

/* Tools that the server cannot take: at all, or not so many or not so long. */
static unsigned tool_repairs(const struct error_body *s)
{
	struct str m = s->message;
	unsigned r = 0;

	if (has(s->param, "tools") || ((has(m, "tool") || has(m, "function")) &&
	    (has(m, "description") || has(m, "too long") ||
	     has(m, "too many") || has(m, "maximum") || has(m, "128"))))
		r |= REPAIR_SHORT_TOOLS;
	if ((has(m, "tool") || has(m, "function call")) &&
	    (has(m, "support") || has(m, "requires") || has(m, "not enabled") ||
	     has(m, "must be defined") || has(m, "must be set") ||
	     has(m, "tools= param")))
		r |= REPAIR_TOOLS;
	return r;
}

static bool is_refused(int status)
{
	return status == 400 || status == 422;
}

/*
 * What a refused request may need to be accepted. llama.cpp reports a template that
 * gives up with status 500, OpenRouter a model without tools with 404.
 */
static unsigned repairs(const struct error_body *s, int status, struct str body)
{
	struct str m = s->message.n ? s->message : body;
	struct error_body all = { .message = m, .code = s->code, .param = s->param,
		.raw = s->raw };
	bool refused = is_refused(status);
	unsigned r = 0;

	if (is_about_roles(m) && (refused || status >= 500))
		return REPAIR_ROLES | REPAIR_SYSTEM_ROLE;
	if (!refused && !(status == 404 && has(m, "tool")) &&
	    !(status >= 500 && (has(m, "template") || has(m, "jinja") ||
				has(m, "raise_exception"))))
		return 0;
	r = reasoning_repairs(&all);
	if (r)
		return r;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (names(m, parts[i].name) || names(s->param, parts[i].name))
			r |= parts[i].repair;
	if (r & REPAIR_OUTPUT && is_unsupported(&all))
		r ^= REPAIR_OUTPUT | REPAIR_MAX_TOKENS;
	if (has(m, "role") && (has(m, "system") || has(m, "developer")))
		r |= REPAIR_SYSTEM_ROLE;
	/* A named part is a lesser loss than the tools. */
	return r ? r : tool_repairs(&all);
}

/* The next number in s, with or without marks between thousands; -1: none. */
static int64_t next_number(struct str *s)
{
	int64_t n = 0;
	size_t i = 0, k;

	while (i < s->n && !(s->p[i] >= '0' && s->p[i] <= '9'))
		i++;
	if (i == s->n)
		return -1;
	for (; i < s->n; i++) {
		if (s->p[i] >= '0' && s->p[i] <= '9') {
			n = MIN(n * 10 + (s->p[i] - '0'), LIM_TOKEN_COUNT);
			continue;
		}
		for (k = 1; k <= 3 && i + k < s->n && s->p[i + k] >= '0' &&
		     s->p[i + k] <= '9'; k++)
			continue;
		if (!strchr(",._'", s->p[i]) || k != 4)
			break;
	}
	*s = (struct str){ s->p + i, s->n - i };
	return n;
}

/*
 * Whether a refusal is one of size, whatever its words: it names a number that can
 * be the request's size in tokens or characters, and a smaller one, the limit.
 */
static bool names_sizes(struct str m, int64_t tokens)
{
	int64_t size = 0, least = INT64_MAX, n;

	if (tokens < LEAST_TOKENS)
		return false;
	for (n = next_number(&m); n >= 0; n = next_number(&m)) {
		if (n >= LEAST_TOKENS)
			least = MIN(least, n);
		if (n >= tokens / 2 && n <= 8 * tokens)
			size = MAX(size, n);
	}
	return size > least;
}

static enum err_code by_size(enum err_code code, struct str m, int64_t tokens)
{
	return code == ERR_UPSTREAM_REQUEST && names_sizes(m, tokens)
		? ERR_UPSTREAM_CONTEXT : code;
}

/*
 * Numbers that stand alone: not of a place (tools[3], tools.3), a name (gpt-4) or a
 * fraction.
 */
static void find_counts(const struct error_body *s, struct str m, struct llm_fault *f)
{
	static const char inside[] = "[.-_", after[] = "]._";
	const char *begin = m.p;

	/* Such a refusal is about what was called, not about what can be. */
	if (has(m, "tool_call") || has(m, "tool call"))
		return;
	f->counts.tools = has(m, "tool") || has(m, "function") ||
		str_is(s->param, "tools");
	while (f->counts.n_n < ARRAY_LEN(f->counts.n)) {
		const struct str was = m;
		int64_t n = next_number(&m);
		const char *p = was.p;

		if (n < 0)
			break;
		while (*p < '0' || *p > '9')
			p++;
		if (n < 1 || n > MANY_TOOLS ||
		    (p > begin && (strchr(inside, p[-1]) || is_letter(p[-1]))) ||
		    (m.n && is_letter(*m.p)) ||
		    (m.n > 1 && strchr(after, *m.p) && m.p[1] != ' '))
			continue;
		f->counts.n[f->counts.n_n++] = (uint16_t)n;
	}
}

unsigned llm_fewer_tools(const struct llm_fault *f, size_t n)
{
	bool named = f->counts.tools;
	unsigned most = 0;

	for (size_t i = 0; i < f->counts.n_n; i++) {
		named |= f->counts.n[i] == n;
		if (f->counts.n[i] < n)
			most = MAX(most, f->counts.n[i]);
	}
	return named ? most : 0;
}

static bool is_word(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* The name of a tool by itself. A word of the language must be in quotes. */
static bool names_tool(struct str s, struct str name)
{
	const bool word = !memchr(name.p, '_', name.n) && !memchr(name.p, '-', name.n);

	for (size_t i = 0; name.n && i + name.n <= s.n; i++) {
		char before = i ? s.p[i - 1] : ' ';
		char after = i + name.n < s.n ? s.p[i + name.n] : ' ';

		if (memcmp(s.p + i, name.p, name.n) == 0 && !is_word(before) &&
		    !is_word(after) && (!word || (strchr("'`", before) && before == after)))
			return true;
	}
	return false;
}

/* Of the first "tools[3]" or "tools.3."; Gemini has all functions in tools[0]. -1: none. */
static int64_t place_of_tool(struct str s)
{
	static const char *const lists[] = { "declarations[", "tools[", "tools." };

	for (size_t k = 0; k < ARRAY_LEN(lists); k++)
		for (size_t i = 0, n = strlen(lists[k]); i + n < s.n; i++) {
			struct str rest = { s.p + i + n, s.n - i - n };

			if (memcmp(s.p + i, lists[k], n) != 0 ||
			    *rest.p < '0' || *rest.p > '9')
				continue;
			int64_t place = next_number(&rest);

			if (str_starts(rest, STR("].function_decl")))
				return -1;
			return place;
		}
	return -1;
}

size_t llm_refused_tool(struct str answer, const struct str *names, size_t n)
{
	int64_t place = place_of_tool(answer);
	size_t found = n;

	for (size_t i = 0; i < n; i++) {
		if (!names_tool(answer, names[i]))
			continue;
		if (found < n)
			return n;
		found = i;
	}
	return found < n || place < 0 || place >= (int64_t)n ? found : (size_t)place;
}

/* "34.4s" or "12s" in details[].retryDelay (P-A8). */
static int64_t retry_delay_ms(const json_t *details)
{
	size_t i;
	json_t *d;

	json_array_foreach(details, i, d) {
		struct str s = jx_str(d, "retryDelay");
		char *end;
		double v;

		if (!s.n)
			continue;
		v = strtod(s.p, &end);
		if (end != s.p && *end == 's' && v >= 0 && v < 1e6)
			return (int64_t)(v * 1000);
	}
	return -1;
}

int llm_backoff_ms(const struct llm_fault *f, int n, uint8_t random)
{
	int64_t ms = BACKOFF_MS;

	if (f->retry_after_ms > 0 && f->retry_after_ms <= LIM_RETRY_AFTER_MS)
		return (int)(f->retry_after_ms +
			/*
			 * Up to an eighth later, so that those who were told the same do
			 * not come back at once.
			 */
			     f->retry_after_ms * random / 2048);
	for (int i = 0; i < n && ms < BACKOFF_MAX_MS; i++)
		ms *= 2;
	ms = MIN(ms, BACKOFF_MAX_MS);
	return (int)(ms - ms * random / 1024);
}

int64_t llm_retry_after_ms(struct str value, int64_t now_us)
{
	char text[64], *end;
	int64_t at_ms;
	double v;

	value = str_trim(value);
	if (!value.n || value.n >= sizeof(text))
		return -1;
	memcpy(text, value.p, value.n);
	text[value.n] = '\0';
	v = strtod(text, &end);
	if (end != text && !*end)
		return v >= 0 && v < 1e9 ? (int64_t)(v * 1000) : -1;
	at_ms = clock_http_ms(text);
	return at_ms < 0 ? -1 : MAX(at_ms - now_us / 1000, 0);
}

/* The text for the log; never for the client. */
static void describe(const struct error_body *s, int status, struct str body,
		     const struct llm_fault *f, struct err *e)
{
	struct str what = s->message.n ? s->message : body;
	struct buf clean = BUF_INIT(2048);
	char http[16] = "error";
	struct str code = s->code.n ? s->code : s->type;

	utf8_scrub(&clean, (struct str){ what.p, MIN(what.n, 160) });
	for (size_t i = 0; i < clean.n; i++)
		if ((unsigned char)clean.p[i] < ' ')
			clean.p[i] = ' ';
	if (status)
		snprintf(http, sizeof(http), "HTTP %d", status);
	err_set(e, f->code, "%s%s%.*s: %s%s%.*s", http,
		code.n ? " " : "", (int)MIN(code.n, 40), code.p ? code.p : "",
		clean.p, s->raw.n ? " | " : "", (int)MIN(s->raw.n, 40),
		s->raw.p ? s->raw.p : "");
	if (f->retry_after_ms > 0)
		e->retry_after_s = (int)MIN((f->retry_after_ms + 999) / 1000,
					    86400);
	buf_release(&clean);
}

void llm_fault_of_answer(const struct llm_answer *a, struct llm_fault *f,
			 struct err *e)
{
	struct err ignored = ERR_INIT;
	json_t *j = jx_load_lenient(a->body, &ignored);
	struct error_body s = read_body(j);
	int64_t ms = -1;

	if (a->retry_after_ms.n)
		/* It is read as seconds, but this header has milliseconds. */
		ms = llm_retry_after_ms(a->retry_after_ms, 0) / 1000;
	if (ms <= 0 && a->retry_after.n)
		ms = llm_retry_after_ms(a->retry_after, clock_now_us());
	if (ms < 0)
		ms = retry_delay_ms(s.details);
	*f = (struct llm_fault){
		.code = by_size(classify(&s, a->status),
				s.message.n ? s.message : a->body, a->tokens),
		.retry_after_ms = ms,
		.retry = a->status == 408 || a->status == 409 ||
			a->status == 429 || a->status == 498 || a->status >= 500,
	};
	if (a->status == 402 && ms >= 0) {
		f->retry = true;	/* OpenRouter: only with Retry-After */
		f->code = ERR_UPSTREAM_RATE;
	}
	if (f->code == ERR_UPSTREAM_QUOTA || f->code == ERR_UPSTREAM_CONTEXT ||
	    f->code == ERR_UPSTREAM_FILTER)
		f->retry = false;
	else if (str_is(a->should_retry, "true"))
		f->retry = true;
	else if (str_is(a->should_retry, "false"))
		f->retry = false;
	if (has(s.code, "tool_use_failed"))
		f->retry = f->once = true;
	f->repair = repairs(&s, a->status, a->body);
	if (is_refused(a->status))
		find_counts(&s, s.message.n ? s.message : a->body, f);
	describe(&s, a->status, a->body, f, e);
	json_decref(j);
}

void llm_fault_of_json(const json_t *j, int64_t tokens, struct llm_fault *f,
		       struct err *e)
{
	struct error_body s = read_body(j);
	int status = s.number >= 400 && s.number < 600 ? (int)s.number : 0;

	if (!status && has(s.type, "invalid_request"))
		status = 400;
	*f = (struct llm_fault){
		.code = by_size(classify(&s, status), s.message, tokens),
		.retry_after_ms = retry_delay_ms(s.details),
	};
	f->retry = f->code == ERR_UPSTREAM_RATE ||
		f->code == ERR_UPSTREAM_OVERLOAD ||
		f->code == ERR_UPSTREAM_TIMEOUT || status >= 500 ||
		has(s.type, "api_error") || has(s.type, "server_error");
	if (has(s.code, "tool_use_failed"))
		f->retry = f->once = true;
	f->repair = repairs(&s, status, (struct str){ NULL, 0 });
	if (is_refused(status))
		find_counts(&s, s.message, f);
	describe(&s, status, (struct str){ NULL, 0 }, f, e);
}
