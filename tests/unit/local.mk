# Unit tests: one block per program. Each prints TAP through cmocka.
UNIT_LIBS = $(LAMPLIGHTER_LIBS) $(CMOCKA_LIBS)
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	LAMPLIGHTER_SRCDIR='$(abs_top_srcdir)'; export LAMPLIGHTER_SRCDIR; \
	LAMPLIGHTER_BUILD='$(abs_top_builddir)'; export LAMPLIGHTER_BUILD;

UNIT_TESTS =

UNIT_TESTS += tests/unit/test_base
tests_unit_test_base_SOURCES = tests/unit/test_base.c
tests_unit_test_base_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_secret
tests_unit_test_secret_SOURCES = tests/unit/test_secret.c tests/unit/unit.h
tests_unit_test_secret_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_metric
tests_unit_test_metric_SOURCES = tests/unit/test_metric.c tests/unit/unit.h
tests_unit_test_metric_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_trace
tests_unit_test_trace_SOURCES = tests/unit/test_trace.c tests/unit/unit.h
tests_unit_test_trace_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_curl
tests_unit_test_curl_SOURCES = tests/unit/test_curl.c tests/unit/unit.h
tests_unit_test_curl_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_json
tests_unit_test_json_SOURCES = tests/unit/test_json.c
tests_unit_test_json_LDADD = $(UNIT_LIBS)

APP_LIBS = fcgi-app/libapp.a $(UNIT_LIBS) $(FCGI_LIBS) $(MD4C_LIBS) -lm

UNIT_TESTS += tests/unit/test_path
tests_unit_test_path_SOURCES = tests/unit/test_path.c tests/unit/unit.h
tests_unit_test_path_LDADD = $(APP_LIBS)

UNIT_TESTS += tests/unit/test_share
tests_unit_test_share_SOURCES = tests/unit/test_share.c tests/unit/unit.h
tests_unit_test_share_LDADD = $(APP_LIBS)

UNIT_TESTS += tests/unit/test_html
tests_unit_test_html_SOURCES = tests/unit/test_html.c tests/unit/unit.h
tests_unit_test_html_LDADD = $(APP_LIBS)

UNIT_TESTS += tests/unit/test_doctor
tests_unit_test_doctor_SOURCES = tests/unit/test_doctor.c tests/unit/unit.h
tests_unit_test_doctor_LDADD = $(APP_LIBS)

UNIT_TESTS += tests/unit/test_fields
tests_unit_test_fields_SOURCES = tests/unit/test_fields.c tests/unit/unit.h
tests_unit_test_fields_LDADD = $(APP_LIBS)

UNIT_TESTS += tests/unit/test_request
tests_unit_test_request_SOURCES = tests/unit/test_request.c tests/unit/fake_conn.h tests/unit/unit.h
tests_unit_test_request_LDADD = $(APP_LIBS)

UNIT_TESTS += tests/unit/test_fcgi
tests_unit_test_fcgi_SOURCES = tests/unit/test_fcgi.c tests/unit/unit.h
tests_unit_test_fcgi_LDADD = $(APP_LIBS)

UNIT_TESTS += tests/unit/test_response
tests_unit_test_response_SOURCES = tests/unit/test_response.c tests/unit/fake_conn.h tests/unit/unit.h
tests_unit_test_response_LDADD = $(APP_LIBS)

EXTRA_DIST += tests/fixtures/dialects/streams.txt \
	tests/fixtures/query/lamplighter.yaml \
	tests/fixtures/query/workspaces.d/shop.yaml \
	tests/fixtures/query/cases.txt \
	tests/fixtures/turn/lamplighter.yaml \
	tests/fixtures/turn/workspaces.d/agents.yaml \
	tests/fixtures/turn/workspaces.d/lab.yaml

