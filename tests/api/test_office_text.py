# SPDX-License-Identifier: MIT
"""Text of office files and mails as real programs write them: sheets, slides and chapters
in their order, cells below their heads, dates as dates, mails whatever they begin with."""

import base64

import pytest

from samples import A, HEAD, ODF, OOXML, S, archive, docx, odf, wp

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
R = f'xmlns:r="{RELATIONS}"'


def relations(targets):
    return (f'{HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/'
            'relationships">' + "".join(
                f'<Relationship Id="{key}" Type="{RELATIONS}/x" Target="{target}"/>'
                for key, target in targets.items()) + "</Relationships>")


def text_of(lab, data, media_type):
    answer = lab.post("/attachments", data, user="ada",
                      headers={"Content-Type": "application/octet-stream"})
    assert (answer.status, answer.json["mediaType"], answer.json["problem"]) == (
        201, media_type, None), answer
    return lab.get(f"/attachments/{answer.json['id']}/text", user="ada").body.decode()


# -- sheets ------------------------------------------------------------------------


def xlsx(sheets, links=None, styles="", book=""):
    """sheets: rows by name; links: the name of the part of each."""
    parts = links or [f"worksheets/sheet{i + 1}.xml" for i in range(len(sheets))]
    listed = "".join(f'<sheet name="{name}" sheetId="{i + 1}" r:id="rId{i + 1}"/>'
                     for i, name in enumerate(sheets))
    return archive({
        "xl/workbook.xml": f"{HEAD}<workbook {S} {R}>{book}<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            {f"rId{i + 1}": part for i, part in enumerate(parts)}),
        "xl/styles.xml": f"{HEAD}<styleSheet {S}>{styles}</styleSheet>",
        **{"xl/" + part.split("xl/")[-1]: f"{HEAD}<worksheet {S}><sheetData>{rows}</sheetData>"
           "</worksheet>" for part, rows in zip(parts, sheets.values())}})


SHEET = OOXML + "spreadsheetml.sheet"


def cells(*values, style=None):
    return "<row>" + "".join(
        f'<c r="{chr(65 + i)}1"' + (f' s="{style}"' if style is not None else "")
        + f"><v>{value}</v></c>" for i, value in enumerate(values) if value is not None) + "</row>"


def test_sheets_stand_below_their_names(lab):
    """A sheet that was moved keeps the name of its part."""
    text = text_of(lab, xlsx({"Costs": cells(1), "Days": cells(2)},
                             ["worksheets/sheet7.xml", "/xl/worksheets/sheet1.xml"]), SHEET)
    assert "## Costs\n\n| 1 |" in text and "## Days\n\n| 2 |" in text


@pytest.mark.parametrize("code, value, shown", [
    (14, "46086", "2026-03-05"), (22, "46086.75", "2026-03-05 18:00"),
    (20, "0.60416666666666663", "14:30"), (46, "1.5", "36:00"),
    ("yyyy\\-mm\\-dd", "46086", "2026-03-05"), ("[$-407]d. mmmm yyyy", "1", "1900-01-01"),
    ("d/m/yy h:mm", "61.5", "1900-03-01 12:00"), ("h:mm:ss AM/PM", "0.5000115740740741",
                                                  "12:00:01"),
    ("[hh]:mm", "2.25", "54:00"), ("mmm", "46086", "2026-03-05"),
    ('#,##0.00 "days"', "49.899999999999999", "49.9"), ("[Red]0.0", "7.5", "7.5"),
    ("General", "1.1000000000000001", "1.1"), ("0.00E+00", "1E-3", "1E-3"),
    (14, "-1", "-1"), (14, "99999999", "99999999"), ("0", "1234567890123456", "1234567890123456"),
])
def test_numbers_are_what_the_sheet_shows(lab, code, value, shown):
    own, key = ("", code) if isinstance(code, int) else (
        f'<numFmts><numFmt numFmtId="164" formatCode="{code.replace(chr(34), "&quot;")}"/>'
        "</numFmts>", 164)
    styles = (own + '<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>'
              f'<xf numFmtId="{key}"/></cellXfs>')
    text = text_of(lab, xlsx({"S": cells(value, style=1)}, styles=styles), SHEET)
    assert f"| {shown} |\n" in text


def test_dates_since_1904_and_truth(lab):
    text = text_of(lab, xlsx(
        {"S": '<row><c s="0"><v>44624</v></c><c t="b"><v>1</v></c><c t="b"><v>0</v></c></row>'},
        styles='<cellXfs><xf numFmtId="14"/></cellXfs>', book='<workbookPr date1904="1"/>'), SHEET)
    assert "| 2026-03-05 | TRUE | FALSE |" in text


