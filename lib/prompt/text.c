/* The fill functions of parts whose texts depend on settings only. */
#include <string.h>
#include <time.h>

#include "agent/setting.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "prompt/builtin.h"
#include "prompt/part.h"
#include "prompt/untrusted.h"

#include "base/banned.h"

static int give(struct part_text *out, const char *name, int version,
		const char *text)
{
	*out = (struct part_text){ name, version, str_of(text) };
	return 0;
}

static int give_builtin(struct part_text *out, const struct prompt_text *t)
{
	return give(out, t->name, t->version, t->text);
}

static int give_prompt(struct part_text *out, const struct prompt *p)
{
	return give(out, p->name, p->version, p->text);
}

int part_guardrails(const struct part_input *in, struct part_text *out,
		    struct err *e)
{
	(void)in;
	(void)e;
	return give_builtin(out, &prompt_guardrails);
}

int part_platform(const struct part_input *in, struct part_text *out,
		  struct err *e)
{
	const struct catalog *all = catalog_of(in->conf);

	(void)e;
	return all->set.platform ? give_prompt(out, &all->platform) : 0;
}

int part_workspace(const struct part_input *in, struct part_text *out,
		   struct err *e)
{
	(void)e;
	return in->workspace->set.prompt
		? give_prompt(out, &in->workspace->prompt) : 0;
}

/* B20. */
int part_agent(const struct part_input *in, struct part_text *out,
	       struct err *e)
{
	struct setting_value v = setting_get(SETTING_SYSTEM_PROMPT,
		&(struct setting_scope){
			.conf = in->conf, .workspace = in->workspace,
			.agent = in->agent });

	(void)e;
	if (v.level == LEVEL_BUILT_IN)
		return give_builtin(out, &prompt_default_agent);
	return give(out, v.level == LEVEL_AGENT
		    ? arena_printf(in->arena, "agent:%s", in->agent->id)
		    : "chat", 0, v.text);
}

int part_tool_use(const struct part_input *in, struct part_text *out,
		  struct err *e)
{
	(void)e;
	return in->tools ? give_builtin(out, &prompt_tools) : 0;
}

/* The name is the user's own, but it is in the system prompt. */
static void add_name(struct buf *b, struct str name)
{
	struct buf valid = BUF_INIT(4096);
	size_t from;

	buf_adds(b, b->n ? " The user's name is \"" : "The user's name is \"");
	from = b->n;
	utf8_scrub(&valid, name);
	untrusted_clean(NULL, utf8_head(buf_str(&valid), LIM_PROMPT_NAME_CHARS), b);
	for (size_t i = from; i < b->n; i++)
		if (strchr("\n\t\"", b->p[i]))
			b->p[i] = ' ';
	buf_adds(b, "\".");
	buf_release(&valid);
}

int part_session(const struct part_input *in, struct part_text *out,
		 struct err *e)
{
	time_t now = (time_t)(in->now_us / 1000000);
	struct buf b = BUF_INIT(4096);
	char day[64];
	struct tm tm;

	(void)e;
	if (in->now_us && gmtime_r(&now, &tm) &&
	    strftime(day, sizeof(day), "%A, %Y-%m-%d", &tm))
		buf_addf(&b, "Today is %s (UTC).", day);
	if (in->user_name.n)
		add_name(&b, in->user_name);
	*out = (struct part_text){
		.name = "session", .text = arena_str(in->arena, buf_str(&b)),
	};
	buf_release(&b);
	return 0;
}

int part_mentions(const struct part_input *in, struct part_text *out,
		  struct err *e)
{
	(void)e;
	*out = (struct part_text){ .name = "mentions", .text = in->mentions };
	return 0;
}
