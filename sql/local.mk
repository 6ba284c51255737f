# parts of sql/: whatever is there. The shell expands the pattern.
sqldir = $(pkgdatadir)/sql
dist_sql_DATA = $(srcdir)/sql/*.sql
