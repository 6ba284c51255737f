# Unit tests. There is no list of them: every tests/unit/test_x.c is a program that
# prints TAP through cmocka, linked with the library, the responder, and what it asks
# of the labs, which are the other sources of this directory.
UNIT_LIBS = $(LAMPLIGHTER_LIBS) $(CMOCKA_LIBS)
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	LAMPLIGHTER_SRCDIR='$(abs_top_srcdir)'; export LAMPLIGHTER_SRCDIR; \
	LAMPLIGHTER_BUILD='$(abs_top_builddir)'; export LAMPLIGHTER_BUILD;

UNIT_C := $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/tests/unit/*.c))
UNIT_H := $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/tests/unit/*.h))
UNIT_BUILT := $(patsubst %.c,%$(EXEEXT),$(filter tests/unit/test_%,$(UNIT_C)))
UNIT_LABS := $(patsubst %.c,%.$(OBJEXT),$(filter-out tests/unit/test_%,$(UNIT_C)))

# Those that need a MariaDB include a lab over the store. All of them run one after
# the other on one private server, started by the wrapper.
DB_TESTS := $(patsubst $(srcdir)/%.c,%$(EXEEXT),$(shell grep -lE \
	'^.include "(dbtest|store_lab|search_lab|thread_tree)\.h"' $(srcdir)/tests/unit/test_*.c))
UNIT_ALONE := $(filter-out $(DB_TESTS),$(UNIT_BUILT))
AM_TESTS_ENVIRONMENT += LAMPLIGHTER_DB_TESTS='$(DB_TESTS)'; \
	export LAMPLIGHTER_DB_TESTS;

check_DATA = $(UNIT_BUILT)
# $(UNIT_ALONE): automake would write rules for the words of its definition.
TESTS += @UNIT_TESTS@ tests/unit/run-db-tests
EXTRA_DIST += $(UNIT_C) $(UNIT_H) tests/unit/run-db-tests tests/unit/with-mariadb \
	tests/fixtures/conf tests/fixtures/providers \
	tests/fixtures/dialects/streams.txt \
	tests/fixtures/query/lamplighter.yaml \
	tests/fixtures/query/workspaces.d/shop.yaml \
	tests/fixtures/query/cases.txt \
	tests/fixtures/turn/lamplighter.yaml \
	tests/fixtures/turn/workspaces.d/agents.yaml \
	tests/fixtures/turn/workspaces.d/lab.yaml

UNIT_LINKED = tests/unit/libunit.a fcgi-app/libapp.a lib/liblamplighter.a
tests/unit/test_%$(EXEEXT): tests/unit/test_%.$(OBJEXT) $(UNIT_LINKED)
	@rm -f $@
	$(AM_V_CCLD)$(LINK) $(filter %.$(OBJEXT),$^) tests/unit/libunit.a \
		fcgi-app/libapp.a $(UNIT_LIBS) $(FCGI_LIBS) $(MD4C_LIBS) $(UNIT_MORE) -lm

tests/unit/libunit.a: $(UNIT_LABS)
	@rm -f $@
	$(AM_V_AR)$(AR) cr $@ $^

tests/unit/%.$(OBJEXT): tests/unit/%.c
	@$(MKDIR_P) tests/unit/$(DEPDIR)
	$(AM_V_CC)$(COMPILE) -MT $@ -MD -MP -MF tests/unit/$(DEPDIR)/$*.Po -c -o $@ $<
-include $(wildcard tests/unit/$(DEPDIR)/*.Po)

# As automake writes it for the tests that it knows by name.
tests/unit/test_%.log: tests/unit/test_%$(EXEEXT)
	@p='$<'; b='tests/unit/test_$*'; \
	$(am__check_pre) $(LOG_DRIVER) --test-name "$$f" --log-file $$b.log \
		--trs-file $$b.trs $(am__common_driver_flags) $(AM_LOG_DRIVER_FLAGS) \
		$(LOG_DRIVER_FLAGS) -- $(LOG_COMPILE) "$$tst" $(AM_TESTS_FD_REDIRECT)

# The child's parsers are in no library.
tests/unit/test_extract$(EXEEXT): $(patsubst %.c,%.$(OBJEXT),$(filter %.c, \
	fcgi-app/extract/types.c $(EXTRACT_SOURCES)))
tests/unit/test_extract$(EXEEXT): UNIT_MORE = $(XML_LIBS) $(SECCOMP_LIBS)

# test_steps counts what these do: they are compiled once more, with a call at each branch,
# and the functions of the C library that look at bytes are replaced by some that count.
STEPS_SOURCES = lib/base/arena.c lib/base/blank.c lib/base/buf.c lib/base/json.c lib/base/str.c \
	lib/base/utf8.c lib/llm/decoder.c lib/llm/emit.c lib/llm/openai.c \
	lib/llm/repair.c lib/net/robots.c lib/net/sse.c lib/prompt/untrusted.c \
	lib/search/best.c lib/search/chunk.c lib/knowledge/excerpt.c lib/search/lines.c \
	lib/search/rank.c lib/search/records.c lib/search/snippet.c lib/search/sure.c lib/search/tokens.c \
	lib/tool/core/secret.c lib/tool/text/analyse_log.c lib/tool/text/find_pii.c \
	lib/tool/text/pii.c lib/context/quote.c lib/turn/title.c fcgi-app/html.c \
	fcgi-app/extract/arabic.c fcgi-app/extract/charset.c \
	fcgi-app/extract/mail.c \
	fcgi-app/extract/mail_head.c \
	fcgi-app/extract/out.c \
	fcgi-app/extract/plain.c \
	fcgi-app/extract/rtf.c fcgi-app/extract/tags.c
STEPS_WRAPPED = memchr memrchr memmem memcpy memmove memset memcmp strlen strchr strstr realloc
STEPS_OBJECTS = $(patsubst %.c,tests/unit/steps/%.$(OBJEXT),$(STEPS_SOURCES))
tests/unit/test_steps$(EXEEXT): $(STEPS_OBJECTS)
tests/unit/test_steps$(EXEEXT): UNIT_MORE = $(patsubst %,-Wl$(comma)--wrap=%,$(STEPS_WRAPPED)) \
	tests/fuzz/libextract.a lib/liblamplighter.a $(POPPLER_LIBS) $(POPPLER_CPP_LIBS) \
	$(ARCHIVE_LIBS) $(XML_LIBS) $(UCHARDET_LIBS) $(MAGIC_LIBS) $(SECCOMP_LIBS) -lstdc++
tests/unit/test_steps$(EXEEXT): tests/fuzz/libextract.a
comma = ,
tests/unit/steps/%.$(OBJEXT): %.c
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(COMPILE) -fno-builtin -fsanitize-coverage=trace-pc -MT $@ -MD -MP \
		-MF $(@:.$(OBJEXT)=.Po) -c -o $@ $<
-include $(wildcard $(STEPS_OBJECTS:.$(OBJEXT)=.Po))

.SECONDARY: $(patsubst %,%.$(OBJEXT),$(basename $(UNIT_C)))
MOSTLYCLEANFILES = tests/unit/*.$(OBJEXT) $(STEPS_OBJECTS) tests/unit/libunit.a $(UNIT_BUILT)
distclean-local:
	rm -rf tests/unit/$(DEPDIR) tests/unit/steps
