/* SPDX-License-Identifier: MIT */
/* See pdf_page.h. Compiled without exceptions: what throws ends the process. */
#include "extract/pdf_page.h"

#include <poppler-document.h>
#include <poppler-global.h>
#include <poppler-page.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct pdf {
	std::unique_ptr<poppler::document> doc;
};

/* Whether poppler has said of a font that it cannot be read; nothing else is of use. */
static bool lacks;

static void note_lack(const std::string &said, void *)
{
	lacks |= said.find("language pack") != std::string::npos ||
		said.find("CMap file") != std::string::npos;
}

struct pdf *pdf_open(const char *p, size_t n, bool *locked)
{
	std::unique_ptr<poppler::document> doc;

	std::set_new_handler(pdf_no_memory);
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

static void *memory(size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		pdf_no_memory();
	return p;
}

static void read_words(const std::vector<poppler::text_box> &boxes, struct pdf_page *out)
{
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
	}
}

bool pdf_page_read(const struct pdf *pdf, int number, bool words, struct pdf_page *out)
{
	std::unique_ptr<poppler::page> page(pdf->doc->create_page(number));

	*out = pdf_page();
	if (!page)
		return false;
	lacks = false;
	poppler::byte_array utf8 = page->text(
		poppler::rectf(), poppler::page::non_raw_non_physical_layout).to_utf8();
	std::string text(utf8.begin(), utf8.end());

	if (words) {
		auto boxes = page->text_list(poppler::page::text_list_include_font);

		read_words(boxes, out);
		text = with_hyphens(text, boxes);
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
	*page = pdf_page();
}
