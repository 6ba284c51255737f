lib_liblamplighter_a_SOURCES += \
	lib/turn/after.c lib/turn/after.def lib/turn/after.h \
	lib/turn/ask.c lib/turn/ask.h \
	lib/turn/calls.c lib/turn/calls.h \
	lib/turn/commit.c lib/turn/commit.h \
	lib/turn/correct.c lib/turn/correct.h \
	lib/turn/dead.c \
	lib/turn/fallback.c lib/turn/fallback.h \
	lib/turn/finish.c lib/turn/finish.h \
	lib/turn/follow.c lib/turn/follow.h \
	lib/turn/loop.c lib/turn/loop.h \
	lib/turn/meta.c lib/turn/meta.h \
	lib/turn/nested.c lib/turn/nested.h \
	lib/turn/note.c lib/turn/note.h \
	lib/turn/operation.c lib/turn/operation.h \
	lib/turn/pause.c lib/turn/pause.h \
	lib/turn/plan.c lib/turn/plan.h \
	lib/turn/plan_run.h \
	lib/turn/plan_steps.c \
	lib/turn/plan_stop.c lib/turn/plan_stop.h \
	lib/turn/resume.c lib/turn/resume.h \
	lib/turn/start.c \
	lib/turn/stuck.c lib/turn/stuck.h \
	lib/turn/title.c lib/turn/title.h \
	lib/turn/trail.c lib/turn/trail.h \
	lib/turn/trial.c lib/turn/trial.h \
	lib/turn/turn.h \
	lib/turn/unstored.c lib/turn/unstored.h \
	lib/turn/wake.c lib/turn/wake.h
