/* SPDX-License-Identifier: MIT */
/* prompt/ask.c and turn/ask.c: one call of a model, against a server inside the test. */
#include "turn/ask.h"

#include <math.h>

#include "peer.h"

static struct http_pool *pool;

static const struct prompt_text sort = { "sort", 3, "Sort what you are told." };

struct asked {
	struct arena arena;
	struct turn_deps deps;
	struct llm_service service;
	struct prompt_ask q;
	struct prompt_reply reply;
	struct err e;
	char url[64];
};

static void prepare(struct asked *t, const struct peer *p)
{
	*t = (struct asked){
		.arena = ARENA_INIT, .deps = { .http = pool },
		.service = { .id = "s", .provider = "openai", .model = "own",
			SET(api_key, "k"), .retries = 2, SET(url, t->url),
			.connect_timeout_ms = 60000,
			.first_byte_timeout_ms = 60000,
			.idle_timeout_ms = 60000 },
		.q = { .service = &t->service,
			.kind = USAGE_COMPLETE, .layer = "complete",
			.prompt = &sort, .input = STR("b, a"),
			.max_bytes = 1000 },
		.e = ERR_INIT,
	};
	snprintf(t->url, sizeof(t->url), "http://127.0.0.1:%d/v1", p->port);
}

static int ask(struct asked *t)
{
	int rc = turn_ask(&t->deps, NULL, &t->q, &t->arena, &t->reply, &t->e);

	assert_int_equal(rc < 0, t->e.code != ERR_NONE);
	return rc;
}

/* {"word": string of two bytes} */
static json_t *schema_of(struct asked *t)
{
	return jx_keep(&t->arena, json_pack("{s:s, s:[s], s:b, s:{s:{s:s, s:i,"
		"s:i}}}", "type", "object", "required", "word",
		"additionalProperties", 0, "properties", "word",
		"type", "string", "minLength", 2, "maxLength", 2));
}

/* A whole answer; text is JSON without its quotes. */
static int say(int fd, const char *text, const char *why)
{
	char body[2000];

	snprintf(body, sizeof(body), "{\"model\":\"m-1\",\"choices\":[{\"index\":"
		 "0,\"message\":{\"content\":\"%s\"},\"finish_reason\":\"%s\"}],"
		 "\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}",
		 text, why);
	return peer_reply(fd, "200 OK", "Content-Type: application/json\r\n",
			  body);
}

/* The stamps of the record, of which each has all four members. */
static json_t *stamps(struct asked *t)
{
	struct err e = ERR_INIT;
	json_t *list = jx_keep(&t->arena, jx_load(t->reply.usage.prompts, &e));
	json_t *s;
	size_t i;

	assert_true(json_is_array(list));
	json_array_foreach(list, i, s) {
		assert_int_equal(json_object_size(s), 4);
		assert_true(jx_str(s, "layer").n && jx_str(s, "name").n);
		assert_true(json_is_integer(json_object_get(s, "version")));
		assert_int_equal(jx_str(s, "hash").n, 32);
	}
	return list;
}

static void done(struct asked *t, struct peer *p)
{
	peer_stop(p);
	arena_release(&t->arena);
}

static int serve_text(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return say(fd, "a, b", "stop");
}

