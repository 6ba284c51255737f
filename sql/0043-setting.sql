-- What users, groups and the tenant have set, a row for each of them.
CREATE TABLE IF NOT EXISTS setting (
  holder_id  BINARY(16)   NOT NULL COMMENT 'whose: user.id, or the id of a group or of the tenant, as prompt.holder_id',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  level      TINYINT      NOT NULL COMMENT '3 user, 4 team, 5 tenant',
  name       VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'login, name of the group, or tenant slug',
  version    BIGINT       NOT NULL COMMENT 'moved by every change',
  updated_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  said       MEDIUMTEXT   CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL COMMENT 'JSON object: name of a setting (lib/agent/setting.def) to its value; read as a whole, never searched' CHECK (JSON_VALID(said)),
  PRIMARY KEY (holder_id),
  KEY setting_level (tenant_id, level, name)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='settings of users, groups and the tenant';
