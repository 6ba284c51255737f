# Every test of `make check` speaks TAP, so that single cases are counted.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh
AM_LOG_DRIVER_FLAGS = --merge
TEST_EXTENSIONS = .py
PY_LOG_COMPILER = python3 -B
PY_LOG_DRIVER = $(LOG_DRIVER)

# Checks of the sources themselves.
CHECKS = tests/check/layers.py tests/check/engine.py tests/check/banned.py \
	tests/check/format.py \
	tests/check/doc-examples tests/check/command.py tests/check/lamp.py tests/check/dist.py \
	tests/check/limits.py tests/check/names.py tests/check/cited.py tests/check/security.py \
	tests/check/tables.py tests/check/js.py tests/check/spdx.py \
	tests/check/circles.py tests/check/exports.py tests/check/lang.py tests/check/params.py
TESTS += $(CHECKS)
EXTRA_DIST += $(CHECKS) tests/check/eslint.config.mjs tests/check/tree.py tests/labs.py \
	tests/run.sh tests/tsan.supp \
	tests/fastcgi.py tests/galera.py tests/lab.py tests/mariadbd.py tests/red_team.py \
	tests/replica.py tests/samples.py tests/web.py \
	tests/package.json tests/package-lock.json tests/.npmrc

# Suites of ./lamp test beside `make check`: whole directories, so that a new test
# is in the tarball without a line here.
EXTRA_DIST += tests/conftest.py tests/api tests/security tests/servers tests/clients \
	tests/browser tests/eval tests/peers tests/soak tests/cluster tests/examples
dist-hook:
	find '$(distdir)' -name __pycache__ -type d -exec chmod -R u+w {} + \
		-exec rm -rf {} +
