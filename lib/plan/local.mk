lib_liblamplighter_a_SOURCES += \
	lib/plan/stmt.def \
	lib/plan/plan.c lib/plan/plan.h \
	lib/plan/rows.c lib/plan/rows.h
