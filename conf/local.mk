# Samples for an installation, with its directories filled in.
SUFFIXES = .in .sample
.in.sample:
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed -e 's|@pkglibexecdir[@]|$(pkglibexecdir)|g' \
		-e 's|@pkgdatadir[@]|$(pkgdatadir)|g' \
		-e 's|@sysconfdir[@]|$(sysconfdir)|g' $< >$@.tmp && mv $@.tmp $@

sampledir = $(sysconfdir)/lamplighter
sample_DATA = conf/lamplighter.yaml.sample conf/lamplighter.service.sample \
	conf/lamplighter.socket.sample \
	conf/lighttpd.conf.sample conf/lighttpd-spawn.conf.sample \
	conf/apache-proxy.conf.sample conf/apache-fcgid.conf.sample \
	conf/htaccess.sample conf/lamplighter.cgi.sample \
	conf/knowledge-sources.yaml.sample conf/nginx.conf.sample
sampleworkspacesdir = $(sampledir)/workspaces.d
sampleworkspaces_DATA = conf/workspaces.d/help.yaml.sample
samplepromptsdir = $(sampledir)/prompts.d
sampleprompts_DATA = conf/prompts.d/summary.yaml.sample
# Templates of agents, as they are shipped.
templatesdir = $(pkgdatadir)/agent-templates.d
dist_templates_DATA = \
	conf/agent-templates.d/bobby.yaml \
	conf/agent-templates.d/maven.yaml \
	conf/agent-templates.d/quill.yaml \
	conf/agent-templates.d/sage.yaml
# Prompts to choose from, as they are shipped.
cataloguedir = $(pkgdatadir)/catalogue.d
dist_catalogue_DATA = \
	conf/catalogue.d/check-text.yaml \
	conf/catalogue.d/checklist.yaml \
	conf/catalogue.d/compare-options.yaml \
	conf/catalogue.d/daily-brief.yaml \
	conf/catalogue.d/explain-simply.yaml \
	conf/catalogue.d/explain-table.yaml \
	conf/catalogue.d/minutes.yaml \
	conf/catalogue.d/prepare-meeting.yaml \
	conf/catalogue.d/project-status.yaml \
	conf/catalogue.d/reply-complaint.yaml \
	conf/catalogue.d/rewrite.yaml \
	conf/catalogue.d/summarise.yaml \
	conf/catalogue.d/ticket-summary.yaml \
	conf/catalogue.d/translate.yaml \
	conf/catalogue.d/write-email.yaml
SAMPLES = $(sample_DATA) $(sampleworkspaces_DATA) $(sampleprompts_DATA)
CLEANFILES += $(SAMPLES)
$(SAMPLES): lib/base/paths.h
EXTRA_DIST += $(SAMPLES:.sample=.in) \
	conf/demo/services.sh conf/demo/models.sh conf/demo/my.cnf conf/demo/init.sql \
	conf/demo/lighttpd.conf conf/demo/lamplighter.yaml \
	conf/demo/workspaces.d/intranet.yaml conf/demo/create_ticket.py \
	conf/demo/sample_data.py conf/demo/sample_handbook.py conf/demo/sample_rules.py \
	conf/demo/sample_projects.py \
	conf/demo/sample_words.py conf/demo/sample_tickets.py conf/demo/sample_wiki.py
