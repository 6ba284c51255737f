/* SPDX-License-Identifier: MIT */
/* See pdf_page.h. Compiled without exceptions: what throws ends the process. */
#include "extract/pdf_page.h"

#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct pdf {
	std::unique_ptr<poppler::document> doc;
};

/* Whether poppler has said of a font that it cannot be read; nothing else is of use. */
static bool lacks;

static void note_lack(const std::string &message, void *)
{
	lacks |= message.find("language pack") != std::string::npos ||
		message.find("CMap file") != std::string::npos;
}

[[noreturn]] static void no_memory()
{
	_exit(PDF_EXIT_MEMORY);
}

struct pdf *pdf_open(const char *p, size_t n, bool *locked)
{
	std::unique_ptr<poppler::document> doc;

	std::set_new_handler(no_memory);
	poppler::set_debug_error_function(note_lack, nullptr);
	*locked = false;
	if (n <= (size_t)__INT_MAX__)
		doc.reset(poppler::document::load_from_raw_data(p, (int)n));
	if (!doc)
		return nullptr;
	*locked = doc->is_locked();
	return *locked ? nullptr : new pdf{ std::move(doc) };
}

void pdf_close(struct pdf *pdf)
{
	delete pdf;
}

int pdf_pages(const struct pdf *pdf)
{
	return pdf->doc->pages();
}

static bool is_bold(const std::string &font)
{
	for (const char *word : { "Bold", "bold", "Black", "Heavy" })
		if (font.find(word) != std::string::npos)
			return true;
	return false;
}

/* Marks of the direction of writing, U+202A to U+202E, which are in no word. */
static bool is_direction(const std::string &s, size_t at)
{
	return !s.compare(at, 2, "\xe2\x80") && at + 2 < s.size() &&
		(unsigned char)s[at + 2] >= 0xaa && (unsigned char)s[at + 2] <= 0xae;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\f';
}

static size_t chars_of(const std::string &utf8)
{
	size_t n = 0;

	for (char c : utf8)
		n += ((unsigned char)c & 0xc0) != 0x80 && c != ' ';
	return n;
}

/* The bytes at `at` that have this many characters, blanks and marks not counted. */
static size_t bytes_of(const std::string &s, size_t at, size_t chars)
{
	size_t from = at;

	while (at < s.size()) {
		if (is_direction(s, at)) {
			at += 3;
			continue;
		}
		if (((unsigned char)s[at] & 0xc0) != 0x80 && !is_space(s[at]) && !chars--)
			break;
		at++;
	}
	return at - from;
}

/*
 * Poppler leaves out each hyphen at the end of a line, with the line end: "2019-" + "2021"
 * becomes another number. The words still have them.
 */
static std::string with_hyphens(const std::string &s,
				const std::vector<poppler::text_box> &boxes)
{
	std::string out;
	size_t at = 0;

	for (const auto &box : boxes) {
		poppler::byte_array utf8 = box.text().to_utf8();
		std::string word(utf8.begin(), utf8.end());
		size_t n = word.size();

		while (at < s.size() && is_space(s[at]))
			out += s[at++];
		if (n && word[n - 1] == '-' && s.compare(at, n, word) &&
		    !s.compare(at, n - 1, word, 0, n - 1)) {
			out += word + "\n";
			at += n - 1;
			continue;
		}
		n = bytes_of(s, at, chars_of(word));
		out.append(s, at, n);
		at += n;
	}
	return out.append(s, at, std::string::npos);
}

/* A letter of Arabic, Persian or Urdu, or a mark on one. */
static bool is_arabic(unsigned c)
{
	return (c >= 0x610 && c <= 0x61a) || (c >= 0x620 && c <= 0x65f) ||
		(c >= 0x66e && c <= 0x6ef);
}

/*
 * A word in Arabic letters, as it is painted, from left to right. Lam left of alef is
 * either the article, or the ligature of both, one glyph whose letters poppler turns
 * around with those of the line. It divides the width of a glyph among its letters, so
 * those of a ligature are equal, but for the blank that may follow the glyph.
 */
struct arabic_word {
	poppler::ustring text;
	std::vector<double> width;
	bool at_start;			/* nothing is right of it */

	bool is_pair(size_t i) const
	{
		return i + 1 < text.size() && text[i] == 0x644 &&
			(text[i + 1] == 0x627 || text[i + 1] == 0x622 ||
			 text[i + 1] == 0x623 || text[i + 1] == 0x625);
	}
	bool is_even(size_t i) const
	{
		return std::abs(width[i] - width[i + 1]) <= 0.002 * width[i];
	}
	/* Whether another letter is as wide: a font in which all are. */
	bool is_usual(size_t i) const
	{
		for (size_t k = 0; k < width.size(); k++) {
			if (is_pair(k))
				k++;
			else if (std::abs(width[k] - width[i]) <= 0.002 * width[i])
				return true;
		}
		return false;
	}
	std::string utf8(bool reversed) const
	{
		std::string out;

		for (size_t i = 0; i < text.size(); i++) {
			unsigned c = text[reversed ? text.size() - 1 - i : i];

			out += (char)(0xc0 | c >> 6);
			out += (char)(0x80 | (c & 0x3f));
		}
		return out;
	}
};

/*
 * Widths of the lam of the article, by fonts, learned where nothing is right of it: its form is the same
 * behind any alef.
 */
using lam_widths = std::map<std::string, std::vector<double>>;

enum { LAM_WIDTHS = 16, MIN_WORD = 2 };

static bool has_width(const std::vector<double> &widths, double w)
{
	for (double one : widths)
		if (std::abs(one - w) <= 0.003 * w)
			return true;
	return false;
}

