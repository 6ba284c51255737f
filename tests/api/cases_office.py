# SPDX-License-Identifier: MIT
"""Office files as programs write them: the data, what the text must have, and must not."""

import re

from samples import A, HEAD, ODF, OOXML, S, W, archive, odf, wp

R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def relations(*rows):
    """rows: id, type, target."""
    return (f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">' + "".join(
        f'<Relationship Id="{key}" Type="{R}/{kind}" Target="{target}"/>'
        for key, kind, target in rows) + "</Relationships>")


def package(main, content_type, parts, related=True, declared=True):
    """parts: text by name; main: the name of the main one."""
    rows = f'<Override PartName="/{main}" ContentType="{content_type}"/>' if declared else ""
    return archive({
        **({"_rels/.rels": relations(("rId1", "officeDocument", main))} if related else {}),
        **parts, "[Content_Types].xml":
        f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType='
        f'"application/xml"/>{rows}</Types>'})


WORD = OOXML + "wordprocessingml.document.main+xml"
EXCEL = OOXML + "spreadsheetml.sheet.main+xml"
SHOW = OOXML + "presentationml.presentation.main+xml"


def part(root, body, more=""):
    return f'{HEAD}<w:{root} {W} {M} xmlns:r="{R}" {more}>{body}</w:{root}>'


def word(body, links=(), main="word/document.xml", kind=WORD, related=True, declared=True,
         **parts):
    folder, _, name = main.rpartition("/")
    return package(main, kind, {
        main: part("document", f"<w:body>{body}</w:body>"),
        f"{folder}/_rels/{name}.rels": relations(*links),
        **{f"word/{key}.xml": text for key, text in parts.items()}}, related, declared)


def run(inner):
    return f"<w:p><w:r>{inner}</w:r></w:p>"


def styles(*rows):
    """rows: id, name, what else it has."""
    return part("styles", "".join(
        f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/>{more}</w:style>'
        for key, name, more in rows))


def level(at, form, text, more=""):
    return (f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}'
            f'<w:lvlText w:val="{text}"/></w:lvl>')


def numbering(levels, nums='<w:num w:numId="5"><w:abstractNumId w:val="3"/></w:num>'):
    return part("numbering", f'<w:abstractNum w:abstractNumId="3">{levels}</w:abstractNum>{nums}')


def item(text, at=0, num=5):
    return (f'<w:p><w:pPr><w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{num}"/></w:numPr>'
            f"</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")


LISTS = [("a", "styles", "styles.xml"), ("b", "numbering", "numbering.xml")]
CLAUSES = numbering(level(0, "decimal", "§ %1") + level(1, "decimal", "%1.%2")
                    + level(2, "lowerLetter", "%3)") + level(3, "lowerRoman", "(%4)")
                    + level(4, "bullet", "•"))
NOTES = [("f", "footnotes", "footnotes.xml"), ("e", "endnotes", "endnotes.xml"),
         ("c", "comments", "comments.xml"), ("h", "header", "header9.xml"),
         ("g", "footer", "footer9.xml")]


def workbook(sheet, strings="", links=(), related=True, **parts):
    return package("xl/book.xml", EXCEL, {
        "xl/book.xml": f'{HEAD}<workbook {S} xmlns:r="{R}"><sheets><sheet name="Tab" sheetId="1"'
        ' r:id="rId7"/></sheets></workbook>',
        "xl/_rels/book.xml.rels": relations(("rId7", "worksheet", "data/one.xml"),
                                            ("rId8", "sharedStrings", "texts.xml")),
        "xl/data/one.xml": f"{HEAD}<worksheet {S}><sheetData>{sheet}</sheetData></worksheet>",
        "xl/data/_rels/one.xml.rels": relations(*links),
        "xl/texts.xml": f"{HEAD}<sst {S}>{strings}</sst>",
        **{f"xl/{key}.xml": text for key, text in parts.items()}}, related)


