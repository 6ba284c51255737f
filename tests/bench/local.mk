# The programs of the benches; built and run by `make bench`.
EXTRA_PROGRAMS = tests/bench/load tests/bench/hello tests/bench/no-events \
	tests/bench/pack tests/bench/search
tests_bench_load_SOURCES = tests/bench/load.c
tests_bench_load_LDADD = lib/liblamplighter.a $(SODIUM_LIBS) $(JANSSON_LIBS)
tests_bench_hello_SOURCES = tests/bench/hello.c
tests_bench_hello_LDADD = $(FCGI_LIBS)
tests_bench_no_events_SOURCES = $(lamplighter_fcgi_SOURCES) \
	tests/bench/no_events.c
tests_bench_no_events_LDADD = $(lamplighter_fcgi_LDADD)
tests_bench_no_events_LDFLAGS = -Wl,--wrap=event_log_new
tests_bench_search_SOURCES = tests/bench/search.c
tests_bench_search_LDADD = tests/unit/libunit.a $(UNIT_LIBS)
tests_bench_pack_SOURCES = tests/bench/pack.c
tests_bench_pack_LDADD = tests/unit/libunit.a $(UNIT_LIBS)
CLEANFILES += $(EXTRA_PROGRAMS)
EXTRA_DIST += tests/bench/run tests/bench/counts tests/bench/growth tests/bench/long tests/bench/turns \
	tests/bench/model/package.json tests/bench/model/package-lock.json \
	tests/bench/model/serve.mjs tests/bench/lighthouse.mjs tests/bench/lighthouse/package.json \
	tests/bench/lighthouse/package-lock.json tests/bench/page.mjs

.PHONY: bench
bench: all $(EXTRA_PROGRAMS)
	LAMPLIGHTER_BUILD='$(abs_top_builddir)' $(top_srcdir)/tests/bench/run
