-- Work that outlives a response: one row each, taken by a lease.

CREATE TABLE IF NOT EXISTS job (
  kind       VARCHAR(32)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'name of a row of job.def',
  subject    VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'what it is about, by kind: an id; asked for twice, it is one job',
  tenant_id  VARCHAR(64)  CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL COMMENT 'tenant slug',
  args       TEXT         CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'what else it needs: a JSON object, by kind',
  due_us     BIGINT       NOT NULL COMMENT 'us since 1970 UTC from when it may be taken; whoever takes it moves it to the end of their lease; 9223372036854775807: it failed for good',
  asked      BIGINT       NOT NULL DEFAULT 1 COMMENT 'how often it was asked for: whoever ends it sees what came meanwhile',
  attempts   INT          NOT NULL DEFAULT 0 COMMENT 'how often it was taken since it last got on',
  error      VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NULL COMMENT 'why the last attempt failed',
  created_us BIGINT       NOT NULL COMMENT 'us since 1970 UTC',
  PRIMARY KEY (kind, subject),
  KEY job_due (due_us)
) ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin
  COMMENT='work that outlives a response';

-- Deletions that an older program began.
INSERT IGNORE INTO job (kind, subject, tenant_id, due_us, created_us)
SELECT 'conversation-purge', LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8), SUBSTR(HEX(id), 9, 4),
  SUBSTR(HEX(id), 13, 4), SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21))), '', 0, 0
FROM conversation WHERE tenant_id = '' AND user_id = UNHEX(REPEAT('00', 16));
