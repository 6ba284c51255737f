# The page: plain files for the web server. www/vendor, the bundled npm packages, and
# www/dist, the page that is installed, are made in the source directory and are part of
# the tarball, so that building from one needs neither node nor npm.
WWW_VENDOR = www/vendor/chart.js www/vendor/diff.js www/vendor/highlight.js www/vendor/katex.js www/vendor/lit.js \
	www/vendor/markdown.js www/vendor/mermaid.js www/vendor/LICENSES.txt
WWW_BUILD = www/build/chart.js www/build/diff.js www/build/highlight.js www/build/katex.js www/build/lit.js \
	www/build/markdown.js www/build/mermaid.js \
	www/build/run.sh www/build/vendor.mjs www/build/types/chart.d.ts \
	www/build/types/diff.d.ts www/build/types/highlight.d.ts \
	www/build/types/katex.d.ts www/build/types/lit.d.ts www/build/types/markdown.d.ts \
	package.json package-lock.json
# What is installed as it is: the doctor and what the plain pages use.
nobase_dist_pkgdata_DATA = www/favicon.svg www/mark.svg \
	www/doctor.html www/css/doctor.css www/js/doctor.js \
	www/css/plain.css www/css/theme.css www/vendor/LICENSES.txt
# What www/build/page.mjs makes www/dist of.
WWW_PAGE = www/index.html www/demo-form.html www/css/demo-form.css www/js/demo-form.js \
	www/css/artifact.css \
	www/css/ask.css \
	www/css/base.css \
	www/css/calendar.css \
	www/css/composer.css \
	www/css/files.css \
	www/css/form.css \
	www/css/layout.css \
	www/css/parts.css \
	www/css/picker.css \
	www/css/place.css \
	www/css/plan.css \
	www/css/preview.css \
	www/css/project.css \
	www/css/prose.css \
	www/css/side.css \
	www/css/sources.css \
	www/css/table.css \
	www/css/thread.css \
	www/js/api.js \
	www/js/artifacts.js \
	www/js/asides.js \
	www/js/citations.js \
	www/js/clipboard.js \
	www/js/code.js \
	www/js/diagrams.js \
	www/js/culture.js \
	www/js/direction.js \
	www/js/emphasis.js \
	www/js/exact.js \
	www/js/export.js \
	www/js/feed.js \
	www/js/form.js \
	www/js/format.js \
	www/js/growing.js \
	www/js/highlight.js \
	www/js/lead.js \
	www/js/link.js \
	www/js/main.js \
	www/js/markdown.js \
	www/js/math.js \
	www/js/mentions.js \
	www/js/observable.js \
	www/js/older.js \
	www/js/paper.js \
	www/js/projects.js \
	www/js/reach.js \
	www/js/route.js \
	www/js/schema.js \
	www/js/search.js \
	www/js/sandbox.js \
	www/js/speech.js \
	www/js/sse.js \
	www/js/storage.js \
	www/js/store/begun.js \
	www/js/store/conversations.js \
	www/js/store/device.js \
	www/js/store/draft.js \
	www/js/store/drafts.js \
	www/js/store/find.js \
	www/js/store/notices.js \
	www/js/store/options.js \
	www/js/store/order.js \
	www/js/store/paged-list.js \
	www/js/store/pages.js \
	www/js/store/picker.js \
	www/js/store/places.js \
	www/js/store/project.js \
	www/js/store/ratings.js \
	www/js/store/ready.js \
	www/js/store/rows.js \
	www/js/store/session.js \
	www/js/store/settings.js \
	www/js/store/speech.js \
	www/js/store/thread.js \
	www/js/store/threads.js \
	www/js/store/tree.js \
	www/js/store/turn.js \
	www/js/store/unstored.js \
	www/js/store/uploads.js \
	www/js/strings-dialogs.js \
	www/js/strings-making.js \
	www/js/strings-page.js \
	www/js/strings.js \
	www/js/table.js \
	www/js/tree.js \
	www/js/theme.js \
	www/js/tools.js \
	www/js/ui/app.js \
	www/js/ui/agent.js \
	www/js/ui/effects.js \
	www/js/ui/allowed.js \
	www/js/ui/approval.js \
	www/js/ui/artifact.js \
	www/js/ui/arrange.js \
	www/js/ui/bin.js \
	www/js/ui/blanks.js \
	www/js/ui/board.js \
	www/js/ui/attachments.js \
	www/js/ui/changes.js \
	www/js/ui/chart.js \
	www/js/ui/chat.js \
	www/js/ui/chats.js \
	www/js/ui/compare.js \
	www/js/ui/children.js \
	www/js/ui/documents.js \
	www/js/ui/composer.js \
	www/js/ui/diagram.js \
	www/js/ui/dialogs.js \
	www/js/ui/edit.js \
	www/js/ui/editor.js \
	www/js/ui/element.js \
	www/js/ui/field.js \
	www/js/ui/find.js \
	www/js/ui/form.js \
	www/js/ui/gallery.js \
	www/js/ui/help.js \
	www/js/ui/icons.js \
	www/js/ui/icon-picker.js \
	www/js/ui/items.js \
	www/js/ui/keys.js \
	www/js/ui/limits.js \
	www/js/ui/later.js \
	www/js/ui/links.js \
	www/js/ui/list.js \
	www/js/ui/markdown.js \
	www/js/ui/members.js \
	www/js/ui/person.js \
	www/js/ui/picker.js \
	www/js/ui/occurrence.js \
	www/js/ui/parts.js \
	www/js/ui/passages.js \
	www/js/ui/place.js \
	www/js/ui/plan.js \
	www/js/ui/preview.js \
	www/js/ui/rated.js \
	www/js/ui/rating.js \
	www/js/ui/ready.js \
	www/js/ui/project.js \
	www/js/ui/projects.js \
	www/js/ui/remembered.js \
	www/js/ui/prompt.js \
	www/js/ui/public-links.js \
	www/js/ui/question.js \
	www/js/ui/refs.js \
	www/js/ui/rows.js \
	www/js/ui/secret.js \
	www/js/ui/service.js \
	www/js/ui/setting.js \
	www/js/ui/share.js \
	www/js/ui/shared.js \
	www/js/ui/side.js \
	www/js/ui/sources.js \
	www/js/ui/states.js \
	www/js/ui/memory.js \
	www/js/ui/menu.js \
	www/js/ui/mine.js \
	www/js/ui/month.js \
	www/js/ui/new-base.js \
	www/js/month.js \
	www/js/ui/table.js \
	www/js/ui/talk.js \
	www/js/ui/tree.js \
	www/js/ui/trial.js \
	www/js/ui/try-tool.js \
	www/js/ui/try.js \
	www/js/ui/thread.js \
	www/js/ui/toast.js \
	www/js/ui/tool.js \
	www/js/ui/tools.js \
	www/js/ui/turn.js \
	www/js/ui/keep.js \
	www/js/ui/used.js \
	www/js/ui/variants.js \
	www/build/page.mjs