def test_cells_stand_below_their_heads(lab):
    """OpenDocument writes equal and empty cells and rows once, with how many they are."""
    def row(*texts, more=""):
        return f"<table:table-row {more}>" + "".join(
            f'<table:table-cell table:number-columns-repeated="{n}">'
            + (f"<text:p>{text}</text:p>" if text else "") + "</table:table-cell>"
            for text, n in texts) + "</table:table-row>"
    merged = ("<table:table-row><table:table-cell><text:p>m</text:p></table:table-cell>"
              "<table:covered-table-cell/><table:table-cell><text:p>c</text:p>"
              "</table:table-cell></table:table-row>")
    text = text_of(lab, odf("spreadsheet", "<office:spreadsheet><table:table table:name='T'>"
                            + row(("A", 1), ("B", 1), ("C", 1), ("D", 1))
                            + row(("1", 1), ("", 2), ("4", 1), ("", 16380))
                            + row(("r", 2), more='table:number-rows-repeated="2"') + merged
                            + row(("", 16384), more='table:number-rows-repeated="1048572"')
                            + "</table:table></office:spreadsheet>"), ODF + "spreadsheet")
    assert text.split("\n\n")[-1] == ("| A | B | C | D |\n| --- | --- | --- | --- |\n"
                                      "| 1 |  |  | 4 |\n| r | r |\n| r | r |\n| m |  | c |\n")


# -- documents, slides, books -------------------------------------------------------


def test_text_that_is_there_twice_is_read_once(lab):
    """A text box has a second form for old programs; moved and deleted text can be kept."""
    box = ('<mc:AlternateContent xmlns:mc="x"><mc:Choice><w:t>Box</w:t></mc:Choice>'
           "<mc:Fallback><w:t>Box</w:t></mc:Fallback></mc:AlternateContent>")
    text = text_of(lab, docx(f"<w:p><w:r>{box}</w:r></w:p><w:moveFrom>{wp('Moved')}"
                             "</w:moveFrom>" + wp("End")), OOXML + "wordprocessingml.document")
    assert text.strip().split("\n\n") == ["<!-- page 1 -->", "Box", "End"]
    text = text_of(lab, odf("text", "<office:text><text:tracked-changes><text:p>Gone</text:p>"
                            "</text:tracked-changes><text:p>Here</text:p></office:text>"),
                   ODF + "text")
    assert text.strip() == "Here"


def test_a_cell_that_spans_columns(lab):
    def row(*cells):
        return "<w:tr>" + "".join(f'<w:tc><w:tcPr><w:gridSpan w:val="{n}"/></w:tcPr>{wp(text)}'
                                  "</w:tc>" for text, n in cells) + "</w:tr>"
    text = text_of(lab, docx("<w:tbl>" + row(("A", 1), ("B", 1), ("C", 1))
                             + row(("both", 2), ("c", 1)) + "</w:tbl>"),
                   OOXML + "wordprocessingml.document")
    assert "| both |  | c |" in text


def test_slides_are_in_the_order_of_the_talk(lab):
    slides = {7: "Last", 2: "First"}
    data = archive({
        "ppt/presentation.xml": f'{HEAD}<p:presentation {A} {R}><p:sldIdLst><p:sldId id="256"'
        ' r:id="rId9"/><p:sldId id="257" r:id="rId3"/></p:sldIdLst></p:presentation>',
        "ppt/_rels/presentation.xml.rels": relations({"rId3": "slides/slide7.xml",
                                                      "rId9": "slides/slide2.xml"}),
        **{f"ppt/slides/slide{i}.xml": f"{HEAD}<p:sld {A}><a:p><a:r><a:t>{word}</a:t></a:r>"
           "</a:p></p:sld>" for i, word in slides.items()}})
    assert text_of(lab, data, OOXML + "presentationml.presentation").split() == [
        "<!--", "page", "1", "-->", "First", "<!--", "page", "2", "-->", "Last"]


def book(spine, **more):
    chapter = ('{}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{}</p></body></html>')
    return archive({
        "META-INF/container.xml": f'{HEAD}<container><rootfiles><rootfile full-path='
        '"OEBPS/book.opf"/></rootfiles></container>',
        "OEBPS/book.opf": f'{HEAD}<package><manifest><item id="n" href="nav.xhtml"/><item id="b"'
        ' href="text/the%20end.xhtml"/><item id="a" href="./text/../start.xhtml#top"/>'
        f"</manifest><spine>{spine}</spine></package>",
        "OEBPS/nav.xhtml": chapter.format(HEAD, "Contents"),
        "OEBPS/text/the end.xhtml": chapter.format(HEAD, "Second"),
        "OEBPS/start.xhtml": chapter.format(HEAD, "First"), **more}, "application/epub+zip")


def test_chapters_are_in_the_order_of_the_book(lab):
    text = text_of(lab, book('<itemref idref="a"/><itemref idref="b"/><itemref idref="x"/>'),
                   "application/epub+zip")
    assert text.split() == ["<!--", "page", "1", "-->", "First",
                            "<!--", "page", "2", "-->", "Second"]
    assert "Contents" in text_of(lab, book(""), "application/epub+zip")


