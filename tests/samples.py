# SPDX-License-Identifier: MIT
"""Files of the types whose text is read, made here: small, valid, and the same each
time. SAMPLES: name -> (bytes, media type, words of its text)."""

import base64
import ctypes
import io
import struct
import zipfile
import zlib


def pdf(pages, extra=b""):
    """A PDF with a page for each text."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", None,
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        lines = b"".join(b"(%s) Tj 0 -14 Td " % line.replace("\\", "\\\\").replace(
            "(", "\\(").replace(")", "\\)").encode("latin-1")
            for line in text.split("\n"))
        stream = zlib.compress(b"BT /F1 12 Tf 72 720 Td " + lines + b"ET")
        objects.append(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream"
                       % (len(stream), stream))
        kids.append(len(objects) + 1)
        objects.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792]"
                       b" /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>"
                       % (len(objects)))
    return pdf_of(objects, kids, extra)


def pdf_of(objects, kids, extra=b""):
    """The file with these objects, the second to be the list of the pages kids."""
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids), b" ".join(b"%d 0 R" % k for k in kids))
    out, places = b"%PDF-1.4\n", []
    for i, body in enumerate(objects):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (i + 1, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    return out + b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1, extra, start)


def drawn(text):
    """A page of text as pixels, as a scanner gives it: (width, height, bytes in grey).
    By cairo, on which poppler depends."""
    cairo = ctypes.CDLL("libcairo.so.2")
    real, size = ctypes.c_double, ctypes.c_void_p
    for name in ("image_surface_create", "create"):
        getattr(cairo, f"cairo_{name}").restype = size
    cairo.cairo_image_surface_get_data.restype = ctypes.POINTER(ctypes.c_ubyte)
    lines = text.split("\n")
    width, height = 180 + 24 * max(map(len, lines)), 120 + 80 * len(lines)
    surface = size(cairo.cairo_image_surface_create(1, width, height))     # RGB24
    draw = size(cairo.cairo_create(surface))
    cairo.cairo_set_source_rgb(draw, real(1), real(1), real(1))
    cairo.cairo_paint(draw)
    cairo.cairo_set_source_rgb(draw, real(0), real(0), real(0))
    cairo.cairo_select_font_face(draw, b"serif", 0, 0)
    cairo.cairo_set_font_size(draw, real(44))
    for i, line in enumerate(lines):
        cairo.cairo_move_to(draw, real(90), real(110 + 80 * i))
        cairo.cairo_show_text(draw, line.encode())
    cairo.cairo_surface_flush(surface)
    data = ctypes.string_at(cairo.cairo_image_surface_get_data(surface),
                            width * height * 4)
    cairo.cairo_destroy(draw)
    cairo.cairo_surface_destroy(surface)
    return width, height, data[::4]


def scan(pages):
    """A PDF whose pages are images of text; "": a page with nothing on it; a tuple:
    one with this text, as text."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", None,
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for text in pages:
        use, stream, box = b"", b"", (612, 792)
        if isinstance(text, tuple):
            use = b"/Font << /F1 3 0 R >>"
            stream = b"BT /F1 12 Tf 72 720 Td (%s) Tj ET" % text[0].encode()
        elif text:
            width, height, grey = drawn(text)
            box = width * 72 / 150, height * 72 / 150
            data = zlib.compress(grey)
            objects.append(b"<< /Type /XObject /Subtype /Image /Width %d /Height %d"
                           b" /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter"
                           b" /FlateDecode /Length %d >>\nstream\n%s\nendstream"
                           % (width, height, len(data), data))
            use = b"/XObject << /I %d 0 R >>" % len(objects)
            stream = b"%.2f 0 0 %.2f 0 0 cm /I Do" % box
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream"
                       % (len(stream), stream))
        objects.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f]"
                       b" /Contents %d 0 R /Resources << %s >> >>"
                       % (*box, len(objects), use))
        kids.append(len(objects))
    return pdf_of(objects, kids)


