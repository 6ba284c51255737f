/* SPDX-License-Identifier: MIT */
#include "turn/stuck.h"

#include <strings.h>

#include "base/utf8.h"
#include "base/util.h"
#include "turn/loop.h"

#include "base/banned.h"

enum {
	PERIODS = 4,		/* calls of the longest round */
	REPEATED_STEPS = 2,		/* of nothing but repeated calls: then it ends */
	ANNOUNCE_CHARS = 600,	/* longer answers say more than that */
};

/* -- rounds of calls ------------------------------------------------------------------ */

static const struct turn_past *past(const struct turn_calls_log *m, size_t back)
{
	return &m->stuck.past[(m->stuck.n - back) % ARRAY_LEN(m->stuck.past)];
}

void stuck_note(struct turn_calls_log *m, const struct tool_set *tools, const struct turn_call *c)
{
	const struct tool_offer *o = tool_set_find(tools, c->name);

	if (!c->seen)
		return;
	m->stuck.past[m->stuck.n++ % ARRAY_LEN(m->stuck.past)] = (struct turn_past){
		.call = c->seen, .result = c->result.text,
		.reads = o && o->tool->effect == TOOL_READ,
	};
}

/* Whether the last calls have been made, with these results, `period` calls before. */
static bool is_round(const struct turn_calls_log *m, const struct turn_seen *next, size_t period)
{
	/* Writes are no round: the same call may mean another thing after them. */
	if (m->stuck.n < 2 * period - 1 || past(m, period)->call != next ||
	    !past(m, period)->reads)
		return false;
	for (size_t i = 1; i < period; i++) {
		const struct turn_past *now = past(m, i), *before = past(m, i + period);

		if (now->call != before->call || !now->reads ||
		    !str_eq(now->result, before->result))
			return false;
	}
	return true;
}

bool stuck_repeats(const struct turn_calls_log *m, const struct turn_call *c)
{
	for (size_t period = 2; c->seen && period <= PERIODS; period++)
		if (is_round(m, c->seen, period))
			return true;
	return false;
}

bool stuck_ends(const struct turn_calls_log *m)
{
	return m->stuck.steps >= REPEATED_STEPS;
}

/* -- announcing ----------------------------------------------------------------------- */

/* Cuts one of the words off the beginning of *s, in any case. */
static bool cut_word(struct str *s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const size_t len = strlen(words[i]);

		if (s->n > len && !strncasecmp(s->p, words[i], len) &&
		    (s->p[len] == ' ' || s->p[len] == ',')) {
			*s = str_trim((struct str){ s->p + len + 1, s->n - len - 1 });
			return true;
		}
	}
	return false;
}

/* Without what stands at the end of a sentence. */
static struct str without_end(struct str s)
{
	static const struct str ellipsis = STR("…");

	for (;;) {
		s = str_trim(s);
		if (s.n && (s.p[s.n - 1] == '.' || s.p[s.n - 1] == ':' || s.p[s.n - 1] == '!'))
			s.n--;
		else if (s.n > ellipsis.n && !memcmp(s.p + s.n - ellipsis.n, ellipsis.p,
						     ellipsis.n))
			s.n -= ellipsis.n;
		else
			return s;
	}
}

static struct str last_sentence(struct str s)
{
	size_t at;

	s = without_end(s);
	for (at = s.n; at > 0; at--)
		if (s.p[at - 1] == '\n' || (at < s.n && s.p[at] == ' ' &&
		    (s.p[at - 1] == '.' || s.p[at - 1] == '!' || s.p[at - 1] == '?' ||
		     s.p[at - 1] == ':')))
			break;
	return str_trim((struct str){ s.p + at, s.n - at });
}

static bool has_last_word(struct str s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const size_t len = strlen(words[i]);

		if (s.n > len && s.p[s.n - len - 1] == ' ' &&
		    !strncasecmp(s.p + s.n - len, words[i], len))
			return true;
	}
	return false;
}

/*
 * Whether an answer is short and ends by announcing an act ("Let me look that up."), in
 * English or German. Any thread.
 */
static bool stuck_announces(struct str answer)
{
	static const char *const before[] = {
		"ok", "okay", "sure", "alright", "great", "now", "first", "next", "then",
		"so", "gut", "gern", "zuerst", "jetzt", "dann",
	};
	static const char *const self[] = {
		"let me", "i'll", "i’ll", "i will", "i'm going to", "i’m going to",
		"i am going to", "i need to",
	};
	static const char *const meanwhile[] = {
		"now", "just", "first", "quickly", "also", "then", "go ahead and",
	};
	static const char *const acts[] = {
		"check", "look", "search", "find", "fetch", "query", "retrieve", "read",
		"list", "pull", "gather", "run", "create", "update", "examine",
	};
	static const char *const german[] = { "ich werde", "ich", "lass mich" };
	static const char *const german_acts[] = {
		"nachsehen", "nachschauen", "suchen", "abrufen", "abfragen", "prüfen",
		"überprüfen", "lesen", "anlegen", "erstellen", "holen", "nach",
	};
	static const char *const not_now[] = {
		" if ", " when ", " once ", " not ", " wenn ", " sobald ", " nicht ",
	};
	struct str s;

	if (utf8_head(answer, ANNOUNCE_CHARS).n < answer.n)
		return false;
	s = last_sentence(answer);
	while (cut_word(&s, before, ARRAY_LEN(before)))
		continue;
	for (size_t i = 0; i < ARRAY_LEN(not_now); i++)
		if (str_holds_any_case(s, str_of(not_now[i])))
			return false;
	if (cut_word(&s, self, ARRAY_LEN(self))) {
		while (cut_word(&s, meanwhile, ARRAY_LEN(meanwhile)))
			continue;
		return cut_word(&s, acts, ARRAY_LEN(acts));
	}
	return cut_word(&s, german, ARRAY_LEN(german)) &&
		has_last_word(s, german_acts, ARRAY_LEN(german_acts));
}

bool stuck_nudges(struct turn_loop *l)
{
	const struct llm_request *r = &l->context.request;
	const struct turn_step *s = &l->step;

	if (!r->n_tools || r->no_tool_calls || l->context.generation.schema ||
	    s->refused || (s->stop != LLM_STOP_END && s->stop != LLM_STOP_NONE) ||
	    !stuck_announces(buf_str(&s->text)))
		return false;
	if (l->log.stuck.nudged) {
		relay_warn(&l->relay, "only_announced", "The assistant said what it was "
			   "going to do, but did not do it.");
		return false;
	}
	l->log.stuck.nudged = true;
	return true;
}