def talk(slide, links=(), **parts):
    return package("ppt/show.xml", SHOW, {
        "ppt/show.xml": f'{HEAD}<p:presentation {A} xmlns:r="{R}"><p:sldIdLst><p:sldId id="256"'
        ' r:id="rId2"/></p:sldIdLst></p:presentation>',
        "ppt/_rels/show.xml.rels": relations(("rId2", "slide", "pages/first.xml")),
        "ppt/pages/first.xml": f'{HEAD}<p:sld {A} xmlns:r="{R}" xmlns:c="c" xmlns:dgm="d">'
        f"{slide}</p:sld>",
        "ppt/pages/_rels/first.xml.rels": relations(*links),
        **{f"ppt/{key}.xml": text for key, text in parts.items()}})


def ap(text):
    return f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"


def odt(body, **parts):
    return odf("text", f"<office:text>{body}</office:text>") if not parts else archive({
        "content.xml": f'{HEAD}<office:document-content {OX}><office:body><office:text>{body}'
        "</office:text></office:body></office:document-content>",
        "styles.xml": f"{HEAD}<office:document-styles {OX}>{parts['styles']}"
        "</office:document-styles>"}, ODF + "text")


OX = ('xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
      ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
      ' xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"'
      ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"'
      ' xmlns:dc="http://purl.org/dc/elements/1.1/"')


def flat(kind, body):
    """OpenDocument in one file, with what stands before its body."""
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<office:document {OX} xmlns:table='
            '"urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:version="1.3"'
            f' office:mimetype="{ODF}{kind}"><office:meta><dc:creator>Ann</dc:creator>'
            f"</office:meta>{body}</office:document>").encode()


NESTED = ('<text:p xmlns:dc="d" xmlns:draw="w">Before<text:note text:note-class="footnote">'
          "<text:note-citation>1</text:note-citation><text:note-body><text:p>Below.</text:p>"
          "</text:note-body></text:note> after<office:annotation><dc:creator>Ann</dc:creator>"
          "<text:p>Check!</text:p></office:annotation> end<draw:frame><draw:text-box><text:p>"
          "Boxed</text:p></draw:text-box></draw:frame> last.</text:p><text:p>Next.</text:p>")
BOX = ("<w:pict><v:textbox xmlns:v='v'><w:txbxContent>" + wp("Boxed") + "</w:txbxContent>"
       "</v:textbox></w:pict>")
FIELD = ('<w:fldChar w:fldCharType="begin"><w:ffData>%s</w:ffData></w:fldChar>')
DELETED = ("<w:p><w:r><w:t>Kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText>"
           "<w:noBreakHyphen/></w:r></w:del><w:ins><w:r><w:t> added</w:t></w:r></w:ins></w:p>")
CHANGED = ('<w:p><w:pPr><w:pPrChange><w:pPr><w:pStyle w:val="Heading1"/></w:pPr></w:pPrChange>'
           "</w:pPr><w:r><w:t>Plain</w:t></w:r></w:p>")

