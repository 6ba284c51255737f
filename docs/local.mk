dist_man_MANS += docs/lamplighter.8 docs/lamplighter.yaml.5
EXTRA_DIST += docs/update-options.sh docs/openapi.yaml \
	docs/add-a-context-part.md \
	docs/add-a-dialect.md \
	docs/add-an-event.md \
	docs/add-a-field.md \
	docs/add-a-job.md \
	docs/add-a-metric.md \
	docs/add-a-provider.md \
	docs/add-a-resource.md \
	docs/add-a-resource-below.md \
	docs/agents.md \
	docs/architecture.md docs/pitfalls.md docs/requirements.md docs/style.md \
	docs/add-a-setting.md \
	docs/add-a-route.md \
	docs/add-a-tool.md \
	docs/add-a-turn-option.md \
	docs/add-an-option.md \
	docs/api.md \
	docs/backup.md \
	docs/approvals.md \
	docs/calendar.md \
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
	docs/files.md \
	docs/identity.md \
	docs/knowledge.md \
	docs/install.md \
	docs/keys.md \
	docs/mcp.md docs/mcp-server.md \
	docs/metrics.md \
	docs/notifications.md \
	docs/openai-server.md \
	docs/page.md docs/page-tools.md \
	docs/performance.md \
	docs/plain.md docs/plans.md \
	docs/eval.md docs/memory.md \
	docs/mentions.md \
	docs/projects.md \
	docs/prompt-builder.md \
	docs/prompts.md \
	docs/providers.md \
	docs/request.md \
	docs/reverse-proxy.md \
	docs/scale.md \
	docs/security-bugs.md \
	docs/security.md docs/settings.md \
	docs/thread.md \
	docs/tools.md \
	docs/translating.md \
	docs/turn.md

# Updates the parts that the tables of the program print; tests compare them.
UPDATE = $(srcdir)/docs/update-options.sh ./lamplighter
update-docs: lamplighter$(EXEEXT)
	$(UPDATE) $(srcdir)/docs/configuration.md OPTIONS options --markdown
	$(UPDATE) $(srcdir)/docs/lamplighter.yaml.5 OPTIONS options --man
	$(UPDATE) $(srcdir)/docs/openapi.yaml "RESOURCE PATHS" resources --paths
	$(UPDATE) $(srcdir)/docs/openapi.yaml "RESOURCE SCHEMAS" resources --schemas
	./lamplighter list resources --sql >$(srcdir)/lib/resource/resource.sql
	$(UPDATE) $(srcdir)/docs/configuration.md SETTINGS settings --markdown
	$(UPDATE) $(srcdir)/docs/dialects.md EVENTS events --markdown
	$(UPDATE) $(srcdir)/docs/metrics.md METRICS metrics --markdown
	$(UPDATE) $(srcdir)/docs/openapi.yaml EVENTS events --openapi
	$(UPDATE) $(srcdir)/docs/api.md ERRORS errors --markdown
.PHONY: update-docs
