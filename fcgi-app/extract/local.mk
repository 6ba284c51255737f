# The children that read foreign files. The parts of lib/base that they use are
# named here instead of linking the library, as for the stand-in model. Pages of the
# web are read often: their reader starts without the libraries for documents.
pkglibexec_PROGRAMS += lamplighter-extract lamplighter-extract-file
EXTRACT_SOURCES = \
	fcgi-app/extract/extract.h \
	fcgi-app/extract/calendar.c fcgi-app/extract/calendar.h \
	fcgi-app/extract/charset.c fcgi-app/extract/charset.h \
	fcgi-app/extract/confine.c fcgi-app/extract/confine.h \
	fcgi-app/extract/out.c fcgi-app/extract/out.h \
	fcgi-app/extract/page.c fcgi-app/extract/page.h \
	fcgi-app/extract/tags.c fcgi-app/extract/tags.h \
	fcgi-app/extract/web.c fcgi-app/extract/web.h
EXTRACT_FILE_SOURCES = \
	fcgi-app/extract/file.c fcgi-app/extract/file.h \
	fcgi-app/extract/folder.c fcgi-app/extract/folder.h \
	fcgi-app/extract/kind.c fcgi-app/extract/kind.h \
	fcgi-app/extract/mail.c \
	fcgi-app/extract/mail_head.c fcgi-app/extract/mail_head.h \
	fcgi-app/extract/office.c \
	fcgi-app/extract/office_docx.c \
	fcgi-app/extract/office_epub.c \
	fcgi-app/extract/office_list.c fcgi-app/extract/office_list.h \
	fcgi-app/extract/office_odf.c \
	fcgi-app/extract/office_pptx.c \
	fcgi-app/extract/office_part.c fcgi-app/extract/office_part.h \
	fcgi-app/extract/office_sheet.c \
	fcgi-app/extract/office_walk.c fcgi-app/extract/office_walk.h \
	fcgi-app/extract/arabic.c \
	fcgi-app/extract/pdf.c \
	fcgi-app/extract/pdf_page.cc fcgi-app/extract/pdf_page.h \
	fcgi-app/extract/plain.c \
	fcgi-app/extract/rtf.c \
	fcgi-app/extract/scan.c \
	fcgi-app/extract/sitemap.c \
	fcgi-app/extract/symbol.c fcgi-app/extract/symbol.h \
	fcgi-app/extract/types_file.c \
	fcgi-app/extract/zip.c fcgi-app/extract/zip.h
EXTRACT_BASE = lib/base/buf.c lib/base/utf8.c lib/base/util.c
lamplighter_extract_SOURCES = fcgi-app/extract/main.c \
	fcgi-app/extract/types.c $(EXTRACT_SOURCES) $(EXTRACT_BASE)
lamplighter_extract_LDADD = $(XML_LIBS) $(SECCOMP_LIBS)
lamplighter_extract_file_SOURCES = fcgi-app/extract/main.c \
	$(EXTRACT_FILE_SOURCES) $(EXTRACT_SOURCES) $(EXTRACT_BASE) lib/base/str.c
lamplighter_extract_file_LDADD = $(POPPLER_LIBS) $(POPPLER_CPP_LIBS) $(ARCHIVE_LIBS) $(XML_LIBS) \
	$(YAML_LIBS) $(UCHARDET_LIBS) $(MAGIC_LIBS) $(SECCOMP_LIBS) -lm
