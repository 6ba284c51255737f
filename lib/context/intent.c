/* SPDX-License-Identifier: MIT */
/*
 * Words and their order, no grammar: an order begins with its verb, or is asked for
 * politely; German ones may also end with it. What is not clear is CLARIFY, which costs the
 * user a click and never a wrong change. Rejected: a call of a model, which an injected text
 * would steer, and which costs time in front of the first token.
 */
#include "context/intent.h"

#include <string.h>

#include "base/utf8.h"
#include "context/context.h"

#include "base/banned.h"

enum { ENDS_BYTES = 600, TEXT_BYTES = 8192, QUOTE_BYTES = 4096 };

/* Phrases, separated by |; in lower case. */

#define KINDS "task|tasks|todo|todos|document|documents|doc|page|goal|goals|plan|plans|" \
	"milestone|milestones|risk|risks|requirement|requirements|project|projects|event|" \
	"events|meeting|appointment|note|notes|section|calendar|link|links|" \
	"aufgabe|aufgaben|dokument|dokumente|dokumenten|ziel|ziele|meilenstein|meilensteine|" \
	"risiko|risiken|anforderung|anforderungen|projekt|projekte|termin|termine|notiz|" \
	"notizen|abschnitt|kalender|verknüpfung"

/* Begin an order whatever follows. */
static const char orders[] =
	"create|add|rename|move|delete|remove|insert|append|assign|unassign|attach|detach|"
	"unlink|reschedule|postpone|reorganize|reorganise|reorder|merge|convert|turn|replace|"
	"archive|reopen|complete|finish|prioritize|prioritise|extend|shorten|correct|edit|"
	"put|save|store|set up|split up|get rid of|erase|drop|cancel|restore|undo|remind|"
	"tick off|cross out|write down|note down|mark|make|write|draft|prepare|generate|build|"
	"erstelle|erstell|erstellt|lege|leg|füge|füg|ergänze|ergänz|trage|trag|ändere|änder|"
	"aktualisiere|aktualisier|setze|setz|markiere|markier|verschiebe|verschieb|verlinke|"
	"verlink|verknüpfe|verknüpf|benenne|benenn|hänge|häng|weise|weis|teile|teil|nimm|"
	"bereite|wandle|verwandle|notiere|notier|speichere|speicher|plane|lösche|lösch|"
	"entferne|entfern|schließe|schließ|schliesse|schliess|erledige|kürze|kürz|ersetze|"
	"ersetz|korrigiere|korrigier|übernimm|streiche|streich|verlege|verleg|buche|buch|"
	"sortiere|ordne|erzeuge|generiere|entwirf|priorisiere|archiviere|beende|hake|hak|"
	"schreibe|schreib|mache|mach|halte|halt|erinnere|erinner|dokumentiere";

/* The same, if something follows that they can be about: they are nouns, too. */
static const char order_nouns[] =
	"update|change|plan|schedule|link|set|record|close|open|book|start|split|fix|note|"
	"document|log|track|import|raise|lower|push|copy|cut|give|connect|enter|capture|stelle|gib";
static const char objects[] =
	"a|an|the|this|that|these|those|it|them|all|every|each|everything|my|our|his|her|their|"
	"its|another|some|one|two|three|new|both|down|up|der|die|das|den|dem|diese|diesen|"
	"dieses|ein|eine|einen|alle|alles|" KINDS;

/* What is made to be read in the chat. */
static const char makers[] =
	"make|write|draft|prepare|generate|build|create|erstelle|erstell|schreibe|schreib|"
	"mache|mach|erzeuge|generiere|entwirf|bereite|halte|halt";
static const char readings[] =
	"overview|summary|summaries|list|table|chart|diagram|report|comparison|answer|reply|"
	"email|mail|poem|joke|sentence|translation|übersicht|überblick|zusammenfassung|liste|"
	"tabelle|diagramm|bericht|vergleich|antwort|text|übersetzung|vorschlag|proposal|outline";

