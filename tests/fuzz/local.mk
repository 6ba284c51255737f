# Fuzz targets. With --enable-fuzz (clang) they are libFuzzer programs with the
# address and undefined-behaviour checks, for `./lamp test fuzz` and `./lamp soak
# fuzz`; without it they replay their corpus, and simple mutations of it, under
# `make check`.
FUZZ_TARGETS = tests/fuzz/fuzz_sse tests/fuzz/fuzz_decode tests/fuzz/fuzz_yaml \
	tests/fuzz/fuzz_request tests/fuzz/fuzz_body tests/fuzz/fuzz_schema \
	tests/fuzz/fuzz_mcp tests/fuzz/fuzz_openapi tests/fuzz/fuzz_multipart \
	tests/fuzz/fuzz_mail tests/fuzz/fuzz_office tests/fuzz/fuzz_page \
	tests/fuzz/fuzz_rtf tests/fuzz/fuzz_text tests/fuzz/fuzz_web \
	tests/fuzz/fuzz_sitemap tests/fuzz/fuzz_robots
FUZZ_LIBS = $(LAMPLIGHTER_LIBS) -lm
EXTRA_DIST += tests/fuzz/corpus tests/fuzz/tokens.dict tests/fuzz/run.sh

if FUZZ
FUZZ_DRIVER =
FUZZ_LINK = -fsanitize=fuzzer
else
FUZZ_DRIVER = tests/fuzz/replay.c
FUZZ_LINK =
TESTS += $(FUZZ_TARGETS)
endif

tests_fuzz_fuzz_sse_SOURCES = tests/fuzz/fuzz_sse.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_sse_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_sse_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_decode_SOURCES = tests/fuzz/fuzz_decode.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_decode_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_decode_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_yaml_SOURCES = tests/fuzz/fuzz_yaml.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_yaml_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_yaml_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_request_SOURCES = tests/fuzz/fuzz_request.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_request_LDADD = fcgi-app/libapp.a $(FUZZ_LIBS) $(FCGI_LIBS) $(MD4C_LIBS)
tests_fuzz_fuzz_request_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_body_SOURCES = tests/fuzz/fuzz_body.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_body_LDADD = fcgi-app/libapp.a $(FUZZ_LIBS) $(FCGI_LIBS) $(MD4C_LIBS)
tests_fuzz_fuzz_body_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_schema_SOURCES = tests/fuzz/fuzz_schema.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_schema_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_schema_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_mcp_SOURCES = tests/fuzz/fuzz_mcp.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_mcp_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_mcp_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_openapi_SOURCES = tests/fuzz/fuzz_openapi.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_openapi_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_openapi_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_multipart_SOURCES = tests/fuzz/fuzz_multipart.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_multipart_LDADD = fcgi-app/libapp.a $(FUZZ_LIBS) $(FCGI_LIBS) $(MD4C_LIBS)
tests_fuzz_fuzz_multipart_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

# The readers of files, a program for each of one source.
check_LIBRARIES = tests/fuzz/libextract.a
tests_fuzz_libextract_a_SOURCES = $(EXTRACT_FILE_SOURCES) $(EXTRACT_SOURCES)
FUZZ_EXTRACT_LIBS = tests/fuzz/libextract.a $(FUZZ_LIBS) $(POPPLER_LIBS) $(POPPLER_CPP_LIBS) \
	$(ARCHIVE_LIBS) $(XML_LIBS) $(UCHARDET_LIBS) $(MAGIC_LIBS) $(SECCOMP_LIBS) -lstdc++

tests_fuzz_fuzz_mail_SOURCES = tests/fuzz/fuzz_extract.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_mail_CPPFLAGS = $(AM_CPPFLAGS) -DREADER=extract_mail -DHAS_INNER=true
tests_fuzz_fuzz_mail_LDADD = $(FUZZ_EXTRACT_LIBS)
tests_fuzz_fuzz_mail_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_office_SOURCES = tests/fuzz/fuzz_extract.c tests/fuzz/office_parts.c \
	$(FUZZ_DRIVER)
tests_fuzz_fuzz_office_CPPFLAGS = $(AM_CPPFLAGS) -DREADER=extract_office
tests_fuzz_fuzz_office_LDADD = $(FUZZ_EXTRACT_LIBS)
tests_fuzz_fuzz_office_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_page_SOURCES = tests/fuzz/fuzz_extract.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_page_CPPFLAGS = $(AM_CPPFLAGS) -DREADER=page
tests_fuzz_fuzz_page_LDADD = $(FUZZ_EXTRACT_LIBS)
tests_fuzz_fuzz_page_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_rtf_SOURCES = tests/fuzz/fuzz_extract.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_rtf_CPPFLAGS = $(AM_CPPFLAGS) -DREADER=extract_rtf
tests_fuzz_fuzz_rtf_LDADD = $(FUZZ_EXTRACT_LIBS)
tests_fuzz_fuzz_rtf_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_text_SOURCES = tests/fuzz/fuzz_extract.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_text_CPPFLAGS = $(AM_CPPFLAGS) -DREADER=text
tests_fuzz_fuzz_text_LDADD = $(FUZZ_EXTRACT_LIBS)
tests_fuzz_fuzz_text_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_web_SOURCES = tests/fuzz/fuzz_extract.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_web_CPPFLAGS = $(AM_CPPFLAGS) -DREADER=web
tests_fuzz_fuzz_web_LDADD = $(FUZZ_EXTRACT_LIBS)
tests_fuzz_fuzz_web_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_sitemap_SOURCES = tests/fuzz/fuzz_extract.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_sitemap_CPPFLAGS = $(AM_CPPFLAGS) -DREADER=extract_sitemap_read \
	-DHAS_INNER=true
tests_fuzz_fuzz_sitemap_LDADD = $(FUZZ_EXTRACT_LIBS)
tests_fuzz_fuzz_sitemap_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

tests_fuzz_fuzz_robots_SOURCES = tests/fuzz/fuzz_robots.c $(FUZZ_DRIVER)
tests_fuzz_fuzz_robots_LDADD = $(FUZZ_LIBS)
tests_fuzz_fuzz_robots_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LINK)

# All of them, and nothing else: a build with --enable-fuzz needs no more.
.PHONY: fuzz-targets
fuzz-targets: $(FUZZ_TARGETS)

check_PROGRAMS += $(FUZZ_TARGETS)
EXTRA_DIST += tests/fuzz/replay.c
