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


# Letters of an Arabic font; two of its glyphs are ligatures.
ARABIC = (b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def"
          b" 1 begincodespacerange <00> <FF> endcodespacerange 11 beginbfchar <61> <0627> <65>"
          b" <06440625> <6A> <062C> <6B> <062E> <6C> <0644> <6E> <06440627> <71> <0642>"
          b" <74> <062A> <76> <0648> <77> <06440622> <7A>"
          b" <0632> endbfchar endcmap end end")


def arabic(*glyphs):
    """A PDF of words; glyphs: of each, from left to right."""
    return page(b"BT /F2 12 Tf 300 720 Td " + b" ".join(
        b"(%s) Tj 0 -20 Td" % word.encode() for word in glyphs) + b" ET",
        fonts=b"/F2 6 0 R", objects=[
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(ARABIC), ARABIC)])


def field(value, more=b"/FT /Tx", look=None, flags=4):
    """A PDF with a field of a form whose font has Latin letters only, and a label. look: what
    paints the field; without, poppler makes it of the value."""
    utf16 = b"<feff" + value.encode("utf-16-be").hex().encode() + b">"
    label = lines("12 Label")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [6 0 R] /DR << /Font << /F1 3 0 R >>"
        b" >> /DA (/F1 12 Tf 0 g) >> >>", None,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(label), label),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font"
        b" << /F1 3 0 R >> >> /Annots [6 0 R] >>",
        b"<< /Type /Annot /Subtype /Widget /T (Name) /V %s /F %d /Rect [72 600 300 620] /DA"
        b" (/F1 12 Tf 0 g) %s %s >>" % (b"/Yes" if b"/Btn" in more else utf16, flags, more,
                                       b"/AP << /N 7 0 R >>" if look else b"")]
    if look:
        objects.append(b"<< /Type /XObject /Subtype /Form /BBox [0 0 228 20] /Resources << /Font"
                       b" << /F1 3 0 R >> >> /Length %d >>\nstream\n%s\nendstream" % (
                           len(look), look))
    return pdf_of(objects, [5])


SHOWN = b"/Tx BMC q BT /F1 12 Tf 2 5 Td (%s) Tj ET Q EMC"
CHOICE = b"/FT /Ch /Ff 131072 /Opt [<feff0416> <feff0411>]"


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


# Texts of one byte for each character, and charsets that they may be in.
BYTES = {
    "German": ("Für Überstunden gilt: „frühestens nächste Woche“ – größer, schöner, weiß.",
               ["mac_roman", "cp1252"]),
    "German of DOS": ("Die Kündigungsfrist beträgt drei Monate. Ärzte, MÜNCHEN, Größe, weiß.",
                      ["cp850", "cp437", "iso-8859-1"]),
    "French": ("Le café est déjà fermé. L’élève est à l’hôtel, près du théâtre. Ça va être très "
               "agréable. Évidemment, l’œuvre où naïveté règne dès août.", ["mac_roman", "cp1252"]),
    "French with euros": ("Prix : 20 € l'été, œuvre à Noël", ["iso-8859-15"]),
    "Spanish": ("El año pasado, la señora Muñoz pidió vacaciones según el artículo 5: ¿cuántos "
                "días corresponden?", ["mac_roman", "cp850", "iso-8859-1"]),
    "English": ("It’s “quoted” — resume: résumé, café… £5", ["mac_roman"]),
    "Finnish": ("Kaikki työntekijät saavat lomaa. Määräaika päättyy kesäkuussa. Äiti.",
                ["mac_roman", "cp850", "cp1252"]),
    "Danish": ("Alle medarbejdere får ferie. Ansøgningen skal være afleveret før påske. Ærø.",
               ["mac_roman", "cp850", "cp1252"]),
    "Catalan": ("Col·laboració, paral·lel, això, què, més, català, façana.",
                ["mac_roman", "cp1252"]),
    "Portuguese": ("Informação sobre as férias: três dias, não são úteis. São João.",
                   ["mac_roman", "cp1252"]),
    "Italian": ("Perché l'università è così: città, più, già, può. È vero.",
                ["mac_roman", "cp1252"]),
    "Dutch": ("Één reünie, coördinatie en geïnteresseerd; België.", ["mac_roman", "cp1252"]),
    "Polish": ("Każdy pracownik ma prawo do urlopu. Wniosek należy złożyć na piśmie, co najmniej "
               "trzydzieści dni wcześniej. Łódź, Śląsk.", ["mac_latin2", "cp1250", "iso-8859-2"]),
    "Czech": ("Příliš žluťoučký kůň úpěl ďábelské ódy. Žádost o dovolenou musí být podána včas, "
              "nejméně třicet dní předem.", ["mac_latin2", "cp852", "cp1250"]),
    "Lithuanian": ("Kiekvienas darbuotojas turi teisę į atostogas. Prašymas pateikiamas iš anksto, "
                   "ne vėliau kaip trisdešimt dienų.", ["cp1257"]),
    "Turkish": ("Çalışanlar yılda otuz gün izin kullanır. İstanbul'da öğretmenler için şöyle.",
                ["cp1254"]),
    "Russian": ("Каждый сотрудник имеет право на отпуск в тридцать дней.",
                ["mac_cyrillic", "cp1251", "koi8-r", "cp866"]),
    "Russian in capitals": ("ООО РОГА И КОПЫТА, ПРИКАЗ 5",
                            ["cp1251", "koi8-r", "mac_cyrillic", "iso-8859-5"]),
    "one word in capitals": ("ПРИКАЗ", ["cp1251", "cp866", "iso-8859-5"]),
    "Ukrainian": ("Кожен працівник має право на відпустку. Її тривалість", ["cp1251", "koi8-u"]),
    "Hebrew": ("חופשה שנתית: כל עובד זכאי לעשרים ימי חופשה בשנה.", ["cp1255"]),
    "a letter at the end": ("חופשה שנתית: כל עובד זכאי לעשרים ימים", ["cp1255", "iso-8859-8"]),
}