/* Infinitives that orders end with in German. */
static const char infinitives[] =
	"erstellen|anlegen|hinzufügen|ergänzen|eintragen|ändern|aktualisieren|setzen|markieren|"
	"verschieben|verlinken|verknüpfen|umbenennen|anhängen|zuweisen|aufteilen|aufnehmen|"
	"vorbereiten|umwandeln|verwandeln|notieren|speichern|planen|einplanen|löschen|"
	"entfernen|schließen|schliessen|erledigen|abhaken|kürzen|ersetzen|korrigieren|"
	"übernehmen|streichen|verlegen|buchen|sortieren|ordnen|erzeugen|generieren|"
	"priorisieren|archivieren|beenden|festhalten|zuordnen|wiederherstellen|machen|"
	"aufschreiben|schreiben|dokumentieren|zurücknehmen|einfügen";

/* In front of an order. */
static const char polite[] =
	"can you|could you|would you|will you|can u|could u|please|kindly|i want you to|"
	"i need you to|i'd like you to|i would like you to|i want to|i need to|i'd like to|"
	"i would like to|let's|lets|let us|go ahead and|you can|you may|you should|make sure to|"
	"don't forget to|remember to|help me|i'd love to|feel free to|be so kind and";
static const char polite_german[] =
	"kannst du|könntest du|können sie|könnten sie|würdest du|würden sie|magst du|bitte|"
	"ich möchte|ich will|ich würde gern|ich würde gerne|du kannst|du sollst|sie können|"
	"lass uns|willst du bitte|ich hätte gern|ich hätte gerne|ich brauche";
static const char fillers[] =
	"please|ok|okay|yes|yeah|yep|no|well|now|then|and|also|so|great|thanks|thank you|thx|"
	"hi|hello|hey|just|quickly|alright|right|perfect|good|fine|first|finally|next|instead|"
	"bitte|ja|nein|jetzt|nun|dann|und|auch|also|gut|super|danke|hallo|mal|schnell|noch|"
	"einfach|perfekt|prima|zuerst|anschließend|außerdem|genau|sure|ich bitte dich";

/* All of a sentence. */
static const char agreed[] =
	"yes|yeah|yep|yup|sure|ok|okay|do it|do that|do so|go ahead|go for it|proceed|"
	"sounds good|looks good|make it so|please do|exactly|agreed|approved|confirmed|correct|"
	"yes please|continue|all of them|go on|that works|perfect|good|fine|great|do both|ja|"
	"jo|jawohl|gerne|gern|genau|mach das|mach es|mach das so|mach es so|mach mal|leg los|"
	"los|einverstanden|passt|passt so|in ordnung|richtig|stimmt|ja bitte|ja gerne|weiter|"
	"mach weiter|sehr gut|klingt gut|so machen wir das|so machen wir es|bitte|please|"
	"yes do it|yes go ahead|ja mach das|do them all|danke|thanks";

/* Whoever says this has not decided. */
static const char hedges[] =
	"maybe|perhaps|might|should i|should we|shall we|shall i|what if|thinking about|"
	"thinking of|not sure|unsure|wonder|wondering|could we|would it|probably|someday|"
	"some day|eventually|i guess|one could|we could|i could|considering|at some point|"
	"sooner or later|do you think|would you recommend|vielleicht|eventuell|evtl|könnte man|"
	"könnten wir|könnte ich|sollte ich|sollten wir|sollte man|sollen wir|soll ich|"
	"was wäre wenn|überlege|überlegen|unsicher|nicht sicher|irgendwann|wäre es|"
	"wäre es nicht|man könnte|man müsste|man sollte|wir könnten|wir sollten|wir müssten|"
	"ich könnte|müsste mal|wohl|wahrscheinlich|demnächst mal|meinst du|hältst du|ich frage mich|"
	"wie wäre es|wie wär's|how about|what about|let's think|lass uns überlegen|we should|"
	"we ought to";