UNIT_TESTS += tests/unit/test_hosts
tests_unit_test_hosts_SOURCES = tests/unit/test_hosts.c tests/unit/unit.h
tests_unit_test_hosts_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_quote
tests_unit_test_quote_SOURCES = tests/unit/test_quote.c tests/unit/unit.h
tests_unit_test_quote_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_tokens
tests_unit_test_tokens_SOURCES = tests/unit/test_tokens.c tests/unit/unit.h
tests_unit_test_tokens_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_schema
tests_unit_test_schema_SOURCES = tests/unit/test_schema.c tests/unit/unit.h
tests_unit_test_schema_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_pattern
tests_unit_test_pattern_SOURCES = tests/unit/test_pattern.c tests/unit/unit.h
tests_unit_test_pattern_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_search_cache
tests_unit_test_search_cache_SOURCES = tests/unit/test_search_cache.c tests/unit/unit.h
tests_unit_test_search_cache_LDADD = $(UNIT_LIBS)
UNIT_TESTS += tests/unit/test_robots
tests_unit_test_robots_SOURCES = tests/unit/test_robots.c tests/unit/unit.h
tests_unit_test_robots_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_dispatch
tests_unit_test_dispatch_SOURCES = tests/unit/test_dispatch.c tests/unit/unit.h
tests_unit_test_dispatch_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_spawn
tests_unit_test_spawn_SOURCES = tests/unit/test_spawn.c tests/unit/unit.h
tests_unit_test_spawn_LDADD = $(UNIT_LIBS)

KIND_LAB = tests/unit/kind_lab.c tests/unit/kind_lab.h tests/unit/unit.h

UNIT_TESTS += tests/unit/test_tool_rows
tests_unit_test_tool_rows_SOURCES = tests/unit/test_tool_rows.c tests/unit/unit.h
tests_unit_test_tool_rows_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_kind
tests_unit_test_kind_SOURCES = tests/unit/test_kind.c $(KIND_LAB)
tests_unit_test_kind_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_kind_command
tests_unit_test_kind_command_SOURCES = tests/unit/test_kind_command.c $(KIND_LAB)
tests_unit_test_kind_command_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_kind_http
tests_unit_test_kind_http_SOURCES = tests/unit/test_kind_http.c tests/unit/peer.h $(KIND_LAB)
tests_unit_test_kind_http_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_kind_openapi
tests_unit_test_kind_openapi_SOURCES = tests/unit/test_kind_openapi.c tests/unit/peer.h $(KIND_LAB)
tests_unit_test_kind_openapi_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_query
tests_unit_test_query_SOURCES = tests/unit/test_query.c tests/unit/query_lab.c \
	tests/unit/query_lab.h tests/unit/unit.h
tests_unit_test_query_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_query_pages
tests_unit_test_query_pages_SOURCES = tests/unit/test_query_pages.c tests/unit/query_lab.c \
	tests/unit/query_lab.h tests/unit/unit.h
tests_unit_test_query_pages_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_route
tests_unit_test_route_SOURCES = tests/unit/test_route.c tests/unit/fake_conn.h tests/unit/unit.h
tests_unit_test_route_LDADD = $(APP_LIBS)

UNIT_TESTS += tests/unit/test_worker
tests_unit_test_worker_SOURCES = tests/unit/test_worker.c tests/unit/unit.h
tests_unit_test_worker_LDADD = $(APP_LIBS)

UNIT_TESTS += tests/unit/test_dialect
tests_unit_test_dialect_SOURCES = tests/unit/test_dialect.c tests/unit/unit.h
tests_unit_test_dialect_LDADD = $(APP_LIBS)
UNIT_TESTS += tests/unit/test_conf
tests_unit_test_conf_SOURCES = tests/unit/test_conf.c
tests_unit_test_conf_LDADD = $(UNIT_LIBS)
EXTRA_DIST += tests/fixtures/conf

UNIT_TESTS += tests/unit/test_agent
tests_unit_test_agent_SOURCES = tests/unit/test_agent.c
tests_unit_test_agent_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_auth
tests_unit_test_auth_SOURCES = tests/unit/test_auth.c
tests_unit_test_auth_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_user_token
tests_unit_test_user_token_SOURCES = tests/unit/test_user_token.c tests/unit/unit.h
tests_unit_test_user_token_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_prompt
tests_unit_test_prompt_SOURCES = tests/unit/test_prompt.c
tests_unit_test_prompt_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_origin
tests_unit_test_origin_SOURCES = tests/unit/test_origin.c
tests_unit_test_origin_LDADD = $(UNIT_LIBS)
# Tests that need a MariaDB: all of them run one after the other on one private
# server, started by the wrapper.
DB_TESTS =
DB_TEST_SOURCES = tests/unit/dbtest.c tests/unit/dbtest.h

