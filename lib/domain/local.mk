lib_liblamplighter_a_SOURCES += \
	lib/domain/agent.c lib/domain/agent.h lib/domain/agent_row.c \
	lib/domain/auto.c lib/domain/auto.h \
	lib/domain/catalog.c lib/domain/catalog.h \
	lib/domain/choice.c lib/domain/choice.h lib/domain/choice_json.c \
	lib/domain/filled.c lib/domain/filled.h \
	lib/domain/folder.c \
	lib/domain/offer.c lib/domain/offer.h \
	lib/domain/prompt.c \
	lib/domain/rating.c \
	lib/domain/row.c lib/domain/row.h \
	lib/domain/stored_service.c lib/domain/stored_service.h \
	lib/domain/service.c \
	lib/domain/share.c \
	lib/domain/public_link.c lib/domain/public_link.h \
	lib/domain/sharing.c lib/domain/sharing.h \
	lib/domain/stored.c lib/domain/stored.h \
	lib/domain/target.c lib/domain/target.h \
	lib/domain/workspace.c