CASES = {
    **{f"{name} in {charset}": (text.encode(charset), [text], [])
       for name, (text, charsets) in BYTES.items() for charset in charsets},
    "one bad byte": (f"{LINE}\n".encode() * 3 + b"\xe4\n" + "Grüße".encode(),
                     [LINE, "\ufffd", "Grüße"], ["Ã"]),
    "a character that is cut": ("Schluß".encode() + b"\xc3", ["Schluß"], ["Ã"]),
    "UTF-16 without a mark": ("Größe;Menge\r\n1;2\r\n".encode("utf-16-le"),
                              ["Größe;Menge\n1;2"], []),
    "UTF-16 the other way round": ("Größe;Menge\r\n日本;2\r\n".encode("utf-16-be"),
                                   ["Größe;Menge\n日本;2"], []),
    "UTF-16 of Russian, whose first letter looks like an archive": (
        "Каждый сотрудник\r\n".encode("utf-16-le"), ["Каждый сотрудник"], []),
    "UTF-16 of ideographs alone": ("休暇は九日です。申請書".encode("utf-16-le"),
                                    ["休暇は九日です。申請書"], []),
    "UTF-16 of ideographs the other way round": (
        "请假制度每年三十天不得结转到下一年度".encode("utf-16-be"), ["请假制度每年三十天"], []),
    "UTF-16 of kana alone": ("カタカナひらがな".encode("utf-16-le"), ["カタカナひらがな"], []),
    "Shift-JIS of ideographs alone": ("休暇規程年次有給休暇申請書".encode("cp932") * 3,
                                       ["休暇規程年次有給"], []),
    "GBK of ideographs alone": ("请假制度每年三十天不得结转到下一年度".encode("gbk"),
                                 ["请假制度每年三十天"], []),
    "UTF-16 with half a character": (
        ("Größe\r\n" * 3).encode("utf-16-le") + b"\0\xd8" + "Ende\r\n".encode("utf-16-le"),
        ["Größe\nGröße", "\ufffdEnde"], []),
    "two letters of UTF-16": ("Ja".encode("utf-16-be"), ["Ja"], []),
    "a page in UTF-16": ("<!DOCTYPE html><html><body><p>Größe</p></body></html>"
                         .encode("utf-16-le"), ["Größe"], ["<p>"]),
    "UTF-32 without a mark": ("Größe;Menge\r\n".encode("utf-32-le"), ["Größe;Menge"], []),
    "UTF-32 the other way round": ("Größe;Menge\r\n".encode("utf-32-be"), ["Größe;Menge"], []),
    "halves of characters in UTF-8": (b"Smile \xed\xa0\xbd\xed\xb8\x80 Gr\xc3\xb6\xc3\x9fe",
                                      ["Smile \ufffd", "Größe"], ["Ã"]),
    "a NUL as Java writes it": (b"Nul \xc0\x80 Gr\xc3\xb6\xc3\x9fe", ["Größe"], ["Ã"]),
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
    "ligatures of Arabic": (arabic("tazajea", "n", "ztnav", "jwav", "nv"),
                            ["الإجازات", "\nلا", "والاتز", "والآج", "ولا"], ["اإل", "اال"]),
    "a ligature within a word of Arabic": (
        arabic("lnk", "laq", "nka", "lavj"), ["خلال", "قال", "اخلا", "جوال"], []),
    "a field whose letters its font lacks": (field("Łódź 12"), ["- Name: Łódź 12"], []),
    "a field in Chinese": (field("张伟"), ["- Name: 张伟"], []),
    "a field in Hebrew": (field("שלום"), ["- Name: שלום"], []),
    "a field that shows a part of its value": (
        field("12 Ж", look=SHOWN % b"12"), ["- Name: 12 Ж"], []),
    "a field that shows its value": (
        field("Anna B", look=SHOWN % b"Anna B"), ["Anna B"], ["Name"]),
    "a choice": (field("Ж", CHOICE), ["- Name: Ж"], ["Б"]),
    "a box that is ticked by lines": (
        field("", b"/FT /Btn /AS /Yes", b"0 0 m 10 10 l S"), ["- Name: [x]"], []),
    "a password in a form": (field("geheimЖ", b"/FT /Tx /Ff 8192"), ["Label"], ["geheim", "Ж"]),
    "a field that is hidden": (field("Ж", flags=6), ["Label"], ["Ж"]),
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
