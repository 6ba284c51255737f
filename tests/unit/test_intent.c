/* SPDX-License-Identifier: MIT */
/*
 * What users ask for, from their words (C31, D10): sixty sentences in English and German,
 * of which nine in ten must be right, and none that deletes may be wrong. Then the cases
 * that a rule stands for, each of which must be right.
 */
#include "unit.h"

#include "context/intent.h"

struct said {
	char mode;		/* A, I, C */
	bool deletes;		/* it is about deleting */
	const char *words;
};

static const struct said sentences[] = {
	{ 'A', false, "Turn that into tasks." },
	{ 'A', false, "Create a task for ordering the meters, due Friday." },
	{ 'A', false, "Can you add a milestone for the pilot's end?" },
	{ 'A', false, "please move the installation guide under Operations" },
	{ 'A', false, "Okay, then let's rename the project to Harbour Pilot." },
	{ 'A', false, "I'd like you to link the risk with the second task." },
	{ 'A', false, "Mark the audit as done and assign the next one to Anna" },
	{ 'A', false, "We agreed on the 12th, so set the due date to that." },
	{ 'A', false, "Yes, go ahead." },
	{ 'A', false, "Schedule a meeting with the supplier on Tuesday at 10" },
	{ 'A', false, "Write the decisions down in the context document." },
	{ 'A', true, "Delete the draft from last week." },
	{ 'A', true, "Get rid of all tasks that are cancelled, please." },
	{ 'I', false, "What is open for the pilot, and what blocks it?" },
	{ 'I', false, "Show me the risks by impact." },
	{ 'I', false, "How do I create a task here?" },
	{ 'I', false, "Give me an overview of the goals" },
	{ 'I', false, "Who is responsible for the meters?" },
	{ 'I', false, "Write a summary of the risks." },
	{ 'I', false, "Is the milestone still realistic?" },
	{ 'I', true, "What would happen if I deleted the project?" },
	{ 'I', true, "Which tasks did Ben delete yesterday?" },
	{ 'I', false, "Just show me what you would change, do not change anything." },
	{ 'C', false, "Maybe we should split the pilot into two projects." },
	{ 'C', false, "The supplier says that the meters arrive in May." },
	{ 'C', false, "I'm thinking about a second milestone for the rollout" },
	{ 'C', false, "The plan is too optimistic." },
	{ 'C', true, "Perhaps we could delete the old documents at some point." },
	{ 'C', true, "If the budget is cut, delete phase two." },
	{ 'C', true, "Ben said: delete everything in the archive." },
	{ 'A', false, "Leg bitte eine Aufgabe für die Zählerbestellung an." },
	{ 'A', false, "Kannst du den Termin auf Donnerstag verschieben?" },
	{ 'A', false, "Mach daraus Aufgaben." },
	{ 'A', false, "Neues Ziel für das Pilotprojekt anlegen" },
	{ 'A', false, "Trag das im Kontextdokument ein." },
	{ 'A', false, "Ich möchte, dass du die Anforderung mit dem Risiko verknüpfst." },
	{ 'A', false, "Gut, dann setze das Fälligkeitsdatum auf den 12. Mai." },
	{ 'A', false, "Weise die Aufgabe Anna zu" },
	{ 'A', false, "Ja, mach das." },
	{ 'A', false, "Ändere den Status auf erledigt und benenne das Dokument um." },
	{ 'A', false, "Könnten Sie bitte einen Meilenstein für das Ende der Pilotphase hinzufügen?" },
	{ 'A', true, "Lösche den Entwurf von letzter Woche." },
	{ 'A', true, "Bitte alle stornierten Aufgaben entfernen." },
	{ 'I', false, "Was ist im Pilotprojekt offen?" },
	{ 'I', false, "Zeig mir die Risiken nach Auswirkung." },
	{ 'I', false, "Wie lege ich hier eine Aufgabe an?" },
	{ 'I', false, "Gib mir einen Überblick über die Ziele" },
	{ 'I', false, "Fasse das Dokument zur Installation zusammen." },
	{ 'I', false, "Erstelle eine Übersicht der Kosten." },
	{ 'I', false, "Ist der Meilenstein noch realistisch?" },
	{ 'I', true, "Was passiert, wenn ich das Projekt lösche?" },
	{ 'I', true, "Wer hat gestern die Aufgabe gelöscht?" },
	{ 'I', false, "Erst mal nur erklären, noch nichts anlegen." },
	{ 'C', false, "Vielleicht sollten wir das Pilotprojekt in zwei Teile teilen." },
	{ 'C', false, "Der Lieferant liefert die Zähler erst im Mai." },
	{ 'C', false, "Ich überlege, ob wir einen zweiten Meilenstein brauchen" },
	{ 'C', false, "Der Plan ist zu optimistisch." },
	{ 'C', true, "Man könnte die alten Dokumente irgendwann löschen." },
	{ 'C', true, "Falls das Budget gekürzt wird, lösche Phase zwei." },
	{ 'C', true, "Lösche die Aufgabe noch nicht." },
};

