# The admin command. Of the responder it links the route table's text only.
bin_PROGRAMS += lamplighter
lamplighter_SOURCES = \
	fcgi-app/cli/cli.h \
	fcgi-app/cli/config.c \
	fcgi-app/cli/db.c \
	fcgi-app/cli/decode.c \
	fcgi-app/cli/doctor.c \
	fcgi-app/cli/erase.c \
	fcgi-app/cli/export.c \
	fcgi-app/cli/files.c \
	fcgi-app/cli/kb.c \
	fcgi-app/cli/list.c \
	fcgi-app/cli/exchange.c fcgi-app/cli/exchange.h \
	fcgi-app/cli/eval.c \
	fcgi-app/cli/exchange_agent.c \
	fcgi-app/cli/exchange_prompt.c \
	fcgi-app/cli/exchange_service.c \
	fcgi-app/cli/main.c \
	fcgi-app/cli/mcp.c \
	fcgi-app/cli/preview.c \
	fcgi-app/cli/project.c \
	fcgi-app/cli/resource.c \
	fcgi-app/cli/secret.c \
	fcgi-app/cli/services.c \
	fcgi-app/cli/setting.c \
	fcgi-app/cli/stored.c \
	fcgi-app/cli/tools.c \
	fcgi-app/cli/trace.c \
	fcgi-app/cli/turn.c \
	fcgi-app/cli/who.c \
	fcgi-app/cli/work.c
lamplighter_LDADD = fcgi-app/libapp.a $(LAMPLIGHTER_LIBS) -lm
