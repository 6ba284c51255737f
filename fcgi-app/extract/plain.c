/*
 * Text in any charset. The C library loads converters from files, so those of all
 * charsets that can be detected are opened before the process confines itself.
 */
#include "extract/file.h"

#include <iconv.h>
#include <string.h>
#include <strings.h>
#include <uchardet.h>

#include "base/utf8.h"
#include "extract/out.h"

#include "base/banned.h"

enum { LOOK_BYTES = 1048576, PART_BYTES = 4096 };

/* Charsets by the names that uchardet and mails use. */
static struct {
	const char *name, *is;
	iconv_t cd;
} sets[] = {
	{ "UTF-16LE", "UTF-16LE", 0 }, { "UTF-16BE", "UTF-16BE", 0 },
	{ "UTF-16", "UTF-16", 0 }, { "UTF-32LE", "UTF-32LE", 0 },
	{ "UTF-32BE", "UTF-32BE", 0 },
	{ "WINDOWS-1252", "WINDOWS-1252", 0 },
	{ "ISO-8859-1", "WINDOWS-1252", 0 }, { "ASCII", "WINDOWS-1252", 0 },
	{ "US-ASCII", "WINDOWS-1252", 0 },
	{ "ISO-8859-2", "ISO-8859-2", 0 }, { "WINDOWS-1250", "WINDOWS-1250", 0 },
	{ "ISO-8859-5", "ISO-8859-5", 0 }, { "WINDOWS-1251", "WINDOWS-1251", 0 },
	{ "KOI8-R", "KOI8-R", 0 }, { "IBM866", "IBM866", 0 },
	{ "ISO-8859-7", "ISO-8859-7", 0 }, { "WINDOWS-1253", "WINDOWS-1253", 0 },
	{ "ISO-8859-9", "ISO-8859-9", 0 }, { "WINDOWS-1254", "WINDOWS-1254", 0 },
	{ "ISO-8859-8", "ISO-8859-8", 0 }, { "WINDOWS-1255", "WINDOWS-1255", 0 },
	{ "ISO-8859-6", "ISO-8859-6", 0 }, { "WINDOWS-1256", "WINDOWS-1256", 0 },
	{ "WINDOWS-1257", "WINDOWS-1257", 0 }, { "ISO-8859-15", "ISO-8859-15", 0 },
	{ "TIS-620", "TIS-620", 0 }, { "GB18030", "GB18030", 0 },
	{ "GB2312", "GB18030", 0 }, { "GBK", "GB18030", 0 },
	{ "BIG5", "BIG5", 0 }, { "SHIFT_JIS", "CP932", 0 },
	{ "EUC-JP", "EUC-JP", 0 }, { "ISO-2022-JP", "ISO-2022-JP", 0 },
	{ "EUC-KR", "EUC-KR", 0 }, { "UHC", "UHC", 0 },
	{ "KS_C_5601-1987", "UHC", 0 }, { "X-SJIS", "CP932", 0 },
	{ "WINDOWS-31J", "CP932", 0 }, { "KOI8-U", "KOI8-U", 0 },
	{ "ISO-8859-4", "ISO-8859-4", 0 }, { "ISO-8859-13", "ISO-8859-13", 0 },
	{ "LATIN1", "WINDOWS-1252", 0 }, { "WINDOWS-874", "CP874", 0 },
};

#define NONE ((iconv_t)-1)

void extract_plain_prepare(void)
{
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		sets[i].cd = iconv_open("UTF-8", sets[i].is);
}

static iconv_t converter(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(sets); i++)
		if (strcasecmp(sets[i].name, name) == 0)
			return sets[i].cd;
	return NONE;
}

static iconv_t found_out(struct str text)
{
	uchardet_t u = uchardet_new();
	iconv_t cd;

	uchardet_handle_data(u, text.p, MIN(text.n, LOOK_BYTES));
	uchardet_data_end(u);
	cd = converter(uchardet_get_charset(u));
	uchardet_delete(u);
	return cd != NONE ? cd : converter("WINDOWS-1252");
}

static void convert(iconv_t cd, struct str s, struct buf *out)
{
	struct buf raw = BUF_INIT(4 * s.n + 16);

	iconv(cd, NULL, NULL, NULL, NULL);
	while (s.n) {
		char part[PART_BYTES], *to = part, *at = (char *)s.p;
		size_t left = s.n, room = sizeof(part);

		(void)iconv(cd, &at, &left, &to, &room);
		buf_add(&raw, part, sizeof(part) - room);
		if (room == sizeof(part) && left == s.n) {
			buf_adds(&raw, "\xef\xbf\xbd");
			at++;
			left--;
		}
		s = (struct str){ at, left };
	}
	utf8_scrub(out, buf_str(&raw));
	buf_release(&raw);
}

void extract_plain_convert(struct str text, const char *charset,
			   struct buf *out)
{
	iconv_t cd = converter(charset);

	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = (struct str){ text.p + 3, text.n - 3 };
	else if (str_starts(text, STR("\xff\xfe")) ||
		 str_starts(text, STR("\xfe\xff")))
		cd = converter("UTF-16");
	if ((cd == NONE || converter("WINDOWS-1252") == cd) && utf8_valid(text))
		buf_addstr(out, text);
	else
		convert(cd != NONE ? cd : found_out(text), text, out);
}

int extract_plain(struct extract *x)
{
	struct buf text = BUF_INIT(4 * x->input.n + 16);

	extract_plain_convert(buf_str(&x->input), x->charset, &text);
	extract_put_text(&x->out, buf_str(&text));
	buf_release(&text);
	return EXTRACT_OK;
}
