# The load client of the benches; built by `make bench` and by tests/bench/run.
EXTRA_PROGRAMS = tests/bench/load
tests_bench_load_SOURCES = tests/bench/load.c
tests_bench_load_LDADD = lib/liblamplighter.a $(SODIUM_LIBS) $(JANSSON_LIBS)
CLEANFILES += $(EXTRA_PROGRAMS)

.PHONY: bench
bench: all tests/bench/load
	LAMPLIGHTER_BUILD='$(abs_top_builddir)' $(top_srcdir)/tests/bench/run
