# SPDX-License-Identifier: MIT
"""Text in the charsets that people have, pages, and PDFs: the data, what the text must have,
and must not."""

import base64
import zlib

from samples import pdf_of

LINE = "Müller, Größe; Straße"


def page(content, more=b"", fonts=b"/F1 3 0 R", objects=()):
    """A PDF of one page. content: of its stream."""
    base = [b"<< /Type /Catalog /Pages 2 0 R >>", None,
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
            b" /Resources << /Font << " + fonts + b" >> >> " + more + b" >>"]
    return pdf_of(base + list(objects), [5])


def lines(*texts, size=12, step=14):
    out = b"BT /F1 %d Tf 72 720 Td %d TL " % (size, step)
    return out + b"".join(b"(%s) Tj T* " % text.encode("cp1252") for text in texts) + b"ET"


NOTE = (b"<< /Type /Annot /Subtype /FreeText /Rect [72 400 300 430] /Contents (Remark) /DA"
        b" (/F1 12 Tf) /AP << /N 7 0 R >> >>")
NOTE_LOOK = b"BT /F1 12 Tf 2 5 Td (Remark) Tj ET"
CMAP = (b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def"
        b" 1 begincodespacerange <00> <FF> endcodespacerange 1 beginbfchar <66> <FB01>"
        b" endbfchar endcmap end end")


def east(text, encoding, collection, codes):
    """A PDF whose second font has no table of its own: the file names one (ISO 32000-1,
    9.7.5.2). codes: the text, or its charset."""
    codes = text.encode(codes) if isinstance(codes, str) else codes
    return page(b"BT /F1 12 Tf 72 720 Td (Plan B) Tj 0 -14 Td /F2 12 Tf <%s> Tj ET" % (
        codes.hex().encode()), fonts=b"/F1 3 0 R /F2 6 0 R", objects=[
            b"<< /Type /Font /Subtype /Type0 /BaseFont /X /Encoding /%s /DescendantFonts"
            b" [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /X /CIDSystemInfo <<"
            b" /Registry (Adobe) /Ordering (%s) /Supplement 2 >> >>] >>" % (
                encoding.encode(), collection.encode())])