def picture(text):
    """A PNG of it, in grey."""
    width, height, grey = drawn(text)

    def part(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    lines = b"".join(b"\0" + grey[y * width:(y + 1) * width] for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(
        ">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
        part(b"IDAT", zlib.compress(lines)) + part(b"IEND", b""))


def photo(text, orientation, order=">"):
    """A JPEG of it as a camera stores it that was turned: the pixels lie on their side,
    and EXIF (1, 3, 6 or 8) says how to turn them. By Leptonica, on which Tesseract
    depends."""
    lib = ctypes.CDLL("libtesseract.so.5")
    for name in ("pixReadMem", "pixRotateOrth"):
        getattr(lib, name).restype = ctypes.c_void_p
    png, out, size = picture(text), ctypes.c_void_p(), ctypes.c_size_t()
    image = ctypes.c_void_p(lib.pixReadMem(png, ctypes.c_size_t(len(png))))
    lies = ctypes.c_void_p(lib.pixRotateOrth(image, {1: 0, 3: 2, 6: 3, 8: 1}[orientation]))
    assert lib.pixWriteMemJpeg(ctypes.byref(out), ctypes.byref(size), lies, 80, 0) == 0
    jpeg = ctypes.string_at(out, size.value)
    lib.pixDestroy(ctypes.byref(image))
    lib.pixDestroy(ctypes.byref(lies))
    lib.lept_free(out)
    exif = b"Exif\0\0" + (b"MM" if order == ">" else b"II") + struct.pack(
        order + "HIHHHIHHI", 42, 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + jpeg[2:]


def tiff(texts):
    """One with a page for each text, not compressed."""
    out, link = bytearray(b"II*\0\0\0\0\0"), 4
    for text in texts:
        width, height, grey = drawn(text)
        at = len(out)
        out += grey + b"\0" * (len(grey) % 2)
        struct.pack_into("<I", out, link, len(out))
        tags = ((256, width), (257, height), (258, 8), (259, 1), (262, 1), (273, at),
                (277, 1), (278, height), (279, len(grey)))
        out += struct.pack("<H", len(tags))
        for tag, value in tags:
            out += struct.pack("<HHII", tag, 4, 1, value)
        link = len(out)
        out += b"\0\0\0\0"
    return bytes(out)


def archive(files, kind=None):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
        if kind:
            z.writestr(zipfile.ZipInfo("mimetype"), kind)
        for name, text in files.items():
            z.writestr(name, text)
    return out.getvalue()


W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = ('xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
     ' xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"')
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
O = ('xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
     ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"'
     ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
     ' xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0"')
HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
OOXML = "application/vnd.openxmlformats-officedocument."
ODF = "application/vnd.oasis.opendocument."


def docx(body):
    return archive({"[Content_Types].xml": f"{HEAD}<Types/>", "word/document.xml":
                    f"{HEAD}<w:document {W}><w:body>{body}</w:body></w:document>"})


def wp(text, style=""):
    return (f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr>'
            f"<w:r><w:t>{text}</w:t></w:r></w:p>")


DOCX = docx(wp("Leave policy", "Heading1") + wp("Ten days carry over.")
            + "<w:tbl><w:tr><w:tc>" + wp("Year") + "</w:tc><w:tc>" + wp("Days")
            + "</w:tc></w:tr><w:tr><w:tc>" + wp("2026") + "</w:tc><w:tc>" + wp("30")
            + "</w:tc></w:tr></w:tbl><w:p><w:r><w:lastRenderedPageBreak/>"
            "<w:t>Second page.</w:t></w:r></w:p>")

XLSX = archive({
    "xl/workbook.xml": f'{HEAD}<workbook {S}><sheets><sheet name="Costs" sheetId="1"/>'
                       "</sheets></workbook>",
    "xl/sharedStrings.xml": f"{HEAD}<sst {S}><si><t>Item</t></si><si><t>Price</t></si>"
                            "<si><t>Chair</t></si></sst>",
    "xl/worksheets/sheet1.xml": f'{HEAD}<worksheet {S}><sheetData><row><c r="A1" t="s">'
        '<v>0</v></c><c r="C1" t="s"><v>1</v></c></row><row><c r="A2" t="s"><v>2</v></c>'
        '<c r="C2"><v>49.5</v></c></row></sheetData></worksheet>'})

PPTX = archive({"ppt/presentation.xml": f"{HEAD}<p:presentation {A}/>", **{
    f"ppt/slides/slide{i}.xml": f'{HEAD}<p:sld {A}><p:sp><p:ph type="title"/><a:p><a:r>'
    f"<a:t>Slide {word}</a:t></a:r></a:p></p:sp><a:p><a:r><a:t>Body {word}</a:t></a:r>"
    "</a:p></p:sld>" for i, word in ((1, "one"), (2, "two"))}})


def odf(kind, body):
    return archive({"content.xml": f"{HEAD}<office:document-content {O}><office:body>"
                                   f"{body}</office:body></office:document-content>"},
                   ODF + kind)


CELL = "<table:table-cell><text:p>%s</text:p></table:table-cell>"
ODT = odf("text", '<office:text><text:h text:outline-level="2">Minutes</text:h><text:p>'
          "We met<text:s/>today.</text:p></office:text>")
ODS = odf("spreadsheet", '<office:spreadsheet><table:table table:name="Stock">'
          "<table:table-row>" + CELL % "Part" + CELL % "Count" + "</table:table-row>"
          "<table:table-row>" + CELL % "Bolt" + CELL % "7" + "</table:table-row>"
          "</table:table></office:spreadsheet>")
ODP = odf("presentation", '<office:presentation><draw:page draw:name="Start"><text:p>'
          "Welcome all</text:p></draw:page></office:presentation>")
EPUB = archive({"META-INF/container.xml": f"{HEAD}<container/>", "one.xhtml":
                f'{HEAD}<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Chapter'
                "</h1><p>It was a dark night.</p></body></html>"}, "application/epub+zip")
RTF = (rb"{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}\f0 Caf\'e9 \u8364?100.\par"
       rb" Next line.\par}")
EML = (b"From: Ada <ada@example.org>\r\nTo: bob@example.org\r\nSubject: =?utf-8?q?Gr=C3=BC"
       b"=C3=9Fe?=\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b1\""
       b"\r\n\r\n--b1\r\nContent-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-"
       b"Encoding: quoted-printable\r\n\r\nThe offer is attached, caf=E9.\r\n--b1\r\n"
       b"Content-Type: application/octet-stream; name=\"offer.docx\"\r\nContent-Transfer-"
       b"Encoding: base64\r\n\r\n" + base64.encodebytes(DOCX) + b"\r\n--b1--\r\n")
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJ"
    "RU5ErkJggg==")
# The word "leave", as those write it who have an encoder.
GIF = base64.b64decode(
    "R0lGODdhYAAoAIAAAP///wAAACwAAAAAYAAoAAACxYSPqcvtD6OctNqLs968+w+G4kiW5omm6roEbsDGzwvLNuPe"
    "epLvfu/TAYO2ITFmPNCShmXSqaQpoCTmK1rDIq5YbtML8IJBTyO4zLNmw2Ymp72OQsbWdCvugd8j+u16/IX3FgfI"
    "RuiEtpUmWLgBh3gmVpb1CCnoeHi5OIUnubnS51CopsSpORLaMMqYM8mSKhdoigNzSSriahfrZ9sI6IbZOZQqdQcc"
    "iUvVtSq1tCeqfCQ9TV1tfY2drb3N3e39DR4uDlEAADs=")
WEBP = base64.b64decode(
    "UklGRmgBAABXRUJQVlA4IFwBAACQCgCdASpgACgAP3Gwy160railJWxCkC4JaQAOgVYvLPB02lCul7z+HgblRwqI"
    "DEXJnFCem1TMgx7fEiF3DhekHblBUsUV/sZ5NcoCZzVJF4WN9tdCZ3CkGhmPawAA/u9gmipNCeSeXENrO30N4ijg"
    "ayw8WsWQeVVBLcSddb3Wttxz50RM9sGcDibCOYUm/c+XIXn36hg6Zc5GXiTz/n56gUc118zCMZxIF//Ieg6iJRfk"
    "vkmongOyzfB1e1uqLgTLbcd9QJtAU6OD8Kg1gBUEXUMwZkXDW2ZvQjtbcSarQ3eYw4hc63wB5YrdvEkoFN7afv4n"
    "Kq63iAElA2Ls/5RjffOXWNnyvGlJhfv9sJhoQaMNgwsz0srVgrDA30D6KwAkSwJhZJnG79zZwOWWkZrF9dyGZuAR"
    "AF401X5XBTFdVT9wPGeFtTicQu55cW90DllrCZfVhY7MAAAAAAA=")
JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQ"
    "c1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/wAALCAAoAGABAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcI"
    "CQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcY"
    "GRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKj"
    "pKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/AOmo"
    "oooooooooooorF8RRIotZ1BEpuEQsCenPFbLMFUsxAA6k9qhivLad9kVxFI3orgmpJZY4U3yyLGvqxwKZBdW9xny"
    "Jo5MddrA4pHvbVHKPcwq4OCpkAIpZbq3gIE08UZIyA7gZp0k0UUfmSSoif3mYAUkNxDcAmGVJAOu1gcVLRRWR4k/"
    "49rT/r6T+RqPxDK7XNlahGkjkfc6A434xxzTdSiubq3UW+mPDNGwaNwyDbj6GrGozRB7JZrYz3Z5jhBGAcck9qq3"
    "j3Eeo2Er2kduxl2bkk3Fgex4FSa7ClvPbaiI1IjfbMNvVT3P+e9WblIr3U4ItiukK+c5wDnso/mfwqjNK8viJ0Ns"
    "1wltGNkYIABOOefrUrRXb6rbXMFg1uASsxLL8yn6HtzW3RRWZrFnd3vlJCIQkciyZdyCSM8Yx706+sZb2CGQlIru"
    "Ft6EEsoPp9KJo9QvIxBIsVshI3vHIWYj0HAxSajYTSXVteWhTzYMja54ZfrUN7aajeS20xW3j8h94jLk5+px/StC"
    "4g+12TwTAAyJhsHIBx2/Gq+j2MljbETuHmYjcwOeAMAfkKS6sZl1Bb+zKeZt2SRucBx9expyw3dxdRS3O2GOLJEU"
    "bltx9ScD8qv0UUUUUUUUUUUV/9k=")
IMAGES = (JPEG, WEBP, GIF)


def labelled(words):
    """Files that say "leave", by name, whose metadata and alternative texts say words."""
    said = words.encode()
    xmp = (b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/"
           b"02/22-rdf-syntax-ns#' xmlns:dc='http://purl.org/dc/elements/1.1/'>"
           b"<rdf:Description dc:description='%s'/></rdf:RDF></x:xmpmeta>" % said)
    # ImageDescription
    exif = struct.pack("<2sHIHHHIII", b"II", 42, 8, 1, 0x010e, 2, len(said) + 1, 26, 0) + (
        said + b"\0")

    def segment(marker, data):
        return b"\xff" + marker + struct.pack(">H", len(data) + 2) + data

    def chunk(kind, data):
        return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    webp = (chunk(b"VP8X", b"\x0c\0\0\0" + struct.pack("<I", 95)[:3] + struct.pack(
        "<I", 39)[:3]) + WEBP[12:] + chunk(b"EXIF", exif) + chunk(b"XMP ", xmp))
    page = b"/Figure << /Alt (%s) >> BDC BT /F1 12 Tf 72 720 Td (leave) Tj ET EMC" % said
    return {
        "exif.jpg": JPEG[:2] + segment(b"\xe1", b"Exif\0\0" + exif) + segment(
            b"\xe1", b"http://ns.adobe.com/xap/1.0/\0" + xmp) + segment(
            b"\xfe", said) + JPEG[2:],
        "xmp.webp": b"RIFF" + struct.pack("<I", 4 + len(webp)) + b"WEBP" + webp,
        "comment.gif": GIF[:-1] + b"\x21\xfe" + bytes([len(said)]) + said + b"\0;",
        "alt.pdf": pdf_of([
            b"<< /Type /Catalog /Pages 2 0 R /Metadata 6 0 R /MarkInfo << /Marked true >>"
            b" >>", None, b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>",
            b"<< /Type /Metadata /Subtype /XML /Length %d >>\nstream\n%s\nendstream"
            % (len(xmp), xmp), b"<< /Title (%s) /Subject (%s) >>" % (said, said)],
            [5], b"/Info 7 0 R"),
    }

SAMPLES = {
    "policy.pdf": (pdf(["Ten days carry over.", "Second page."]), "application/pdf",
                   ["<!-- page 1 -->\n\nTen days carry over.", "<!-- page 2 -->"]),
    "policy.docx": (DOCX, OOXML + "wordprocessingml.document",
                    ["# Leave policy\n\nTen days carry over.",
                     "| Year | Days |\n| --- | --- |\n| 2026 | 30 |",
                     "<!-- page 2 -->\n\nSecond page."]),
    "costs.xlsx": (XLSX, OOXML + "spreadsheetml.sheet",
                   ["## Costs", "| Item |  | Price |\n", "| Chair |  | 49.5 |"]),
    "talk.pptx": (PPTX, OOXML + "presentationml.presentation",
                  ["<!-- page 1 -->\n\n## Slide one\n\nBody one", "Body two"]),
    "minutes.odt": (ODT, ODF + "text", ["## Minutes\n\nWe met today."]),
    "stock.ods": (ODS, ODF + "spreadsheet", ["## Stock", "| Part | Count |", "| Bolt | 7 |"]),
    "talk.odp": (ODP, ODF + "presentation", ["## Start\n\nWelcome all"]),
    "book.epub": (EPUB, "application/epub+zip", ["# Chapter", "It was a dark night."]),
    "note.rtf": (RTF, "text/rtf", ["Café €100.", "Next line."]),
    "mail.eml": (EML, "message/rfc822",
                 ["# Grüße", "- From: Ada <ada@example.org>", "is attached, café.",
                  "## offer.docx", "Ten days carry over."]),
    # Other mail programs begin with other fields than libmagic expects.
    "other.eml": (b"Subject: Flu\r\nFrom: Ada\r\n <ada@example.org>\r\nDate: Thu, 8 Oct 2026"
                  b" 09:00:00 +0000\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
                  b"On 22 Oc=\r\ntober.\r\n", "message/rfc822",
                  ["# Flu\n", "- Date: Thu", "On 22 October."]),
    "page.html": (b"<!DOCTYPE html><html><body><h1>Rates</h1><p>5 %</p></body></html>",
                  "text/html", ["# Rates", "5 %"]),
    "notes.md": ("# Notes\n\nEs kostet 5 €.\n".encode(), "text/plain", ["Es kostet 5 €."]),
    "latin.txt": ("Größe und Höhe: schöne Grüße aus München über Äpfel und Öl.\n" * 4)
    .encode("latin-1"),
    "wide.txt": "Grüße\n".encode("utf-16"),
    "table.csv": (b"name,days\nAda,3\nBob,4\n", None, ["Ada,3"]),
    "data.json": (b'{"days": [1, 2, 3]}', "application/json", ['{"days": [1, 2, 3]}']),
    "data.xml": (b'<?xml version="1.0"?>\n<days><day>7</day></days>\n', "text/xml",
                 ["<day>7</day>"]),
}
SAMPLES["latin.txt"] = (SAMPLES["latin.txt"], "text/plain", ["Größe und Höhe"])
SAMPLES["wide.txt"] = (SAMPLES["wide.txt"], "text/plain", ["Grüße"])
