#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write the handbook, the policies, guides, rates and minutes of the demo's company
into a knowledge base: the same documents at every run, of several types, all made
here. Run by ./lamp up, which leaves the indexing to the responder's jobs.

usage: sample_handbook.py URL        (of the chat, such as http://127.0.0.1:8080/chat)
"""
import io
import json
import sys
import textwrap
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from email.message import EmailMessage
from html import escape

from sample_rules import GUIDES, HANDBOOK, MAILS, MINUTES, POLICIES, RATES

BASE = {"name": "Company handbook", "language": "en", "tier": "team", "group": "staff",
        "description": "Handbook, policies, guides, rates and minutes of Brightwater"}


# ---- files -----------------------------------------------------------------

def pdf(pages):
    """A PDF with these pages of (heading, paragraphs)."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", None,
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica"
               b" /Encoding /WinAnsiEncoding >>",
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold"
               b" /Encoding /WinAnsiEncoding >>"]
    kids = []
    for heading, paragraphs in pages:
        lines = [b"BT /F2 16 Tf 72 760 Td (%s) Tj" % quoted(heading), b"/F1 11 Tf 0 -12 Td"]
        for paragraph in paragraphs:
            lines.append(b"0 -14 Td")
            for line in textwrap.wrap(paragraph, 84):
                lines.append(b"0 -15 Td (%s) Tj" % quoted(line))
        stream = b"\n".join(lines) + b"\nET"
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        kids.append(len(objects) + 1)
        objects.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents"
                       b" %d 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>"
                       % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids), b" ".join(b"%d 0 R" % kid for kid in kids))
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1, start)


def quoted(text):
    text = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return text.encode("cp1252")


def docx(title, sections):
    """A Word file with headings."""
    def p(text, style=""):
        mark = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
        return f"<w:p>{mark}<w:r><w:t>{escape(text)}</w:t></w:r></w:p>"
    body = p(title, "Heading1") + "".join(
        p(heading, "Heading2") + "".join(map(p, paragraphs))
        for heading, paragraphs in sections)
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    parts = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats'
        '-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType='
        f'"{kind}.document.main+xml"/></Types>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
        'relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/'
        'officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
        "</Relationships>",
        "word/document.xml": '<w:document xmlns:w="http://schemas.openxmlformats.org/'
        f'wordprocessingml/2006/main"><w:body>{body}</w:body></w:document>'}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()


def html(title, sections):
    return ("<!doctype html><meta charset=utf-8><title>{0}</title><h1>{0}</h1>".format(
        escape(title)) + "".join(
            f"<h2>{escape(heading)}</h2>" + "".join(
                f"<p>{escape(text)}</p>" for text in paragraphs)
            for heading, paragraphs in sections)).encode()


def markdown(title, sections):
    return (f"# {title}\n" + "".join(
        f"\n## {heading}\n\n" + "\n\n".join(paragraphs) + "\n"
        for heading, paragraphs in sections)).encode()


def mail(subject, sender, date, text):
    message = EmailMessage()
    message["Subject"], message["From"], message["Date"] = subject, sender, date
    message["To"] = "All staff <staff@brightwater.example>"
    message.set_content(text)
    return message.as_bytes()


def documents():
    """(name of the file, title, content) of each."""
    yield "handbook.pdf", "Employee handbook", pdf(HANDBOOK)
    for i, (title, sections) in enumerate(POLICIES):
        name = title.lower().replace(" ", "-")
        if i % 2:
            yield f"{name}.docx", title, docx(title, sections)
        else:
            yield f"{name}.pdf", title, pdf(
                [(heading, paragraphs) for heading, paragraphs in sections])
    for title, sections in GUIDES:
        yield f"guide-{title.lower().replace(' ', '-')}.html", title, html(title, sections)
    for title, sections in MINUTES:
        yield f"{title.lower().replace(' ', '-')}.md", title, markdown(title, sections)
    for title, rows in RATES:
        yield (f"{title.lower().replace(' ', '-')}.csv", title,
               "\n".join(",".join(row) for row in rows).encode())
    for subject, sender, date, text in MAILS:
        yield f"{subject.lower().replace(' ', '-')}.eml", subject, mail(
            subject, sender, date, text)


# ---- the API -----------------------------------------------------------------

def call(url, path, body=None, kind="application/json"):
    request = urllib.request.Request(
        url + "/api/v1" + path, body if kind != "application/json" or body is None
        else json.dumps(body).encode(), {"Content-Type": kind})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=60) as answer:
        return json.load(answer)


def base_of(url):
    """The id of the base, which is made if it is not there."""
    for item in call(url, "/knowledge-bases")["items"]:
        if item["name"] == BASE["name"]:
            return item["id"]
    return call(url, "/knowledge-bases", BASE)["id"]


def main():
    url = sys.argv[1].rstrip("/")
    try:
        path = f"/knowledge-bases/{base_of(url)}/documents?"
        n = 0
        for name, title, content in documents():
            call(url, path + urllib.parse.urlencode(
                {"name": name, "title": title, "externalId": name}), content,
                 "application/octet-stream")
            n += 1
    except urllib.error.HTTPError as e:
        sys.exit(f"{e}: {e.read(2000).decode(errors='replace')}")
    print(n)


if __name__ == "__main__":
    main()