STORE_LAB = tests/unit/store_lab.c tests/unit/store_lab.h

DB_TESTS += tests/unit/test_db
tests_unit_test_db_SOURCES = tests/unit/test_db.c \
	$(DB_TEST_SOURCES)
tests_unit_test_db_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_db_rows
tests_unit_test_db_rows_SOURCES = tests/unit/test_db_rows.c \
	$(DB_TEST_SOURCES)
tests_unit_test_db_rows_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_db_whole
tests_unit_test_db_whole_SOURCES = tests/unit/test_db_whole.c \
	$(DB_TEST_SOURCES)
tests_unit_test_db_whole_LDADD = $(UNIT_LIBS)

# Also run on a cluster, by tests/cluster.
DB_TESTS += tests/unit/test_db_abort
tests_unit_test_db_abort_SOURCES = tests/unit/test_db_abort.c \
	$(DB_TEST_SOURCES)
tests_unit_test_db_abort_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_db_query
tests_unit_test_db_query_SOURCES = tests/unit/test_db_query.c \
	$(DB_TEST_SOURCES)
tests_unit_test_db_query_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_migrate
tests_unit_test_migrate_SOURCES = tests/unit/test_migrate.c \
	$(DB_TEST_SOURCES)
tests_unit_test_migrate_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_store
tests_unit_test_store_SOURCES = tests/unit/test_store.c $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_store_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_journal
tests_unit_test_journal_SOURCES = tests/unit/test_journal.c $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_journal_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_store_turn
tests_unit_test_store_turn_SOURCES = tests/unit/test_store_turn.c $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_store_turn_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_store_thread
tests_unit_test_store_thread_SOURCES = tests/unit/test_store_thread.c \
	tests/unit/thread_tree.c tests/unit/thread_tree.h $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_store_thread_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_store_wait
tests_unit_test_store_wait_SOURCES = tests/unit/test_store_wait.c $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_store_wait_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_job
tests_unit_test_job_SOURCES = tests/unit/test_job.c $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_job_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_metric_sum
tests_unit_test_metric_sum_SOURCES = tests/unit/test_metric_sum.c $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_metric_sum_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_file
tests_unit_test_file_SOURCES = tests/unit/test_file.c $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_file_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_search
tests_unit_test_search_SOURCES = tests/unit/test_search.c \
	tests/unit/search_lab.h $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_search_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_search_many
tests_unit_test_search_many_SOURCES = tests/unit/test_search_many.c \
	tests/unit/search_lab.h $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_search_many_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_store_notice
tests_unit_test_store_notice_SOURCES = tests/unit/test_store_notice.c $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_store_notice_LDADD = $(UNIT_LIBS)

DB_TESTS += tests/unit/test_notify
tests_unit_test_notify_SOURCES = tests/unit/test_notify.c $(STORE_LAB) \
	$(DB_TEST_SOURCES)
tests_unit_test_notify_LDADD = $(UNIT_LIBS)

AM_TESTS_ENVIRONMENT += LAMPLIGHTER_DB_TESTS='$(DB_TESTS)'; \
	export LAMPLIGHTER_DB_TESTS;
check_PROGRAMS += $(DB_TESTS)
TESTS += tests/unit/run-db-tests
EXTRA_DIST += tests/unit/run-db-tests tests/unit/with-mariadb
UNIT_TESTS += tests/unit/test_turn
tests_unit_test_turn_SOURCES = tests/unit/test_turn.c tests/unit/turn_lab.c tests/unit/turn_lab.h
tests_unit_test_turn_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_nested
tests_unit_test_nested_SOURCES = tests/unit/test_nested.c tests/unit/turn_lab.c tests/unit/turn_lab.h
tests_unit_test_nested_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_extract
tests_unit_test_extract_SOURCES = tests/unit/test_extract.c tests/unit/unit.h \
	fcgi-app/extract/types.c $(EXTRACT_SOURCES)
tests_unit_test_extract_LDADD = $(UNIT_LIBS) $(XML_LIBS) $(SECCOMP_LIBS)

