-- What was accepted of the tools that MCP servers offer; a kind of usage more.

CREATE TABLE IF NOT EXISTS mcp_pin (
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  server      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'key of mcp_servers in the configuration',
  tool        VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of the tool as the server says it',
  hash        BINARY(32)   NOT NULL COMMENT 'SHA-256 of definition',
  definition  MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'canonical JSON of name, description, schemas and hints as they were accepted' CHECK (JSON_VALID(definition)),
  accepted_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (tenant_id, server, tool)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='definitions of MCP tools that an admin, or the first use, accepted';

ALTER TABLE usage_record MODIFY kind TINYINT UNSIGNED NOT NULL COMMENT '1 chat turn, 2 single-shot completion, 3 title, 4 agent as a tool';
