# parts of sql/
sqldir = $(pkgdatadir)/sql
dist_sql_DATA = \
	sql/0001-people.sql \
	sql/0002-conversation.sql \
	sql/0003-turn.sql \
	sql/0004-usage.sql \
	sql/0006-thread.sql \
	sql/0007-notification.sql \
	sql/0008-approval.sql \
	sql/0009-tool-output.sql \
	sql/0010-mcp.sql \
	sql/0011-site-key.sql \
	sql/0012-turn-client.sql \
	sql/0013-decided-seq.sql \
	sql/0015-origin.sql \
	sql/0016-turn-service.sql \
	sql/0017-message-columns.sql \
	sql/0020-job.sql \
	sql/0021-conversation-created.sql \
	sql/0022-resource.sql \
	sql/0025-bounded-reads.sql \
	sql/0028-message-reply.sql \
	sql/0029-turn-resumes.sql
