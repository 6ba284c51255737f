/* SPDX-License-Identifier: MIT */
/* Tools of kind openapi: what a document becomes, and what is refused. */
#include "kind_lab.h"
#include "peer.h"

static struct peer *peer;

static int serve(struct peer *p, int fd, int n)
{
	(void)n;
	return peer_reply(fd, "200 OK", "Content-Type: text/plain\r\n",
			  peer_last(p));
}

static const char desk[] =
	"openapi: 3.0.3\n"
	"info: {title: Desk, version: '1'}\n"
	"servers: [{url: /api}]\n"
	"paths:\n"
	"  /tickets/{ticket.id}:\n"
	"    parameters:\n"
	"      - {name: ticket.id, in: path, required: true, schema: {type: integer}}\n"
	"      - {name: X-Trace, in: header, schema: {type: string}}\n"
	"    get:\n"
	"      operationId: getTicket\n"
	"      summary: One ticket\n"
	"      description: With its comments.\n"
	"      parameters:\n"
	"        - {name: 'fields[x]', in: query, schema: {type: array, items: {type: string}}}\n"
	"        - {name: Authorization, in: header, required: true, schema: {type: string}}\n"
	"        - $ref: '#/components/parameters/Lang'\n"
	"      responses: {200: {description: ok}}\n"
	"    put:\n"
	"      operationId: changeTicket\n"
	"      requestBody:\n"
	"        required: true\n"
	"        content: {application/json: {schema: {$ref: '#/components/schemas/Ticket'}}}\n"
	"    delete: {operationId: deleteTicket}\n"
	"  /search:\n"
	"    post:\n"
	"      operationId: search\n"
	"      requestBody:\n"
	"        content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {q: {type: string}}}}}\n"
	"  /bad/style: {get: {operationId: badStyle, parameters: [{name: a, in: query, style: deepObject, schema: {type: object}}]}}\n"
	"  /bad/cookie: {get: {operationId: badCookie, parameters: [{name: a, in: cookie, required: true, schema: {}}]}}\n"
	"  /bad/ref: {get: {operationId: badRef, parameters: [{$ref: '#/components/nix'}]}}\n"
	"  /bad/loop: {post: {operationId: badLoop, requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}}}}\n"
	"  /bad/type: {post: {operationId: badType, requestBody: {content: {multipart/form-data: {schema: {}}}}}}\n"
	"  /bad/{path}: {get: {operationId: badPath}}\n"
	"  /bad/list: {get: {operationId: badList, parameters: [{name: a, in: query, explode: false, schema: {type: array}}]}}\n"
	"  /bad/name: {get: {operationId: twice.x}, head: {operationId: twice-x},"
	" post: {operationId: twice_x}}\n"
	"  '/bad url': {get: {operationId: badUrl}}\n"
	"components:\n"
	"  parameters:\n"
	"    Lang: {name: lang, in: query, required: true, schema: {$ref: '#/components/schemas/Lang'}}\n"
	"  schemas:\n"
	"    Lang: {type: string, enum: [de, en], example: de}\n"
	"    Tree: {type: object, properties: {child: {$ref: '#/components/schemas/Tree'}}}\n"
	"    Ticket:\n"
	"      type: object\n"
	"      required: [id, title]\n"
	"      properties:\n"
	"        id: {type: integer, readOnly: true}\n"
	"        title: {type: string, maxLength: 80, pattern: '^\\S+$'}\n"
	"        due: {type: string, format: date, nullable: true}\n"
	"        rank: {type: integer, minimum: 0, exclusiveMinimum: true}\n";