def test_a_book_that_is_encrypted_says_so(lab):
    data = book("", **{"META-INF/encryption.xml": f'{HEAD}<encryption><EncryptionMethod Algorithm='
                       '"http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></encryption>'})
    answer = lab.post("/attachments", data, user="ada",
                      headers={"Content-Type": "application/octet-stream"})
    assert "protected" in answer.json["problem"]


# -- mails --------------------------------------------------------------------------


FIELDS = {"From": "Ada <ada@example.org>", "Subject": "Leave", "MIME-Version": "1.0",
          "Date": "Thu, 5 Mar 2026 10:00:00 +0100"}
BODY = ("Content-Transfer-Encoding: base64\r\n\r\n"
        + base64.b64encode(b"Nine days carry over.").decode() + "\r\n")


@pytest.mark.parametrize("first", [
    "Subject: Leave", "MIME-Version: 1.0", "mime-version: 1.0", "Message-ID: <1@example.org>",
    "Reply-To: bob@example.org", "X-Mozilla-Status: 0001", "DKIM-Signature: v=1; a=b;\r\n c=d",
    "Content-Type: text/plain", "From ada@example.org Thu Mar  5 10:00:00 2026"])
def test_a_mail_may_begin_with_any_field(lab, first):
    known = first.split(":")[0].lower()
    head = "".join(f"{k}: {v}\r\n" for k, v in FIELDS.items() if k.lower() != known)
    text = text_of(lab, f"{first}\r\n{head}{BODY}".encode(), "message/rfc822")
    assert text == ("# Leave\n- From: Ada <ada@example.org>\n"
                    "- Date: Thu, 5 Mar 2026 10:00:00 +0100\n\nNine days carry over.\n")


@pytest.mark.parametrize("words", [
    "To: there\nFrom: here\n\nA walk.\n", "To: x\nDate: today\nFrom: me\nnot a field\n\nx\n",
    "# From: a\nDate: b\n\nx\n", "\nFrom: a\nDate: b\n", "From: Bonn\nTo: Berlin\n\n9 h\n",
    "Subject: a walk\n\nWe left at nine.\n", "Received: nothing\n\nyet\n"])
def test_other_text_is_no_mail(lab, words):
    assert text_of(lab, words.encode(), "text/plain") == words


def test_a_mail_whose_head_was_broken_is_one(lab):
    mail = ("Received: from a by b; Thu, 5 Mar 2026\r\nfolded without a blank\r\nFrom: a@example.org"
            "\r\nSubject: Leave\r\nMIME-Version: 1.0\r\nContent-Type: text/plain\r\n"
            "Content-Transfer-Encoding: base64\r\n\r\nTmluZSBkYXlzLg==\r\n")
    assert "Nine days." in text_of(lab, mail.encode(), "message/rfc822")


def test_a_boundary_that_begins_with_another(lab):
    mail = ("From: a@example.org\r\nSubject: s\r\nDate: today\r\nContent-Type: multipart/mixed;"
            ' boundary="b"\r\n\r\n--b\r\nContent-Type: multipart/alternative; boundary="b1"\r\n'
            "\r\n--b1\r\nContent-Type: text/plain\r\n\r\nOnce. --b is no end.\r\n--b1\r\n"
            "Content-Type: text/html\r\n\r\n<p>Twice.</p>\r\n--b1--\r\n--b \r\nContent-Type:"
            " text/plain\r\n\r\nAfter.\r\n--b--\r\nNever.\r\n")
    assert text_of(lab, mail.encode(), "message/rfc822") == (
        "# s\n- From: a@example.org\n- Date: today\n\nOnce. --b is no end.\n\nAfter.\n")


# -- charsets -------------------------------------------------------------------------


WORDS = {"iso-8859-2": "Dziewięć dni urlopu, żółć", "windows-1250": "Příliš žluťoučký kůň",
         "shift_jis": "休暇は九日です", "euc-kr": "휴가는 9일", "big5": "年假九天",
         "iso-8859-15": "9 € für Größe", "koi8-u": "Відпустка дев'ять днів"}


@pytest.mark.parametrize("charset", WORDS)
def test_the_charset_that_is_said(lab, charset):
    """Few words are not enough to detect it."""
    words = WORDS[charset]
    page = f"<html><body><p>{words}</p></body></html>".encode(charset)
    said = page.replace(b"<body>", f'<head><meta charset="{charset}"></head><body>'.encode())
    assert text_of(lab, said, "text/html").strip() == words
    wrong = said.decode(charset).encode()       # as editors leave it that store UTF-8
    assert text_of(lab, wrong, "text/html").strip() == words
    for kind, data in (("text/html", page), ("text/plain; name=a.txt", words.encode(charset)),
                       ("text/plain", words.encode(charset))):
        mail = (f"From: a@example.org\r\nDate: today\r\nContent-Type: {kind}; charset={charset}"
                "\r\nContent-Transfer-Encoding: base64\r\n\r\n").encode() + (
                    base64.encodebytes(data))
        assert words in text_of(lab, mail, "message/rfc822")
