# Texts in other languages (docs/translating.md). What the program and the page read is made
# in the source directory and is part of the tarball, so that building from one needs
# neither node nor gettext.
LANG_PO = po/LINGUAS po/lamplighter.pot po/tables.mjs
EXTRA_DIST += $(LANG_PO) po/extract.py po/stamp lib/base/lang_made.def www/vendor/lang

$(srcdir)/po/stamp: $(LANG_PO) $(wildcard $(srcdir)/po/*.po)
	$(AM_V_GEN)cd $(srcdir) && { command -v node >/dev/null || { echo "po/stamp: node is missing;" \
		"install it (Debian: nodejs) or build from a release tarball, which has what" \
		"this makes" >&2; exit 1; }; } && node po/tables.mjs && touch po/stamp
$(srcdir)/lib/base/lang_made.def: $(srcdir)/po/stamp ;
lib/base/lang.$(OBJEXT): $(srcdir)/lib/base/lang_made.def

# After texts have changed: the template, and what it changes in the catalogues.
update-po:
	$(AM_V_GEN)cd $(srcdir) && /usr/bin/python3 -B po/extract.py >po/lamplighter.pot.tmp && \
		mv po/lamplighter.pot.tmp po/lamplighter.pot && \
		for po in po/*.po; do test ! -f $$po || msgmerge -q -U --backup=none $$po \
			po/lamplighter.pot || exit 1; done
.PHONY: update-po

MAINTAINERCLEANFILES += $(srcdir)/po/stamp $(srcdir)/lib/base/lang_made.def