CASES = {
    # parts by relations and types
    "main part by its relation": (word(wp("Here"), main="word/document2.xml"), ["Here"], []),
    "main part in another folder": (word(wp("Here"), main="content/main.part"), ["Here"], []),
    "main part by its type only": (word(wp("Here"), main="word/x.xml", related=False),
                                   ["Here"], []),
    "main part by its usual name": (word(wp("Here"), related=False, declared=False),
                                    ["Here"], []),
    "sheets and texts by relations": (
        workbook('<row><c t="s"><v>0</v></c></row>', "<si><t>Anna</t></si>"),
        ["## Tab", "| Anna |"], []),
    "slides by relations": (talk(ap("Hello")), ["Hello"], []),
    "names in another case": (package("Word/Document.XML", WORD, {
        "word/document.xml": part("document", f"<w:body>{wp('Here')}</w:body>")}), ["Here"], []),
    "names that are no ASCII": (word(run("<w:t>Text da</w:t>"), main="word/документ-α.xml"),
                                ["Text da"], []),
    "names with blanks, encoded in some places": (archive({
        "_rels/.rels": relations(("rId1", "officeDocument", "/word/the%20text.xml")),
        "word/the text.xml": part("document", f"<w:body>{wp('Here')}</w:body>"),
        "[Content_Types].xml": f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Override PartName='
        f'"/word/the%20text.xml" ContentType="{WORD}"/></Types>'}), ["Here"], []),
    # characters that are elements
    "hyphens that do not break": (word(run(
        "<w:t>2019</w:t><w:noBreakHyphen/><w:t>2021 Mit</w:t><w:softHyphen/><w:t>arbeit</w:t>")),
        ["2019-2021 Mitarbeit"], []),
    "tabs and line ends": (word(run("<w:t>a</w:t><w:tab/><w:t>b</w:t><w:ptab/><w:t>c</w:t>"
                                    "<w:cr/><w:t>d</w:t><w:br/><w:t>e</w:t>")),
                           ["a\tb\tc\nd\ne"], []),
    "symbols": (word(run(
        '<w:sym w:font="Wingdings" w:char="F0FE"/><w:t> </w:t><w:sym w:font="Symbol"'
        ' w:char="F0B3"/><w:t> 5 </w:t><w:sym w:font="Wingdings" w:char="00FC"/>'
        '<w:sym w:font="Arial" w:char="00E4"/>')), ["☑ ≥ 5 ✓ä"], []),
    "symbols as text": (word(
        '<w:p><w:r><w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr><w:t>\uf0fc</w:t></w:r>'
        "<w:r><w:t> \uf0a3 5</w:t></w:r></w:p>"), ["✓ ≤ 5"], ["\uf0fc", "\uf0a3"]),
    "form fields": (word(run(FIELD % "<w:checkBox><w:sizeAuto/><w:default w:val='0'/>"
                             "<w:checked/></w:checkBox>" + "<w:t> yes </w:t>"
                             + FIELD % "<w:checkBox><w:default w:val='0'/></w:checkBox>"
                             + "<w:t> no </w:t>" + FIELD % "<w:ddList><w:result w:val='1'/>"
                             "<w:listEntry w:val='red'/><w:listEntry w:val='blue'/></w:ddList>")),
                    ["☒ yes ☐ no blue"], []),
    "formulas": (word(
        "<w:p><m:oMath><m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t>"
        "</m:r></m:den></m:f><m:r><m:t>=</m:t></m:r><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup><m:d><m:dPr><m:begChr m:val='['/>"
        "<m:endChr m:val=']'/></m:dPr><m:e><m:r><m:t>y</m:t></m:r></m:e></m:d></m:oMath></w:p>"),
        ["(a+b)/2=x^2[y]"], []),
    "pronunciation": (word(run("<w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase>"
                               "<w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby>")),
                      ["東京"], ["とう"]),
    "tab stops are no tabs": (word(
        '<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>x</w:t></w:r></w:p>'
        "<w:tbl><w:tr><w:tc>" + wp("y") + "</w:tc></w:tr></w:tbl>"), ["| y |"], ["\t"]),
    "deleted and inserted text": (word(DELETED), ["Kept added"], ["gone", "Kept-"]),
    "old properties": (word(CHANGED), ["Plain"], ["# Plain"]),
    "content controls and smart tags": (word(
        "<w:sdt><w:sdtPr><w:alias w:val='x'/></w:sdtPr><w:sdtContent>" + wp("Inside")
        + "</w:sdtContent></w:sdt><w:p>A <w:smartTag><w:r><w:t>France</w:t></w:r></w:smartTag>"
        "</w:p>"), ["Inside", "France"], []),
    # headings
    "headings by the name of their style": (word(
        wp("Urlop", "Nagwek1") + wp("Semester", "Rubrik2") + wp("休假", "1") + wp("Own", "own")
        + wp("Toc", "toc1") + wp("Off", "off"), LISTS[:1], styles=styles(
            ("Nagwek1", "heading 1", ""), ("Rubrik2", "Heading 2", ""), ("1", "heading 1", ""),
            ("own", "Kapitel", '<w:basedOn w:val="Rubrik2"/>'), ("toc1", "toc 1", ""),
            ("off", "x", '<w:basedOn w:val="1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'))),
        ["# Urlop", "## Semester", "# 休假", "## Own", "\n\nToc\n", "\n\nOff\n"], ["# Toc"]),
    "headings by outline level": (word(
        '<w:p><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Third</w:t></w:r></w:p>'
        + wp("First", "k"), LISTS[:1],
        styles=styles(("k", "k", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'))),
        ["### Third", "# First"], []),
    "a style with two names": (word(
        wp("Uno", "T1"), LISTS[:1], styles=styles(("T1", "heading 1,Titre", ""))), ["# Uno"], []),
    # numbers
    **{f"numbers in {form}": (word(
        "".join(item("x") for _ in range(count)), LISTS, styles=styles(),
        numbering=numbering(level(0, form, "%1)"))), [f"\n{last}) x\n"], [f"\n{count}) x"])
       for form, count, last in (
           ("russianLower", 10, "к"), ("russianUpper", 30, "АА"), ("hebrew1", 15, "טו"),
           ("hebrew1", 123, "קכג"), ("hebrew2", 11, "כ"), ("arabicAlpha", 3, "ت"),
           ("arabicAbjad", 3, "ج"), ("thaiLetters", 2, "ข"), ("thaiNumbers", 12, "๑๒"),
           ("hindiNumbers", 3, "३"), ("decimalFullWidth", 3, "３"),
           ("decimalEnclosedCircle", 20, "⑳"), ("decimalEnclosedParen", 2, "⑵"),
           ("decimalEnclosedFullstop", 2, "⒉"), ("ganada", 2, "나"), ("aiueo", 2, "イ"),
           ("iroha", 2, "ロ"), ("ideographTraditional", 2, "乙"), ("ideographZodiac", 2, "丑"),
           ("koreanCounting", 2, "二"), ("chicago", 5, "**"), ("numberInDash", 2, "- 2 -"))},
    "clauses": (word(
        item("Scope") + item("Parties", 1) + item("Alice", 2) + item("Bob", 2) + item("x", 3)
        + item("y", 3) + item("Law", 1) + item("Term") + item("Start", 1) + item("dot", 4),
        LISTS, styles=styles(), numbering=CLAUSES),
        ["§ 1 Scope\n1.1 Parties\na) Alice\nb) Bob\n(i) x\n(ii) y\n1.2 Law\n§ 2 Term\n2.1 Start\n"
         "- dot\n"], []),
    "numbers of headings": (word(
        wp("One", "h1") + wp("Sub", "h2") + wp("Two", "h1") + wp("Sub2", "h2"), LISTS,
        styles=styles(
            ("h1", "heading 1", '<w:pPr><w:numPr><w:numId w:val="5"/></w:numPr></w:pPr>'),
            ("h2", "heading 2", '<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="5"/>'
             "</w:numPr></w:pPr>")),
        numbering=numbering(level(0, "upperRoman", "%1.") + level(1, "decimal", "%1.%2",
                                                                  "<w:isLgl/>"))),
        ["# I. One", "## 1.1 Sub", "# II. Two", "## 2.1 Sub2"], []),
    "a list that starts again": (word(
        item("a") + item("b") + item("c", num=6) + item("d", num=7), LISTS, styles=styles(),
        numbering=numbering(level(0, "decimal", "%1."), "".join(
            f'<w:num w:numId="{n}"><w:abstractNumId w:val="3"/>{more}</w:num>' for n, more in (
                (5, ""), (6, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/>'
                 "</w:lvlOverride>"), (7, ""))))), ["1. a\n2. b\n1. c\n2. d"], []),
    "no number": (word(item("x", num=0) + item(""), LISTS, styles=styles(), numbering=CLAUSES),
                  ["x"], ["§", "- x"]),
    # beside the text
    "notes, comments, headers": (word(
        "<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id='7'/><w:t> more</w:t>"
        "<w:endnoteReference w:id='2'/><w:commentReference w:id='0'/></w:r></w:p>" + run(BOX)
        + wp("End"), NOTES,
        footnotes=part("footnotes", "<w:footnote w:type='separator' w:id='-1'>" + wp("sep")
                       + "</w:footnote><w:footnote w:id='7'>" + wp("See law.") + wp("Twice.")
                       + "</w:footnote>"),
        endnotes=part("endnotes", "<w:endnote w:id='2'>" + wp("Source.") + "</w:endnote>"),
        comments=part("comments", "<w:comment w:id='0' w:author='Ann'>" + wp("Why?")
                      + "</w:comment>"),
        header9=part("hdr", wp("Letterhead")), footer9=part("ftr", wp("Page 1"))),
        ["Letterhead\n\nText[^1] more[^e1][^c1]\n\nBoxed\n\nEnd\n\nPage 1\n\n[^1]: See law.\n\n"
         "Twice.\n\n[^e1]: Source.\n\n[^c1]: Comment, Ann: Why?"], ["sep"]),
    "a text box within a paragraph": (word(
        f"<w:p><w:r><w:t>Before </w:t>{BOX}<w:t>after</w:t></w:r></w:p>"),
        ["Before after\n\nBoxed"], []),
    "another file in it": (package("word/document.xml", WORD, {
        "word/document.xml": part("document", '<w:body><w:altChunk r:id="k"/></w:body>'),
        "word/_rels/document.xml.rels": relations(("k", "aFChunk", "../chunk.html")),
        "chunk.html": "<html><body><h1>Offer</h1><p>Ten days.</p></body></html>"}),
        ["# Offer", "Ten days."], []),
    # sheets
    "escapes": (workbook(
        '<row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>x_x0041_y</t></is></c><c t="s">'
        "<v>1</v></c></row>", "<si><t>one_x000D_\ntwo</t></si><si><t>_x005F_x000D_</t></si>"),
        [re.compile(r"\| one +two \| xAy \| _x000D_ \|")], []),
    "a character in two escapes": (workbook(
        '<row><c t="inlineStr"><is><t>a_xD83D__xDE00_b _xD83D_c _x0_ _xZZZZ_</t></is></c></row>'),
        ["| a😀b c _x0_ _xZZZZ_ |"], []),
    "escapes in comments": (workbook(
        '<row><c><v>1</v></c></row>', links=[("a", "comments", "../remarks.xml")],
        remarks=f"{HEAD}<comments {S}><commentList><comment ref='B2'><text><t>Check_x000D_\nthis"
        "</t></text></comment></commentList></comments>"), ["Check\n"], ["_x000D_"]),
    "cells without places": (workbook(
        "<row><c><v>1</v></c><c/><c><v>3</v></c></row>"), ["| 1 |  | 3 |"], []),
    "rich text and pronunciation": (workbook(
        '<row><c t="inlineStr"><is><r><t>東</t></r><r><t>京</t></r><rPh><t>トウ</t></rPh></is></c>'
        "</row>"), ["東京"], ["トウ"]),
    "formulas that nobody calculated": (workbook("<row><c><f>SUM(A2:A9)</f></c></row>"),
                                        ["=SUM(A2:A9)"], []),
    "the last column": (workbook('<row><c r="A1"><v>1</v></c><c r="XFD1"><v>77</v></c></row>'),
                        ["| 77 |"], []),
    "300 columns": (workbook("<row>" + "".join(f"<c><v>{n}</v></c>" for n in range(300))
                             + "</row>"), ["| 299 |"], []),
    "comments and shapes of a sheet": (workbook(
        '<row><c r="B2"><v>1</v></c></row>',
        links=[("a", "comments", "../remarks.xml"), ("b", "drawing", "../shapes.xml")],
        remarks=f'{HEAD}<comments {S}><authors><author>Ann</author></authors><commentList>'
        '<comment ref="B2" authorId="0"><text><r><t>Check </t></r><r><t>this</t></r></text>'
        "</comment></commentList></comments>",
        shapes=f"{HEAD}<x {A}>{ap('Shape')}</x>"), ["Shape", "Comment, B2: Check this"], ["Ann"]),
    # slides
    "groups, tables, notes, comments": (talk(
        f"<p:grpSp><p:sp>{ap('Grouped')}</p:sp></p:grpSp><a:tbl><a:tr><a:tc>{ap('Cell')}</a:tc>"
        "</a:tr></a:tbl>", [("n", "notesSlide", "../n.xml"), ("c", "comments", "../c.xml")],
        n=f"{HEAD}<p:notes {A}>{ap('Say hello')}</p:notes>",
        c=f"{HEAD}<p:cmLst {A}><p:cm><p:text>Too long</p:text></p:cm></p:cmLst>"),
        ["Grouped", "| Cell |", "Notes:\n\nSay hello", "Comment: Too long"], []),
    "diagrams and charts": (talk(
        ap("Intro") + '<dgm:relIds r:dm="d"/><c:chart r:id="c"/>',
        [("d", "diagramData", "../d.xml"), ("c", "chart", "../c.xml")],
        d=f"{HEAD}<d {A}>{ap('Step one')}{ap('Step two')}</d>",
        c=f"{HEAD}<c:chartSpace {A} xmlns:c='c'><c:tx><c:v>Sales</c:v></c:tx><c:cat><c:v>2025"
        "</c:v><c:v>2026</c:v></c:cat><c:val><c:v>7</c:v></c:val></c:chartSpace>"),
        ["Step one\n\nStep two", "Sales", "2025 2026", "\n7"], []),
    "line ends of slides": (talk(ap("One_x000B_two")), ["One\ntwo"], ["_x"]),
    "such text in Word": (word(wp("One_x000B_two")), ["One_x000B_two"], []),
    # OpenDocument
    "in one file": (flat("text", (
        '<office:master-styles><style:master-page><style:header><text:p>Head</text:p>'
        "</style:header></style:master-page></office:master-styles><office:body><office:text>"
        '<text:h text:outline-level="2">Kopf</text:h><text:p>Absatz<draw:frame><draw:image>'
        "<office:binary-data>AAAA</office:binary-data></draw:image></draw:frame></text:p>"
        "</office:text></office:body>")), ["Head\n\n## Kopf\n\nAbsatz\n"], ["Ann", "AAAA"]),
    "a sheet in one file": (flat("spreadsheet", (
        '<office:body><office:spreadsheet><table:table table:name="T"><table:table-row>'
        "<table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b"
        "</text:p></table:table-cell></table:table-row></table:table></office:spreadsheet>"
        "</office:body>")), ["## T", "| a | b |"], []),
    "text within paragraphs": (odt(NESTED), [
        "Before[^1] after[^c1] end last.\n\nBoxed\n\nNext.\n\n[^1]: Below.\n\n"
        "[^c1]: Comment, Ann: Check!"], []),
    "headers of OpenDocument": (odt("<text:p>Body</text:p>", styles=(
        "<style:master-page><style:header><text:p>Head</text:p></style:header><style:footer>"
        "<text:p>Foot</text:p></style:footer></style:master-page>")),
        ["Head\n\nBody\n\nFoot"], []),
    "many blanks": (odt('<text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d</text:p>'),
                    ["a   b\tc\nd"], []),
}

MACROS = "application/vnd.ms-word.document.macroEnabled.main+xml"
TYPES = {
    "a template": (word(wp("x"), kind=OOXML + "wordprocessingml.template.main+xml"),
                   OOXML + "wordprocessingml.template"),
    "with macros": (word(wp("x"), kind=MACROS),
                    "application/vnd.ms-word.document.macroenabled.12"),
    "a document with sheets in it": (package("word/document.xml", WORD, {
        "word/document.xml": part("document", ""), "xl/workbook.xml": "<x/>"}),
        OOXML + "wordprocessingml.document"),
    "a template of OpenDocument": (archive({"content.xml": "<x/>"}, ODF + "text-template"),
                                   ODF + "text-template"),
    "OpenDocument in one file": (flat("text", "<office:body/>"), ODF + "text-flat-xml"),
    "its manifest only": (archive({
        "META-INF/manifest.xml": f'{HEAD}<m:manifest xmlns:m="m"><m:file-entry m:full-path="/"'
        f' m:media-type="{ODF}text"/></m:manifest>', "content.xml": "<x/>"}), ODF + "text"),
    "another archive": (archive({"a.txt": "word"}), "application/zip"),
}
