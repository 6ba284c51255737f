lib_liblamplighter_a_SOURCES += \
	lib/store/attachment.c lib/store/attachment.h \
	lib/store/attempt.c lib/store/attempt.h \
	lib/store/blob.c lib/store/blob.h \
	lib/store/blob_mark.c lib/store/blob_mark.h \
	lib/store/conversation.c lib/store/conversation.h \
	lib/store/conversation_life.c \
	lib/store/export.c lib/store/export.h \
	lib/store/job.c lib/store/job.h \
	lib/store/journal.c lib/store/journal.h lib/store/journal_prune.c \
	lib/store/key.c lib/store/key.h \
	lib/store/known.c lib/store/known.h \
	lib/store/list.h \
	lib/store/mcp_pin.c lib/store/mcp_pin.h \
	lib/store/message.c lib/store/message.h lib/store/message_row.h \
	lib/store/metric_sum.c lib/store/metric_sum.h \
	lib/store/web_process.c lib/store/web_process.h \
	lib/store/notice.c lib/store/notice.h \
	lib/store/prefix.c lib/store/prefix.h \
	lib/store/prompt.c lib/store/prompt.h \
	lib/store/record.c \
	lib/store/server.c lib/store/server.h \
	lib/store/setting.c lib/store/setting.h \
	lib/store/shared.c lib/store/shared.h \
	lib/store/source.c lib/store/source.h \
	lib/store/stmt.def lib/store/stmt.h lib/store/stmt_entity.h \
	lib/store/stmt_search.h \
	lib/store/stmt_thread.h \
	lib/store/store.c lib/store/store.h \
	lib/store/thread.c lib/store/thread.h \
	lib/store/thread_copy.c lib/store/thread_gap.c \
	lib/store/token.c lib/store/token.h \
	lib/store/token_cache.c lib/store/token_cache.h \
	lib/store/tool_output.c lib/store/tool_output.h \
	lib/store/turn.c lib/store/turn.h \
	lib/store/turn_begin.c lib/store/turn_end.c \
	lib/store/turn_options.def lib/store/turn_show.c lib/store/turn_show.h \
	lib/store/turn_dead.c lib/store/turn_many.c \
	lib/store/usage.c lib/store/usage.h \
	lib/store/user.c lib/store/user.h \
	lib/store/wait.c lib/store/wait.h