static int load(const char *operations, const char *more, struct err *e)
{
	struct buf yaml = BUF_INIT(65536);
	int rc;

	kind_lab_file("desk.yaml", desk, 0600);
	buf_addf(&yaml, "tools:\n  desk:\n    kind: openapi\n    description: The "
		 "desk.\n    confirm: never\n    openapi:\n      file: desk.yaml\n"
		 "      base_url: http://127.0.0.1:%d/api/\n"
		 "      allow_private: [127.0.0.1]\n      operations: %s\n%s",
		 peer->port, operations, more);
	rc = kind_lab_load(yaml.p, "name: W\n", e);
	buf_release(&yaml);
	return rc;
}

static const struct tool_offer *offer(const char *name, struct arena *a)
{
	static struct tool_set set;
	struct err e = ERR_INIT;
	struct tool_ctx ctx;

	kind_lab_ctx("", a, &ctx);
	assert_int_equal(tool_set_build(&ctx, &set, &e), 0);
	return tool_set_find(&set, str_of(name));
}

static void operations_become_tools(void **state)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	const struct tool_offer *o;

	(void)state;
	if (load("[getTicket, '*eTicket', search]", "", &e) < 0)
		fail_msg("%s", e.text);
	assert_string_equal(kind_lab_offered("", &a), "ask_user desk_changeTicket "
			    "desk_deleteTicket desk_getTicket desk_search summarize "
		    "translate");
	o = offer("desk_getTicket", &a);
	assert_string_equal(o->description, "One ticket\nWith its comments.");
	assert_string_equal(jx_text(&a, o->schema),
		"{\"type\":\"object\",\"properties\":{\"ticket_id\":{\"type\":"
		"\"integer\"},\"X-Trace\":{\"type\":\"string\"},\"fields_x_\":"
		"{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"lang\":"
		"{\"type\":\"string\",\"enum\":[\"de\",\"en\"],\"example\":\"de\"}},"
		"\"required\":[\"ticket_id\",\"lang\"]}");
	assert_int_equal(o->tool->effect, TOOL_READ);
	assert_int_equal(o->tool->confirm, TOOL_CONFIRM_NEVER);
	o = offer("desk_changeTicket", &a);
	assert_string_equal(jx_text(&a, json_object_get(jx_obj(o->schema,
							"properties"), "body")),
		"{\"type\":\"object\",\"required\":[\"title\"],\"properties\":"
		"{\"title\":{\"type\":\"string\",\"maxLength\":80,\"pattern\":\"^\\\\S+$\"},\"due\":"
		"{\"type\":[\"string\",\"null\"],\"format\":\"date\"},\"rank\":"
		"{\"type\":\"integer\",\"exclusiveMinimum\":0}}}");
	assert_int_equal(o->tool->effect, TOOL_WRITE);
	assert_int_equal(o->tool->confirm, TOOL_CONFIRM_TAINTED);
	o = offer("desk_deleteTicket", &a);
	assert_int_equal(o->tool->effect, TOOL_DESTRUCTIVE);
	assert_int_equal(o->tool->confirm, TOOL_CONFIRM_ALWAYS);
	arena_release(&a);
}

static void they_send_what_the_document_says(void **state)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct tool_result r;

	(void)state;
	assert_int_equal(load("['*Ticket', search]", "      auth: bearer\n"
			      "      secret: hunter2key\n", &e), 0);
	r = kind_lab_call("", "desk_getTicket", "{\"ticket_id\":7,\"lang\":"
			  "\"de\",\"fields_x_\":[\"a\",\"b c\"],\"X-Trace\":"
			  "\"t1\"}", &a);
	assert_non_null(strstr(r.text.p, "GET /api/tickets/7?fields%5Bx%5D=a&"
			       "fields%5Bx%5D=b%20c&lang=de HTTP/1.1"));
	assert_non_null(strstr(r.text.p, "X-Trace: t1\r\n"));
	assert_non_null(strstr(r.text.p, "Authorization: Bearer ***"));
	r = kind_lab_call("", "desk_changeTicket", "{\"ticket_id\":7,\"body\":"
			  "{\"title\":\"x\",\"due\":null}}", &a);
	assert_non_null(strstr(r.text.p, "PUT /api/tickets/7 HTTP/1.1"));
	assert_non_null(strstr(r.text.p, "\r\n\r\n{\"title\":\"x\",\"due\":null}"));
	r = kind_lab_call("", "desk_search", "{\"body\":{\"q\":\"a b&c\"}}", &a);
	assert_non_null(strstr(r.text.p, "POST /api/search HTTP/1.1"));
	assert_non_null(strstr(r.text.p, "\r\n\r\nq=a%20b%26c"));
	r = kind_lab_call("", "desk_getTicket", "{\"ticket_id\":\"7/../8\","
			  "\"lang\":\"de\"}", &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "ticket_id must be integer"));
	arena_release(&a);
}