/* Somebody else's words, or a case that has not come. */
static const char reports[] =
	"said|says|wrote|writes|asked me|asks|told me|tells me|according to|sagte|sagt|schrieb|"
	"schreibt|meinte|meint|bat|bittet|hat gesagt|hat geschrieben|laut";
static const char own_reports[] = "i said|i told|i asked|i wrote|ich sagte|ich habe gesagt|wie gesagt|as i said";
static const char conditions[] = "if|when|in case|unless|suppose|imagine|assuming|once|falls|wenn|sobald|angenommen|stell dir vor";

/* Takes back what was said before. */
static const char retractions[] =
	"never mind|nevermind|forget it|wait|actually no|hold on|scratch that|or not|or should|"
	"or maybe|or rather not|stop|on second thought|moment|halt|warte|vergiss es|doch nicht|"
	"oder nicht|oder doch nicht|oder soll|oder sollten|oder vielleicht|lass es|lieber nicht|"
	"doch lieber nicht|leave it|not now|nicht jetzt|no don't|nein nicht";

/* Nothing is to be changed, whatever else is said. */
static const char forbids[] =
	"don't change anything|do not change anything|don't create anything|"
	"do not create anything|don't do anything|do not do anything|don't touch|do not touch|"
	"don't write anything|without changing|no changes|just tell me|only tell me|"
	"just show me|only show me|don't make any|do not make any|don't delete anything|"
	"do not delete anything|don't change any|nothing should be changed|ändere nichts|"
	"ändere noch nichts|nichts ändern|nichts anlegen|nichts löschen|lösche nichts|"
	"lege nichts|leg nichts|noch nichts|ohne etwas zu|erst mal nur|erstmal nur|nur zeigen|"
	"zeig mir nur|sag mir nur|keine änderungen|nur erklären|only explain|just explain";

/* Begins a wish to read. */
static const char reads[] =
	"show|list|tell|explain|summarize|summarise|find|search|compare|read|describe|give me|"
	"look|check|analyse|analyze|review|count|what's|help me understand|i want to know|"
	"i'd like to know|i would like to know|i need to know|i'm curious|zeige|zeig|liste|"
	"nenne|nenn|erkläre|erklär|fasse|fass|suche|such|finde|vergleiche|lies|beschreibe|"
	"gib mir|gib uns|sag|sage|schau|prüfe|prüf|analysiere|zähle|ich möchte wissen|"
	"ich will wissen|mich interessiert|ich wüsste gern|hilf mir zu verstehen|translate|übersetze";
static const char questions[] =
	"what|which|who|whom|whose|when|where|why|how|is|are|am|was|were|do|does|did|has|have|"
	"had|can i|can we|could i|may i|any|was|wer|wen|wem|wie|wann|wo|wohin|woher|warum|"
	"wieso|weshalb|welche|welcher|welches|welchen|welchem|ist|sind|war|waren|gibt|hat|"
	"haben|kann ich|kann man|können wir|darf|muss|müssen|wird|werden|habe ich|haben wir|"
	"hast du|wozu|worum|womit|woran|bis wann|seit wann|wie viele";
static const char endings[] = "ok|okay|please|right|yes|bitte|ja|oder|will you|would you|gut";

/* -- phrases ------------------------------------------------------------------------- */

/* A sentence: words in lower case with a blank around each; , where a clause ends. */
struct sentence {
	struct str s;
	bool asks;		/* it ends with a question mark */
};

static bool at_word(struct str s, struct str phrase)
{
	return s.n > phrase.n + 1 && s.p[0] == ' ' && s.p[phrase.n + 1] == ' ' &&
		memcmp(s.p + 1, phrase.p, phrase.n) == 0;
}

/* The longest of the phrases that s begins with; n == 0: none. */
static struct str begins(struct str s, const char *phrases)
{
	struct str rest = str_of(phrases), best = { NULL, 0 };

