-- People and their credentials.
--
-- Conventions of every table: ids are UUIDs in BINARY(16), made by us before
-- the INSERT; times are BIGINT microseconds since 1970 UTC; keys that compare
-- byte by byte are utf8mb4_nopad_bin, text utf8mb4_bin, names and titles
-- utf8mb4_uca1400_ai_ci (any case, any accent); every collation is said here,
-- because defaults differ between server versions. Every statement can run
-- again: a migration that was cut short is repeated from its last statement.

CREATE TABLE IF NOT EXISTS user (
  id            BINARY(16)   NOT NULL COMMENT 'UUIDv8: hash of tenant and login, the same on every node',
  tenant_id     VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  login         VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name as the web server or the token says it',
  name          VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci NULL COMMENT 'display name; NULL: none known',
  first_seen_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  last_seen_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC; moved every few minutes at most',
  PRIMARY KEY (id),
  UNIQUE KEY user_login (tenant_id, login)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='people seen; identity itself comes from the web server';

CREATE TABLE IF NOT EXISTS api_token (
  id         BINARY(16)   NOT NULL COMMENT 'UUIDv7',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'whose rights it has: user.id (row may not exist yet)',
  login      VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'login of that user',
  name       VARCHAR(190) CHARACTER SET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci NULL COMMENT 'what it is for; NULL: not said',
  hash       BINARY(32)   NOT NULL COMMENT 'SHA-256 of the token text, which is not stored',
  groups     TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON array of group names' CHECK (JSON_VALID(groups)),
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  expires_us BIGINT       NULL     COMMENT 'us since 1970 UTC; NULL: never',
  revoked_us BIGINT       NULL     COMMENT 'us since 1970 UTC; NULL: in force',
  PRIMARY KEY (id),
  UNIQUE KEY api_token_hash (hash),
  KEY api_token_tenant (tenant_id, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='bearer credentials, made and revoked by the command';
