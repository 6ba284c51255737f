/* SPDX-License-Identifier: MIT */
/*
 * What an MCP server says, a message a line: requests, notices, answers, lists of
 * tools. All that a model or a page would be told is valid UTF-8, names are
 * those that providers take, a list is within its caps.
 *
 * Includes the reader of lists, whose functions are nobody else's.
 */
#include "tool/mcp/mcp_list.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void told(void *ctx, struct str text)
{
	(void)ctx;
	expect(text.n > 0 && utf8_valid(text));
}

static void read_list(const json_t *result)
{
	static const char *const all[] = { "*" };
	static const struct conf_mcp server = {
		.id = "srv", .url = "https://mcp.example/", .allow = {
			.v = (const char **)all, .n = 1 },
	};
	struct arena a = ARENA_INIT;
	struct tool_reading r = { .a = &a, .server = &server };
	const json_t *tool;
	size_t i;

	json_array_foreach(jx_arr(result, "tools"), i, tool)
		read_tool(&r, tool);
	if (r.n)
		qsort(r.v, r.n, sizeof(*r.v), by_name);
	refuse_twins(&r);
	for (i = 0; i < r.n; i++) {
		const struct mcp_tool *t = &r.v[i];
		struct err e = ERR_INIT;

		expect(strlen(t->name) < TOOLNAME_BYTES &&
		       strspn(t->name, "abcdefghijklmnopqrstuvwxyz_-"
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") ==
		       strlen(t->name));
		expect(utf8_valid(str_of(t->description)));
		expect(!t->title || utf8_valid(str_of(t->title)));
		expect(t->refused || (t->definition &&
		       schema_supported(t->schema, &e) == 0));
	}
	arena_release(&a);
}

static void hear(struct mcp_peer *p, struct str line)
{
	struct mcp_call c = { .method = "tools/call", .progress = told };
	struct buf out = BUF_INIT(1 << 26);
	struct err e = ERR_INIT;
	json_t *message = jx_load_lenient(line, &e), *reply = NULL;
	bool life = false, is_json;

	(void)mcp_answer_id(message);
	switch (mcp_hear(p, &c, 1, message, &reply, &life)) {
	case MCP_ANSWER:
		expect(!c.result || !c.error);
		(void)mcp_result_write(&c, &out, &is_json);
		expect(utf8_valid(buf_str(&out)));
		read_list(c.result);
		break;
	case MCP_ASKED:
		expect(reply != NULL);
		jx_dump(&out, reply);
		break;
	case MCP_NOTHING:
		break;
	}
	buf_reset(&out);
	c.params = message;
	if (json_is_object(message)) {
		mcp_write(&out, &c, 2, MCP_ERA_STATELESS);
		expect(utf8_valid(buf_str(&out)));
	}
	mcp_call_release(&c);
	json_decref(message);
	json_decref(reply);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mcp_peer peer;
	struct str rest = { (const char *)data, size };

	log_setup(LOG_LVL_ERROR, LOG_TO_STDERR);
	while (rest.n)
		hear(&peer, str_cut(&rest, '\n'));
	return 0;
}