	while (rest.n) {
		const struct str p = str_cut(&rest, '|');

		if (p.n > best.n && at_word(s, p))
			best = p;
	}
	return best;
}

/* Where the first of the phrases is; SIZE_MAX: none. */
static size_t where(struct str s, const char *phrases)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == ' ' && begins((struct str){ s.p + i, s.n - i }, phrases).n)
			return i;
	return SIZE_MAX;
}

static bool has(struct str s, const char *phrases)
{
	return where(s, phrases) < SIZE_MAX;
}

/* s without a phrase that it begins with. */
static struct str after(struct str s, struct str phrase)
{
	return (struct str){ s.p + phrase.n + 1, s.n - phrase.n - 1 };
}

/* s without the phrases that it begins with, and the commas between them. */
static struct str without_lead(struct str s, const char *phrases)
{
	struct str p;

	for (;;) {
		if (at_word(s, STR(",")))
			s = after(s, STR(","));
		p = begins(s, phrases);
		if (!p.n)
			return s;
		s = after(s, p);
	}
}

static bool is_all(struct str s, const char *phrases)
{
	return s.n > 1 && without_lead(s, phrases).n <= 1;
}

/* Whether s is at most one word. */
static bool is_short(struct str s)
{
	size_t blanks = 0;

	for (size_t i = 0; i < s.n; i++)
		blanks += s.p[i] == ' ';
	return blanks <= 2;
}

static struct str last_word(struct str s)
{
	size_t from;

	s.n -= s.n > 0;		/* the blank behind it */
	for (from = s.n; from && s.p[from - 1] != ' '; from--)
		;
	return (struct str){ s.p + from, s.n - from };
}

static bool is_one_of(struct str word, const char *phrases)
{
	struct str rest = str_of(phrases);

	while (rest.n)
		if (str_eq(str_cut(&rest, '|'), word))
			return true;
	return false;
}

/* The clause in front of the next comma, "and" or "then"; *rest: what follows. */
static struct str clause_of(struct str s, struct str *rest, bool *comma)
{
	for (size_t i = 1; i < s.n; i++) {
		const struct str here = { s.p + i, s.n - i };

		*comma = at_word(here, STR(","));
		if (*comma || begins(here, "and|then|und|dann|but|aber").n) {
			*rest = *comma ? after(here, STR(",")) : here;
			return (struct str){ s.p, i + 1 };
		}
	}
	*comma = false;
	*rest = (struct str){ NULL, 0 };
	return s;
}

/* -- one clause ---------------------------------------------------------------------- */

/* "a summary of the risks", but neither "a document with a summary" nor "into the task" */
static bool is_reading(struct str c)
{
	const size_t reading = where(c, readings), kind = where(c, KINDS);

	return reading < kind && !(kind < SIZE_MAX && has(c, "into|in|to|ins|im|ans|zum"));
}

static bool makes_reading(struct str c)
{
	return begins(c, makers).n && is_reading(c);
}

static bool is_verb_first(struct str c)
{
	struct str p = begins(c, order_nouns);

	if (begins(c, "give me|give us|gib mir|gib uns").n || makes_reading(c))
		return false;
	if (begins(c, orders).n)
		return true;
	if (!p.n)
		return false;
	c = after(c, p);
	return begins(c, objects).n || (c.n > 1 && c.p[1] >= '0' && c.p[1] <= '9');
}

/* "… eine Aufgabe anlegen" */
static bool ends_with_order(struct str c)
{
	return is_one_of(last_word(c), infinitives) && !is_reading(c);
}

/* "…, dass du … anlegst" */
static bool is_asked_of_you(struct str c)
{
	struct str rest = str_of(infinitives);
	const struct str word = last_word(c);

	if (!begins(c, "dass du|dass sie").n)
		return false;
	while (rest.n) {
		struct str v = str_cut(&rest, '|');

		v.n -= v.n > 2 && v.p[v.n - 2] == 'e' ? 2 : 1;
		if (word.n == v.n + 2 && memcmp(word.p, v.p, v.n) == 0 &&
		    memcmp(word.p + v.n, "st", 2) == 0)
			return true;
	}
	return false;
}

