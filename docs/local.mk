dist_man_MANS += docs/lamplighter.8 docs/lamplighter.yaml.5
EXTRA_DIST += docs/update-options.sh docs/openapi.yaml \
	docs/add-a-dialect.md \
	docs/add-a-job.md \
	docs/add-a-provider.md \
	docs/add-a-route.md \
	docs/add-a-tool.md \
	docs/add-an-option.md \
	docs/api.md \
	docs/approvals.md \
	docs/configuration.md \
	docs/database.md \
	docs/datasets.md \
	docs/demo-model.md \
	docs/deploy-apache.md \
	docs/deploy-lighttpd.md \
	docs/deploy-nginx.md \
	docs/deploy-shared-hosting.md \
	docs/dialects.md \
	docs/doctor.md \
	docs/identity.md \
	docs/install.md \
	docs/mcp.md \
	docs/notifications.md \
	docs/openai-server.md \
	docs/page.md docs/page-tools.md \
	docs/performance.md \
	docs/plain.md \
	docs/providers.md \
	docs/request.md \
	docs/scale.md \
	docs/security-bugs.md \
	docs/security.md \
	docs/thread.md \
	docs/tools.md \
	docs/turn.md

# Writes the option reference anew; tests/unit/test_conf compares it.
update-docs: lamplighter$(EXEEXT)
	$(srcdir)/docs/update-options.sh ./lamplighter \
		$(srcdir)/docs/configuration.md --markdown
	$(srcdir)/docs/update-options.sh ./lamplighter \
		$(srcdir)/docs/lamplighter.yaml.5 --man
.PHONY: update-docs
