# The responder. Everything but main.c is a library, so that tests link it.
noinst_LIBRARIES += fcgi-app/libapp.a
fcgi_app_libapp_a_SOURCES = \
	fcgi-app/api/api.h \
	fcgi-app/api/agent.c \
	fcgi-app/api/allowed.c \
	fcgi-app/api/attachment.c fcgi-app/api/attachment.h \
	fcgi-app/api/approval.c fcgi-app/api/approval.h \
	fcgi-app/api/chat.c \
	fcgi-app/api/chat_ag_ui.c \
	fcgi-app/api/chat_agent.c \
	fcgi-app/api/chat_ai_sdk.c \
	fcgi-app/api/chat_openai.c \
	fcgi-app/api/echo.c fcgi-app/api/echo.h \
	fcgi-app/api/inline.c fcgi-app/api/inline.h \
	fcgi-app/api/openai.h fcgi-app/api/openai_ask.c fcgi-app/api/openai_tools.c \
	fcgi-app/dialect/responses.c fcgi-app/dialect/responses.h \
	fcgi-app/api/openai_responses.c fcgi-app/api/openai_helper.c fcgi-app/api/openai_thread.c \
	fcgi-app/api/openai_service.c fcgi-app/api/openai_stored.c \
	fcgi-app/api/client.c fcgi-app/api/client.h \
	fcgi-app/api/complete.c \
	fcgi-app/api/conversation.c \
	fcgi-app/api/thread.c fcgi-app/api/variant.h \
	fcgi-app/api/doctor.c \
	fcgi-app/api/document.c \
	fcgi-app/api/source.c \
	fcgi-app/api/etag.c fcgi-app/api/etag.h \
	fcgi-app/api/idempotent.c fcgi-app/api/idempotent.h \
	fcgi-app/api/events.c \
	fcgi-app/api/form.c \
	fcgi-app/api/frame.c \
	fcgi-app/api/health.c \
	fcgi-app/api/knowledge.c fcgi-app/api/knowledge.h \
	fcgi-app/api/llm_service.c \
	fcgi-app/api/me.c \
	fcgi-app/api/memory.c fcgi-app/api/remembered.h \
	fcgi-app/api/mcp.c fcgi-app/api/mcp.h fcgi-app/api/mcp_tools.c \
	fcgi-app/api/mcp_resources.c \
	fcgi-app/api/mention.c \
	fcgi-app/api/message.c \
	fcgi-app/api/metric.c \
	fcgi-app/api/notification.c \
	fcgi-app/api/page.c fcgi-app/api/page.h \
	fcgi-app/api/plan.c \
	fcgi-app/api/preview.c \
	fcgi-app/api/project.c \
	fcgi-app/api/calendar.c \
	fcgi-app/api/prompt.c \
	fcgi-app/api/resource.c fcgi-app/api/resource.h \
	fcgi-app/api/scope.c fcgi-app/api/scope.h \
	fcgi-app/api/search.c \
	fcgi-app/api/shared.c fcgi-app/api/shared.h \
	fcgi-app/api/send.c fcgi-app/api/send.h \
	fcgi-app/api/setting.c fcgi-app/api/setting.h \
	fcgi-app/api/turn.c \
	fcgi-app/app.c fcgi-app/app.h \
	fcgi-app/body.c fcgi-app/body.h \
	fcgi-app/caller.c fcgi-app/caller.h \
	fcgi-app/cgi.c fcgi-app/cgi.h \
	fcgi-app/conn.h \
	fcgi-app/page_cache.c fcgi-app/page_cache.h \
	fcgi-app/dialect/dialect.c fcgi-app/dialect/dialect.h \
	fcgi-app/dialect/ag_ui.c fcgi-app/dialect/ag_ui.h \
	fcgi-app/dialect/ai_sdk.c fcgi-app/dialect/ai_sdk.h \
	fcgi-app/dialect/forge.c \
	fcgi-app/dialect/native.c \
	fcgi-app/dialect/notice.c fcgi-app/dialect/notice.h \
	fcgi-app/dialect/openai.c fcgi-app/dialect/openai.h \
	fcgi-app/dialect/v2.c \
	fcgi-app/dialect/wire.c fcgi-app/dialect/wire.h \
	fcgi-app/fcgi.c fcgi-app/fcgi.h \
	fcgi-app/lsock.c fcgi-app/lsock.h \
	fcgi-app/form.c fcgi-app/form.h \
	fcgi-app/multipart.c fcgi-app/multipart.h \
	fcgi-app/html.c fcgi-app/html.h \
	fcgi-app/pace.c fcgi-app/pace.h \
	fcgi-app/path.c fcgi-app/path.h \
	fcgi-app/places.c fcgi-app/places.h \
	fcgi-app/plain/plain.h \
	fcgi-app/plain/picker.c \
	fcgi-app/plain/compose.c \
	fcgi-app/plain/project.c \
	fcgi-app/plain/remembered.c \
	fcgi-app/plain/setting.c \
	fcgi-app/plain/edit.c \
	fcgi-app/plain/link.c \
	fcgi-app/plain/list.c \
	fcgi-app/plain/message.c \
	fcgi-app/plain/page.c \
	fcgi-app/plain/plan.c \
	fcgi-app/plain/send.c \
	fcgi-app/plain/source.c \
	fcgi-app/plain/thread.c \
	fcgi-app/plain/turn.c \
	fcgi-app/plain/replace.c \
	fcgi-app/plain/wait.c \
	fcgi-app/quota.c fcgi-app/quota.h \
	fcgi-app/request.c fcgi-app/request.h \
	fcgi-app/response.c fcgi-app/response.h \
	fcgi-app/route.c fcgi-app/route.h fcgi-app/routes.def \
	fcgi-app/route_list.c \
	fcgi-app/worker.c fcgi-app/worker.h

pkglibexec_PROGRAMS += lamplighter.fcgi
lamplighter_fcgi_SOURCES = fcgi-app/main.c
lamplighter_fcgi_LDADD = fcgi-app/libapp.a $(LAMPLIGHTER_LIBS) $(FCGI_LIBS) $(MD4C_LIBS) -lm