UNIT_TESTS += tests/unit/test_extract_text
tests_unit_test_extract_text_SOURCES = tests/unit/test_extract_text.c tests/unit/unit.h
tests_unit_test_extract_text_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_pii
tests_unit_test_pii_SOURCES = tests/unit/test_pii.c tests/unit/unit.h
tests_unit_test_pii_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_turn_log
tests_unit_test_turn_log_SOURCES = tests/unit/test_turn_log.c tests/unit/unit.h
tests_unit_test_turn_log_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_turn_wait
tests_unit_test_turn_wait_SOURCES = tests/unit/test_turn_wait.c tests/unit/turn_lab.c tests/unit/turn_lab.h
tests_unit_test_turn_wait_LDADD = $(UNIT_LIBS)

UNIT_TESTS += tests/unit/test_turn_faults
tests_unit_test_turn_faults_SOURCES = tests/unit/test_turn_faults.c tests/unit/turn_lab.c tests/unit/turn_lab.h
tests_unit_test_turn_faults_LDADD = $(UNIT_LIBS)
EXTRA_DIST += tests/fixtures/providers
LLM_UNIT_LIBS = $(UNIT_LIBS) -lm

UNIT_TESTS += tests/unit/test_sse
tests_unit_test_sse_SOURCES = tests/unit/test_sse.c tests/unit/unit.h
tests_unit_test_sse_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_fixtures
tests_unit_test_llm_fixtures_SOURCES = tests/unit/test_llm_fixtures.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_fixtures_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_decode
tests_unit_test_llm_decode_SOURCES = tests/unit/test_llm_decode.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_decode_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_pitfalls
tests_unit_test_llm_pitfalls_SOURCES = tests/unit/test_llm_pitfalls.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_pitfalls_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_gateways
tests_unit_test_llm_gateways_SOURCES = tests/unit/test_llm_gateways.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_gateways_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_text
tests_unit_test_llm_text_SOURCES = tests/unit/test_llm_text.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_text_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_build
tests_unit_test_llm_build_SOURCES = tests/unit/test_llm_build.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_build_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_tools
tests_unit_test_llm_tools_SOURCES = tests/unit/test_llm_tools.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_tools_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_image
tests_unit_test_llm_image_SOURCES = tests/unit/test_llm_image.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_image_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_models
tests_unit_test_llm_models_SOURCES = tests/unit/test_llm_models.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_models_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_circuit
tests_unit_test_circuit_SOURCES = tests/unit/test_circuit.c tests/unit/unit.h
tests_unit_test_circuit_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_error
tests_unit_test_llm_error_SOURCES = tests/unit/test_llm_error.c tests/unit/llm_unit.h tests/unit/unit.h
tests_unit_test_llm_error_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_http
tests_unit_test_http_SOURCES = tests/unit/test_http.c tests/unit/peer.h tests/unit/unit.h
tests_unit_test_http_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_retrieval
tests_unit_test_llm_retrieval_SOURCES = tests/unit/test_llm_retrieval.c tests/unit/llm_unit.h tests/unit/peer.h \
	tests/unit/unit.h
tests_unit_test_llm_retrieval_LDADD = $(LLM_UNIT_LIBS)
UNIT_TESTS += tests/unit/test_guard
tests_unit_test_guard_SOURCES = tests/unit/test_guard.c tests/unit/peer.h tests/unit/unit.h
tests_unit_test_guard_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_http_loop
tests_unit_test_http_loop_SOURCES = tests/unit/test_http_loop.c tests/unit/peer.h tests/unit/unit.h
tests_unit_test_http_loop_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_llm_stream
tests_unit_test_llm_stream_SOURCES = tests/unit/test_llm_stream.c tests/unit/llm_unit.h tests/unit/peer.h tests/unit/unit.h
tests_unit_test_llm_stream_LDADD = $(LLM_UNIT_LIBS)

UNIT_TESTS += tests/unit/test_ask
tests_unit_test_ask_SOURCES = tests/unit/test_ask.c tests/unit/peer.h tests/unit/unit.h
tests_unit_test_ask_LDADD = $(LLM_UNIT_LIBS)

check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