static void a_text_and_what_it_cost(void **state)
{
	struct peer *p = peer_start(serve_text);
	struct asked t;
	json_t *list;

	(void)state;
	prepare(&t, p);
	assert_int_equal(ask(&t), 0);
	assert_str_is(t.reply.text, "a, b");
	assert_null(t.reply.value);
	assert_int_equal(t.reply.stop, LLM_STOP_END);
	assert_false(t.reply.interrupted);
	assert_int_equal(t.reply.usage.kind, USAGE_COMPLETE);
	assert_str_is(t.reply.usage.model, "m-1");
	assert_str_is(t.reply.usage.provider, "openai");
	assert_str_is(t.reply.usage.finish_reason, "stop");
	assert_int_equal(t.reply.usage.iterations, 1);
	assert_int_equal(t.reply.usage.input_tokens, 10);
	assert_int_equal(t.reply.usage.output_tokens, 2);
	assert_true(t.reply.usage.ttft_ms >= 0);
	list = stamps(&t);
	assert_int_equal(json_array_size(list), 1);
	assert_str_is(jx_str(json_array_get(list, 0), "layer"), "complete");
	assert_str_is(jx_str(json_array_get(list, 0), "name"), "sort");
	assert_int_equal(jx_int(json_array_get(list, 0), "version", 0), 3);
	assert_null(strstr(t.reply.usage.prompts.p, "told"));
	assert_non_null(strstr(peer_last(p), "Sort what you are told."));

	t.q.prompt = NULL;	/* and without any instruction */
	assert_int_equal(ask(&t), 0);
	assert_str_is(t.reply.usage.prompts, "[]");
	assert_null(strstr(peer_last(p), "\"system\""));
	done(&t, p);
}

static int serve_repair(struct peer *p, int fd, int n)
{
	(void)p;
	return n == 1 ? say(fd, "{\\\"word\\\":\\\"long\\\"}", "stop")
		: say(fd, "```json\\n{\\\"word\\\":\\\"ab\\\"}\\n```", "stop");
}

static void an_answer_that_does_not_fit_goes_back(void **state)
{
	struct peer *p = peer_start(serve_repair);
	struct asked t;
	json_t *list;

	(void)state;
	prepare(&t, p);
	t.q.schema = schema_of(&t);
	assert_int_equal(ask(&t), 0);
	assert_str_is(jx_str(t.reply.value, "word"), "ab");
	assert_int_equal(atomic_load(&p->n_reqs), 2);
	assert_non_null(strstr(peer_last(p), "Your answer before was"));
	assert_non_null(strstr(peer_last(p), "b, a"));
	assert_int_equal(t.reply.usage.iterations, 2);
	assert_int_equal(t.reply.usage.input_tokens, 20);
	assert_int_equal(t.reply.spent.output, 4);
	list = stamps(&t);
	assert_int_equal(json_array_size(list), 2);
	assert_str_is(jx_str(json_array_get(list, 1), "name"), "typed-answer");
	done(&t, p);
}

static int serve_long(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return say(fd, "{\\\"word\\\":\\\"long\\\"}", "stop");
}

static void one_repair_is_all(void **state)
{
	struct peer *p = peer_start(serve_long);
	struct asked t;

	(void)state;
	prepare(&t, p);
	t.q.schema = schema_of(&t);
	assert_int_equal(ask(&t), -1);
	assert_int_equal(t.e.code, ERR_UPSTREAM_PROTOCOL);
	assert_non_null(strstr(err_message(&t.e), "does not fit the schema"));
	assert_int_equal(atomic_load(&p->n_reqs), 2);
	assert_null(t.reply.value);
	assert_str_is(t.reply.usage.finish_reason, "error");
	assert_int_equal(t.reply.usage.input_tokens, 20);	/* paid for */
	done(&t, p);
}

static int serve_filtered(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return say(fd, "a", "content_filter");
}

static void declined(void **state)
{
	struct peer *p = peer_start(serve_filtered);
	struct asked t;

	(void)state;
	prepare(&t, p);
	assert_int_equal(ask(&t), -1);
	assert_int_equal(t.e.code, ERR_UPSTREAM_FILTER);
	assert_int_equal(atomic_load(&p->n_reqs), 1);
	assert_int_equal(t.reply.usage.input_tokens, 10);
	done(&t, p);
}

static void an_answer_has_a_size(void **state)
{
	struct peer *p = peer_start(serve_text);
	struct asked t;

	(void)state;
	prepare(&t, p);
	t.q.max_bytes = 3;
	assert_int_equal(ask(&t), -1);
	assert_int_equal(t.e.code, ERR_UPSTREAM_PROTOCOL);
	assert_int_equal(atomic_load(&p->n_reqs), 1);
	t.q.max_bytes = 4;
	err_clear(&t.e);
	assert_int_equal(ask(&t), 0);
	done(&t, p);
}

