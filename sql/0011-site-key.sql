-- Keys that the processes of a deployment share and nobody else knows.

CREATE TABLE IF NOT EXISTS site_key (
  purpose    VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'what it is for: form',
  secret     BINARY(32)  NOT NULL COMMENT 'random bytes, made by the first process that needs them; deleting the row makes a new key',
  created_us BIGINT      NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (purpose)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='keys of this deployment, of no tenant';
