# Unit tests: one block per program. Each prints TAP through cmocka.
UNIT_LIBS = $(LAMPLIGHTER_LIBS) $(CMOCKA_LIBS)
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	LAMPLIGHTER_SRCDIR='$(abs_top_srcdir)'; export LAMPLIGHTER_SRCDIR; \
	LAMPLIGHTER_BUILD='$(abs_top_builddir)'; export LAMPLIGHTER_BUILD;

UNIT_TESTS =

UNIT_TESTS += tests/unit/test_base
tests_unit_test_base_SOURCES = tests/unit/test_base.c
tests_unit_test_base_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_json
tests_unit_test_json_SOURCES = tests/unit/test_json.c
tests_unit_test_json_LDADD = $(UNIT_LIBS)

check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
