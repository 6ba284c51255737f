/* SPDX-License-Identifier: MIT */
#include "search/sure.h"

#include <math.h>
#include <stdlib.h>

#include "base/util.h"

#include "base/banned.h"

enum { WORD_BYTES = 24 };

/* A base with few passages is taken to be like most, as if it had so many more. */
static const double PRIOR_N = 16, PRIOR_COSINE = 0.2;

/*
 * English, German, French, Spanish, Italian, Dutch and Portuguese: articles, pronouns,
 * prepositions, auxiliaries, question words, numbers up to ten, days from today, greetings
 * and thanks, and a few that fill sentences ("back", "long", "time"). A base's language may
 * not be known, so they are one list. Sorted by bytes.
 */
static const char *const common[] = {
	"a", "aan", "aber", "able", "about", "above", "acht", "after", "again", "against",
	"ago", "ain", "al", "algo", "alguna", "algunas", "alguno", "algunos", "algún",
	"all", "alla", "alle", "allem", "allen", "aller", "alles", "allo", "almost",
	"along", "alors", "already", "als", "also", "although", "always", "am", "an",
	"anche", "ancora", "and", "ander", "andere", "anderem", "anderen", "anderer",
	"anderes", "another", "ante", "antes", "any", "anybody", "anyone", "anything",
	"ao", "aos", "après", "aquele", "aqui", "aquí", "are", "aren", "around", "as",
	"ask", "asked", "así", "at", "até", "au", "auch", "aucun", "auf", "aunque", "aus",
	"aussi", "autre", "autres", "aux", "avant", "avec", "avere", "avez", "avoir",
	"avons", "away", "back", "be", "because", "been", "before", "bei", "beim",
	"being", "below", "bem", "ben", "bene", "bent", "between", "bien", "bij", "bis",
	"bist", "bit", "bitte", "boa", "bom", "bon", "bonjour", "bonsoir", "both",
	"buenas", "bueno", "buenos", "but", "by", "bye", "cada", "can", "cannot", "casi",
	"ce", "cela", "ces", "cet", "cette", "ceux", "che", "chez", "chi", "ci", "ciao",
	"cinco", "cinq", "com", "come", "comme", "comment", "como", "con", "contra",
	"cosa", "cosi", "così", "could", "couldn", "cual", "cuales", "cuando", "cuatro",
	"cui", "cuál", "cuándo", "cuánto", "cómo", "da", "daar", "dabei", "dafür", "dal",
	"dalla", "dalle", "damit", "dan", "dank", "danke", "dankje", "dann", "dans",
	"daran", "darauf", "das", "dass", "dat", "davon", "dazu", "de", "dei", "dein",
	"deine", "deinem", "deinen", "deiner", "del", "dela", "dele", "della", "delle",
	"dello", "dem", "den", "denen", "denn", "depois", "depuis", "der", "deren", "des",
	"desde", "deshalb", "dessen", "deux", "deze", "di", "dich", "did", "didn", "die",
	"dies", "diese", "diesem", "diesen", "dieser", "dieses", "diez", "dir", "dit",
	"dix", "do", "doch", "doen", "does", "doesn", "doing", "dois", "doit", "don",
	"donc", "donde", "done", "dont", "dopo", "dort", "down", "drei", "du", "durante",
	"durch", "during", "dus", "dónde", "e", "each", "ed", "een", "eight", "ein",
	"eine", "einem", "einen", "einer", "eines", "einfach", "einige", "einmal",
	"either", "el", "ela", "elas", "ele", "eles", "ella", "ellas", "elle", "elles",
	"ellos", "else", "em", "en", "encore", "enough", "entre", "er", "eran", "es",
	"esa", "esas", "ese", "eso", "esos", "essa", "esse", "essere", "est", "esta",
	"estar", "estas", "este", "esto", "estos", "estoy", "está", "están", "estão",
	"et", "etwas", "eu", "euch", "euer", "eure", "eux", "ever", "every", "everybody",
	"everyone", "everything", "fa", "faire", "fait", "faut", "favor", "feel", "feels",
	"felt", "few", "five", "foi", "fois", "for", "found", "four", "from", "fünf",
	"für", "gar", "gave", "ge", "geen", "gegen", "geht", "genau", "gerade", "gern",
	"gerne", "gestern", "get", "gets", "getting", "gibt", "give", "gives", "già",
	"gli", "go", "goed", "goes", "going", "gone", "gonna", "good", "goodbye", "got",
	"gracias", "grazie", "great", "ha", "haar", "habe", "haben", "había", "hace",
	"hacer", "hacia", "had", "hadn", "haha", "hai", "hallo", "han", "hanno", "happen",
	"happened", "has", "hasn", "hast", "hasta", "hatte", "have", "haven", "having",
	"hay", "he", "heb", "hebben", "heeft", "hello", "help", "hem", "her", "here",
	"hers", "het", "heute", "hey", "hi", "hier", "hij", "him", "himself", "hin",
	"hinter", "his", "hmm", "ho", "hoe", "hola", "how", "however", "huit", "hun",
	"há", "hätte", "i", "ich", "ici", "iemand", "iets", "if", "ihm", "ihn", "ihnen",
	"ihr", "ihre", "ihrem", "ihren", "ihrer", "ik", "il", "ils", "im", "immer", "in",
	"indeed", "ins", "instead", "into", "io", "irgendwie", "is", "isn", "isso", "ist",
	"isto", "it", "its", "itself", "ja", "je", "jede", "jedem", "jeden", "jeder",
	"jedes", "jemand", "jetzt", "jij", "jouw", "jullie", "just", "juste", "já", "kan",
	"kann", "kannst", "keep", "kein", "keine", "keinem", "keinen", "keiner", "know",
	"known", "kunnen", "können", "könnte", "könnten", "la", "las", "last", "le",
	"least", "lei", "les", "less", "let", "lets", "leur", "leurs", "lhe", "li",
	"like", "likely", "ll", "lo", "lol", "long", "look", "loro", "los", "lui", "là",
	"maar", "machen", "macht", "made", "mais", "make", "makes", "making", "man",
	"many", "mas", "may", "maybe", "me", "mean", "means", "meant", "meer", "mehr",
	"mein", "meine", "meinem", "meinen", "meiner", "men", "merci", "mes", "mesmo",
	"met", "meu", "mi", "mia", "mich", "mie", "miei", "might", "mij", "mijn", "minha",
	"mio", "mir", "mis", "mit", "moet", "moi", "moins", "molto", "mon", "more",
	"morgen", "most", "much", "mucho", "muchos", "muito", "muss", "must", "mustn",
	"muy", "my", "myself", "más", "même", "möchte", "müssen", "na", "naar", "nach",
	"nada", "nas", "ne", "nee", "need", "needed", "needs", "nei", "nein", "nel",
	"nella", "nem", "neuf", "neun", "never", "new", "next", "ni", "nicht", "nichts",
	"nie", "niet", "nine", "no", "nobody", "noch", "nog", "noi", "non", "none",
	"nope", "nor", "nos", "nosotros", "nostro", "not", "nothing", "notre", "nous",
	"now", "nu", "nuestra", "nuestro", "nueve", "nun", "nur", "não", "nós", "o", "ob",
	"obrigada", "obrigado", "ocho", "oder", "of", "off", "often", "ogni", "oh",
	"ohne", "ok", "okay", "olá", "om", "omdat", "on", "once", "onde", "one", "only",
	"ons", "ont", "onto", "onze", "ook", "op", "or", "os", "other", "others", "otra",
	"otras", "otro", "otros", "ou", "oui", "our", "ours", "ourselves", "out", "over",
	"own", "où", "par", "para", "pas", "pela", "pelo", "per", "perché", "perhaps",
	"pero", "peu", "peut", "peux", "più", "please", "plupart", "poco", "pode", "poi",
	"por", "porque", "porqué", "posso", "pourquoi", "pouvez", "prego", "prima",
	"puede", "puedo", "pues", "puis", "put", "può", "qual", "quale", "quali", "quand",
	"quando", "quanto", "quatre", "que", "quel", "quelle", "quelles", "quello",
	"quels", "quem", "quero", "questa", "queste", "questi", "questo", "qui", "quiero",
	"quite", "quién", "quoi", "qué", "rather", "re", "really", "right", "sa", "said",
	"salut", "same", "sans", "sarà", "saw", "say", "says", "schon", "se", "sea",
	"sechs", "see", "seem", "seems", "seen", "sehr", "sei", "sein", "seine", "seinem",
	"seinen", "seiner", "seis", "seit", "sem", "senza", "ser", "ses", "seu", "seven",
	"shall", "she", "should", "shouldn", "si", "sia", "siamo", "sich", "sido", "sie",
	"sieben", "siete", "sim", "since", "sind", "sinon", "six", "so", "sobre", "soit",
	"solche", "soll", "sollen", "sollte", "some", "somebody", "someone", "something",
	"sometimes", "sommes", "sono", "sonst", "sont", "soon", "sorry", "sou", "sous",
	"sowie", "soy", "sta", "still", "stop", "su", "sua", "such", "sue", "sugli",
	"suis", "sul", "sulla", "suo", "sure", "sus", "sì", "sí", "só", "ta", "take",
	"takes", "también", "também", "tanto", "te", "tegen", "tell", "tem", "ten",
	"tener", "tengo", "tenho", "ter", "tes", "teu", "than", "thank", "thanks", "that",
	"the", "their", "theirs", "them", "themselves", "then", "there", "these", "they",
	"thing", "things", "think", "this", "those", "though", "three", "through", "thus",
	"ti", "tiene", "time", "times", "to", "toch", "toda", "today", "todo", "todos",
	"toen", "together", "toi", "told", "tomorrow", "too", "took", "tot", "tous",
	"tout", "toute", "toutes", "toward", "tra", "tres", "trois", "trop", "true",
	"try", "trying", "très", "tschüss", "tu", "tua", "tudo", "tuo", "tus", "tutti",
	"tutto", "two", "tú", "u", "uit", "um", "uma", "un", "una", "unas", "und",
	"under", "une", "unless", "uno", "unos", "uns", "unser", "unsere", "unter",
	"until", "up", "upon", "us", "use", "used", "uses", "using", "usted", "uw", "va",
	"vai", "vais", "vamos", "vas", "ve", "veel", "very", "veux", "via", "viel",
	"viele", "vielen", "vielleicht", "vier", "você", "vocês", "voglio", "voi", "vom",
	"von", "voor", "vor", "vorrei", "vos", "votre", "voudrais", "vous", "voy", "waar",
	"waarom", "wann", "wanneer", "want", "wants", "waren", "warum", "was", "wasn",
	"wat", "way", "we", "weil", "wel", "welche", "welchem", "welchen", "welcher",
	"welches", "welke", "well", "wem", "wen", "wenn", "went", "wer", "werd", "werde",
	"werden", "were", "weren", "what", "whatever", "when", "where", "whether",
	"which", "while", "who", "whole", "whom", "whose", "why", "wie", "wieder",
	"wieso", "wij", "wil", "will", "wir", "wird", "wirklich", "wish", "with",
	"within", "without", "wo", "woher", "wohin", "wollen", "won", "worden", "wordt",
	"would", "wouldn", "wow", "wurde", "würde", "würden", "y", "ya", "yeah", "yep",
	"yes", "yesterday", "yet", "yo", "you", "your", "yours", "yourself", "yourselves",
	"zal", "ze", "zehn", "zelf", "zich", "zij", "zijn", "zo", "zonder", "zou", "zu",
	"zum", "zur", "zwischen", "à", "às", "ça", "è", "él", "étaient", "était", "été",
	"êtes", "être", "über",
};