CASES = {
    "one bad byte": (f"{LINE}\n".encode() * 3 + b"\xe4\n" + "Grüße".encode(),
                     [LINE, "\ufffd", "Grüße"], ["Ã"]),
    "a character that is cut": ("Schluß".encode() + b"\xc3", ["Schluß"], ["Ã"]),
    "UTF-16 without a mark": ("Größe;Menge\r\n1;2\r\n".encode("utf-16-le"),
                              ["Größe;Menge\n1;2"], []),
    "UTF-16 the other way round": ("Größe;Menge\r\n日本;2\r\n".encode("utf-16-be"),
                                   ["Größe;Menge\n日本;2"], []),
    "UTF-32": ("Größe 😀".encode("utf-32"), ["Größe 😀"], ["\ufeff"]),
    "control characters of Windows": ("it\u0092s \u0093new\u0094 \u0096 \u0080 5".encode(),
                                      ["it’s “new” – € 5"], []),
    "windows-1252": (b"\x84Gr\xf6\xdfe\x93 \x96 5 \x80, f\xfcr alle Stra\xdfen in M\xfcnchen\n",
                     ["„Größe“ – 5 €, für alle Straßen"], []),
    "old line ends": (b"one\rtwo\rthree", ["one\ntwo\nthree"], []),
    "form feeds and colours": (b"one\ftwo\v3 \x1b[1;31mred\x1b[0m end",
                               ["one\ntwo\n3 red end"], ["\x1b", "[1"]),
    "a log with a NUL": (b"2026-03-05 started the service\n" * 20 + b"\0\n" + b"end of it\n",
                         ["started the service", "end of it"], []),
    "ISO-2022-JP": ("休暇は九日です。\n".encode("iso-2022-jp") * 3, ["休暇は九日です。"], []),
    "XML that says its charset": ('<?xml version="1.0" encoding="ISO-8859-2"?><a>łódź</a>'
                                  .encode("iso-8859-2"), ["łódź"], []),
    "soft hyphens": ("Donau\u00addampf\u00adschiff".encode(), ["Donaudampfschiff"], []),
    # pages
    "a page": ("<!DOCTYPE html><html><body><p>Donau&shy;dampf &#147;x&#148; <ruby>東京<rp>(</rp><rt>"
               "とう</rt></ruby></body></html>".encode(), ["Donaudampf “x” 東京"], ["とう"]),
    "a page with one bad byte": (
        "<html><head><meta charset=utf-8></head><body>Größe ".encode() + b"\xe4"
        + " Köln</body></html>".encode(), ["Größe \ufffd Köln"], []),
    # PDF
    "broken words": (page(lines(
        "Der Urlaubs-", "anspruch im Mit-", "arbeiter, Hin-", "und weg, E-Mail-",
        "Adresse, 2019-", "2021 -", "end, www.x.org/a-", "b.")),
        ["Der Urlaubsanspruch im Mitarbeiter, Hin-\nund weg, E-Mail-Adresse, 2019-2021 -\n"
         "end, www.x.org/a-b."], []),
    "a word that is broken at the end of a column": (page(
        b"BT /F1 12 Tf 72 720 Td (Left column goes to the Ur-) Tj ET"
        b" BT /F1 12 Tf 350 720 Td (laub, the right one.) Tj ET"), ["Urlaub, the right one."], []),
    "ligatures": (page(b"BT /F1 12 Tf 72 720 Td (off) Tj /F2 12 Tf (f) Tj /F1 12 Tf (ce) Tj ET",
                       fonts=b"/F1 3 0 R /F2 6 0 R", objects=[
                           b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>",
                           b"<< /Length %d >>\nstream\n%s\nendstream" % (len(CMAP), CMAP)]),
                  ["offfice"], ["\ufb01"]),
    "remarks on the page": (page(lines("Text"), b"/Annots [6 0 R]", objects=[
        NOTE, b"<< /Type /XObject /Subtype /Form /BBox [0 0 228 30] /Resources << /Font << /F1"
        b" 3 0 R >> >> /Length %d >>\nstream\n%s\nendstream" % (len(NOTE_LOOK), NOTE_LOOK)]),
        ["Text", "Remark"], []),
    "text that is written twice for bold": (page(
        b"BT /F1 12 Tf 72 720 Td (Twice) Tj ET BT /F1 12 Tf 72.2 720 Td (Twice) Tj ET"),
        ["Twice"], ["TwiceTwice", "TTwwiiccee"]),
    "Shift-JIS by its name": (east("出張規程", "90ms-RKSJ-H", "Japan1", "cp932"),
                              ["Plan B", "出張規程"], []),
    "GBK by its name": (east("出差规定", "GBK-EUC-H", "GB1", "gbk"), ["出差规定"], []),
    "Big5 by its name": (east("差旅費", "ETen-B5-H", "CNS1", "big5"), ["差旅費"], []),
    "Korean by its name": (east("출장", "KSCms-UHC-H", "Korea1", "cp949"), ["출장"], []),
    "characters by their numbers": (east("", "Identity-H", "Japan1", b"\x0d\x4e\x0e\x30"),
                                    ["\u86e4\u5703"], []),
    "a mail with such a PDF": (
        b"From: a@example.org\nSubject: Plan\nMIME-Version: 1.0\nContent-Type: application/pdf\n"
        b"Content-Transfer-Encoding: base64\n\n" + base64.encodebytes(
            east("", "Identity-H", "Japan1", b"\x0d\x4e\x0e\x30")), ["\u86e4\u5703"], []),
    "a stream that is compressed": (pdf_of([
        b"<< /Type /Catalog /Pages 2 0 R >>", None,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (
            len(zlib.compress(lines("Packed"))), zlib.compress(lines("Packed"))),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> >>"], [5]), ["Packed"], []),
}
