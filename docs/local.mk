EXTRA_DIST += docs/install.md docs/configuration.md docs/identity.md \
	docs/add-an-option.md
EXTRA_DIST += docs/turn.md docs/tools.md docs/datasets.md docs/add-a-tool.md
EXTRA_DIST += docs/api.md docs/openapi.yaml docs/request.md docs/add-a-route.md
dist_man_MANS += docs/lamplighter.8 docs/lamplighter.yaml.5
EXTRA_DIST += docs/update-options.sh

# Writes the option reference anew; tests/unit/test_conf compares it.
update-docs: lamplighter$(EXEEXT)
	$(srcdir)/docs/update-options.sh ./lamplighter \
		$(srcdir)/docs/configuration.md docs/identity.md \
	docs/add-an-option.md --markdown
	$(srcdir)/docs/update-options.sh ./lamplighter \
		$(srcdir)/docs/lamplighter.yaml.5 --man
.PHONY: update-docs
EXTRA_DIST += docs/database.md
