#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of all kinds, made at random, read by lamplighter-extract-file and by another program:
LibreOffice for DOCX, ODT, RTF and sheets, pdftotext for PDF, Python's email for mails. Every
word that the other one finds must be in the text. Prints each difference, and at the end how
many files have one; KNOWN says which are right.

  LAMPLIGHTER_BUILD=... files.py [FILES] [SEED]

Needs LibreOffice (Writer and Calc) and poppler-utils, which no other test does."""

import email
import email.policy
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unicodedata

from email.message import EmailMessage
from xml.sax.saxutils import escape

READER = os.path.join(os.environ["LAMPLIGHTER_BUILD"], "lamplighter-extract-file")
LANGUAGES = {
    "de": "Urlaubsanspruch Reisekostenabrechnung Größe Maßnahme „Anlage“ übertragbar 30 – E‑Mail",
    "en": "carry over “policy” it’s 2019–2021 leave office ﬁnance naïve café x² 5 € don't",
    "pl": "Urlop wypoczynkowy dziewięć dni żółć źródło ĄĘŚĆ pracownik",
    "ru": "Отпуск сотрудника девять дней подъезд Ёлка заявление",
    "he": "נוהל חופשות כל עובד זכאי לשלושים ימי חופשה בשנה",
    "ja": "休暇は 九日です 東京 カタカナ 申請書",
    "el": "Άδεια υπαλλήλου εννέα ημέρες αίτηση",
}
# What the other program has and the text need not, by the kind of file: bullets and numbers
# that it draws, and marks of notes.
KNOWN = {
    "docx": r"[•◦▪–\-]|\d+[.)]?|\[\d+\]", "odt": r"[•◦▪–\-]|\d+[.)]?|\[\d+\]",
    "rtf": r"[•◦▪–\-]|\d+[.)]?|\[\d+\]", "pdf": r"[•◦▪–\-]|\d+[.)]?|[0-9\u2070-\u209f]+",
    "xlsx": r"", "ods": r"", "eml": r"",
}
SPACES = ('xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
          'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
          'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:version="1.3"')


def read(data):
    done = subprocess.run([READER, "--type", "file"], input=data, capture_output=True,
                          check=False)
    return done.stdout.decode().partition("\n\n")[2] if done.returncode == 0 else ""


def words(text):
    """Words as a search compares them: no hyphens of lines, ligatures, or directions."""
    # Line ends of UTF-16 as Python writes them are one unit that is none.
    text = unicodedata.normalize("NFKC", text.replace("\u0a0d", " "))
    text = re.sub("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]", "", text)
    text = re.sub("[\u2010\u2011-](?=\\s*\n)\\s*\n\\s*", "", text)
    return set(re.findall(r"[^\s|#>*_\\,.;:!?()\[\]\"'“”„’‘‐‑-]+", text))


class Maker:
    """Documents at random; what they say is in `said`."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def sentence(self):
        language = self.random.choice(sorted(LANGUAGES))
        some = LANGUAGES[language].split()
        return " ".join(self.random.choice(some) for _ in range(self.random.randint(3, 30)))

    def block(self):
        text = escape(self.sentence())
        kind = self.random.randrange(8)
        if kind == 0:
            level = self.random.randint(1, 4)
            return f'<text:h text:outline-level="{level}">{text}</text:h>'
        if kind == 1:
            return "<text:list>" + "".join(
                f"<text:list-item><text:p>{escape(self.sentence())}</text:p></text:list-item>"
                for _ in range(3)) + "</text:list>"
        if kind == 2:
            return "<table:table>" + "".join("<table:table-row>" + "".join(
                f"<table:table-cell><text:p>{escape(self.sentence())}</text:p>"
                "</table:table-cell>" for _ in range(3)) + "</table:table-row>"
                for _ in range(2)) + "</table:table>"
        if kind == 3:
            text += ('<text:note text:note-class="footnote"><text:note-citation>1'
                     "</text:note-citation><text:note-body><text:p>" + escape(self.sentence())
                     + "</text:p></text:note-body></text:note> " + escape(self.sentence()))
        if kind == 4:
            text = text.replace(" ", "<text:tab/>", 1).replace(" ", "<text:line-break/>", 1)
        return f"<text:p>{text}</text:p>"

    def document(self):
        return (f'<?xml version="1.0"?><office:document {SPACES} office:mimetype="application/'
                'vnd.oasis.opendocument.text"><office:body><office:text>' + "".join(
                    self.block() for _ in range(self.random.randint(3, 25)))
                + "</office:text></office:body></office:document>")

    def sheet(self):
        rows = "".join("<table:table-row>" + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(self.sentence())}'
            "</text:p></table:table-cell>" for _ in range(self.random.randint(1, 8)))
            + "</table:table-row>" for _ in range(self.random.randint(1, 20)))
        return (f'<?xml version="1.0"?><office:document {SPACES} office:mimetype="application/'
                'vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
                f'<table:table table:name="T">{rows}</table:table></office:spreadsheet>'
                "</office:body></office:document>")

    def mail(self):
        m = EmailMessage(policy=email.policy.SMTP)
        m["From"] = f"{self.sentence().split()[0]} <a@example.org>"
        m["Date"] = "Thu, 5 Mar 2026 10:00:00 +0100"
        m["Subject"] = self.sentence()
        text = self.sentence()
        m.set_content(text, charset=self.random.choice(["utf-8", "utf-16", "utf-8"]),
                      cte=self.random.choice(["base64", "quoted-printable"]))
        if self.random.random() < 0.3:
            # It says the same (RFC 2046 section 5.1.4), and maybe more.
            m.add_alternative(f"<p>{escape(text)} {escape(self.sentence())}</p>", subtype="html")
        for _ in range(self.random.randrange(3)):
            m.add_attachment(self.sentence().encode(), maintype="text", subtype="plain",
                             filename=self.sentence() + ".txt")
        return bytes(m)


