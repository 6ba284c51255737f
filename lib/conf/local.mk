lib_liblamplighter_a_SOURCES += \
	lib/conf/addr.c lib/conf/addr.h \
	lib/conf/agent.h \
	lib/conf/check.c \
	lib/conf/conf.c lib/conf/conf.h \
	lib/conf/field.h \
	lib/conf/kind.def \
	lib/conf/line.c \
	lib/conf/list.h \
	lib/conf/live.c \
	lib/conf/load.c lib/conf/load.h \
	lib/conf/service.h \
	lib/conf/option.c lib/conf/option.def lib/conf/option.h \
	lib/conf/param.c lib/conf/param.h \
	lib/conf/print.c \
	lib/conf/read.c lib/conf/read.h \
	lib/conf/rules.c lib/conf/rules.h \
	lib/conf/source.c lib/conf/source.h \
	lib/conf/yaml.c lib/conf/yaml.h