static bool is_negated(struct str c)
{
	return has(c, "nicht|kein|keine|keinen|keines|niemals|nie|nichts|never");
}

/* "I need a task for the meters", "new task …" */
static bool wants_kind(struct str c)
{
	struct str p = begins(c, "i need|i want|i'd like|we need|ich brauche|ich möchte|"
			      "ich hätte gern|ich hätte gerne|wir brauchen");

	if (p.n) {
		p = begins(c = after(c, p), "a|an|another|one more|ein|eine|einen|noch eine|"
			   "noch ein|noch einen");
		if (!p.n)
			return false;
		c = after(c, p);
		p = begins(c, "new|neue|neuen|neues");
		return begins(p.n ? after(c, p) : c, KINDS).n > 0;
	}
	p = begins(c, "new|neue|neuer|neues|neuen");
	return p.n && begins(after(c, p), KINDS).n;
}

/* Whether the clause is an order. asks: its sentence is a question. */
static bool is_order(struct str c, bool asks)
{
	const struct str plain = without_lead(c, fillers);
	struct str p = begins(plain, polite);

	if (is_negated(c))
		return false;
	if (p.n)
		return !makes_reading(without_lead(after(plain, p), fillers)) &&
			is_verb_first(without_lead(after(plain, p), fillers));
	p = begins(c, polite_german);
	if (!p.n)
		p = begins(plain, polite_german);
	if (p.n && !begins(plain, reads).n) {
		if (ends_with_order(c) || wants_kind(plain))
			return true;
		return !asks && is_verb_first(without_lead(plain, polite_german));
	}
	if (asks)
		return false;
	return is_verb_first(plain) || wants_kind(plain) || is_asked_of_you(plain) ||
		(ends_with_order(plain) &&
		 !has(plain, "ich|wir|man|er|sie|es|ihr|du|zu|um|wer|wie"));
}

/* -- a sentence ---------------------------------------------------------------------- */

enum sentence_kind {
	SENTENCE_NOTHING, SENTENCE_OPEN, SENTENCE_READ, SENTENCE_AGREED, SENTENCE_ORDER,
	SENTENCE_BACK, SENTENCE_FORBIDS,
};

/* Whether a clause of the sentence is an order. */
static bool has_order(const struct sentence *of)
{
	struct str rest = of->s, c;
	bool first = true, leads = true, comma;

	while (rest.n > 1) {
		c = clause_of(rest, &rest, &comma);
		if ((first || (leads && !is_short(without_lead(c, fillers)))) &&
		    is_order(c, of->asks))
			return true;
		/* "the open and close events": only after an imperative, or a comma */
		leads = comma || begins(without_lead(c, fillers), reads).n ||
			is_all(c, fillers) || (!first && leads);
		first = false;
	}
	return false;
}

/* "…, ok?" asks nothing. */
static struct sentence without_tag(struct sentence s)
{
	struct str rest = s.s, c = s.s, before = { s.s.p, 0 };
	bool comma = true;

	while (comma) {
		c = clause_of(rest, &rest, &comma);
		if (comma)
			before.n = (size_t)(c.p + c.n - s.s.p);
	}
	if (s.asks && before.n && is_all(c, endings)) {
		s.s = before;
		s.asks = false;
	}
	return s;
}

static enum sentence_kind kind_of(struct sentence s)
{
	struct str plain;