def of_mail(data):
    m = email.message_from_bytes(data, policy=email.policy.default)
    texts = [m["Subject"], m.get_body(("plain", "html")).get_content()]
    for part in m.iter_attachments():
        # Without a charset, which Python takes for ASCII.
        texts += [part.get_filename(), part.get_payload(decode=True).decode()]
    return "\n".join(texts)


def convert(folder, kind, files, *more):
    subprocess.run(["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless",
                    "--convert-to", kind, "--outdir", str(folder), *more, *map(str, files)],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)


def of_office(folder, name, source, targets, oracle):
    """Pairs of a file and the text that it must have."""
    for target in targets:
        convert(folder, target, source)
    convert(folder, oracle, source)
    ending = oracle.split(":")[0]
    for path in source:
        text = path.with_suffix(f".{ending}").read_text(encoding="utf-8-sig")
        for target in targets:
            made = path.with_suffix(f".{target}")
            if target == "pdf":
                text = subprocess.run(["pdftotext", made, "-"], capture_output=True,
                                      check=True).stdout.decode()
            yield f"{name} {path.stem}.{target}", target, made.read_bytes(), text


def pairs(count, seed, folder):
    make = Maker(seed)
    texts, sheets = [], []
    for i in range(count):
        for files, ending, data in ((texts, "fodt", make.document()),
                                    (sheets, "fods", make.sheet())):
            files.append(folder / f"{i:04}{ending}.{ending}")
            files[-1].write_text(data, encoding="utf-8")
    yield from of_office(folder, "text", texts, ("docx", "odt", "rtf", "pdf"),
                         "txt:Text (encoded):UTF8")
    yield from of_office(folder, "sheet", sheets, ("xlsx", "ods"),
                         "csv:Text - txt - csv (StarCalc):44,34,76")
    for i in range(count):
        data = make.mail()
        yield f"mail {i:04}", "eml", data, of_mail(data)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    files = different = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, kind, data, text in pairs(count, seed, pathlib.Path(folder)):
            have = words(read(data))
            # LibreOffice and pdftotext write the number of a note next to the word before it.
            lost = {w for w in words(text) - have if not (
                w[-1].isdigit() and (w[:-1] in have or w[:-2] in have)) and not (
                KNOWN[kind] and re.fullmatch(KNOWN[kind], w))}
            files += 1
            different += bool(lost)
            if lost:
                print(f"{name}: {len(lost)} words are lost: {' '.join(sorted(lost)[:12])}")
    print(f"{files} files, {different} with lost words (seed {seed})")
    return different > 0


if __name__ == "__main__":
    sys.exit(main())
