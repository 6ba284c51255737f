#include "prompt/layers.h"

#include <sodium.h>
#include <time.h>

#include "base/utf8.h"
#include "prompt/builtin.h"
#include "prompt/untrusted.h"

#include "base/banned.h"

#define NAME_CHARS 100		/* of the user's name */

void prompt_add(struct prompt_layers *l, const char *layer, const char *name,
		int version, struct str text)
{
	unsigned char hash[(PROMPT_HASH_BYTES - 1) / 2];
	struct prompt_stamp *s;

	if (!str_trim(text).n)
		return;
	if (l->n == PROMPT_BLOCKS)
		BUG("more prompt layers than PROMPT_BLOCKS");
	s = &l->stamp[l->n];
	s->layer = layer;
	s->name = name;
	s->version = version;
	crypto_generichash(hash, sizeof(hash), (const unsigned char *)text.p,
			   text.n, NULL, 0);
	sodium_bin2hex(s->hash, sizeof(s->hash), hash, sizeof(hash));
	l->block[l->n++] = text;
}

static void add_builtin(struct prompt_layers *l, const char *layer,
			const struct prompt_text *t)
{
	prompt_add(l, layer, t->name, t->version, str_of(t->text));
}

static void add_prompt(struct prompt_layers *l, const char *layer,
		       const struct conf_prompt *p)
{
	if (p->name && p->text)
		prompt_add(l, layer, p->name, p->version, str_of(p->text));
}

/* B20. */
static void add_agent(const struct prompt_input *in, struct arena *a,
		      struct prompt_layers *l)
{
	const struct conf_agent *agent = in->agent;

	if (agent && agent->system_prompt && *agent->system_prompt)
		prompt_add(l, "agent", arena_printf(a, "agent:%s", agent->id),
			   0, str_of(agent->system_prompt));
	else if (in->conf->chat_system_prompt && *in->conf->chat_system_prompt)
		prompt_add(l, "agent", "chat", 0,
			   str_of(in->conf->chat_system_prompt));
	else
		add_builtin(l, "agent", &prompt_default_agent);
}

/* The name is the user's own, but it stands in the system prompt. */
static void add_session(const struct prompt_input *in, struct arena *a,
			struct prompt_layers *l)
{
	time_t now = (time_t)(in->now_us / 1000000);
	struct buf b = BUF_INIT(4096), valid = BUF_INIT(4096);
	char day[64];
	struct tm tm;
	size_t from;

	if (in->now_us && gmtime_r(&now, &tm) &&
	    strftime(day, sizeof(day), "%A, %Y-%m-%d", &tm))
		buf_addf(&b, "Today is %s (UTC).", day);
	if (in->user_name.n) {
		buf_adds(&b, b.n ? " The user's name is \""
			 : "The user's name is \"");
		from = b.n;
		utf8_scrub(&valid, in->user_name);
		untrusted_clean(NULL, utf8_head(buf_str(&valid), NAME_CHARS),
				&b);
		for (size_t i = from; i < b.n; i++)
			if (strchr("\n\t\"", b.p[i]))
				b.p[i] = ' ';
		buf_adds(&b, "\".");
	}
	prompt_add(l, "session", "session", 0, arena_str(a, buf_str(&b)));
	buf_release(&valid);
	buf_release(&b);
}

void prompt_compose(const struct prompt_input *in, struct arena *a,
		    struct prompt_layers *out)
{
	*out = (struct prompt_layers){ .n = 0 };
	add_builtin(out, "guardrails", &prompt_guardrails);
	add_prompt(out, "platform", &in->conf->platform);
	add_prompt(out, "workspace", &in->workspace->prompt);
	add_agent(in, a, out);
	if (in->tools) {
		add_builtin(out, "tools", &prompt_tools);
		prompt_add(out, "tools", "tool-text", 0, in->tool_text);
	}
	add_session(in, a, out);
}

void prompt_stamps(const struct prompt_layers *l, struct jw *w)
{
	jw_arr(w);
	for (size_t i = 0; i < l->n; i++) {
		jw_obj(w);
		jw_kstrz(w, "layer", l->stamp[i].layer);
		jw_kstrz(w, "name", l->stamp[i].name);
		jw_kint(w, "version", l->stamp[i].version);
		jw_kstrz(w, "hash", l->stamp[i].hash);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}
