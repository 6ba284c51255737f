lib_liblamplighter_a_SOURCES += \
	lib/agent/adapt.c \
	lib/agent/agent.c lib/agent/agent.h lib/agent/agent_row.c \
	lib/agent/auto.c lib/agent/auto.h \
	lib/agent/catalog.c lib/agent/catalog.h \
	lib/agent/embed.c lib/agent/embed.h \
	lib/agent/folder.c \
	lib/agent/knowledge.c \
	lib/agent/prompt.c \
	lib/agent/retrieve.c lib/agent/retrieve.h lib/agent/retrieve_bases.c \
	lib/agent/row.c lib/agent/row.h \
	lib/agent/said.c lib/agent/said.h \
	lib/agent/said_change.c lib/agent/said_json.c \
	lib/agent/stored_service.c lib/agent/stored_service.h \
	lib/agent/service.c \
	lib/agent/setting.c lib/agent/setting.def lib/agent/setting.h \
	lib/agent/share.c \
	lib/agent/sharing.c lib/agent/sharing.h \
	lib/agent/stored.c lib/agent/stored.h \
	lib/agent/target.c lib/agent/target.h \
	lib/agent/workspace.c