static bool is_ligature(const arabic_word &w, size_t i, const std::vector<double> &lam)
{
	const bool alike = w.width[i] > 0.75 * w.width[i + 1] &&
		w.width[i] < 1.33 * w.width[i + 1];

	/* A letter of the article may be as wide as the alef within a word. */
	if (w.is_even(i))
		return !w.is_usual(i) && (i + 2 == w.text.size() || !i ||
					  !has_width(lam, w.width[i]));
	/* The lam of the article has its own form at the end of a word, a wide one. */
	if (!i)
		return alike;
	return alike && i + 2 < w.text.size() && !lam.empty() &&
		!has_width(lam, w.width[i]);
}

static std::vector<arabic_word> arabic_words(const poppler::text_box &box)
{
	std::vector<arabic_word> out;
	poppler::ustring text = box.text();
	bool within = false;

	for (size_t i = 0; i < text.size(); i++) {
		if (text[i] >= 0xd800 && text[i] < 0xe000)	/* boxes are of characters */
			return {};
		if (is_arabic(text[i]) && !within)
			out.push_back({});
		within = is_arabic(text[i]);
		if (within) {
			out.back().text += text[i];
			out.back().width.push_back(box.char_bbox(i).width());
			out.back().at_start = i + 1 == text.size();
		}
	}
	return out;
}

/* Words of the text with ligatures of lam and alef that are turned around, put right. */
static std::string with_ligatures(const std::string &s,
				  const std::vector<poppler::text_box> &boxes)
{
	struct turned {
		std::string right;
		int votes;		/* of words that look the same, some may be right */
	};
	std::vector<std::pair<std::string, arabic_word>> words;
	std::map<std::string, turned> found;
	lam_widths lam;
	std::string out;

	for (const auto &box : boxes)
		for (auto &w : arabic_words(box)) {
			std::string font = box.has_font_info() ? box.get_font_name() +
				std::to_string(box.get_font_size()) : "";
			const size_t end = w.text.size() - MIN_WORD;
			auto &known = lam[font];

			if (w.text.size() >= MIN_WORD && w.at_start && w.is_pair(end) &&
			    !w.is_even(end) && known.size() < LAM_WIDTHS &&
			    !has_width(known, w.width[end]))
				known.push_back(w.width[end]);
			words.push_back({ font, std::move(w) });
		}
	for (auto &[font, w] : words) {
		std::string wrong = w.utf8(true);
		bool any = false, pairs = false;

		for (size_t i = 0; i + 1 < w.text.size(); i++) {
			if (!w.is_pair(i))
				continue;
			pairs = true;
			if (is_ligature(w, i, lam[font])) {
				std::swap(w.text[i], w.text[i + 1]);
				i++;
				any = true;
			}
		}
		if (any)
			found[wrong].right = w.utf8(true);
		if (pairs)
			found[wrong].votes += any ? 1 : -1;
	}
	for (size_t i = 0; i < s.size();) {
		size_t n = 0;

		while (i + n + 1 < s.size() && (s[i + n] & 0xe0) == 0xc0 &&
		       is_arabic((s[i + n] & 0x1fu) << 6 | (s[i + n + 1] & 0x3fu)))
			n += 2;
		auto it = n ? found.find(s.substr(i, n)) : found.end();
		if (it != found.end() && it->second.votes > 0)
			out += it->second.right;
		else
			out.append(s, i, n ? n : 1);
		i += n ? n : 1;
	}
	return out;
}

static void *memory(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		no_memory();
	return p;
}

static void read_words(const std::vector<poppler::text_box> &boxes, struct pdf_page *out)
{
	std::string bytes;

	out->words = (struct pdf_word *)memory(boxes.size() * sizeof(*out->words));
	for (const auto &box : boxes) {
		struct pdf_word *w = &out->words[out->n_words++];
		poppler::rectf place = box.bbox();

		poppler::byte_array utf8 = box.text().to_utf8();

		w->chars = chars_of(std::string(utf8.begin(), utf8.end()));
		w->size = box.has_font_info() ? box.get_font_size() : 0;
		w->bold = box.has_font_info() && is_bold(box.get_font_name());
		w->top = place.top();
		w->bottom = place.bottom();
		w->left = place.left();
		w->right = place.right();
		w->at = bytes.size();
		w->n = utf8.size();
		bytes.append(utf8.begin(), utf8.end());
	}
	out->text_of_words = (char *)memory(bytes.size());
	memcpy(out->text_of_words, bytes.data(), bytes.size());
}

static int turns_of(const poppler::page &page)
{
	switch (page.orientation()) {
	case poppler::page::landscape: return 1;
	case poppler::page::upside_down: return 2;
	case poppler::page::seascape: return 3;
	default: return 0;
	}
}

bool pdf_page_read(const struct pdf *pdf, int number, bool words, struct pdf_page *out)
{
	std::unique_ptr<poppler::page> page(pdf->doc->create_page(number));

	*out = pdf_page();
	if (!page)
		return false;
	lacks = false;
	out->turns = turns_of(*page);
	poppler::byte_array utf8 = page->text(
		poppler::rectf(), poppler::page::non_raw_non_physical_layout).to_utf8();
	std::string text(utf8.begin(), utf8.end());

	if (words) {
		auto boxes = page->text_list(poppler::page::text_list_include_font);

		read_words(boxes, out);
		text = with_ligatures(with_hyphens(text, boxes), boxes);
	}
	out->text = (char *)memory(text.size() + 1);
	memcpy(out->text, text.data(), text.size());
	out->text[text.size()] = '\0';
	out->n = text.size();
	out->lacks = lacks;
	return true;
}

void pdf_page_release(struct pdf_page *page)
{
	free(page->text);
	free(page->words);
	free(page->text_of_words);
	*page = pdf_page();
}
