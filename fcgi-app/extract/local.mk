# The child that reads foreign files. The parts of lib/base that it uses are
# named here instead of linking the library, as for the stand-in model.
pkglibexec_PROGRAMS += lamplighter-extract
EXTRACT_SOURCES = \
	fcgi-app/extract/extract.h \
	fcgi-app/extract/types.c \
	fcgi-app/extract/charset.c fcgi-app/extract/charset.h \
	fcgi-app/extract/confine.c fcgi-app/extract/confine.h \
	fcgi-app/extract/page.c fcgi-app/extract/page.h
lamplighter_extract_SOURCES = fcgi-app/extract/main.c $(EXTRACT_SOURCES) \
	lib/base/buf.c lib/base/utf8.c lib/base/util.c
lamplighter_extract_LDADD = $(XML_LIBS) $(SECCOMP_LIBS)