EXTRA_DIST += $(WWW_PAGE) $(WWW_VENDOR) $(WWW_BUILD) www/dist www/dist.stamp www/build/page.d.ts www/jsconfig.json .npmrc www/vendor/stamp

# The stamp is written last. One rule makes all files; naming the rule's
# target in the source directory lets make find it from any build directory.
$(srcdir)/www/vendor/stamp: $(WWW_BUILD)
	$(AM_V_GEN)cd $(srcdir) && sh www/build/run.sh vendor.mjs www/vendor/stamp
$(WWW_VENDOR:%=$(srcdir)/%): $(srcdir)/www/vendor/stamp
	@test -f $@ || { rm -f $(srcdir)/www/vendor/stamp && \
		$(MAKE) $(AM_MAKEFLAGS) $(srcdir)/www/vendor/stamp; }

$(srcdir)/www/dist.stamp: $(WWW_PAGE) www/css/theme.css $(srcdir)/www/vendor/stamp $(srcdir)/po/stamp
	$(AM_V_GEN)cd $(srcdir) && sh www/build/run.sh page.mjs www/dist.stamp
$(srcdir)/www/dist: $(srcdir)/www/dist.stamp ;
all-local: $(srcdir)/www/dist.stamp

# Files of www/dist/page that an earlier build has installed stay: pages that are open
# may still ask for them.
install-data-local: $(srcdir)/www/dist.stamp
	@cd $(srcdir)/www/dist && for d in . css js page; do \
		$(MKDIR_P) "$(DESTDIR)$(pkgdatadir)/www/$$d" && \
		$(INSTALL_DATA) `find $$d -maxdepth 1 -type f` \
			"$(DESTDIR)$(pkgdatadir)/www/$$d" || exit 1; \
	done
uninstall-local:
	cd $(srcdir)/www/dist && find . -type f | (cd "$(DESTDIR)$(pkgdatadir)/www" && xargs rm -f)
	rm -rf "$(DESTDIR)$(pkgdatadir)/www/page"

MAINTAINERCLEANFILES += $(WWW_VENDOR:%=$(srcdir)/%) $(srcdir)/www/vendor/stamp \
	$(srcdir)/www/dist.stamp
maintainer-clean-local:
	rm -rf $(srcdir)/www/dist $(srcdir)/www/vendor/lang
