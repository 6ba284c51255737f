# SPDX-License-Identifier: MIT
"""Mails and RTF as programs write them: the data, what the text must have, and must not."""

import base64
import binascii

from email.header import Header
from email.message import EmailMessage

HEAD = "From: a@example.org\r\nDate: Thu, 5 Mar 2026 10:00:00 +0100\r\nMIME-Version: 1.0\r\n"


def mail(fields="", body="x\r\n"):
    data = (HEAD + fields).encode() if isinstance(fields, str) else HEAD.encode() + fields
    return data + b"\r\n" + (body.encode() if isinstance(body, str) else body)


def attached(disposition, kind="text/plain"):
    return mail('Content-Type: multipart/mixed; boundary="=_b 1"\r\n', (
        f"--=_b 1\r\nContent-Type: {kind}\r\nContent-Disposition: {disposition}\r\n\r\nInside.\r\n"
        "--=_b 1--\r\n"))


def uuencoded(data, name, strip=False):
    """A file as mail programs wrote it into the text before MIME."""
    rows = [binascii.b2a_uu(data[i:i + 45]).decode() for i in range(0, len(data), 45)]
    return f"begin 644 {name}\n" + "".join(
        row.rstrip(" \n") + "\n" if strip else row for row in rows) + "`\nend\n"


def built():
    m = EmailMessage()
    m["From"] = "Jörg Müller <joerg@example.org>"
    m["Date"] = "Thu, 5 Mar 2026 10:00:00 +0100"
    m["Subject"] = "Übersicht über die Reisekostenabrechnung für das gesamte Jahr – 日本語のタイトル"
    m.set_content("Grüße aus Köln\n", charset="iso-8859-1")
    m.add_attachment("a;b\n".encode(), maintype="text", subtype="csv",
                     filename="Übersicht über alle Kosten des Jahres 2026 – Anlage.csv")
    return bytes(m)


def alternatives(text, html, more=""):
    m = EmailMessage()
    m["From"], m["Date"], m["Subject"] = "a@example.org", "today", "S"
    m.set_content(text)
    m.add_alternative(html, subtype="html")
    if more:
        m.add_alternative(more, subtype="calendar")
    return bytes(m)


def mbox(*texts):
    return "".join(
        f"From a@example.org Thu Mar  5 10:00:00 2026\nFrom: a{i}@example.org\nDate: today\n"
        f"Subject: Mail {i}\n\n{text}\n\n" for i, text in enumerate(texts, 1)).encode()


def rtf(body, head=r"\ansi\ansicpg1252\deff0{\fonttbl{\f0 Arial;}}"):
    return b"{\\rtf1" + head.encode() + b" " + (body.encode() if isinstance(body, str)
                                                else body) + b"\\par}"


FONTS = (r"\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}"
         r"{\f2\fcharset128 MS Mincho;}{\f3\fcharset2 Symbol;}{\f4\fcharset238 Arial CE;}"
         r"{\f5\fcharset177{\*\falt X}Arial;}{\f6\fnil Wingdings;}}")
WINDOWS = {"windows-1251": (1, "Привет"), "cp932": (2, "日本語ソ表"), "windows-1250": (4, "žluťoučký"),
           "windows-1255": (5, "שלום")}


def escaped(text, charset):
    return "".join(f"\\'{b:02x}" for b in text.encode(charset))


SPLIT = "=?utf-8?b?" + base64.b64encode("Grü".encode()[:3]).decode() + "?=\r\n =?utf-8?b?" + (
    base64.b64encode("Grü".encode()[3:] + b"n").decode()) + "?="
HTML = "<div>Hello<br>R&uuml;ckgabe</div>"