static int by_bytes(const void *a, const void *b)
{
	return strcmp(a, *(const char *const *)b);
}

bool sure_is_common(struct str word)
{
	char text[WORD_BYTES];

	if (word.n >= sizeof(text))
		return false;
	for (size_t i = 0; i < word.n; i++)
		text[i] = (char)(word.p[i] >= 'A' && word.p[i] <= 'Z' ? word.p[i] | 32
				 : word.p[i]);
	text[word.n] = '\0';
	return bsearch(text, common, ARRAY_LEN(common), sizeof(*common), by_bytes);
}

static bool is_of_word(unsigned char c)
{
	return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
		(c >= 'A' && c <= 'Z');
}

bool sure_asks(struct str text)
{
	size_t n;

	for (size_t i = 0; i < text.n; i += n ? n : 1) {
		n = 0;
		while (i + n < text.n && is_of_word((unsigned char)text.p[i + n]))
			n++;
		/* "t" of "don't" is none */
		if (n > 1 && !sure_is_common((struct str){ text.p + i, n }))
			return true;
	}
	return false;
}

static double from_odds(double log_odds)
{
	return 1 / (1 + exp(-log_odds));
}

double sure_of_words(const struct sure_words *w)
{
	if (!w->n || w->all <= 0)
		return 0;
	return from_odds(-10.84 + 11.12 * log(1 + w->n) + 0.68 * w->weight / w->all +
			 1.96 * w->weight / log((double)w->chunks + 2));
}

void sure_note(struct sure_near *s, const void *vector, int dimension)
{
	const char *p = vector;
	float x;

	for (int i = 0; i < dimension; i++) {
		memcpy(&x, p + (size_t)i * sizeof(x), sizeof(x));
		s->sum[i] += (double)x;
	}
	s->n++;
}

double sure_usual(const struct sure_near *s, int dimension)
{
	const double n = (double)s->n;
	double squares = 0, mean = 0;

	for (int i = 0; s->n && i < dimension; i++)
		squares += s->sum[i] * s->sum[i];
	if (s->n > 1)		/* without each one's cosine with itself, 1 */
		mean = (squares - n) / (n * n - n);
	return (n * mean + PRIOR_N * PRIOR_COSINE) / (n + PRIOR_N);
}

double sure_of_vector(double cosine, double usual)
{
	return from_odds(-2.83 + 15.14 * (cosine - usual) / MAX(1 - usual, 0.01));
}

double sure_of_both(double x, double y)
{
	return 1 - (1 - x) * (1 - y);
}
