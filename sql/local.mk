# parts of sql/