ROWS = "Name;Tage\nMüller;30\n" * 9
CASES = {
    "uuencode in the text": (
        mail(body="See below.\n\n" + uuencoded(ROWS.encode(), "Plan 1.csv") + "\nBest wishes\n"
             + uuencoded(b"second   " * 9, "b.txt", True) + "PS: later\n"),
        ["See below.", "## Plan 1.csv", "Müller;30", "Best wishes", "## b.txt", "second", "PS: later"],
        ["begin 644", "`"]),
    "uuencode of a part": (
        mail("Content-Type: text/csv; name=a.csv\r\nContent-Transfer-Encoding: x-uuencode\r\n",
             uuencoded(ROWS.encode(), "a.csv").replace("\n", "\r\n")), ["## a.csv", "Müller;30"],
        ["begin"]),
    "words that begin as uuencode does": (
        mail(body="begin 644 things\nand go on\nend\n"), ["begin 644 things", "and go on", "end"],
        []),
    "uuencode without an end": (
        mail(body=uuencoded(b"x" * 99, "a.txt").replace("end\n", "words\n")),
        ["begin 644 a.txt", "words"], []),
    "a mail of Python": (built(), [
        "# Übersicht über die Reisekostenabrechnung für das gesamte Jahr – 日本語のタイトル",
        "From: Jörg Müller <joerg@example.org>", "Grüße aus Köln",
        "## Übersicht über alle Kosten des Jahres 2026 – Anlage.csv", "a;b"], ["=?"]),
    "folded words": (mail("Subject: =?utf-8?q?Erste_H=C3=A4lfte?=\r\n =?utf-8?q?_und_zweite?=\r\n"),
                     ["# Erste Hälfte und zweite\n"], []),
    "a character in two words": (mail(f"Subject: {SPLIT}\r\n"), ["# Grün\n"], []),
    "words and text": (mail("Subject: Re: =?iso-8859-1?Q?Gr=F6=DFe?= of\r\n the =?x?= a=?b\r\n"),
                       ["# Re: Größe of the =?x?= a=?b\n"], []),
    "several charsets and a language": (mail(
        "Subject: =?iso-8859-2?Q?=B1?= =?koi8-r?B?8NLJ18XU?= =?utf-8*de?q?=C3=A4?=\r\n"),
        ["# ąПриветä\n"], []),
    "a word of Python's header": (mail(
        "Subject: " + Header("Ein sehr langer Betreff mit Umlauten: äöüß " * 3,
                             "utf-8").encode(linesep="\r\n") + "\r\n"),
        ["Ein sehr langer Betreff mit Umlauten: äöüß Ein sehr langer Betreff"], ["=?"]),
    "UTF-8 as it is": (mail("Subject: Grüße 日本\r\n"), ["# Grüße 日本\n"], []),
    "Latin as it is": (mail(b"Subject: Gr\xfc\xdfe aus K\xf6ln\r\n"), ["# Grüße aus Köln"], []),
    "a field of another case": (mail("SUBJECT : Hi\r\n"), ["# Hi\n"], []),
    "a name in parts": (attached(
        "attachment;\r\n filename*0*=iso-8859-1'de'%DCbersicht%20;\r\n filename*1=\"ü 1.\";\r\n"
        " filename*2*=tx%74"), ["Übersicht ", "1.txt"], []),
    "a name in parts, unordered": (attached(
        'attachment; filename*1="b.txt"; filename*0="a "'), ["## a b.txt"], []),
    "a name without a charset": (attached(
        "attachment; filename*0*=\"''attached%2E\"; filename*1*=\"%62\"; filename*2=at"),
        ["## attached.bat"], []),
    "a name with words in parts": (attached(
        'attachment; filename*0="=?UTF-8?Q?F=C3=BCr_a=C3?=\r\n =?UTF-8?Q?=A4"; filename*1="x.txt?="'),
        ["## Für aäx.txt"], []),
    "a name in quotes": (attached(r'attachment; filename="a \"b\"; c=d.txt"; size=3'),
                         ['## a "b"; c=d.txt'], []),
    "a name with a comment": (attached("attachment (now); filename = n.txt"), ["## n.txt"], []),
    "an encoded name": (attached('attachment; filename="=?utf-8?q?f=C3=BCr.txt?="'),
                        ["## für.txt", "Inside."], []),
    "an inner part of HTML": (mail('Content-Type: text/html; charset="utf-8"\r\n', HTML),
                              ["Hello\nRückgabe"], ["<div>"]),
    "an alternative that only stands for the next": (alternatives(
        "Your mail program cannot show HTML.\n", "<p>" + "The offer: 30 euros. " * 20 + "</p>"),
        ["The offer: 30 euros."], ["cannot show"]),
    "a short mail, twice": (alternatives("OK, *thanks*!\n", "<p>OK, <b>thanks</b>!</p>"),
                            ["OK, *thanks*!\n"], ["**", "OK, thanks"]),
    "a long mail, and a longer alternative": (alternatives(
        "Long text. " * 60, "<p>" + "Long text and links. " * 200 + "</p>"),
        ["Long text. Long text."], ["links"]),
    "an empty alternative, and three of them": (alternatives(
        "\n", "<p>The text.</p>", "BEGIN:VCALENDAR\nEND:VCALENDAR\n"),
        ["The text."], ["VCALENDAR"]),
    "an alternative that is no text": (alternatives(
        "Meet at 3.\n", "", "BEGIN:VCALENDAR\n" + "X:Y\n" * 40), ["Meet at 3."], ["X:Y"]),
    "a wrong boundary": (mail("Content-Type: multipart/mixed; boundary=x\r\n", "--y\r\n\r\nText.\r\n"),
                         ["Text."], []),
    "quoted-printable with blanks at the end": (mail(
        "Content-Transfer-Encoding: quoted-printable\r\n", "Reise= \r\nkosten =3D 3\r\n"),
        ["Reisekosten = 3"], []),
    "base64 in pieces": (mail("Content-Transfer-Encoding: base64\r\n", "T25l\r\nIA==\r\ndHdv\r\n"),
                         ["One two"], []),
    "a charset that is not so": (mail("Content-Type: text/plain; charset=us-ascii\r\n",
                                      "Grüße".encode()), ["Grüße"], []),
    "one bad byte": (mail("Content-Type: text/plain; charset=utf-8\r\n",
                          "Grüße ".encode() + b"\xe4" + " Köln".encode()),
                     ["Grüße \ufffd Köln"], []),
    "flowed lines": (mail("Content-Type: text/plain; charset=utf-8; format=flowed\r\n", (
        "The rule \r\nholds.\r\n\r\n>> What \r\n>> now? \r\n> Then \r\nthis.\r\n"
        " From us \r\n to \r\n-- \r\nMe \r\nhere\r\n")),
        ["The rule holds.\n\n>> What now?", "\n> Then", "\nthis.\nFrom us to",
         "\nMe here"], ["rule\n", "stuffed"]),
    "flowed lines without their blanks": (mail(
        'Content-Type: text/plain; charset="utf-8"; delsp=YES; format="Flowed"\r\n', (
            "旅費の精算は \r\n毎月です。 \r\n\r\nReise \r\nkosten  \r\nhier\r\n")),
        ["旅費の精算は毎月です。", "Reisekosten hier"], []),
    "lines that do not flow": (mail("Content-Type: text/plain; format=fixed\r\n",
                                    "a \r\nb\r\n"), ["a \nb"], []),
    "a page with its style": (mail('Content-Type: multipart/related; boundary="b"\r\n', (
        "--b\r\nContent-Type: text/html\r\n\r\n<p>Page</p>\r\n--b\r\nContent-Type: text/css\r\n\r\n"
        "p { color: red }\r\n--b--\r\n")), ["Page"], ["color"]),
    "a mail in a mail": (mail("Content-Type: message/rfc822\r\n", mail("Subject: In\r\n").decode()),
                         ["# In\n"], []),
    "every mail of a mailbox": (mbox("One.\n>From here on", "Two. From\n\nFrom me", "Three."), [
        "<!-- page 1 -->\n\n# Mail 1\n", "One.\nFrom here on", "<!-- page 2 -->\n\n# Mail 2\n",
        "Two. From\n\nFrom me", "<!-- page 3 -->", "# Mail 3", "Three."], ["page 4"]),
    "a name in Latin": (attached('attachment; filename="Übersicht.txt"').replace(
        "Ü".encode(), b"\xdc"), ["## Übersicht.txt"], []),
    "a mailbox of Thunderbird": (
        b"From - Thu Mar  5 10:00:00 2026\nX-Mozilla-Status: 0001\nFrom: a@example.org\n"
        b"Subject: One\n\nBody\n\nFrom - Thu Mar  5 11:00:00 2026\nFrom: b@example.org\n"
        b"Subject: Two\n\nLast\n", ["<!-- page 2 -->\n\n# Two", "Last"], ["From -"]),
    "a mailbox with other dates, and without blank lines": (
        b"From a@example.org Thu Mar  5 10:00:00 MET 2026\nFrom: a@example.org\nSubject: One\n\n"
        b"Body\nFrom b Thu, 5 Mar 2026 11:00:00 +0100\nFrom: b@example.org\nSubject: Two\n\nLast\n",
        ["# One", "# Two", "Last"], ["From b Thu"]),
    "a mail with parts before another one without a date": (
        b"From a@example.org Thu Mar  5 10:00:00 2026\n" + attached("inline").replace(
            b"\r\n", b"\n") + b"\nFrom b Thu Mar  5 11:00:00 2026\nFrom: b@example.org\n"
        b"Subject: Two\n\nLast\n", ["Inside.", "# Two", "Last"], []),
    "one marked line in one mail": (mbox(">>From me"), ["\n>From me"], [">>From"]),
    # RTF
    "characters that are words": (rtf(
        r"It\rquote s due 2019\endash 2021 \emdash  see \ldblquote Annex~A\rdblquote\bullet "
        r"E\_Mail, \lquote a\rquote\~b Mit\-arbeit\emspace c\line d\tab e"),
        ["It’s due 2019–2021 — see “Annex~A”• ".rstrip() + "E-Mail, ‘a’ b Mitarbeit c\nd\te"], []),
    "fonts with code pages": (rtf("".join(
        rf"\f{font} {escaped(text, page)}\f0 . " for page, (font, text) in WINDOWS.items()),
        FONTS), [text + ". " for _, text in WINDOWS.values()][:3], []),
    "fonts of symbols": (rtf(r"\f3\'b3\f0  5 \f6\'fc \f0 {\field{\*\fldinst SYMBOL 163 \\f "
                             r'"Symbol"}{\fldrslt\f3}} 7', FONTS), ["≥ 5 ✓", "≤ 7"], []),
    "a code page of the file": (rtf(escaped("Привет", "cp1251"), r"\ansi\ansicpg1251"),
                                ["Привет"], []),
    "a file of DOS": (rtf(escaped("größer", "cp850"), r"\pca"), ["größer"], []),
    "bytes that look like UTF-8": (rtf(r"\'c3\'a4"), ["Ã¤"], []),
    "UTF-16 with fallbacks": (rtf(
        r"{\uc2\u8364\'80\'80x}\u-10179?\u-8704?{\uc0\u228}{\upr{a?}{\*\ud{a\u228?}}}"),
        ["€x😀äaä"], ["a?"]),
    "recorded deletions": (rtf(r"{\deleted 100}200 {\deleted\deleted0 x}"), ["200 x"], ["100"]),
    "notes and comments": (rtf(
        r"A{\super\chftn}{\footnote\pard{\super\chftn}Below.} b{\*\atnid X}{\*\atnauthor Ann}"
        r"\chatn{\*\annotation\pard Why?}.\par End"),
        ["A[^1] b[^c1].\n\nEnd\n\n[^1]: Below.\n\n[^c1]: Comment: Why?"], ["Ann"]),
    "headers, footers, boxes": (rtf(
        r"{\header Top\par}{\footerf Bottom\par}In{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt "
        r"\pard Boxed\par}}{\shprslt Boxed}}side"), ["Top\n\nInside\n\nBoxed\n\nBottom"], ["b\n"]),
    "an object with its picture": (rtf(
        r"{\object{\*\objclass X}{\*\objdata 01}{\result Shown}} {\*\formfield{\fftype1\ffres25"
        r"\ffdefres1}}ok"), ["Shown ☒ok"], ["01"]),
    "tables": (rtf(r"\trowd\pard\intbl a\cell b|\par c\cell\row\pard\intbl 1\cell\cell\row\pard end"),
               ["| a | b\\| c |\n| --- | --- |\n| 1 |  |\n\nend"], []),
    "headings": (rtf(r"\outlinelevel0 Top\par\pard Text\par\outlinelevel1 Sub\par\pard"),
                 ["# Top\n\nText\n\n## Sub"], []),
    "headings by their styles": (rtf(
        r"{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 Kapitel;}{\s2\sbasedon0 heading 2;}"
        r"{\s3\sbasedon2 Own;}{\*\cs4 heading 5;}}\s1 Top\par\pard\s2 Sub\par\pard\s3 Mine\par"
        r"\pard\s0 Text\par\pard\s4 More\par\pard\s1\outlinelevel9 None"),
        ["# Top\n\n## Sub\n\n## Mine\n\nText\n\nMore\n\nNone"], ["Kapitel"]),
    "a symbol without quotes": (rtf(
        r"{\field{\*\fldinst SYMBOL 252 \\f Wingdings \\s 10}{\fldrslt\f3}}"), ["✓"], []),
    "code pages of Macs": (rtf(
        rf"\f1 {escaped('Привет', 'mac_cyrillic')}\f2 {escaped('日本', 'shift_jis')}",
        r"\mac\ansicpg10000{\fonttbl{\f0 A;}{\f1\cpg10007 B;}{\f2\fcharset78 C;}}"),
        ["Привет日本"], []),
    "what is no text": (rtf(r"{\info{\author Ann}}{\*\unknown x}{\stylesheet{\s0 Normal;}}y"
                            r"{\xe{\v index}}\bin3 }}}z"), ["yz"], ["Ann", "Normal", "index"]),
}
