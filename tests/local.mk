# Every test of `make check` speaks TAP, so that single cases are counted.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
AM_LOG_DRIVER_FLAGS = --merge
TEST_EXTENSIONS = .py
PY_LOG_COMPILER = python3 -B
PY_LOG_DRIVER = $(LOG_DRIVER)

# Checks of the sources themselves.
CHECKS = tests/check/layers.py tests/check/banned.py tests/check/format.py \
	tests/check/doc-examples tests/check/command.py tests/check/lamp.py tests/check/dist.py \
	tests/check/pitfalls.py
TESTS += $(CHECKS)
EXTRA_DIST += $(CHECKS) tests/check/tree.py tests/run.sh tests/tsan.supp \
	tests/lab.py tests/red_team.py tests/web.py

# Suites of ./lamp test beside `make check`.
EXTRA_DIST += tests/conftest.py tests/api/conftest.py tests/api/demo_model.py \
	tests/api/plain_browser.py \
	tests/api/test_agent_tools.py \
	tests/api/test_approvals.py tests/api/test_waiting.py tests/api/test_bad_input.py \
	tests/api/test_chat.py \
	tests/api/test_continue.py \
	tests/api/test_thread.py tests/api/test_thread_faults.py \
	tests/api/test_idempotent.py tests/api/test_idempotent_routes.py tests/api/test_etag.py \
	tests/api/test_image_text.py \
	tests/api/test_conversations.py \
	tests/api/test_demo_llm.py \
	tests/api/test_demo_talk.py \
	tests/api/test_dialects.py \
	tests/api/test_docs.py tests/api/test_doctor.py \
	tests/api/test_events.py \
	tests/api/test_faults.py \
	tests/api/test_followers.py \
	tests/api/test_identity.py \
	tests/api/test_kill.py \
	tests/api/test_page_cache.py \
	tests/api/test_mcp.py tests/api/test_mcp_pitfalls.py \
	tests/api/test_notifications.py \
	tests/api/test_openai_server.py \
	tests/api/test_openapi.py \
	tests/api/test_red_team.py tests/api/test_red_team_rows.py \
	tests/api/test_red_team_web.py \
	tests/api/test_web_tools.py tests/api/test_web_routes.py \
	tests/api/test_tools.py \
	tests/api/test_pitfalls.py \
	tests/api/test_plain.py \
	tests/api/test_plain_forms.py \
	tests/api/test_plain_waits.py \
	tests/api/test_shutdown.py \
	tests/api/test_tasks.py
EXTRA_DIST += tests/peers/hostile_mcp.py tests/peers/recorder.py tests/peers/mcp_stdio.py \
	tests/peers/mcp-dual.mjs tests/peers/elsewhere.c
EXTRA_DIST += tests/servers/conftest.py \
	tests/servers/test_doctor.py \
	tests/servers/test_life.py \
	tests/servers/test_pasted.py \
	tests/servers/test_plain.py \
	tests/servers/test_setups.py
EXTRA_DIST += tests/clients/run tests/clients/common.mjs \
	tests/clients/ag-ui.test.mjs \
	tests/clients/ai-sdk.test.mjs \
	tests/clients/openai.test.mjs \
	tests/clients/waiting.test.mjs
EXTRA_DIST += tests/browser