static void what_cannot_be_expressed_is_refused(void **state)
{
	static const struct {
		const char *operations, *more, *error;
	} cases[] = {
		{ "[nix]", "", "tools.desk.openapi: no operationId matches \"nix\"" },
		{ "[badStyle]", "", "operation badStyle: parameter a: style "
		  "deepObject is not supported" },
		{ "[badCookie]", "", "operation badCookie: the cookie a is not" },
		{ "[badRef]", "", "operation badRef: there is no "
		  "#/components/nix in the document" },
		{ "[badLoop]", "", "operation badLoop: a schema refers to itself" },
		{ "[badType]", "", "a body that is neither JSON nor a form" },
		{ "[badPath]", "", "operation badPath: the path's {path} has no "
		  "parameter" },
		{ "[badList]", "", "a list joined by commas is not supported" },
		{ "['twice?x']", "", "operation twice_x: another operation has the same "
		  "name, desk_twice_x" },
		{ "[badUrl]", "", "operation badUrl: its URL must not have blanks" },
		{ "[getTicket]", "      auth: bearer\n",
		  ":11: tools.desk.openapi.auth: bearer needs secret:" },
		{ "[getTicket]", "    parameters: {type: object}\n",
		  "the document defines them" },
		{ "[getTicket]", "  other:\n    kind: openapi\n    description: A\n"
		  "    openapi: {file: lamplighter.yaml, operations: ['*']}\n",
		  "lamplighter.yaml is not an OpenAPI 3 document" },
		{ "[getTicket]", "  other:\n    kind: openapi\n    description: A\n"
		  "    openapi: {file: desk.yaml, operations: [getTicket]}\n",
		  "base_url is needed: the document's server has no complete URL" },
		{ "[getTicket]", "  other:\n    kind: openapi\n    description: A\n"
		  "    openapi: {file: nix.yaml, operations: [getTicket]}\n",
		  "nix.yaml: No such file or directory" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = ERR_INIT;

		assert_int_equal(load(cases[i].operations, cases[i].more, &e),
				 -1);
		if (!strstr(e.text, cases[i].error))
			fail_msg("%zu: %s", i, e.text);
	}
}

/* 2 KB that took 327 MB: every schema has ten of the next one in it. */
static void references_are_counted_before_they_are_copied(void **state)
{
	struct buf doc = BUF_INIT(65536);
	struct err e = ERR_INIT;

	(void)state;
	buf_adds(&doc, "{\"openapi\":\"3.1.0\",\"paths\":{\"/x\":{\"post\":{"
		 "\"operationId\":\"bomb\",\"requestBody\":{\"content\":{"
		 "\"application/json\":{\"schema\":{\"$ref\":\"#/s/d0\"}}}}}}},"
		 "\"s\":{");
	for (int i = 0; i < 12; i++) {
		buf_addf(&doc, "\"d%d\":{\"anyOf\":[", i);
		for (int k = 0; k < 10; k++)
			buf_addf(&doc, "%s{\"$ref\":\"#/s/d%d\"}",
				 k ? "," : "", i + 1);
		buf_adds(&doc, "]},");
	}
	buf_adds(&doc, "\"d12\":{\"type\":\"string\"}}}");
	kind_lab_file("bomb.json", doc.p, 0600);
	buf_release(&doc);
	assert_int_equal(kind_lab_load("tools: {d: {kind: openapi, description: A, "
				       "openapi: {file: bomb.json, operations: "
				       "[bomb], base_url: 'http://h.example'}}}\n",
				       "agents: [{id: a}]\n", &e), -1);
	if (!strstr(e.text, "operation bomb: its schemas have more than"))
		fail_msg("%s", e.text);
}

/* JSON is read as JSON: surrogate pairs, no blanks, ${…} as it stands. */
static void a_document_may_be_json(void **state)
{
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	char yaml[512];

	(void)state;
	kind_lab_file("d.json", "{\"openapi\":\"3.1.0\",\"paths\":{\"/x\":{\"get\":"
		      "{\"operationId\":\"x.y\",\"summary\":\"\\ud83d\\ude00 ${X}\""
		      "}}}}", 0600);
	snprintf(yaml, sizeof(yaml), "tools: {d: {kind: openapi, description: A, "
		 "openapi: {file: d.json, operations: ['x.?'], base_url: "
		 "'http://h.example'}}}\n");
	if (kind_lab_load(yaml, "agents: [{id: a, tools: [d_x_y]}]\n", &e) < 0)
		fail_msg("%s", e.text);
	assert_string_equal(kind_lab_offered("", &a), "d_x_y");
	assert_string_equal(offer("d_x_y", &a)->description, "😀 ${X}");
	arena_release(&a);
}

/* A document may have more headers than a request: once the process ended. */
static void too_many_headers_are_refused(void **state)
{
	struct buf doc = BUF_INIT(65536), args = BUF_INIT(65536);
	struct arena a = ARENA_INIT;
	struct err e = ERR_INIT;
	struct tool_result r;
	char yaml[512];

	(void)state;
	buf_adds(&doc, "{\"openapi\":\"3.1.0\",\"paths\":{\"/x\":{\"get\":"
		 "{\"operationId\":\"many\",\"parameters\":[");
	for (int i = 0; i < 80; i++) {
		buf_addf(&doc, "%s{\"name\":\"X-%d\",\"in\":\"header\","
			 "\"schema\":{\"type\":\"string\"}}", i ? "," : "", i);
		buf_addf(&args, "%s\"X-%d\":\"v\"", i ? "," : "{", i);
	}
	buf_adds(&doc, "]}}}}");
	buf_addc(&args, '}');
	kind_lab_file("many.json", doc.p, 0600);
	snprintf(yaml, sizeof(yaml), "tools: {d: {kind: openapi, description: A, "
		 "confirm: never, openapi: {file: many.json, operations: [many],"
		 " allow_private: [127.0.0.1], base_url: "
		 "'http://127.0.0.1:%d'}}}\n", peer->port);
	if (kind_lab_load(yaml, "name: W\n", &e) < 0)
		fail_msg("%s", e.text);
	r = kind_lab_call("", "d_many", args.p, &a);
	assert_true(r.is_error);
	assert_non_null(strstr(r.text.p, "more than 72 headers"));
	r = kind_lab_call("", "d_many", "{\"X-1\":\"one\"}", &a);
	assert_false(r.is_error);
	assert_non_null(strstr(r.text.p, "X-1: one"));
	buf_release(&doc);
	buf_release(&args);
	arena_release(&a);
}

static int set_up(void **state)
{
	peer = peer_start(serve);
	return kind_lab_up(state);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_become_tools),
		cmocka_unit_test(they_send_what_the_document_says),
		cmocka_unit_test(what_cannot_be_expressed_is_refused),
		cmocka_unit_test(references_are_counted_before_they_are_copied),
		cmocka_unit_test(a_document_may_be_json),
		cmocka_unit_test(too_many_headers_are_refused),
	};

	return cmocka_run_group_tests_name("kind_openapi", tests, set_up,
					   kind_lab_down);
}
