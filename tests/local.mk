# Every test of `make check` speaks TAP, so that single cases are counted.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
AM_LOG_DRIVER_FLAGS = --merge
TEST_EXTENSIONS = .py
PY_LOG_COMPILER = python3 -B
PY_LOG_DRIVER = $(LOG_DRIVER)

# Checks of the sources themselves.
CHECKS = tests/check/layers.py tests/check/banned.py tests/check/format.py \
	tests/check/doc-examples tests/check/command.py
TESTS += $(CHECKS)
EXTRA_DIST += $(CHECKS) tests/check/tree.py tests/run.sh tests/lab.py tests/web.py \
	tests/servers/conftest.py tests/servers/test_setups.py \
	tests/servers/test_life.py
EXTRA_DIST += tests/clients/run tests/clients/common.mjs \
	tests/clients/ag-ui.test.mjs tests/clients/ai-sdk.test.mjs \
	tests/clients/openai.test.mjs
EXTRA_DIST += $(CHECKS) tests/check/tree.py tests/run.sh tests/lab.py
