-- Processes that keep answers open, which share the capacity of one web server.

CREATE TABLE IF NOT EXISTS web_process (
  process    BINARY(16)  NOT NULL COMMENT 'UUIDv7 that a process makes for itself when it starts',
  host       VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of its machine, which stands for the web server',
  created_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC; written again while it keeps answers open, so an old one has none',
  PRIMARY KEY (process),
  KEY web_process_host (host, created_us),
  KEY web_process_age (created_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='processes with open answers, by machine; expire';
