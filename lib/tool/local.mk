lib_liblamplighter_a_SOURCES += \
	lib/tool/builtin.h \
	lib/tool/dataset.c lib/tool/dataset.h \
	lib/tool/describe_dataset.c \
	lib/tool/dispatch.c \
	lib/tool/env.c lib/tool/env.h \
	lib/tool/gate.c \
	lib/tool/http_answer.c lib/tool/http_build.c lib/tool/http_tool.h \
	lib/tool/extract.c lib/tool/extract.h \
	lib/tool/origin.c lib/tool/origin.h \
	lib/tool/kind.c lib/tool/kind.h \
	lib/tool/kind_agent.c \
	lib/tool/kind_client.c \
	lib/tool/kind_command.c \
	lib/tool/kind_mcp.c \
	lib/tool/kind_web.c lib/tool/web.h \
	lib/tool/web_fetch.c \
	lib/tool/web_robots.c \
	lib/tool/kind_image_text.c \
	lib/tool/analyse_log.c \
	lib/tool/find_pii.c lib/tool/given.c lib/tool/given.h \
	lib/tool/pii.c lib/tool/pii.h \
	lib/tool/mcp.h \
	lib/tool/mcp_http.c \
	lib/tool/mcp_hub.c \
	lib/tool/mcp_list.c \
	lib/tool/mcp_peer.c lib/tool/mcp_peer.h \
	lib/tool/mcp_result.c \
	lib/tool/mcp_stdio.c \
	lib/tool/mcp_wire.c \
	lib/tool/kind_http.c \
	lib/tool/kind_openapi.c \
	lib/tool/openapi.c lib/tool/openapi.h \
	lib/tool/page.c \
	lib/tool/pattern.c lib/tool/pattern.h \
	lib/tool/query.c lib/tool/query.h lib/tool/query_compile.h \
	lib/tool/query_data.c \
	lib/tool/query_guard.c \
	lib/tool/query_page.c \
	lib/tool/query_value.c \
	lib/tool/query_where.c \
	lib/tool/read_result.c \
	lib/tool/ready.c \
	lib/tool/registry.c \
	lib/tool/rowfilter.c lib/tool/rowfilter.h \
	lib/tool/schema.c lib/tool/schema.h \
	lib/tool/suggest.c \
	lib/tool/schema_relax.c \
	lib/tool/schema_clean.c lib/tool/schema_form.c lib/tool/schema_keyword.h \
	lib/tool/secret.c lib/tool/secret.h \
	lib/tool/template.c lib/tool/template.h \
	lib/tool/text.c lib/tool/text.h \
	lib/tool/tool.h
