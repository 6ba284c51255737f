# One folder a family of tools; core/ is what they all use.
lib_liblamplighter_a_SOURCES += \
	lib/tool/agent/agent.h \
	lib/tool/agent/kind_agent.c \
	lib/tool/agent/kind_image_text.c \
	lib/tool/agent/option.def \
	lib/tool/agent/option.h \
	lib/tool/agent/plan.c \
	lib/tool/agent/ready.c \
	lib/tool/agent/rows.c \
	lib/tool/client/client.h \
	lib/tool/client/kind_client.c \
	lib/tool/client/page.c \
	lib/tool/client/rows.c \
	lib/tool/client/suggest.c \
	lib/tool/command/kind_command.c \
	lib/tool/command/option.def \
	lib/tool/command/option.h \
	lib/tool/core/builtin.h \
	lib/tool/core/dispatch.c \
	lib/tool/core/env.c \
	lib/tool/core/env.h \
	lib/tool/core/gate.c \
	lib/tool/core/family.c \
	lib/tool/core/family.def \
	lib/tool/core/family.h \
	lib/tool/core/kind.c \
	lib/tool/core/kind.h \
	lib/tool/core/passage.c \
	lib/tool/core/passage.h \
	lib/tool/core/pool.c \
	lib/tool/core/pool.def \
	lib/tool/core/pool.h \
	lib/tool/core/read_result.c \
	lib/tool/core/registry.c \
	lib/tool/core/secret.c \
	lib/tool/core/secret.h \
	lib/tool/core/template.c \
	lib/tool/core/template.h \
	lib/tool/core/text.c \
	lib/tool/core/text.h \
	lib/tool/core/tool.h \
	lib/tool/data/dataset.c \
	lib/tool/data/dataset.h \
	lib/tool/data/describe_dataset.c \
	lib/tool/data/query.c \
	lib/tool/data/query.h \
	lib/tool/data/query_data.c \
	lib/tool/data/query_guard.c \
	lib/tool/data/query_value.c \
	lib/tool/data/rowfilter.c \
	lib/tool/data/rowfilter.h \
	lib/tool/data/rows.c \
	lib/tool/entity/calendar.c \
	lib/tool/entity/onto.h \
	lib/tool/entity/find.c \
	lib/tool/entity/help.c \
	lib/tool/entity/make.c \
	lib/tool/entity/operation.c \
	lib/tool/entity/read.c \
	lib/tool/entity/rows.c \
	lib/tool/http/http_answer.c \
	lib/tool/http/http_build.c \
	lib/tool/http/http_tool.h \
	lib/tool/http/kind_http.c \
	lib/tool/http/kind_openapi.c \
	lib/tool/http/openapi.c \
	lib/tool/http/openapi.h \
	lib/tool/http/option.def \
	lib/tool/http/option.h \
	lib/tool/http/rows.c \
	lib/tool/knowledge/bases.c \
	lib/tool/knowledge/knowledge.h \
	lib/tool/knowledge/metadata.c \
	lib/tool/knowledge/read_document.c \
	lib/tool/knowledge/recall_facts.c \
	lib/tool/knowledge/rows.c \
	lib/tool/knowledge/search_all.c \
	lib/tool/mcp/kind_mcp.c \
	lib/tool/mcp/mcp.h \
	lib/tool/mcp/mcp_http.c \
	lib/tool/mcp/mcp_hub.c \
	lib/tool/mcp/mcp_list.c \
	lib/tool/mcp/mcp_peer.c \
	lib/tool/mcp/mcp_peer.h \
	lib/tool/mcp/mcp_result.c \
	lib/tool/mcp/mcp_stdio.c \
	lib/tool/mcp/mcp_wire.c \
	lib/tool/mcp/rows.c \
	lib/tool/mention/mention.c \
	lib/tool/mention/mention.def \
	lib/tool/mention/mention.h \
	lib/tool/mention/people.c \
	lib/tool/mention/record.c \
	lib/tool/resource/rows.c \
	lib/tool/text/analyse_log.c \
	lib/tool/text/find_pii.c \
	lib/tool/text/given.c \
	lib/tool/text/given.h \
	lib/tool/text/pii.c \
	lib/tool/text/pii.h \
	lib/tool/text/rows.c \
	lib/tool/web/kind_web.c \
	lib/tool/web/option.def \
	lib/tool/web/option.h \
	lib/tool/web/rows.c \
	lib/tool/web/web.h