static int serve_late(struct peer *p, int fd, int n)
{
	(void)p;
	return n == 1 ? say(fd, "{}", "stop") : peer_stall(fd);
}

/* The deadline is for both calls, however patient the service is. */
static void a_deadline_for_all(void **state)
{
	struct peer *p = peer_start(serve_late);
	struct asked t;

	(void)state;
	prepare(&t, p);
	t.service.retries = 0;
	t.q.schema = schema_of(&t);
	t.q.deadline_ms = 500;
	assert_int_equal(ask(&t), -1);
	assert_int_equal(t.e.code, ERR_UPSTREAM_TIMEOUT);
	assert_true(t.reply.usage.duration_ms >= 400);
	assert_true(atomic_load(&p->n_reqs) <= 2);
	done(&t, p);
}

static int serve_500(struct peer *p, int fd, int n)
{
	(void)p, (void)n;
	return peer_reply(fd, "500 Oops", "Retry-After-Ms: 1\r\n", "no");
}

static void what_nobody_waits_for_is_tried_once(void **state)
{
	struct peer *p = peer_start(serve_500);
	struct asked t;

	(void)state;
	prepare(&t, p);
	t.q.aside = true;
	assert_int_equal(ask(&t), -1);
	assert_int_equal(atomic_load(&p->n_reqs), 1);
	t.q.aside = false;
	err_clear(&t.e);
	assert_int_equal(ask(&t), -1);
	assert_int_equal(atomic_load(&p->n_reqs), 4);
	assert_int_equal(t.e.code, ERR_UPSTREAM);
	done(&t, p);
}

static void the_caller_may_end_it(void **state)
{
	struct peer *p = peer_start(serve_text);
	struct asked t;

	(void)state;
	prepare(&t, p);
	t.q.abort = http_abort_new(&t.e);
	assert_non_null(t.q.abort);
	http_abort_now(t.q.abort);
	assert_int_equal(ask(&t), -1);
	assert_int_equal(t.e.code, ERR_CANCELLED);
	assert_str_is(t.reply.usage.finish_reason, "error");
	http_abort_free(t.q.abort);
	done(&t, p);
}

#define KEY "sk-0123456789abcdef"

/* Sentences in which the key is whole, and cut by how much of one is kept. */
static int serve_key(struct peer *p, int fd, int n)
{
	char body[400], filling[200];

	(void)p;
	memset(filling, 'x', sizeof(filling));
	snprintf(body, sizeof(body), "{\"error\":{\"message\":\"%.*s %s is wrong\"}}",
		 n == 1 ? 10 : 160 - 12, filling, KEY);
	return peer_reply(fd, "401 No", "Content-Type: application/json\r\n", body);
}

static void no_key_is_in_an_error(void **state)
{
	struct peer *p = peer_start(serve_key);
	struct asked t;

	(void)state;
	prepare(&t, p);
	t.service.api_key = KEY;
	for (int i = 0; i < 2; i++) {
		err_clear(&t.e);
		assert_int_equal(ask(&t), -1);
		assert_non_null(strstr(t.e.text, "xxx"));
		assert_null(strstr(t.e.text, "sk-01234"));
	}
	done(&t, p);
}

static int up(void **state)
{
	*state = pool = peer_pool_open(4);
	return pool ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_and_what_it_cost),
		cmocka_unit_test(an_answer_that_does_not_fit_goes_back),
		cmocka_unit_test(one_repair_is_all),
		cmocka_unit_test(declined),
		cmocka_unit_test(an_answer_has_a_size),
		cmocka_unit_test(a_deadline_for_all),
		cmocka_unit_test(what_nobody_waits_for_is_tried_once),
		cmocka_unit_test(the_caller_may_end_it),
		cmocka_unit_test(no_key_is_in_an_error),
	};

	return cmocka_run_group_tests(tests, up, peer_pool_close);
}
