-- The prompt catalogue: prompts of the tenant, of groups and of users, what they
-- are filed under, who else sees them, and how they read before.

CREATE TABLE IF NOT EXISTS prompt_category (
  id          BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug: whose it is',
  user_id     BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version     BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  sort_key    VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  name        VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what is filed there; NULL: not said',
  icon        VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'name of an icon, or an emoji; NULL: none',
  colour      CHAR(7)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT '#rrggbb; NULL: none',
  PRIMARY KEY (id),
  UNIQUE KEY prompt_category_name (tenant_id, sort_key)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='categories of a tenant for its prompts';

CREATE TABLE IF NOT EXISTS prompt (
  id             BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id      VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id        BINARY(16)   NOT NULL COMMENT 'who made it: user.id',
  version        BIGINT       NOT NULL COMMENT 'moved by every change',
  created_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  holder_id      BINARY(16)   NOT NULL COMMENT 'whose it is: user.id, or the id of a group or of the tenant',
  sort_key       VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name in small letters',
  name           VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as it is shown',
  description    VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what it is for; NULL: not said',
  icon           VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'name of an icon, or an emoji; NULL: none',
  colour         CHAR(7)      CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT '#rrggbb; NULL: none',
  body           MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'the prompt, with its {{blanks}}',
  tier           VARCHAR(16)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'private, team or tenant',
  team           VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NULL COMMENT 'group that holds a prompt of a team; else NULL',
  copied_from    BINARY(16)   NULL COMMENT 'the prompt that it was copied from; NULL: none',
  copied_version BIGINT       NULL COMMENT 'at which version, as shown; NULL: not a copy',
  PRIMARY KEY (id),
  KEY prompt_holder (tenant_id, holder_id, id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='prompts to choose from: of users, groups and the tenant';

CREATE TABLE IF NOT EXISTS prompt_reader (
  tenant_id VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  reader_id BINARY(16)   NOT NULL COMMENT 'who sees it: user.id, or the id of a group or of the tenant',
  sort_key  VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'as prompt.sort_key',
  row_id    BINARY(16)   NOT NULL COMMENT 'prompt.id',
  PRIMARY KEY (tenant_id, reader_id, sort_key, row_id),
  UNIQUE KEY prompt_reader_row (row_id, reader_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='who sees which prompts, in the order of their names';

CREATE TABLE IF NOT EXISTS prompt_in_category (
  row_id   BINARY(16) NOT NULL COMMENT 'prompt.id',
  other_id BINARY(16) NOT NULL COMMENT 'prompt_category.id',
  PRIMARY KEY (row_id, other_id),
  KEY prompt_in_category_other (other_id)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='which prompts are filed under which categories';

CREATE TABLE IF NOT EXISTS prompt_version (
  id          BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id   VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id     BINARY(16)   NOT NULL COMMENT 'who wrote it: user.id',
  version     BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us  BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id   BINARY(16)   NOT NULL COMMENT 'prompt.id',
  number      BIGINT       NOT NULL COMMENT 'version of the prompt, as shown',
  name        VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as prompt.name',
  description VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'as prompt.description',
  body        MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'as prompt.body',
  PRIMARY KEY (id),
  KEY prompt_version_list (tenant_id, parent_id, created_us, id),
  UNIQUE KEY prompt_version_number (parent_id, number)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='how prompts read, version by version';

CREATE TABLE IF NOT EXISTS prompt_share (
  id         BINARY(16)   NOT NULL COMMENT 'UUID',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  user_id    BINARY(16)   NOT NULL COMMENT 'who shared it: user.id',
  version    BIGINT       NOT NULL COMMENT '0: it never changes',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  parent_id  BINARY(16)   NOT NULL COMMENT 'prompt.id',
  group_name VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'whose members see it',
  PRIMARY KEY (id),
  KEY prompt_share_list (tenant_id, parent_id, created_us, id),
  UNIQUE KEY prompt_share_group_name (parent_id, group_name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='groups that prompts are shared with';