	s = without_tag(s);
	plain = without_lead(s.s, fillers);
	if (has(s.s, forbids))
		return SENTENCE_FORBIDS;
	if (begins(s.s, retractions).n || begins(plain, retractions).n)
		return SENTENCE_BACK;
	if (has(s.s, hedges) || begins(plain, conditions).n ||
	    (has(s.s, reports) && !has(s.s, own_reports)))
		return s.asks || begins(plain, questions).n || begins(plain, reads).n
			? SENTENCE_READ : SENTENCE_OPEN;
	if (!s.asks && is_all(s.s, agreed))
		return SENTENCE_AGREED;
	if (begins(plain, questions).n && !begins(plain, polite_german).n)
		return SENTENCE_READ;
	if (has_order(&s))
		return SENTENCE_ORDER;
	if (s.asks && is_verb_first(plain))
		return SENTENCE_OPEN;		/* "Create a task?" */
	return s.asks || begins(plain, reads).n || makes_reading(plain) ? SENTENCE_READ
		: SENTENCE_NOTHING;
}

/* -- the words ----------------------------------------------------------------------- */

static bool is_word_byte(unsigned char c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		c == '\'' || c == '_' || c == '-' || c == '"';
}

/* The first one is code, which may be of any length. */
static const struct {
	const char *open, *close;
} marks[] = {
	{ "```", "```" }, { "`", "`" }, { "\"", "\"" }, { "\u201c", "\u201d" },
	{ "\u201e", "\u201c" }, { "\u00ab", "\u00bb" }, { "\u00bb", "\u00ab" },
};

/*
 * The bytes of what begins at p and closes there: a quote, or code; 0: nothing does.
 * closes: of each mark, where the last search found its close, so that many that are not
 * closed are not searched each; NULL at first.
 */
static size_t quoted(const char *p, const char *end, const char *closes[])
{
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		size_t n, m, room;

		if (*p != marks[i].open[0])	/* as with nearly each byte */
			continue;
		n = strlen(marks[i].open);
		m = strlen(marks[i].close);
		if ((size_t)(end - p) <= n || memcmp(p, marks[i].open, n) != 0)
			continue;
		room = (size_t)(end - p) - n;
		if (!closes[i] || closes[i] < p + n) {
			closes[i] = memmem(p + n, room, marks[i].close, m);
			if (!closes[i])
				closes[i] = end;
		}
		if (closes[i] < end && (!i || (size_t)(closes[i] - p) - n + m <= QUOTE_BYTES))
			return (size_t)(closes[i] - p) + m;
	}
	return 0;
}

/* Appends what the user says themselves: no quotes, no quoted lines, no code. */
static void own_words(struct buf *out, struct str s)
{
	const char *p = s.p, *end = s.p + s.n, *closes[ARRAY_LEN(marks)] = { NULL };
	bool begins_line = true;

	while (p < end) {
		const char *stop = begins_line ? memchr(p, '\n', (size_t)(end - p)) : NULL;
		const size_t n = quoted(p, end, closes);

		if (begins_line && str_starts(str_trim((struct str){ p,
				(size_t)((stop ? stop : end) - p) }), STR(">"))) {
			p = stop ? stop + 1 : end;
			continue;
		}
		begins_line = *p == '\n';
		if (n)
			buf_adds(out, " \"\" ");
		else
			buf_addc(out, *p);
		p += n ? n : 1;
	}
}

/* Of a long text its beginning and its end, in lower case. */
static void ends_of(struct buf *out, struct str s)
{
	struct str tail = { s.p, 0 };

	/* Orders are at the ends: a long middle is a text that was pasted. */
	if (s.n > 2 * (size_t)ENDS_BYTES) {
		const char *at = s.p + s.n - ENDS_BYTES;
		const char *blank = memchr(at, ' ', ENDS_BYTES);

		tail.p = blank ? blank : s.p + s.n;
		tail.n = (size_t)(s.p + s.n - tail.p);
		s.n = ENDS_BYTES;
		s.n = utf8_complete(s);
	}
	utf8_lower(out, s);
	buf_addc(out, '\n');
	utf8_lower(out, tail);
}