# Arguments of tools: NAME.schema.json is SCHEMA_NAME in tool/schemas.h.
TOOL_SCHEMAS = \
	lib/tool/agent/image_text.schema.json \
	lib/tool/agent/plan.schema.json \
	lib/tool/agent/summarize.schema.json \
	lib/tool/agent/translate.schema.json \
	lib/tool/client/ask_user.schema.json \
	lib/tool/client/suggest_action.schema.json \
	lib/tool/data/describe_dataset.schema.json \
	lib/tool/data/query_data.schema.json \
	lib/tool/data/read_result.schema.json \
	lib/tool/entity/create_calendar_event.schema.json \
	lib/tool/entity/delete_calendar_event.schema.json \
	lib/tool/entity/get_calendar_event_details.schema.json \
	lib/tool/entity/get_project_calendar.schema.json \
	lib/tool/entity/list_calendar_events.schema.json \
	lib/tool/entity/set_project_calendar.schema.json \
	lib/tool/entity/update_calendar_event.schema.json \
	lib/tool/entity/create_onto_project.schema.json \
	lib/tool/entity/create_task_document.schema.json \
	lib/tool/entity/get_document_path.schema.json \
	lib/tool/entity/get_document_tree.schema.json \
	lib/tool/entity/get_entity_relationships.schema.json \
	lib/tool/entity/get_field_info.schema.json \
	lib/tool/entity/get_linked_entities.schema.json \
	lib/tool/entity/get_onto_project_graph.schema.json \
	lib/tool/entity/list_task_documents.schema.json \
	lib/tool/entity/move_document_in_tree.schema.json \
	lib/tool/entity/reorganize_onto_project_graph.schema.json \
	lib/tool/entity/search_onto_documents.schema.json \
	lib/tool/entity/search_onto_projects.schema.json \
	lib/tool/entity/search_onto_tasks.schema.json \
	lib/tool/entity/search_ontology.schema.json \
	lib/tool/knowledge/get_document_metadata.schema.json \
	lib/tool/knowledge/list_knowledge_bases.schema.json \
	lib/tool/knowledge/read_document.schema.json \
	lib/tool/knowledge/recall_facts.schema.json \
	lib/tool/knowledge/search.schema.json \
	lib/tool/knowledge/search_conversations.schema.json \
	lib/tool/knowledge/search_knowledge.schema.json \
	lib/tool/text/analyse_log.schema.json \
	lib/tool/text/find_pii.schema.json \
	lib/tool/web/web_search.schema.json \
	lib/tool/web/web_visit.schema.json
EXTRA_DIST += $(TOOL_SCHEMAS)
nodist_lib_liblamplighter_a_SOURCES = lib/tool/schemas.h
BUILT_SOURCES += lib/tool/schemas.h
CLEANFILES += lib/tool/schemas.h

lib/tool/agent/kind_image_text.$(OBJEXT) lib/tool/agent/ready.$(OBJEXT) \
	lib/tool/agent/rows.$(OBJEXT) \
	lib/tool/client/rows.$(OBJEXT) lib/tool/data/rows.$(OBJEXT) \
	lib/tool/entity/rows.$(OBJEXT) lib/tool/knowledge/rows.$(OBJEXT) \
	lib/tool/text/rows.$(OBJEXT) lib/tool/web/kind_web.$(OBJEXT): \
	lib/tool/schemas.h
lib/tool/schemas.h: $(TOOL_SCHEMAS) lib/tool/local.mk
	$(AM_V_GEN)$(MKDIR_P) lib/tool && out=$(abs_builddir)/$@ && \
	cd $(srcdir) && for file in $(TOOL_SCHEMAS); do \
		printf '#define SCHEMA_%s \\\n' `basename $$file .schema.json`; \
		sed 's/^ *//; s/[\\"]/\\&/g; s/.*/	"&" \\/' $$file; echo; \
	done >$$out.tmp && mv $$out.tmp $$out
