lib_liblamplighter_a_SOURCES += \
	lib/base/arena.c lib/base/arena.h \
	lib/base/banned.h \
	lib/base/blank.c lib/base/blank.h \
	lib/base/buf.c lib/base/buf.h \
	lib/base/clock.c lib/base/clock.h \
	lib/base/cursor.c lib/base/cursor.h \
	lib/base/err.c lib/base/err.h lib/base/err.def \
	lib/base/fields.c lib/base/fields.h \
	lib/base/fold.c lib/base/fold.h \
	lib/base/json.c lib/base/json.h \
	lib/base/library.c lib/base/library.h \
	lib/base/limits.h \
	lib/base/log.c lib/base/log.h \
	lib/base/recent.c lib/base/recent.h \
	lib/base/spawn.c lib/base/spawn.h \
	lib/base/str.c lib/base/str.h \
	lib/base/trace.c lib/base/trace.def lib/base/trace.h \
	lib/base/unicode.c lib/base/unicode.h \
	lib/base/utf8.c lib/base/utf8.h \
	lib/base/util.c lib/base/util.h \
	lib/base/uuid.c lib/base/uuid.h \
	lib/base/version.c lib/base/version.h \
	lib/base/lang.c lib/base/lang.h \
	lib/base/zone.c lib/base/zone.h

# The configured directories, in a header instead of in flags, so that what contains
# them is built again after a configure with others. As with config.h, the header
# stays as it is if they are the same; the stamp is newer than the makefile.
BUILT_SOURCES += lib/base/paths.h
CLEANFILES += lib/base/paths.h lib/base/paths.stamp

lib/file/extract.$(OBJEXT) fcgi-app/app.$(OBJEXT) fcgi-app/main.$(OBJEXT) \
	fcgi-app/cli/db.$(OBJEXT) fcgi-app/cli/doctor.$(OBJEXT) \
	fcgi-app/cli/main.$(OBJEXT) lib/doctor/advice.$(OBJEXT) \
	tests/unit/test_doctor.$(OBJEXT): lib/base/paths.h
lib/base/paths.h: lib/base/paths.stamp
	@test -f $@ || { rm -f lib/base/paths.stamp && \
		$(MAKE) $(AM_MAKEFLAGS) lib/base/paths.stamp; }
lib/base/paths.stamp: Makefile
	$(AM_V_GEN)$(MKDIR_P) lib/base && { \
		echo '#define LAMPLIGHTER_DATADIR "$(pkgdatadir)"'; \
		echo '#define LAMPLIGHTER_LIBEXECDIR "$(pkglibexecdir)"'; \
		echo '#define LAMPLIGHTER_SYSCONFDIR "$(sysconfdir)/lamplighter"'; \
	} >lib/base/paths.tmp && \
	{ cmp -s lib/base/paths.tmp lib/base/paths.h || \
		mv lib/base/paths.tmp lib/base/paths.h; } && \
	rm -f lib/base/paths.tmp && touch $@

# The commit, of a checkout or as a release has it, and the newest migration. Looked at
# by every make; one object contains them.
BUILT_SOURCES += lib/base/stamp.h
CLEANFILES += lib/base/stamp.h
EXTRA_DIST += lib/base/stamp.sh
lib/base/version.$(OBJEXT): lib/base/stamp.h
lib/base/stamp.h: stamp-always
	@$(MKDIR_P) lib/base && sh $(srcdir)/lib/base/stamp.sh $(srcdir) $@
dist-hook: dist-commit
dist-commit:
	sh $(srcdir)/lib/base/stamp.sh --commit $(srcdir) >$(distdir)/build-aux/commit
.PHONY: stamp-always dist-commit