/* Takes the next sentence out of s, in lower case, into b. */
static struct sentence next(struct str *s, struct buf *b)
{
	struct sentence out = { .asks = false };
	const char *p = s->p, *end = s->p + s->n;
	size_t n;

	buf_reset(b);
	buf_addc(b, ' ');
	for (; p < end; p += n) {
		const unsigned char c = (unsigned char)*p;

		n = 1;
		if (end - p >= 3 && memcmp(p, "\u2019", 3) == 0) {
			buf_addc(b, '\'');
			n = 3;
		} else if (is_word_byte(c) && !(c == '-' && b->p[b->n - 1] == ' ')) {
			buf_addc(b, (char)c);
		} else if (c == '?' || c == '!' || c == '\n' ||
			   ((c == '.' || c == ';') &&
			    (end - p == 1 || p[1] == ' ' || p[1] == '\n'))) {
			out.asks = c == '?';
			p++;
			break;
		} else if (c == ',' || c == ':' || c == '(' || c == ')' || c == ';') {
			buf_adds(b, b->p[b->n - 1] == ' ' ? ", " : " , ");
		} else if (b->p[b->n - 1] != ' ') {
			buf_addc(b, ' ');
		}
	}
	if (b->p[b->n - 1] != ' ')
		buf_addc(b, ' ');
	*s = (struct str){ p, (size_t)(end - p) };
	out.s = buf_str(b);
	return out;
}

enum tool_mode intent_of(struct str words)
{
	/* What replaces a quote is at most twice as long. */
	struct buf own = BUF_INIT(2 * words.n + 1), low = BUF_INIT(TEXT_BYTES),
		one = BUF_INIT(4 * TEXT_BYTES);
	enum tool_mode mode = 0;
	bool forbidden = false, read = false;
	struct str s;

	own_words(&own, words);
	ends_of(&low, buf_str(&own));
	s = buf_str(&low);
	while (s.n) {
		const struct sentence next_one = next(&s, &one);
		const enum sentence_kind kind = kind_of(next_one);

		forbidden |= kind == SENTENCE_FORBIDS;
		read |= kind == SENTENCE_READ;
		if (kind == SENTENCE_ORDER || kind == SENTENCE_AGREED)
			mode = TOOL_MODE_ACT;
		else if (kind == SENTENCE_BACK || (kind == SENTENCE_OPEN && !mode))
			mode = TOOL_MODE_CLARIFY;
	}
	buf_release(&own);
	buf_release(&low);
	buf_release(&one);
	/*
	 * Whatever else was said: a change that was forbidden is worse than one that was
	 * not made.
	 */
	if (forbidden)
		return TOOL_MODE_INFORM;
	if (mode)
		return mode;
	return read ? TOOL_MODE_INFORM : TOOL_MODE_CLARIFY;
}

enum tool_mode intent_answered(enum tool_mode before, struct str answer)
{
	const enum tool_mode mode = intent_of(answer);
	struct buf b = BUF_INIT(TEXT_BYTES), low = BUF_INIT(TEXT_BYTES);
	struct str s;
	bool no;

	utf8_lower(&low, utf8_head(answer, ENDS_BYTES));
	s = buf_str(&low);
	s = next(&s, &b).s;
	no = begins(s, "no|none|neither|nein|keine|keines|nope").n ||
		begins(s, retractions).n;
	buf_release(&b);
	buf_release(&low);
	if (mode == TOOL_MODE_ACT || !no)
		return MAX(mode, before);
	return TOOL_MODE_CLARIFY;
}

enum tool_mode intent_of_turn(const struct context *cx)
{
	const struct turn_run *t = cx->run;

	return intent_of(t->in.content.n ? t->in.content : t->user.content);
}

void intent_hear(struct context *cx, struct str result)
{
	enum tool_mode *mode = &cx->tool_ctx.turn.intent;
	json_auto_t *answer = *mode ? jx_try(result) : NULL;

	if (answer)
		*mode = intent_answered(*mode, jx_str(answer, "answer"));
}