/* Each must be right: what a rule is there for. */
static const struct said cases[] = {
	{ 'C', false, "" },
	{ 'C', false, "   \n > create a task\n> delete it" },
	{ 'I', false, "> Delete everything.\n\nWhat does Ben mean by that?" },
	{ 'I', false, "What does \"Create a task\" do?" },
	{ 'C', true, "The mail has: \"Delete all tasks. Go ahead.\"" },
	{ 'I', true, "Explain this:\n```\ndelete from task\n```" },
	{ 'I', true, "Explain this:\n```\n\nDelete the tasks.\n\nGo ahead.\n```\n" },
	{ 'C', false, "Maybe. Not sure." },
	{ 'A', false, "Maybe we need a task for that. Yes, add it." },
	{ 'C', false, "Add it. Wait, not now." },
	{ 'C', true, "Lösche das. Oder doch nicht?" },
	{ 'C', true, "Delete it? Hmm." },
	{ 'C', false, "No, leave it as it is." },
	{ 'A', false, "No, create it under Operations." },
	{ 'C', false, "I created a task yesterday." },
	{ 'C', false, "Ich habe gestern eine Aufgabe erstellt." },
	{ 'C', false, "Don't create a task for that." },
	{ 'C', false, "Erstelle dafür keine Aufgabe." },
	{ 'I', false, "Could you tell me who owns it?" },
	{ 'I', false, "Kannst du mir sagen, wer das macht?" },
	{ 'A', false, "Update the due date, ok?" },
	{ 'C', false, "Update on the pilot: the meters are late." },
	{ 'C', false, "Change requests are late." },
	{ 'A', false, "Look at the list and delete everything that is done." },
	{ 'A', false, "I need a task for the meters" },
	{ 'I', false, "I need an overview of the tasks. What is late?" },
	{ 'A', false, "I said: create the task." },
	{ 'I', false, "Yes, but what would that cost?" },
	{ 'C', false, "Crée une tâche pour les compteurs." },
	{ 'A', false, "„Zähler“ ist der Titel. Leg die Aufgabe an." },
	{ 'C', false, "👍" },
	{ 'C', false, "¿" },
	/* of reports on other programs: agents acted on these */
	{ 'C', false, "Wait, are some of these tasks disabled?" },
	{ 'I', false, "Tell me when a task is late." },
	{ 'I', false, "Look for tasks nobody has, but don't change anything." },
	{ 'C', true, "I never said that you should delete the tasks." },
	{ 'I', true, "Did you delete the tasks?" },
	{ 'C', true, "Why not delete them? Hm. Not sure." },
	{ 'I', true, "List the tasks I could delete." },
	{ 'C', false, "The button says: create project." },
	{ 'A', false, "Write a summary into the document." },
	{ 'A', false, "Create a document with an overview of the costs." },
	{ 'I', false, "Kannst du mir eine Übersicht der Risiken erstellen?" },
};

static char letter(enum tool_mode m)
{
	return m == TOOL_MODE_ACT ? 'A' : m == TOOL_MODE_INFORM ? 'I'
		: m == TOOL_MODE_CLARIFY ? 'C' : '?';
}

static size_t wrong(const struct said *v, size_t n, size_t *deletes)
{
	size_t bad = 0;

	*deletes = 0;
	for (size_t i = 0; i < n; i++) {
		const char m = letter(intent_of(str_of(v[i].words)));

		if (m == v[i].mode)
			continue;
		print_message("%c, not %c: %s\n", m, v[i].mode, v[i].words);
		bad++;
		*deletes += v[i].deletes;
	}
	return bad;
}

static void test_sentences(void **state)
{
	size_t deletes, bad = wrong(sentences, ARRAY_LEN(sentences), &deletes);

	(void)state;
	assert_int_equal(ARRAY_LEN(sentences), 60);
	print_message("%zu of 60 are right\n", 60 - bad);
	assert_true(bad <= 6);
	assert_int_equal(deletes, 0);
}

static void test_cases(void **state)
{
	size_t deletes;

	(void)state;
	assert_int_equal(wrong(cases, ARRAY_LEN(cases), &deletes), 0);
}

/* Of a long text its beginning and end count; any bytes are survived. */
static void test_long(void **state)
{
	static char text[200000];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t i = 7; i < sizeof(text); i += 8)
		text[i] = ' ';
	memcpy(text + 100000, ". Delete the tasks. ", 20);
	assert_int_equal(letter(intent_of((struct str){ text, sizeof(text) })), 'C');
	memcpy(text, "Create tasks from this. ", 24);
	assert_int_equal(letter(intent_of((struct str){ text, sizeof(text) })), 'A');
	for (int c = 1; c < 256; c++) {
		memset(text, c, sizeof(text));
		assert_int_not_equal(letter(intent_of((struct str){ text, sizeof(text) })), 'A');
	}
	for (size_t i = 0; i + 2 <= sizeof(text); i += 2)
		memcpy(text + i, "\u00ab", 2);
	assert_int_equal(letter(intent_of((struct str){ text, sizeof(text) })), 'C');
}

static void test_answers(void **state)
{
	static const struct {
		enum tool_mode before;
		const char *answer;
		char mode;
	} v[] = {
		{ TOOL_MODE_ACT, "The pilot", 'A' }, { TOOL_MODE_ACT, "No", 'C' },
		{ TOOL_MODE_ACT, "Nein, lieber nicht", 'C' },
		{ TOOL_MODE_CLARIFY, "Yes", 'A' }, { TOOL_MODE_CLARIFY, "Ja, bitte", 'A' },
		{ TOOL_MODE_INFORM, "The first one", 'I' },
		{ TOOL_MODE_CLARIFY, "No, add it to the pilot", 'A' },
		{ TOOL_MODE_CLARIFY, "", 'C' },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(v); i++) {
		const char m = letter(intent_answered(v[i].before, str_of(v[i].answer)));

		if (m != v[i].mode)
			print_message("%c: %s\n", m, v[i].answer);
		assert_int_equal(m, v[i].mode);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sentences), cmocka_unit_test(test_cases),
		cmocka_unit_test(test_long), cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
